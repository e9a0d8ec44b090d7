# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
From settings to parts: run-time parameters, control law and plant of a scenario.

The one place that wires trajectories, controllers and plants; none of them knows the others. The
simulation, the nodes and the papers all build their parts here.
"""
from __future__ import annotations

from functools import wraps
from typing import Any, Callable, Sequence

import numpy as np

from robodyn_ros.checks import shown
from robodyn_ros.constraints.constraint import Constraint
from robodyn_ros.constraints.ready_made import push
from robodyn_ros.constraints.stabilisation import Stabilisation, stabilisation
from robodyn_ros.controllers.adaptive import adaptive
from robodyn_ros.controllers.computed_torque import computed_torque
from robodyn_ros.controllers.constraint_following import constraint_following, FrameTask
from robodyn_ros.controllers.lqr import lqr
from robodyn_ros.controllers.model import saturated
from robodyn_ros.controllers.observer import observed
from robodyn_ros.controllers.robust import robust
from robodyn_ros.errors import MessageRefused, ScenarioError, UnknownNameError
from robodyn_ros.mechanics.parameters import Parameters
from robodyn_ros.plant.control_law import checked_control, trace_law
from robodyn_ros.plant.plant import Plant
from robodyn_ros.robots.mass_check import check_mass
from robodyn_ros.robots.parameters import checked_parameters
from robodyn_ros.robots.robot import load_robot, Robot
from robodyn_ros.scenario.schema import (ControllerSettings, DynamicsSettings, ModelSettings,
                                         Scenario, StabilisationSettings, TrajectorySettings)
from robodyn_ros.scenario.user_code import (call_object, import_object, is_controller,
                                            is_import_path, unmarked)
from robodyn_ros.trajectories.joint_plan import JointPlan
from robodyn_ros.types import Control

ADAPTATION = (0.5, 0.05)
"""Rates of adaptive where none are given."""
TASK = 'task'
"""What stands for the trajectory's own rows among the constraints of a plant."""
CONTROLLERS = ('none', 'computed_torque', 'robust', 'adaptive', 'lqr', 'constraint_following')


def robot_of(scenario: Scenario) -> Robot:
    """Load the robot of a scenario; it carries its payload at dynamics.payload.frame."""
    robot = load_robot(scenario.robot, scenario.robot_arguments, scenario.strict,
                       scenario.snap_angles)
    frame = scenario.dynamics.payload.frame
    return carrying(robot, frame or robot.tool_frame(scenario.trajectory.frame),
                    'dynamics.payload.frame')


def model_robot(robot: Robot, settings: ModelSettings) -> Robot:
    """Return the robot as a controller knows it; its payload hangs where the plant's does."""
    return carrying(robot, settings.payload.frame, 'controller.model.payload.frame')


def carrying(robot: Robot, frame: str, place: str) -> Robot:
    """Return the robot with its payload at a frame; the error names the setting."""
    try:
        return robot.carrying_at(frame)
    except UnknownNameError as error:
        raise ScenarioError(f'{place}: {error}') from None


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


def control_of(robot: Robot, settings: ControllerSettings, motion: TrajectorySettings,
               folder: str = '') -> Control | None:
    """
    Control law of a controller; None without one.

    :param motion: says which axes of which frame constraint_following leads
    :param folder: where a user's own module may lie, see Scenario.folder
    """
    if settings.kind == 'none':
        return None
    control = checked_control(_law_of(robot, settings, motion, folder))
    assert control is not None
    reads = 3 * robot.n + (control.schedule.width if control.schedule else 0)
    if control.reference_size not in (0, reads):
        raise ScenarioError(
            f'controller.kind is {settings.kind!r}: its reference_size is '
            f'{control.reference_size}; expected {reads}, the desired q, v and a of '
            f'{robot.n} joints, or 0 for a law that follows no trajectory')
    control = control._replace(delay=settings.delay)
    if settings.observer > 0.0:
        control = observed(model_robot(robot, settings.model), control, settings.observer,
                           period=settings.period, model=parameters_of(robot, settings.model))
    return control


def _law_of(robot: Robot, settings: ControllerSettings, motion: TrajectorySettings,
            folder: str) -> Control:
    kind = settings.kind
    if is_import_path(kind):
        made = import_object(kind, 'controller.kind', folder)
        if not is_controller(made):
            raise unmarked(kind, 'controller.kind', made, 'a function of robot and settings '
                           'decorated with @controller, or annotated -> Control')
        control = call_object(made, kind, 'controller.kind',
                              model_robot(robot, settings.model), settings)
        if not isinstance(control, Control):
            raise ScenarioError(f'controller.kind is {kind!r}: it returned {shown(control)}; '
                                'expected a Control')
        return control
    if kind not in CONTROLLERS:
        raise UnknownNameError('controller', kind, CONTROLLERS, 'controller.kind')
    model = parameters_of(robot, settings.model)
    robot = model_robot(robot, settings.model)
    if kind == 'constraint_following':
        task = FrameTask(robot.tool_frame(motion.frame), (*motion.axes, *motion.hold))
        return constraint_following(
            robot, task, **_row_gains(settings), model=model, saturate=settings.saturate,
            pretension=_one_or_each(settings.pretension), epsilon=settings.epsilon,
            adaptation=settings.adaptation[0] if settings.adaptation else 0.0,
            leakage=settings.leakage, period=settings.period)
    if kind == 'lqr':
        sizes = settings.lqr
        return lqr(robot, period=settings.period, spacing=sizes.spacing, model=model,
                   saturate=settings.saturate, effort=_one_or_each(sizes.effort),
                   position=_one_or_each(sizes.position), velocity=_one_or_each(sizes.velocity))
    gains: dict[str, Any] = {
        'kp': _one_or_each(settings.kp), 'kd': _one_or_each(settings.kd),
        'natural_frequency': _one_or_each(settings.natural_frequency),
        'damping': settings.damping, 'model': model, 'saturate': settings.saturate,
        'period': settings.period}
    if kind == 'adaptive':
        return adaptive(robot, adaptation=settings.adaptation or ADAPTATION, **gains)
    gains.update(friction_velocity=settings.friction_velocity, ki=_one_or_each(settings.ki))
    make: Callable[..., Control] = computed_torque
    if kind == 'robust':
        make = robust
        gains.update(rho=settings.rho, epsilon=settings.epsilon, p=settings.p)
    return make(robot, **gains)


def limited(robot: Robot, control: Control) -> Control:
    """Return the law behind motors that give no more than their limits, as the nodes' plant."""
    @wraps(control.law)
    def law(*arguments: Any) -> Any:
        tau, memory = trace_law(control, *arguments)
        return (saturated(robot, tau), memory) if control.memory else saturated(robot, tau)

    return control._replace(law=law)


def begins_near(plan: JointPlan, robot: Robot, settings: ControllerSettings) -> np.ndarray:
    """Tell whether a plan begins where its arm is, or near enough; of many arms each (...)."""
    return ~(np.abs(plan.began_apart[..., :robot.n]).max(axis=-1) > settings.start_tolerance)


def check_start(plan: JointPlan, robot: Robot, settings: ControllerSettings) -> None:
    """Refuse a plan that would begin with a jump: one too far from where the arm is."""
    if not begins_near(plan, robot, settings):
        apart = np.abs(plan.began_apart[:robot.n])
        far = int(apart.argmax())
        raise MessageRefused(
            f'the trajectory begins {apart[far]:.4g} {robot.limits.units[far]} from where joint '
            f'{robot.joints[far]!r} is; expected at most {settings.start_tolerance:g} '
            '(controller.start_tolerance): start nearer, or give the first point a '
            'time_from_start')


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


def constraints_of(settings: DynamicsSettings, folder: str = '') -> list[Constraint]:
    """Return a plant's own constraints, beside its task and the loops of its robot."""
    found = []
    for name in settings.constraints:
        if is_import_path(name):
            item = import_object(name, 'dynamics.constraints', folder)
            if not isinstance(item, Constraint):
                raise unmarked(name, 'dynamics.constraints', item,
                               'a function decorated with @constraint')
            found.append(item)
        elif name != TASK:
            raise UnknownNameError('constraint', name, (TASK, 'package.module:name'),
                                   'dynamics.constraints')
    return found


def plant_of(robot: Robot, settings: DynamicsSettings, task: Sequence[Constraint],
             control: Control | None = None, control_period: int = 1, folder: str = '') -> Plant:
    """
    Plant of a scenario, with the control law compiled in if given.

    :param task: constraints that the word 'task' in dynamics.constraints stands for
    :param control_period: integration steps between control instants
    :param folder: where a user's own module may lie, see Scenario.folder
    """
    constraints = [*constraints_of(settings, folder)]
    if TASK in settings.constraints:
        if not task:
            raise ScenarioError("dynamics.constraints names 'task', but the trajectory is no "
                                'path in space')
        constraints += task
    if any(settings.push.force) or any(settings.push.torque):
        chosen = settings.push
        constraints.append(push(robot.tool_frame(chosen.frame), chosen.force, chosen.torque,
                                chosen.start, chosen.duration))
    check_mass(robot, parameters_of(robot, settings))
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
