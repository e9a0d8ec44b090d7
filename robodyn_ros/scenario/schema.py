# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Scenario files: everything a run needs, in one ROS 2 parameter file.

    /**:         ros__parameters: values every node shares (robot, duration)
    dynamics:    ros__parameters: the plant
    controller:  ros__parameters: the control law and its model of the robot
    trajectory:  ros__parameters: the motion that is wanted

The dataclasses below are the one list of what may stand there, with defaults and units; a key they
do not know is an error. The same file drives `ros2 launch`, `robodyn run` and `robodyn simulate`.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping

from robodyn_ros.checks import LARGEST
from robodyn_ros.codegen.loops.integrators import INTEGRATORS
from robodyn_ros.constraints.stabilisation import KINDS
from robodyn_ros.controllers.lqr import POSITION, SPACING, VELOCITY
from robodyn_ros.controllers.model import FRICTION_VELOCITIES
from robodyn_ros.plant.control_law import MOST_DELAY
from robodyn_ros.scenario.settings import bounded, NOT_A_SETTING

Numbers = tuple[float, ...]
Names = tuple[str, ...]


@dataclass(frozen=True)
class PayloadSettings:
    """A rigid body fixed to the tool, see robots/tool_frame.py, or to another frame."""

    mass: float = bounded(0.0, least=0.0, most=LARGEST)
    """Mass [kg]."""
    centre: Numbers = (0.0, 0.0, 0.0)
    """Centre of mass in the payload frame [m]."""
    inertia: Numbers = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    """ixx, iyy, izz, ixy, ixz, iyz about the payload's centre [kg m^2]."""
    frame: str = ''
    """Frame it is fixed to; empty: the tool (docs/robots.md), of a model: where the plant's is."""


@dataclass(frozen=True)
class ModelSettings:
    """What a plant or a controller believes about the robot beyond its file."""

    gravity: Numbers = ()
    """In the base frame [m/s^2]; empty: the robot file's."""
    friction_scale: float = bounded(1.0, least=0.0, most=LARGEST)
    """Factor on the file's joint friction [-]."""
    payload: PayloadSettings = field(default_factory=PayloadSettings)


@dataclass(frozen=True)
class StabilisationSettings:
    """See constraints/stabilisation.py."""

    kind: str = bounded('none', words=KINDS)
    """How the error of the constraints is kept small."""
    alpha: float = bounded(0.0, least=0.0, most=LARGEST)
    """Gain on the rate, which baumgarte needs [1/s]."""
    beta: float = bounded(0.0, least=0.0, most=LARGEST)
    """Gain on the error, which baumgarte needs [1/s^2]."""


@dataclass(frozen=True)
class NoiseSettings:
    """Gaussian noise on the measured state, repeatable by its seed."""

    position: float = bounded(0.0, least=0.0, most=LARGEST)
    """Standard deviation [rad] or [m]."""
    velocity: float = bounded(0.0, least=0.0, most=LARGEST)
    """Standard deviation [rad/s] or [m/s]."""
    seed: int = bounded(0, least=0)
    """The same seed gives the same noise."""


@dataclass(frozen=True)
class PushSettings:
    """A force from outside, for some time of the motion; none where force and torque are zero."""

    frame: str = ''
    """Frame at whose origin it acts; empty: the tool."""
    force: Numbers = (0.0, 0.0, 0.0)
    """In the base frame [N]."""
    torque: Numbers = (0.0, 0.0, 0.0)
    """In the base frame [N m]."""
    start: float = bounded(0.0, least=0.0)
    """When it begins [s]."""
    duration: float = bounded(0.1, least=0.0)
    """How long it lasts [s]."""


@dataclass(frozen=True)
class DynamicsSettings(ModelSettings):
    """The simulated plant; its payload, gravity and friction scale may change while it runs."""

    step: float = bounded(1e-3, least=1e-7, most=1.0)
    """Integration step [s]."""
    integrator: str = bounded('auto', words=('auto', *INTEGRATORS))
    """Rule that advances the state; auto: rk4, or implicit_friction where that is stiff."""
    initial_position: Numbers = ()
    """Where the joints start [rad] or [m]; empty: at the start of the reference."""
    initial_velocity: Numbers = ()
    """How fast they start [rad/s] or [m/s]; empty: as the reference, or at rest."""
    assemble: bool = True
    """Move the start onto the constraints before the run."""
    constraints: Names = ()
    """'task' holds the plant on the trajectory; or import paths package.module:name."""
    stabilisation: StabilisationSettings = field(default_factory=StabilisationSettings)
    push: PushSettings = field(default_factory=PushSettings)
    limit_efforts: bool = True
    """Let motors give no more than the effort limits of the robot's file."""
    noise: NoiseSettings = field(default_factory=NoiseSettings)


@dataclass(frozen=True)
class LqrSettings:
    """What the law lqr weighs, see controllers/lqr.py: each size counts as much as the others."""

    position: Numbers = bounded((POSITION,), least=0.0, most=LARGEST)
    """Error of a joint, one size for all or one each, above 0 [rad] or [m]."""
    velocity: Numbers = bounded((VELOCITY,), least=0.0, most=LARGEST)
    """Its rate [rad/s] or [m/s]."""
    effort: Numbers = bounded((), least=0.0, most=LARGEST)
    """Torque beyond the model's; empty: the effort limits of the robot's file [N m] or [N]."""
    spacing: float = bounded(SPACING, least=1e-4, most=10.0)
    """Time between the knots at which gains are computed [s]."""


@dataclass(frozen=True)
class ControllerSettings:
    """The control law."""

    kind: str = 'none'
    """none, computed_torque, robust, adaptive, lqr, constraint_following or an import path."""
    period: float = bounded(1e-3, least=1e-7, most=10.0)
    """Time between control instants; the torque is held between them [s]."""
    delay: int = bounded(0, least=0, most=MOST_DELAY)
    """Control instants between measuring and acting."""
    kp: Numbers = bounded((), least=0.0, most=LARGEST)
    """Gain on the error, one for all joints or one each [1/s^2]."""
    kd: Numbers = bounded((), least=0.0, most=LARGEST)
    """Gain on its rate [1/s]."""
    natural_frequency: Numbers = bounded((), least=0.0, most=LARGEST)
    """Instead of kp and kd [rad/s]."""
    damping: float = bounded(1.0, least=0.0, most=LARGEST)
    """Damping ratio with natural_frequency [-]."""
    ki: Numbers = bounded((), least=0.0, most=LARGEST)
    """Integral gain of computed_torque and robust, one or one each; empty: none [1/s^3]."""
    adaptation: Numbers = bounded((), least=0.0, most=LARGEST)
    """
    Rates at which a law learns: adaptive, of payload mass and friction; constraint_following, of
    its robust term (empty: none).
    """
    leakage: float = bounded(1.0, least=0.0, most=LARGEST)
    """Rate at which the learnt robust term of constraint_following falls [1/s]."""
    observer: float = bounded(0.0, least=0.0, most=LARGEST)
    """Gain of the momentum observer, which tells the torque from outside; 0: none [1/s]."""
    rho: float = bounded(0.0, least=0.0, most=LARGEST)
    """Size of the robust term [rad/s^2]."""
    epsilon: float = bounded(0.1, least=0.0, most=LARGEST)
    """Boundary layer of the robust term."""
    p: Numbers = bounded((1.0, 1.0), least=0.0)
    """Diagonal of P in the robust law's Lyapunov equation."""
    pretension: Numbers = (0.0,)
    """Torque kept where a task leaves a choice [N m]."""
    saturate: bool = True
    """Limit torques to the efforts of the robot's file."""
    start_tolerance: float = bounded(0.1, least=0.0)
    """Distance from the arm up to which a point that is due at once is taken [rad] or [m]."""
    blend_time: float = bounded(0.5, least=0.0, most=60.0)
    """Time within which a step at a trajectory's beginning is led to zero; 0: not at all [s]."""
    lqr: LqrSettings = field(default_factory=LqrSettings)
    friction_velocity: str = bounded('desired', words=FRICTION_VELOCITIES)
    """Velocity at which the model's friction is compensated; measured may overcompensate."""
    model: ModelSettings = field(default_factory=ModelSettings)


@dataclass(frozen=True)
class InverseKinematicsSettings:
    """Second-order closed-loop inversion, see plant/inverse_kinematics.py."""

    kp: float = bounded(900.0, least=0.0, most=LARGEST)
    """Gain on the error of the frame [1/s^2]."""
    kd: float = bounded(60.0, least=0.0, most=LARGEST)
    """Gain on its rate [1/s]."""
    integrator: str = bounded('taylor', words=('taylor', 'euler'))
    """Rule that advances the joints."""
    start: Numbers = ()
    """Configuration that picks the branch [rad] or [m]; empty: found by search."""
    posture: Numbers = ()
    """Where joints that the path leaves free come to rest [rad] or [m]; empty: at the start."""
    exact: bool = True
    """Put every sample exactly onto the path, instead of as near as the gains bring it."""
    through_singularities: bool = False
    """Give way at singularities and catch up behind, instead of refusing the path."""


@dataclass(frozen=True)
class TrajectorySettings:
    """The motion that is wanted."""

    kind: str = 'none'
    """
    none; a path: helix, line, polyline, circle, arc, sine_line, via_points; a joint motion:
    joint_sine, joint_fourier, joint_waypoints, table; or an import path.
    """
    frame: str = ''
    """Frame that follows a path in space; empty: the tool, see robots/tool_frame.py."""
    axes: Names = ('x', 'y', 'z')
    """Axes the path's coordinates mean: x y z roll pitch yaw."""
    hold: Mapping[str, float] = field(default_factory=dict)
    """Further axes and their constant values, such as yaw: 0.0 [m] or [rad]."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the chosen kind, such as radius (see trajectories/)."""
    ramp: float = bounded(1.0, least=0.0)
    """Time in which a motion that does not do so by itself starts from rest, and stops [s]."""
    point_spacing: float = bounded(0.02, least=0.0)
    """Time between the points of the JointTrajectory; 0: one per control instant [s]."""
    point_tolerance: float = bounded(1e-6, least=0.0)
    """Error of the motion between points, above which all of them are sent [rad] or [m]."""
    ignore_limits: bool = False
    """Allow motions beyond the robot file's limits, and a plant that goes there."""
    inverse_kinematics: InverseKinematicsSettings = field(
        default_factory=InverseKinematicsSettings)


@dataclass(frozen=True)
class Scenario:
    """A whole run."""

    name: str
    robot: str
    """Name of a robot of the package or path of a URDF or xacro file."""
    robot_arguments: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of a xacro file by name, such as prefix: left_."""
    strict: bool = False
    """Refuse a robot file with inertias that no body has, instead of warning."""
    snap_angles: bool = False
    """Make rounded right angles of joints' frames (rpy="1.5708 0 0") exact; all are told."""
    duration: float = bounded(10.0, least=1e-7)
    """Length of the motion [s]."""
    tolerance: float = bounded(1e-3, least=0.0)
    """Tracking error of the tool (joints, for joint motions) a healthy run stays within."""
    repeat: bool = False
    """Begin anew at the end, for ever, in the nodes; a motion that ends elsewhere goes back."""
    dynamics: DynamicsSettings = field(default_factory=DynamicsSettings)
    controller: ControllerSettings = field(default_factory=ControllerSettings)
    trajectory: TrajectorySettings = field(default_factory=TrajectorySettings)
    folder: str = field(default='', metadata={NOT_A_SETTING: True})
    """Where its file lies, and beside it a user's own modules; empty if made in Python."""


SECTIONS = ('dynamics', 'controller', 'trajectory')
