# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Conversions between arrays and ROS messages; nothing else."""
from __future__ import annotations

from array import array
from typing import Sequence

from builtin_interfaces.msg import Duration, Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import Pose, PoseStamped, Wrench, WrenchStamped
import numpy as np
from rclpy.serialization import deserialize_message
from robodyn_ros.errors import MessageRefused
from robodyn_ros.robots.geometry import quaternion
from robodyn_ros.ros_time import nanoseconds, seconds_and_rest
from robodyn_ros.trajectories.joint_plan import Points
from sensor_msgs.msg import JointState
from std_msgs.msg import ColorRGBA
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from visualization_msgs.msg import Marker

KEYS = {'position': 'q', 'velocity': 'v', 'effort': 'effort'}


def time_of(stamp: Time | Duration) -> int:
    """Time that a message tells [ns]."""
    return nanoseconds(stamp.sec, stamp.nanosec)


def time_message(time: int) -> Time:
    """Message that tells a time [ns]."""
    sec, nanosec = seconds_and_rest(time)
    return Time(sec=sec, nanosec=nanosec)


def doubles(values: np.ndarray) -> array:
    """Array of the kind message fields take without copying value by value."""
    return array('d', np.ascontiguousarray(values, dtype=float).tobytes())


def joint_state(time: int, names: list[str], q: np.ndarray | None = None,
                v: np.ndarray | None = None, effort: np.ndarray | None = None) -> JointState:
    """Joint values at a time [ns]; fields not given stay empty."""
    message = JointState()
    message.header.stamp = time_message(time)
    message.header.frame_id = 'base_link'
    message.name = names
    if q is not None:
        message.position = doubles(q)
    if v is not None:
        message.velocity = doubles(v)
    if effort is not None:
        message.effort = doubles(effort)
    return message


class JointStateMessage:
    """
    A joint state that is filled anew for each publication: no object is made in a control loop.

    :param fields: which of position, velocity and effort it has
    """

    def __init__(self, names: list[str], *fields: str):
        """Make room for a value per joint and field."""
        self.message = joint_state(0, names, **{KEYS[field]: np.zeros(len(names))
                                                for field in fields})
        self._views = [np.frombuffer(getattr(self.message, field)) for field in fields]

    def fill(self, time: int, *values: np.ndarray) -> JointState:
        """Return the message at a time [ns] with the values of its fields, in order."""
        stamp = self.message.header.stamp
        stamp.sec, stamp.nanosec = seconds_and_rest(time)
        for view, value in zip(self._views, values):
            view[:] = value
        return self.message


def joint_trajectory(start: int, names: Sequence[str], points: Points,
                     later: int = 0) -> JointTrajectory:
    """
    Return a trajectory that starts at a time [ns].

    :param later: added to the time of every point [ns]
    """
    message = JointTrajectory(joint_names=list(names))
    message.header.stamp = time_message(start)
    for time, q, v, a in zip((points.times + later).tolist(), points.q, points.v, points.a):
        point = JointTrajectoryPoint(positions=doubles(q), velocities=doubles(v),
                                     accelerations=doubles(a))
        point.time_from_start.sec, point.time_from_start.nanosec = seconds_and_rest(time)
        message.points.append(point)
    return message


def unpacked_trajectory(data: bytes) -> tuple[int, list[str], np.ndarray, dict[str, list]]:
    """Return trajectory_parts() of a message from its bytes."""
    try:
        message = deserialize_message(data, JointTrajectory)
    except (RuntimeError, UnicodeDecodeError) as error:  # rclpy's RMWError has no public name
        raise MessageRefused(f'its {len(data)} bytes cannot be read as a JointTrajectory; send '
                             'one that is laid out by its definition') from error
    return trajectory_parts(message)


def trajectory_parts(
        message: JointTrajectory) -> tuple[int, list[str], np.ndarray, dict[str, list]]:
    """Stamp [ns], joint names, times from start (k,) [ns] and fields of all points, as sent."""
    times = np.array([time_of(point.time_from_start) for point in message.points], dtype=np.int64)
    return time_of(message.header.stamp), list(message.joint_names), times, {
        field: [getattr(point, field) for point in message.points]
        for field in ('positions', 'velocities', 'accelerations', 'effort')}


def pose(time: int, base: str, rotation: np.ndarray, position: np.ndarray) -> PoseStamped:
    """Pose in the robot's base frame at a time [ns]."""
    message = pose_message(base, [*map(float, position), *map(float, quaternion(rotation))])
    message.header.stamp = time_message(time)
    return message


def pose_message(base: str, numbers: Sequence[float]) -> PoseStamped:
    """Pose x y z qx qy qz qw in the robot's base frame [m], at no time."""
    message = PoseStamped()
    message.header.frame_id = base
    at, turn = message.pose.position, message.pose.orientation
    at.x, at.y, at.z, turn.x, turn.y, turn.z, turn.w = numbers
    return message


def pose_numbers(message: Pose) -> list[float]:
    """Return x y z qx qy qz qw of a pose [m]."""
    at, turn = message.position, message.orientation
    return [at.x, at.y, at.z, turn.x, turn.y, turn.z, turn.w]


def force_message(frame: str, force: Sequence[float]) -> WrenchStamped:
    """Return a force in the axes of a frame [N]."""
    message = WrenchStamped()
    message.header.frame_id = frame
    push = message.wrench.force
    push.x, push.y, push.z = force
    return message


def wrench_numbers(message: Wrench) -> list[float]:
    """Return force [N] and torque [N m] of a wrench, one after the other (6,)."""
    return [getattr(part, axis) for part in (message.force, message.torque) for axis in 'xyz']


def marker(time: int, base: str, group: str, number: int, kind: int, colour: ColorRGBA,
           width: float) -> Marker:
    """Return a marker in the base frame at a time [ns]; width: of its line or shaft [m]."""
    made = Marker(ns=group, id=number, type=kind, action=Marker.ADD, color=colour)
    made.header.stamp, made.header.frame_id = time_message(time), base
    made.pose.orientation.w, made.scale.x = 1.0, width
    return made


def diagnostics(time: int, name: str, hardware: str, level: str, text: str,
                values: dict[str, object]) -> DiagnosticArray:
    """
    Return one status of a node.

    :param name: of the node and what it does, such as 'dynamics: plant'
    :param hardware: which robot it is about
    :param level: OK, WARN or ERROR
    """
    message = DiagnosticArray(status=[status(name, hardware, level, text, values)])
    message.header.stamp = time_message(time)
    return message


def status(name: str, hardware: str, level: str, text: str,
           values: dict[str, object]) -> DiagnosticStatus:
    """Return what diagnostics() sends, by itself."""
    return DiagnosticStatus(
        name=name, message=text, hardware_id=hardware, level=getattr(DiagnosticStatus, level),
        values=[KeyValue(key=key, value=str(value)) for key, value in values.items()])
