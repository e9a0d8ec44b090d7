# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
From settings to parts: robot, task, reference, control law and plant of a scenario.

The one place that wires trajectories, controllers and plants; none of them knows the others. The
simulation, the nodes and the papers all build their parts here.
"""
from __future__ import annotations

import dataclasses
from typing import Any, Callable, Sequence

import numpy as np

from robodyn_ros.constraints.constraint import Constraint
from robodyn_ros.constraints.ready_made import follow
from robodyn_ros.constraints.stabilisation import Stabilisation, stabilisation
from robodyn_ros.controllers.computed_torque import computed_torque
from robodyn_ros.controllers.constraint_following import constraint_following
from robodyn_ros.controllers.robust import robust
from robodyn_ros.errors import ScenarioError, UnknownNameError
from robodyn_ros.mechanics.parameters import Parameters
from robodyn_ros.plant.inverse_kinematics import joint_motion
from robodyn_ros.plant.plant import Plant
from robodyn_ros.robots.limits import check_limits
from robodyn_ros.robots.payload import checked_parameters
from robodyn_ros.robots.robot import Robot
from robodyn_ros.scenario.schema import (ControllerSettings, DynamicsSettings, ModelSettings,
                                         StabilisationSettings, TrajectorySettings)
from robodyn_ros.scenario.settings import settings_from
from robodyn_ros.scenario.user_code import import_object, is_import_path
from robodyn_ros.tracing import Number
from robodyn_ros.trajectories.joint_space import JointSine, JointWaypoints, Table
from robodyn_ros.trajectories.paths import Helix, SineLine
from robodyn_ros.trajectories.sampling import sample
from robodyn_ros.trajectories.via_points import ViaPoints
from robodyn_ros.types import Control, Reference

PATHS = {'helix': Helix, 'line': SineLine, 'via_points': ViaPoints}
JOINT_MOTIONS = {'joint_sine': JointSine, 'joint_waypoints': JointWaypoints, 'table': Table}
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


def motion_of(settings: TrajectorySettings) -> Any:
    """Path in space (called with t) or joint motion (with sample) of a trajectory; None: none."""
    if settings.kind == 'none':
        return None
    kinds = {**PATHS, **JOINT_MOTIONS}
    if is_import_path(settings.kind):
        made = import_object(settings.kind, 'trajectory.kind')
        if isinstance(made, type):
            made = _called(settings.kind, 'trajectory.kind', made, **settings.parameters)
        if not callable(made) and not hasattr(made, 'sample'):
            raise ScenarioError(f'trajectory.kind is {settings.kind!r}: it is {made!r}; expected '
                                'a path(t) or an object with sample(times)')
        return made
    if settings.kind not in kinds:
        raise UnknownNameError('trajectory', settings.kind, ('none', *kinds), 'trajectory.kind')
    values = dict(settings.parameters)
    if settings.kind in ('via_points', 'joint_waypoints'):
        _fold_points(values, settings)
    return settings_from(kinds[settings.kind], values, f'trajectory {settings.kind!r}',
                         'trajectory.parameters.')


def _called(text: str, key: str, made: Any, *args: Any, **kwargs: Any) -> Any:
    """Call what an import path names; a failure is a sentence."""
    try:
        return made(*args, **kwargs)
    except (Exception, SystemExit) as error:  # noqa: B902  a user's function may fail in any way
        raise ScenarioError(f'{key} is {text!r}: it cannot be called as needed '
                            f'({type(error).__name__}: {error})') from error


def _fold_points(values: dict[str, Any], settings: TrajectorySettings) -> None:
    """Turn flat lists into points: ROS parameter files have no lists of lists."""
    times = values.get('times', [])
    for key in ('points', 'positions', 'velocities', 'accelerations'):
        flat = values.get(key)
        if flat is None:
            continue
        count = len(times) if isinstance(times, list) else 0
        if not isinstance(flat, list) or not count or len(flat) % count or any(
                isinstance(x, bool) or not isinstance(x, (int, float)) for x in flat):
            raise ScenarioError(f'trajectory.parameters.{key} is {flat!r}; expected the '
                                f'coordinates of {count} points one after another')
        width = len(flat) // count
        values[key] = tuple(tuple(map(float, flat[k:k + width]))
                            for k in range(0, len(flat), width))


def task_of(settings: TrajectorySettings) -> list[Constraint]:
    """Constraints that hold the frame on the path; empty for joint motions."""
    path = motion_of(settings)
    if path is None or hasattr(path, 'sample'):
        return []
    task = [follow(settings.frame, path, settings.axes, 'path')]
    for axis, value in settings.hold.items():
        task.append(follow(settings.frame, Constant(float(value)), axis, f'hold_{axis}'))
    return task


def wanted_positions(robot: Robot, settings: TrajectorySettings, frame: str,
                     reference: Reference) -> np.ndarray:
    """Return where a frame should be (k, 3): on the path itself where that is one in space [m]."""
    points = robot.positions(frame, reference.q)
    path = motion_of(settings)
    if path is not None and not hasattr(path, 'sample'):
        position = sample(path, reference.t).q
        for column, axis in enumerate(settings.axes):
            if axis in 'xyz':
                points[:, 'xyz'.index(axis)] = position[:, column]
    return points


@dataclasses.dataclass(frozen=True)
class Constant:
    """A coordinate that stays where it is."""

    value: float

    def __call__(self, t: Number) -> list[Number]:
        """Return the value at any time."""
        return [self.value]


def reference_of(robot: Robot, settings: TrajectorySettings, duration: float, period: float,
                 model: ModelSettings | None = None) -> Reference | None:
    """Sample the joint motion of a trajectory at every control instant; None without one."""
    motion = motion_of(settings)
    if motion is None:
        return None
    periods = int(round(duration / period))
    if hasattr(motion, 'sample'):
        samples = motion.sample(np.arange(periods + 1) * period)
        reference = Reference(*samples)
        if isinstance(motion, Table):
            reference = in_robot_order(robot, reference, motion.read()[0], motion.path)
        if reference.q.shape[1] != robot.n:
            raise ScenarioError(f'the trajectory {settings.kind!r} moves {reference.q.shape[1]} '
                                f'joints; {robot.name} has {robot.n} '
                                f'({", ".join(robot.joints)})')
    else:
        chosen = settings.inverse_kinematics
        start = np.array(chosen.start or (0.0,) * robot.n)
        reference = joint_motion(
            robot, task_of(settings), start, periods * period, step=period, kp=chosen.kp,
            kd=chosen.kd,
            integrator=chosen.integrator, through_singularities=chosen.through_singularities)
    if not settings.ignore_limits:
        check_limits(robot, reference, parameters_of(robot, model) if model else None)
    return reference


def in_robot_order(robot: Robot, reference: Reference, names: Sequence[str],
                   place: str) -> Reference:
    """Columns of a motion, given for named joints, in the order of the robot's joints."""
    for name in names:
        if name not in robot.joints or names.count(name) > 1:
            raise UnknownNameError('joint' if name not in robot.joints else 'repeated joint', name,
                                   robot.joints, place)
    missing = [joint for joint in robot.joints if joint not in names]
    if missing:
        raise ScenarioError(f'{place}: the joint {missing[0]!r} of {robot.name} has no column; '
                            'give one column per joint')
    order = [names.index(joint) for joint in robot.joints]
    return Reference(reference.t, *(x[:, order] for x in reference[1:]))


def control_of(robot: Robot, settings: ControllerSettings,
               task: Sequence[Constraint]) -> Control | None:
    """Control law of a controller; None without one."""
    kind = settings.kind
    if kind == 'none':
        return None
    if is_import_path(kind):
        control = _called(kind, 'controller.kind', import_object(kind, 'controller.kind'), robot,
                          settings)
        if not isinstance(control, Control):
            raise ScenarioError(f'controller.kind is {kind!r}: it returned {control!r}; expected '
                                'a Control')
        return control._replace(delay=settings.delay)
    if kind not in CONTROLLERS:
        raise UnknownNameError('controller', kind, CONTROLLERS, 'controller.kind')
    model = parameters_of(robot, settings.model)
    if kind == 'constraint_following':
        if not task:
            raise ScenarioError('constraint_following needs a trajectory that is a path in space')
        control = constraint_following(
            robot, task, **_row_gains(settings), model=model, saturate=settings.saturate,
            pretension=_one_or_each(settings.pretension))
        return control._replace(delay=settings.delay)
    gains: dict[str, Any] = {
        'kp': _one_or_each(settings.kp), 'kd': _one_or_each(settings.kd),
        'natural_frequency': _one_or_each(settings.natural_frequency),
        'damping': settings.damping, 'model': model, 'saturate': settings.saturate}
    make: Callable[..., Control] = computed_torque
    if kind == 'robust':
        make = robust
        gains.update(rho=settings.rho, epsilon=settings.epsilon, p=settings.p)
    return make(robot, **gains)._replace(delay=settings.delay)


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


def plant_of(robot: Robot, settings: DynamicsSettings, task: Sequence[Constraint],
             control: Control | None = None, control_period: int = 1) -> Plant:
    """Plant of a scenario, with the control law compiled in if given."""
    constraints: list[Constraint] = []
    for name in settings.constraints:
        if name == 'task':
            if not task:
                raise ScenarioError("dynamics.constraints names 'task', but the trajectory is no "
                                    'path in space')
            constraints.extend(task)
        elif is_import_path(name):
            item = import_object(name, 'dynamics.constraints')
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
