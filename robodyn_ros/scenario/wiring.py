# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
From settings to parts: run-time parameters, control law, noise and plant of a scenario.

The one place that wires trajectories, controllers and plants; none of them knows the others. The
simulation, the nodes and the papers all build their parts here. A user's own constraint,
controller or trajectory is found by its import path.
"""
from __future__ import annotations

import importlib
import os
import sys
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from robodyn_ros.constraints.constraint import Constraint
from robodyn_ros.constraints.stabilisation import Stabilisation, stabilisation
from robodyn_ros.controllers.computed_torque import computed_torque
from robodyn_ros.controllers.constraint_following import constraint_following
from robodyn_ros.controllers.robust import robust
from robodyn_ros.errors import ScenarioError, UnknownNameError
from robodyn_ros.mechanics.parameters import Parameters
from robodyn_ros.plant.plant import Plant
from robodyn_ros.robots.payload import checked_parameters
from robodyn_ros.robots.robot import Robot
from robodyn_ros.scenario.schema import (ControllerSettings, DynamicsSettings, ModelSettings,
                                         NoiseSettings, StabilisationSettings)
from robodyn_ros.tracing import Number
from robodyn_ros.types import Control

CONTROLLERS = ('none', 'computed_torque', 'robust', 'constraint_following')


def parameters_of(robot: Robot, settings: ModelSettings) -> Parameters:
    """Run-time parameters of a model; the robot file's gravity where none is given."""
    payload = settings.payload
    for key, value, count in (('gravity', settings.gravity, 3),
                              ('payload.centre', payload.centre, 3),
                              ('payload.inertia', payload.inertia, 6)):
        if len(value) != count and not (key == 'gravity' and not value):
            raise ScenarioError(f'{key} is {list(value)}; expected {count} numbers')
    return checked_parameters(Parameters(
        settings.gravity or robot.parameters.gravity,  # type: ignore[arg-type]
        payload.mass, payload.centre, payload.inertia,  # type: ignore[arg-type]
        settings.friction_scale))


def control_of(robot: Robot, settings: ControllerSettings, task: Sequence[Constraint],
               folder: str = '') -> Control | None:
    """
    Control law of a controller; None without one.

    :param task: constraints of the desired motion, which constraint_following needs
    :param folder: where a user's own module may lie, see Scenario.folder
    """
    if settings.kind == 'none':
        return None
    return _law_of(robot, settings, task, folder)._replace(delay=settings.delay)


def _law_of(robot: Robot, settings: ControllerSettings, task: Sequence[Constraint],
            folder: str) -> Control:
    kind = settings.kind
    if is_import_path(kind):
        made = import_object(kind, 'controller.kind', folder)
        control = call_object(made, kind, 'controller.kind', robot, settings)
        if not isinstance(control, Control):
            raise ScenarioError(f'controller.kind is {kind!r}: it returned {control!r}; expected '
                                'a Control')
        return control
    if kind not in CONTROLLERS:
        raise UnknownNameError('controller', kind, CONTROLLERS, 'controller.kind')
    model = parameters_of(robot, settings.model)
    if kind == 'constraint_following':
        if not task:
            raise ScenarioError('constraint_following needs a trajectory that is a path in space')
        return constraint_following(
            robot, task, **_row_gains(settings), model=model, saturate=settings.saturate,
            pretension=_one_or_each(settings.pretension))
    gains: dict[str, Any] = {
        'kp': _one_or_each(settings.kp), 'kd': _one_or_each(settings.kd),
        'natural_frequency': _one_or_each(settings.natural_frequency),
        'damping': settings.damping, 'model': model, 'saturate': settings.saturate}
    make: Callable[..., Control] = computed_torque
    if kind == 'robust':
        make = robust
        gains.update(rho=settings.rho, epsilon=settings.epsilon, p=settings.p)
    return make(robot, **gains)


def _row_gains(settings: ControllerSettings) -> dict[str, float]:
    """Gains of constraint following: one for all rows, as kp and kd or as natural frequency."""
    for key in ('kp', 'kd', 'natural_frequency'):
        if len(getattr(settings, key)) > 1:
            raise ScenarioError(f'controller.{key} is {list(getattr(settings, key))}; '
                                'constraint_following has rows, not joints: give one number')
    if settings.natural_frequency:
        if settings.kp or settings.kd:
            raise ScenarioError('controller.kp or kd and controller.natural_frequency are both '
                                'given; give one or the other')
        omega = settings.natural_frequency[0]
        return {'kp': omega ** 2, 'kd': 2.0 * settings.damping * omega}
    return {'kp': (settings.kp or (100.0,))[0], 'kd': (settings.kd or (20.0,))[0]}


def _one_or_each(values: tuple[float, ...]) -> Any:
    return None if not values else values[0] if len(values) == 1 else values


def measurement_noise(noise: NoiseSettings, count: int, n: int) -> np.ndarray | None:
    """
    Draw errors of positions and velocities, side by side (count, 2 n); None for no noise.

    At control instant k the law sees q + e_q[k] and v + e_v[k], in simulate() and in the node
    `dynamics` alike; the plant's own state stays clean.
    """
    if noise.position <= 0.0 and noise.velocity <= 0.0:
        return None
    random = np.random.default_rng(noise.seed)
    return np.hstack([random.normal(0.0, noise.position, (count, n)),
                      random.normal(0.0, noise.velocity, (count, n))])


def with_noise(control: Control, n: int) -> Control:
    """Return the control law fed with a state plus noise from the last 2 n reference columns."""
    def law(t: Number, q: list, v: list, reference: list, values: Mapping) -> list:
        clean, noise = reference[:-2 * n], reference[-2 * n:]
        return list(control.law(t, [x + e for x, e in zip(q, noise[:n])],
                                [x + e for x, e in zip(v, noise[n:])], clean, values))

    return control._replace(law=law, reference_size=control.reference_size + 2 * n)


def plant_of(robot: Robot, settings: DynamicsSettings, task: Sequence[Constraint],
             control: Control | None = None, control_period: int = 1, folder: str = '') -> Plant:
    """
    Plant of a scenario, with the control law compiled in if given.

    :param task: constraints that the word 'task' in dynamics.constraints stands for
    :param control_period: integration steps between control instants
    :param folder: where a user's own module may lie, see Scenario.folder
    """
    constraints: list[Constraint] = []
    for name in settings.constraints:
        if name == 'task':
            if not task:
                raise ScenarioError("dynamics.constraints names 'task', but the trajectory is no "
                                    'path in space')
            constraints.extend(task)
        elif is_import_path(name):
            item = import_object(name, 'dynamics.constraints', folder)
            if not isinstance(item, Constraint):
                raise ScenarioError(f'dynamics.constraints: {name!r} is {item!r}; expected a '
                                    'function decorated with @constraint')
            constraints.append(item)
        else:
            raise UnknownNameError('constraint', name, ('task', 'package.module:name'),
                                   'dynamics.constraints')
    return Plant(robot, constraints, stabilisation=_stabilisation_of(settings.stabilisation),
                 integrator=settings.integrator, step=settings.step, control=control,
                 control_period=control_period)


def _stabilisation_of(settings: StabilisationSettings) -> Stabilisation:
    """Choose a stabilisation; a gain that was left out is zero here and would correct nothing."""
    if settings.kind != 'baumgarte':
        return stabilisation(settings.kind)
    if not settings.alpha > 0.0 or not settings.beta > 0.0:
        raise ScenarioError(
            f'dynamics.stabilisation has alpha {settings.alpha:g} and beta {settings.beta:g}; '
            'baumgarte needs both, above 0, such as alpha: 20.0, beta: 100.0')
    return stabilisation('baumgarte', alpha=settings.alpha, beta=settings.beta)


def is_import_path(text: str) -> bool:
    """Tell 'my_package.module:name' from the name of something ready-made."""
    return ':' in text


def import_object(text: str, key: str, folder: str = '') -> Any:
    """
    Return what 'package.module:name' names.

    :param key: the setting that holds the path, for the complaint
    :param folder: of the scenario's file, searched after sys.path and the current folder; both
        stay on sys.path, as a user's function may import more when it is called
    """
    module_name, _, name = text.partition(':')
    for place in (os.getcwd(), folder):
        if place and place not in sys.path:
            sys.path.append(place)
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # noqa: B902  a user's module may fail in any way
        raise ScenarioError(f'{key} is {text!r}: the module cannot be imported '
                            f'({type(error).__name__}: {error})') from error
    if not hasattr(module, name):
        raise ScenarioError(f'{key} is {text!r}: {module_name} has no {name!r}')
    return getattr(module, name)


def call_object(made: Any, text: str, key: str, *args: Any, **kwargs: Any) -> Any:
    """Call what an import path named; a failure is a sentence with the path and its setting."""
    try:
        return made(*args, **kwargs)
    except (Exception, SystemExit) as error:  # noqa: B902  a user's function may fail in any way
        raise ScenarioError(f'{key} is {text!r}: it cannot be called as needed '
                            f'({type(error).__name__}: {error})') from error
