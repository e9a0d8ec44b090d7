# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Paper 003: Truc & Lam 2020, ABB IRB 120, a model checked, in open loop and under computed torque.

"Quasi-physical modeling of robot IRB 120 using Simscape Multibody for dynamic and control
simulation" sets a mathematical model against Simscape; here Pinocchio, where installed, is the
second engine (beside numbers of a third, independent model). Torques act continuously, at every
stage of the Runge-Kutta step of 1 ms, as in the paper's block diagrams; a sampled controller is
the scenario irb120_sine. Friction is in the plant; the law does not know it unless told.
"""
from __future__ import annotations

from importlib.util import find_spec
import math
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from robodyn_ros.controllers.computed_torque import computed_torque
from robodyn_ros.mechanics.friction import friction_torque
from robodyn_ros.plant.plant import Plant
from robodyn_ros.report.drawing import Draw, Figure, overlaid, panels, PANELS_HEIGHT
from robodyn_ros.robots.robot import load_robot, Robot
from robodyn_ros.studies.runs import acting_continuously
from robodyn_ros.studies.study import at_most, Progress, Row, Study
from robodyn_ros.tracing import cos, Number, sin
from robodyn_ros.types import Rollout, State

AMPLITUDE = (2.0, 1.5, 1.0, 2.5, 2.0, 3.0)
"""Of the closed-loop reference A sin(2 pi t) [rad]."""
OPEN_LOOP = 0.5
"""Amplitude of the motion the open-loop torque is made for [rad]."""
RATE = 2.0 * np.pi
FREQUENCY = np.array([15.0, 15.0, 15.0, 25.0, 25.0, 30.0])
"""Natural frequencies of the error [rad/s]."""
STEP = 1e-3
SECOND = 1000
"""Steps in a second."""
FRICTIONS = ({'friction_scale': 0.0}, {'friction_scale': 1.0},
             {'friction_scale': 1.0, 'motors.model.friction_scale': 1.0})
"""Parameters of the closed loop: without friction, with friction, with friction the law knows."""
Accelerate = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
REMARKS = (
    "The paper's friction parameters (figure 5c) and open-loop torques (equations 19, 20) are "
    'lost. Ours: about 3 % of the peak inertial torque for Coulomb and for viscous friction, and '
    'the inverse dynamics of 0.5 sin(2 pi t) on all joints.',
    "Open loop is unstable: whatever error there is, here the integrator's, grows about 200 "
    'times per second. Its size after 1, 2, 3 s depends on the integrator, so orders of magnitude '
    'are compared. With friction the motion is lost within the first second.',
    'Equation 21 prints the factor sqrt(2) e; with sqrt(2 e) the friction at the breakaway '
    'velocity is the breakaway torque, with the printed one the Stribeck part is 1.649 times too '
    'large. Equations 3, 15 print dM/d(q dot) for dM/dq, equation 4 dp/d(q dot) for dp/dq.',
    'The references ask for peak speeds of 720, 540, 360, 900, 720 and 1080 deg/s and for torques '
    'up to 384 N m: beyond a real IRB 120 (250 to 420 deg/s). The limits in the robot file are '
    "wide enough for the paper's motion; they are not those of the product.",
    'Without friction the error is exactly 2 pi A t exp(-w t): 0.17 % of the amplitude is left '
    'after 0.5 s on joints 1 to 3, which agrees with "after about 0.5 s" in the paper.',
    'With friction the errors oscillate as in figure 10; telling the controller the friction '
    'takes them away. The wrist values are small because its inertia is: e = friction / (M w^2).',
)


def run(progress: Progress) -> Study:
    """Run the study: the robot's own functions and one compiled plant."""
    robot, rest, remarks = load_robot('irb120'), np.zeros(6), list(REMARKS)
    progress('the model against an independent one')
    rows = [*_model_rows(robot), *_friction_rows(robot)]

    progress('open loop, without and with friction')
    t = np.arange(3 * SECOND + 1) * STEP
    smooth, rough = (open_loop(robot, engine(robot, scale)) for scale in (0.0, 1.0))
    rows += _open_loop_rows(t, smooth, rough)
    pictures = [Figure('003_friction', 'Friction torque over joint velocity (figure 5a).',
                       _friction(robot))]
    if find_spec('pinocchio'):
        progress("the same torque on Pinocchio's model")
        engine_rows, accelerate = _second_engine(robot)
        other = open_loop(robot, accelerate)
        rows += [*engine_rows,
                 at_most('same torque on two engines, largest difference in 3 s [rad]',
                         np.abs(smooth - other).max(), 1e-7, 'slight')]
        pictures.append(Figure(
            '003_two_engines', 'Difference of two engines under one torque (figure 4b).',
            _joints(t, {'difference': smooth - other})))
    else:
        remarks.append('Pinocchio is not installed (pip install pin): its rows are left out.')

    progress('computed torque: no friction, friction, friction compensated')
    control = computed_torque(robot, natural_frequency=FREQUENCY, saturate=False,
                              model={'friction_scale': 0.0}, friction_velocity='measured')
    plant = Plant(robot, [acting_continuously(control, sines)], step=STEP)
    clean, rubbed, told = (plant.rollout(State(0.0, rest, rest), 5.0, parameters=values)
                           for values in FRICTIONS)
    rows += _tracking_rows(clean, rubbed, told)
    pictures += [
        Figure('003_open_loop', 'One torque, without and with friction (figure 6).',
               _joints(t, {'without friction': smooth, 'with friction': rough})),
        Figure('003_responses', 'Desired motion and response without friction (figure 8).',
               _joints(clean.t, {'desired': desired(clean.t), 'response': clean.q}, 2.0)),
        Figure('003_errors', 'Tracking errors without friction (figure 9).',
               _joints(clean.t, {'error': error(clean)}, 2.0)),
        Figure('003_errors_friction', 'Tracking errors with friction (figure 10), and with '
               'friction compensated.', _joints(clean.t, {'friction': error(rubbed),
                                                          'compensated': error(told)}))]
    return Study('003', 'ABB IRB 120: model, friction and computed torque', rows, pictures,
                 remarks)


def _each(text: str, unit: str, values: np.ndarray, references: Sequence[float],
          tolerances: Sequence[float], paper: str = '') -> list[Row]:
    return [Row(f'{text}, joint {k + 1} [{unit}]', value, reference, room, paper)
            for k, (value, reference, room) in enumerate(zip(values, references, tolerances))]


def _model_rows(robot: Robot) -> list[Row]:
    mass, bias = robot.dynamics(np.zeros(6), np.zeros(6), frictionless(robot))
    state = ((0.1, 0.2, 0.3, 0.4, 0.5, 0.6), (0.6, -0.5, 0.4, -0.3, 0.2, -0.1),
             (1.0, -1.0, 2.0, -2.0, 3.0, -3.0))
    torque = robot.inverse_dynamics(*state, frictionless(robot))
    tool = robot.frame('tool0', np.zeros(6)).position
    return [
        *_each('inertia at q = 0', 'kg m^2', np.diag(mass), (
            0.30936199, 1.11557537, 0.28940942, 0.00448212, 0.00130962, 4.123e-6),
            [6e-9] * 5 + [6e-10]),
        *_each('gravity torque at q = 0', 'N m', bias, (
            0.0, -8.52418556, -8.52418556, 0.0, -0.01211164, 0.0), [6e-9] * 6),
        *_each('inverse dynamics of a moving state', 'N m', torque, (
            0.227670488, -14.3839158, -9.10544386, -0.00923415125, 4.31019655e-4,
            -2.22438911e-5), (6e-10, 6e-8, 6e-9, 6e-12, 6e-13, 6e-14)),
        at_most('tool at q = 0, off (0.374, 0, 0.630) [m]',
                np.abs(tool - [0.374, 0.0, 0.630]).max(), 0.0, tolerance=1e-12)]


def _friction_rows(robot: Robot) -> list[Row]:
    law = robot.tree.friction[0]
    peak = float(friction_torque(law, law.velocity)) - law.viscous * law.velocity  # type: ignore
    return [
        Row('joint 1, friction at the breakaway velocity less viscous [N m]', peak, law.breakaway,
            1e-7),
        Row('Stribeck part of equation 21 as printed, over ours [-]',
            math.sqrt(2.0) * math.e / math.sqrt(2.0 * math.e), 1.649, 6e-4, 'sqrt(2) e')]


def _second_engine(robot: Robot) -> tuple[list[Row], Accelerate]:
    """Rows of Pinocchio's model of the same file, and its forward dynamics without friction."""
    import pinocchio as pin  # optional
    model, rng = pin.buildModelFromXML(robot.urdf), np.random.default_rng(3)
    model.gravity.linear = np.array(robot.parameters.gravity)
    data, worst = model.createData(), np.zeros(2)
    for _ in range(100):
        q, v, a = rng.uniform(-3.0, 3.0, 6), rng.normal(size=6) * 2.0, rng.normal(size=6) * 5.0
        mass = robot.mass_matrix(q)
        upper = np.triu(pin.crba(model, data, q))
        off = np.abs(mass - upper - np.triu(upper, 1).T).max() / np.abs(mass).max()
        torque = robot.inverse_dynamics(q, v, a, frictionless(robot))
        other = pin.rnea(model, data, q, v, a)
        worst = np.maximum(worst, [off, np.abs(torque - other).max() / np.abs(torque).max()])
    return ([at_most('mass matrix against Pinocchio, relative [-]', worst[0], 1e-12),
             at_most('inverse dynamics against Pinocchio, relative [-]', worst[1], 1e-12)],
            lambda q, v, tau: pin.aba(model, data, q, v, tau))


def _open_loop_rows(t: np.ndarray, smooth: np.ndarray, rough: np.ndarray) -> list[Row]:
    """Rows of motions under one torque, without and with friction (k, 6) [rad]."""
    reference = OPEN_LOOP * np.sin(RATE * t)[:, None]
    off = np.abs(reference - smooth).max(axis=1)
    lost = np.abs(reference - rough)[:SECOND + 1].max(axis=0)
    rows = [Row(f'open loop without friction, error after {k} s [log10 rad]',
                np.log10(off[k * SECOND]), np.log10(value), 0.5, 'slight')
            for k, value in ((1, 1e-9), (2, 3e-7), (3, 6e-5))]
    rows.append(Row('open loop, growth of the error in the third second [-]',
                    off[3 * SECOND] / off[2 * SECOND], 200.0, 50.0))
    for joint in (2, 3):
        rows.append(at_most(f'open loop with friction, -error of joint {joint} within 1 s [rad]',
                            -lost[joint - 1], -1.8, 'cannot track'))
    return rows


def _tracking_rows(clean: Rollout, rubbed: Rollout, told: Rollout) -> list[Row]:
    amplitude = np.array(AMPLITUDE)
    law = RATE * amplitude * clean.t[:, None] * np.exp(-FREQUENCY * clean.t[:, None])
    e, late = error(clean), rubbed.t >= 2.0 - 1e-9
    friction = error(rubbed)[late]
    return [
        at_most('computed torque, off 2 pi A t exp(-w t) [rad]', np.abs(e - law).max(), 1.2e-8),
        *_each('largest error', 'rad', np.abs(e).max(axis=0),
               (0.308, 0.231, 0.154, 0.231, 0.185, 0.231), [6e-4] * 6),
        *_each('error after 0.5 s', 'rad', np.abs(e[SECOND // 2]),
               (3.5e-3, 2.6e-3, 1.7e-3, 2.9e-5, 2.3e-5, 2.9e-6),
               (6e-5, 6e-5, 6e-5, 6e-7, 6e-7, 6e-8), 'about 0'),
        *_each('settled to 1 % of the amplitude', 's', _settled(clean.t, e, 0.01 * amplitude),
               (0.36, 0.36, 0.36, 0.19, 0.19, 0.15), [6e-3] * 6, 'about 0.5 s'),
        *_each('settled to 0.001 rad', 's', _settled(clean.t, e, np.full(6, 1e-3)),
               (0.59, 0.57, 0.54, 0.34, 0.33, 0.29), [6e-3] * 6, 'about 0.5 s'),
        *_each('desired peak speed', 'deg/s', np.degrees(amplitude * RATE),
               (720.0, 540.0, 360.0, 900.0, 720.0, 1080.0), [0.5] * 6),
        *_each('peak torque', 'N m', np.abs(clean.constraint_force).max(axis=0),
               (117.0, 384.0, 161.0, 3.5, 1.6, 0.008), (0.6, 0.6, 0.6, 0.06, 0.06, 6e-4)),
        *_each('friction, rms error 2..5 s', 'rad', np.sqrt((friction ** 2).mean(axis=0)),
               (0.0102, 0.0164, 0.0160, 0.0073, 0.0067, 0.0043), [6e-5] * 6, 'oscillates'),
        *_each('friction, largest error 2..5 s', 'rad', np.abs(friction).max(axis=0),
               (0.0171, 0.0218, 0.0276, 0.0112, 0.0104, 0.0080), [6e-5] * 6, 'oscillates'),
        Row('friction, rms error of all joints 2..5 s [rad]',
            np.sqrt((friction ** 2).mean()), 0.0112, 6e-5),
        at_most('friction compensated, off 2 pi A t exp(-w t) [rad]',
                np.abs(error(told) - law).max(), 1.2e-8)]


def _settled(t: np.ndarray, e: np.ndarray, limit: np.ndarray) -> np.ndarray:
    """First time after which each error stays within its limit (6,) [s]."""
    return np.array([t[np.flatnonzero(np.abs(e[:, k]) > limit[k])[-1] + 1] for k in range(6)])


def sines(t: Number) -> list[Number]:
    """Positions, velocities and accelerations of A sin(2 pi t), one after another (18,)."""
    s, c = sin(t * RATE), cos(t * RATE)
    return [*(s * x for x in AMPLITUDE), *(c * x * RATE for x in AMPLITUDE),
            *(s * x * -RATE ** 2 for x in AMPLITUDE)]


def open_loop(robot: Robot, accelerate: Accelerate) -> np.ndarray:
    """
    Positions (3001, 6) under the torque that moves a frictionless arm on 0.5 sin(2 pi t), by RK4.

    :param accelerate: accelerate(q, v, tau) of one engine
    """
    halves = np.arange(6 * SECOND + 1) * (STEP / 2.0)
    q, v, a = (np.repeat(x[:, None], 6, axis=1) for x in (
        OPEN_LOOP * np.sin(RATE * halves), OPEN_LOOP * RATE * np.cos(RATE * halves),
        -OPEN_LOOP * RATE ** 2 * np.sin(RATE * halves)))
    torque = robot.inverse_dynamics(q, v, a, frictionless(robot))

    def rates(k: int, x: np.ndarray) -> np.ndarray:
        return np.concatenate([x[6:], accelerate(x[:6], x[6:], torque[k])])

    x = np.concatenate([q[0], v[0]])
    result = [x[:6]]
    for k in range(0, 6 * SECOND, 2):
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


def engine(robot: Robot, friction_scale: float) -> Accelerate:
    """Return our forward dynamics, with friction times a factor."""
    values = robot.parameters._replace(friction_scale=friction_scale)
    return lambda q, v, tau: robot.forward_dynamics(q, v, tau, values)


def _joints(t: np.ndarray, named: Mapping[str, np.ndarray], until: float = 1e9) -> Draw:
    """Six panels, one joint each [rad]."""
    def draw(figure: Any) -> None:
        shown = t <= until
        places = panels(figure, 3, 2, height=PANELS_HEIGHT / 3)
        for k, axes in enumerate(places):
            overlaid(axes, t[shown], {name: values[shown, k] for name, values in named.items()},
                     f'joint {k + 1} [rad]')
        places[0].legend(loc='upper right')
    return draw


def _friction(robot: Robot) -> Draw:
    def draw(figure: Any) -> None:
        axes, law = figure.subplots(), robot.tree.friction[0]
        speed = np.linspace(-1.0, 1.0, 801)
        axes.plot(speed, [friction_torque(law, float(x)) for x in speed])
        axes.axhline(law.breakaway, linestyle=':', color='grey', label='breakaway')
        axes.set_xlabel('velocity of joint 1 [rad/s]')
        axes.set_ylabel('friction torque [N m]')
        axes.legend()
    return draw
