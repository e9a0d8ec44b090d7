# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Settings that only the nodes have, beside those of the scenario; no ROS."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping

from robodyn_ros.scenario.settings import bounded

LOCKSTEP, FREE = 'lockstep', 'free'
REACTIONS = ('hold', 'damping', 'zero')
FORMATS = ('joint_state', 'float64_multi_array')


@dataclass(frozen=True)
class DynamicsOptions:
    """Settings of the node dynamics."""

    mode: str = bounded(FREE, words=(FREE, LOCKSTEP))
    """free: paced by the wall clock; lockstep: paced by the commands, repeatable to the bit."""
    realtime_factor: float = bounded(1.0, least=1e-3, most=1e3)
    """Simulated seconds per wall second in free mode [-]."""
    start_paused: bool = False
    """Stand still from the start, until ~/set_pause is called with false."""
    command_timeout: float = bounded(0.1, least=1e-3)
    """Age of the last command, in simulated time, at which on_timeout applies [s]."""
    on_timeout: str = bounded('hold', words=REACTIONS)
    """hold (brake), damping (oppose motion, carry the weight) or zero (no torque)."""
    watch_rate: float = bounded(50.0, least=0.1, most=1e3)
    """Rate of topics that people watch, in simulated time [Hz]."""
    clock_rate: float = bounded(200.0, least=1.0, most=1e4)
    """Rate of /clock, in simulated time; no faster than states come [Hz]."""
    wrench_timeout: float = bounded(0.2, least=1e-3, most=60.0)
    """Simulated time for which one ~/external_wrench acts, if no other comes [s]."""
    trace_length: int = bounded(1000, least=2, most=100_000)
    """Points of the tool's traced path that ~/markers keeps [-]."""
    publish_description: bool = True
    """Publish robot_description; false where robot_state_publisher does."""


@dataclass(frozen=True)
class SpeedScaling:
    """Part of their speed with which trajectories are followed."""

    initial_scaling_factor: float = bounded(1.0, least=0.0, most=1.0)
    """Until ~/speed_scaling_input tells another one; 0 stands still [-]."""


@dataclass(frozen=True)
class ControllerOptions:
    """Settings of the node controller."""

    command_format: str = bounded('joint_state', words=FORMATS)
    """joint_state, or float64_multi_array for effort controllers of ros2_control."""
    allow_nonzero_velocity_at_trajectory_end: bool = False
    """Accept trajectories whose last point moves; those of a scenario with ramp 0 always."""
    allow_partial_joints_goal: bool = False
    """Accept trajectories that leave joints out; these stay where they are."""
    limit_tolerance: float = bounded(1e-3, least=0.0)
    """Room at the robot file's limits of position and velocity [rad], [m], or per s."""
    path_tolerance: float = bounded(0.2, least=0.0)
    """Distance of a joint from the trajectory beyond which the arm is held; 0: any [rad, m]."""
    constraints: Mapping[str, Any] = field(default_factory=lambda: {
        'goal_time': 5.0, 'stopped_velocity_tolerance': 0.01})
    """Past its end a goal may be missed for goal_time, 0: for ever [s]; it is when a joint is
    faster than stopped_velocity_tolerance [rad/s, m/s] or farther from it than
    constraints.<joint>.goal; constraints.<joint>.trajectory is its path_tolerance [rad, m]."""
    speed_scaling: SpeedScaling = SpeedScaling()
    state_timeout: float = bounded(0.5, least=1e-3)
    """Wall time without a state after which no command is sent and diagnostics warn [s]."""
    watch_rate: float = bounded(50.0, least=0.1, most=1e3)
    """Rate of ~/reference and ~/error, in the states' time [Hz]."""


@dataclass(frozen=True)
class TrajectoryOptions:
    """Settings of the node trajectory."""

    start_delay: float = bounded(0.3, least=0.0)
    """Lead of the trajectory's start before a running clock; none where the clock waits [s]."""
    autostart: bool = True
    """Send the motion when the arm and a controller are there; false: only on ~/start."""
    goal_motion: str = bounded('line', words=('line', 'joints'))
    """How the tool goes to ~/goal_pose: on a straight line, or each joint straight to its end."""
    goal_speed: float = bounded(0.25, least=1e-3, most=10.0)
    """Largest speed of the tool on its way to goals; joints may make it slower [m/s]."""
    goal_acceleration: float = bounded(0.5, least=1e-3, most=100.0)
    """Largest acceleration of the tool on its way to goals [m/s^2]."""
    goal_blend: float = bounded(0.02, least=1e-4, most=1.0)
    """Distance from a pose of ~/follow_path at which the tool leaves the straight line [m]."""


@dataclass(frozen=True)
class ViewerOptions:
    """Settings of the node viewer."""

    host: str = '127.0.0.1'
    """Address of the page; beyond loopback its address has a token, which the log tells."""
    port: int = bounded(8080, least=0, most=65535)
    """Port of the page; 0 takes a free one."""
    rate: float = bounded(30.0, least=1.0, most=100.0)
    """How often the picture moves [Hz]."""
    seconds: float = bounded(10.0, least=1.0, most=600.0)
    """Of simulated time that plots and the saved page show [s]."""


@dataclass(frozen=True)
class RecorderOptions:
    """Settings of the node recorder."""

    file: str = ''
    """Path of the MCAP file, which must not exist yet; empty: a name with the time."""


SHARED = ('robot', 'robot_arguments', 'strict', 'snap_angles', 'duration', 'tolerance', 'repeat')
"""Of the scenario as a whole; each of its three nodes has them, and 'scenario' itself."""
MODEL = ('gravity', 'friction_scale', 'payload.mass', 'payload.centre', 'payload.inertia')
CHANGEABLE = {
    'dynamics': ('realtime_factor', 'command_timeout', 'on_timeout', 'watch_rate', 'clock_rate',
                 'wrench_timeout', 'trace_length', *MODEL),
    'controller': ('state_timeout', 'watch_rate', 'path_tolerance', 'allow_partial_joints_goal',
                   'allow_nonzero_velocity_at_trajectory_end', 'limit_tolerance',
                   'speed_scaling.initial_scaling_factor', 'kp', 'kd',
                   'natural_frequency', 'damping', 'rho', 'epsilon', 'p', 'pretension',
                   *(f'model.{name}' for name in MODEL)),
    'trajectory': ('goal_motion', 'goal_speed', 'goal_acceleration', 'goal_blend'),
    'viewer': (),
    'recorder': (),
}
"""Parameters that may change while a node runs; the others shape compiled code or topics."""
