# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Runs of paper 003: an ABB IRB 120 under an open-loop torque, and under computed torque.

Torques act continuously, at every stage of the Runge-Kutta step of 1 ms. Friction is in the plant;
the law does not know it unless told. Pinocchio, where installed, is a second engine.
"""
from __future__ import annotations

from typing import Any, Callable, NamedTuple

import numpy as np

from robodyn_ros.controllers.computed_torque import computed_torque
from robodyn_ros.plant.plant import Plant
from robodyn_ros.robots.robot import Robot
from robodyn_ros.studies.runs import acting_continuously
from robodyn_ros.tracing import cos, Number, sin
from robodyn_ros.types import Rollout

AMPLITUDE = (2.0, 1.5, 1.0, 2.5, 2.0, 3.0)
"""Of the closed-loop reference A sin(2 pi t) [rad]."""
OPEN_LOOP = 0.5
"""Amplitude of the motion the open-loop torque is made for [rad]."""
RATE = 2.0 * np.pi
FREQUENCY = np.array([15.0, 15.0, 15.0, 25.0, 25.0, 30.0])
"""Natural frequencies of the error [rad/s]."""
STEP = 1e-3
Accelerate = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


class OpenLoop(NamedTuple):
    """Motions under one torque."""

    t: np.ndarray
    """(k,) [s]"""
    smooth: np.ndarray
    """Without friction (k, 6) [rad]."""
    rough: np.ndarray
    """With friction (k, 6) [rad]."""
    other: np.ndarray | None
    """Without friction by Pinocchio, if installed (k, 6) [rad]."""


class ClosedLoop(NamedTuple):
    """Motions under computed torque."""

    clean: Rollout
    """Without friction."""
    rubbed: Rollout
    """With friction."""
    told: Rollout
    """With friction, which the law knows."""


def sines(t: Number) -> list[Number]:
    """Positions, velocities and accelerations of A sin(2 pi t), one after another (18,)."""
    s, c = sin(t * RATE), cos(t * RATE)
    return [*(s * x for x in AMPLITUDE), *(c * x * RATE for x in AMPLITUDE),
            *(s * x * -RATE ** 2 for x in AMPLITUDE)]


def closed_loop(robot: Robot) -> Plant:
    """IRB 120 under computed torque on the sines, acting continuously."""
    control = computed_torque(robot, natural_frequency=FREQUENCY, saturate=False)
    return Plant(robot, [acting_continuously(control, sines)], step=STEP)


def open_loop(robot: Robot, accelerate: Accelerate, duration: float) -> np.ndarray:
    """
    Positions (k, 6) under the torque that moves a frictionless arm on 0.5 sin(2 pi t), by RK4.

    :param accelerate: accelerate(q, v, tau) of one engine
    """
    steps = int(round(duration / STEP))
    halves = np.arange(2 * steps + 1) * (STEP / 2.0)
    q, v, a = (np.repeat(x[:, None], 6, axis=1) for x in (
        OPEN_LOOP * np.sin(RATE * halves), OPEN_LOOP * RATE * np.cos(RATE * halves),
        -OPEN_LOOP * RATE ** 2 * np.sin(RATE * halves)))
    torque = robot.inverse_dynamics(q, v, a, frictionless(robot))

    def rates(k: int, x: np.ndarray) -> np.ndarray:
        return np.concatenate([x[6:], accelerate(x[:6], x[6:], torque[k])])

    x = np.concatenate([q[0], v[0]])
    result = [x[:6]]
    for k in range(0, 2 * steps, 2):
        k1 = rates(k, x)
        k2 = rates(k + 1, x + STEP / 2.0 * k1)
        k3 = rates(k + 1, x + STEP / 2.0 * k2)
        x = x + STEP / 6.0 * (k1 + 2.0 * (k2 + k3) + rates(k + 2, x + STEP * k3))
        result.append(x[:6])
    return np.array(result)


def desired(t: np.ndarray) -> np.ndarray:
    """Return the reference of the closed loop (k, 6) [rad]."""
    return np.sin(RATE * t)[:, None] * np.array(AMPLITUDE)


def error(motion: Rollout) -> np.ndarray:
    """Tracking error of the closed loop (k, 6) [rad]."""
    return desired(motion.t) - motion.q


def frictionless(robot: Robot) -> Any:
    """Return the robot's parameters without friction."""
    return robot.parameters._replace(friction_scale=0.0)


def pinocchio_model(robot: Robot) -> Any:
    """Return Pinocchio's model of the same robot file, with the same gravity."""
    import pinocchio as pin  # optional
    model = pin.buildModelFromXML(robot.urdf)
    model.gravity.linear = np.array(robot.parameters.gravity)
    return model


def pinocchio_engine(robot: Robot) -> Accelerate:
    """Return Pinocchio's forward dynamics, without friction."""
    import pinocchio as pin  # optional
    model = pinocchio_model(robot)
    data = model.createData()
    return lambda q, v, tau: pin.aba(model, data, q, v, tau)


def engine(robot: Robot, friction_scale: float) -> Accelerate:
    """Return our forward dynamics, with friction times a factor."""
    values = robot.parameters._replace(friction_scale=friction_scale)
    return lambda q, v, tau: robot.forward_dynamics(q, v, tau, values)
