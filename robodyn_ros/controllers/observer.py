# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Momentum observer: the torque from outside, without measuring it (De Luca and Mattone 2003).

    p = M v,   r = gain (p - z),   z' = z + period (tau + Mdot v - h + r)

r follows the external torque with the time constant 1 / gain: M a + h = tau + tau_external gives
pdot = tau + tau_external + Mdot v - h. Mdot v - h is the mean of its values at both ends of a
period, and tau the torque that acted in it.
"""
from __future__ import annotations

from functools import wraps
from typing import Any, Mapping, Sequence

from robodyn_ros.checks import number, refusal
from robodyn_ros.controllers.integral import checked_period
from robodyn_ros.controllers.model import model_of, model_parameters, saturated
from robodyn_ros.mechanics import equations
from robodyn_ros.robots.parameters import Given
from robodyn_ros.robots.robot import Robot
from robodyn_ros.tracing import directional, Number, where
from robodyn_ros.types import Control

TOPIC = 'external_torque'
"""What the controller node calls the estimate."""


def observed(robot: Robot, control: Control, gain: float, *, period: float | None = None,
             model: Given = None) -> Control:
    """
    Return a law that also observes the torque from outside; the torques it sends are the same.

    :param gain: 1 / time constant of the estimate [1/s], well below 1 / period
    :param period: between control instants [s]
    :param model: the observer's payload, gravity and friction scale
    """
    seconds = checked_period(period, 'the observer')
    expected = f'a number above 0 and below 1 / period = {1.0 / seconds:g} 1/s'
    gain = number('gain of the observer', gain, expected, above=0.0)
    if not gain * seconds < 1.0:
        raise refusal('gain of the observer', gain, expected)
    own = {f'observer.{name}': value for name, value in model_parameters(robot, model).items()}
    n, first = robot.n, len(control.memory)
    on_way = (control.delay + 1) * n  # torques that were asked for and have not yet acted

    @wraps(control.law)
    def law(t: Number, q: Sequence[Number], v: Sequence[Number], reference: Sequence[Number],
            values: Mapping[str, Number], memory: Sequence[Number]
            ) -> tuple[list[Number], list[Number]]:
        made: Any = control.law(t, q, v, reference, values, memory[:first]) if first else \
            control.law(t, q, v, reference, values)
        tau, kept = (list(made[0]), list(made[1])) if first else (list(made), [])
        begun, rest = memory[first], memory[first + 1:]
        r, z, before = rest[:n], rest[n:2 * n], rest[2 * n:3 * n]
        acted, waiting = rest[3 * n:4 * n], rest[4 * n:3 * n + on_way]
        chosen = model_of({name.removeprefix('observer.'): value for name, value in values.items()
                           if name.startswith('observer.')})
        momentum, rate = _momentum(robot, chosen, q, v)
        z = [where(begun > 0.5, old + (push + 0.5 * (early + late) + pull) * seconds,
                   p)  # type: ignore[operator]
             for old, push, early, late, pull, p in zip(z, acted, before, rate, r, momentum)]
        r = [(p - old) * gain for p, old in zip(momentum, z)]
        return tau, [*kept, 1.0, *r, *z, *rate, *waiting,
                     *saturated(robot, tau)]  # motors give no more

    return control._replace(
        law=law, parameters={**control.parameters, **own}, told={**control.told, TOPIC: first + 1},
        memory=(*control.memory, *(0.0,) * (1 + 3 * n + on_way)))


def _momentum(robot: Robot, model: Any, q: Sequence[Number], v: Sequence[Number]
              ) -> tuple[list[Number], list[Number]]:
    """Return p = M v and Mdot v - h (n, n)."""
    mass, bias = equations.mass_and_bias(robot.tree, model, q, v)
    momentum: list[Number] = [sum((x * rate for x, rate in zip(row, v)), 0.0) for row in mass]
    turned = directional(momentum, dict(zip(q, v)))  # type: ignore[arg-type]
    return momentum, [x - h for x, h in zip(turned, bias)]
