# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Adaptive computed torque: payload and friction are learnt on the way (Slotine and Li 1987).

    v_r = v_d + lambda e,   a_r = a_d + lambda ed,   s = v_r - v
    tau = M^ (a_r + kappa s) + C^(q, v) v_r + g^ + friction^
    theta' = theta + period Gamma Y^T s

theta is the payload's mass [kg] and the friction scale [-]; the torque is linear in both, so the
regressor Y = dtau/dtheta is the recording's own derivative. C(q, v) v_r is the symmetric bilinear
form of the Coriolis efforts c(v), (c(v + v_r) - c(v) - c(v_r)) / 2: that of Christoffel's symbols,
for which Mdot - 2 C is skew and 1/2 s^T M s + 1/2 |theta~|^2 falls. lambda and kappa are the roots
of x^2 - kd x + kp.
"""
from __future__ import annotations

import math
from typing import Mapping, Sequence

from robodyn_ros.checks import numbers
from robodyn_ros.controllers.computed_torque import refuse_passive
from robodyn_ros.controllers.integral import checked_period
from robodyn_ros.controllers.model import (gains, joint_values, model_of, model_parameters,
                                           saturated)
from robodyn_ros.errors import ArgumentError
from robodyn_ros.mechanics import equations
from robodyn_ros.mechanics.parameters import Parameters
from robodyn_ros.robots.parameters import Given
from robodyn_ros.robots.robot import Robot
from robodyn_ros.tracing import clip, jacobian, Number
from robodyn_ros.types import Control

LEARNT = ('payload.mass', 'friction_scale')
"""What the memory holds, in this order."""
MOST_MASS, MOST_FRICTION = 1e4, 100.0
"""Bounds of what is believed [kg], [-]."""


def adaptive(robot: Robot, *, adaptation: object, period: float | None = None, kp: object = None,
             kd: object = None, natural_frequency: object = None, damping: float = 1.0,
             model: Given = None, saturate: bool = True) -> Control:
    """
    Adaptive computed-torque control; what it has learnt is its memory.

    :param adaptation: rates Gamma of payload mass and friction scale, one number for both or two
    :param period: between control instants [s]
    :param model: the controller's own payload, gravity and friction scale at the start
    """
    refuse_passive(robot, 'adaptive')
    seconds = checked_period(period, 'adaptive')
    rates = numbers('adaptation of adaptive', adaptation, 'one number or two').ravel().tolist()
    if len(rates) not in (1, 2) or not all(0.0 <= rate < math.inf for rate in rates):
        raise ArgumentError(f'adaptation of adaptive is {adaptation!r}; expected one or two '
                            'numbers that are not negative: rates for payload mass and friction')
    chosen = gains(robot, kp, kd, natural_frequency, damping)
    parameters = {**model_parameters(robot, model), 'rate.mass': float(rates[0]),
                  'rate.friction': float(rates[-1])}
    for joint in robot.joints:
        half = 0.5 * chosen[f'kd.{joint}']
        apart = math.sqrt(max(half ** 2 - chosen[f'kp.{joint}'], 0.0))
        parameters[f'lambda.{joint}'] = half - apart
        parameters[f'kappa.{joint}'] = half + apart

    def law(t: Number, q: Sequence[Number], v: Sequence[Number], reference: Sequence[Number],
            values: Mapping[str, Number], memory: Sequence[Number]
            ) -> tuple[list[Number], list[Number]]:
        n = robot.n
        lag, kappa = joint_values(robot, 'lambda', values), joint_values(robot, 'kappa', values)
        wanted = reference[n:2 * n]
        v_r = [wanted[k] + lag[k] * (reference[k] - q[k]) for k in range(n)]
        s = [x - y for x, y in zip(v_r, v)]
        a_r = [reference[2 * n + k] + lag[k] * (wanted[k] - v[k]) + kappa[k] * s[k]
               for k in range(n)]
        mass, scale = memory
        learnt = model_of(values)._replace(payload_mass=mass, friction_scale=scale)
        tau = _torque(robot, learnt, q, v, v_r, a_r, wanted)
        regressor = jacobian(tau, memory)  # type: ignore[arg-type]
        steps = [sum((row[i] * x for row, x in zip(regressor, s)), 0.0) for i in range(2)]
        kept = [clip(mass + steps[0] * values['rate.mass'] * seconds, 0.0, MOST_MASS),
                clip(scale + steps[1] * values['rate.friction'] * seconds, 0.0, MOST_FRICTION)]
        return (saturated(robot, tau) if saturate else tau), kept

    return Control(law, 3 * robot.n, parameters, memory=tuple(
        parameters[f'model.{name}'] for name in LEARNT))


def _torque(robot: Robot, model: Parameters, q: Sequence[Number], v: Sequence[Number],
            v_r: Sequence[Number], a_r: Sequence[Number], wanted: Sequence[Number]
            ) -> list[Number]:
    """Return M a_r + C(q, v) v_r + g + friction(v_d) of a model (n,)."""
    tree = robot.tree

    def coriolis(rate: Sequence[Number]) -> Sequence[Number]:
        return equations.bias_parts(tree, model, q, rate)[0]

    still: list[Number] = [0.0] * robot.n
    straight = equations.inverse_dynamics(tree, model._replace(friction_scale=0.0), q, still, a_r)
    both = coriolis([x + y for x, y in zip(v, v_r)])
    friction = equations.friction(tree, model, wanted)
    return [a + 0.5 * (c - one - two) + f for a, c, one, two, f in zip(
        straight, both, coriolis(v), coriolis(v_r), friction)]
