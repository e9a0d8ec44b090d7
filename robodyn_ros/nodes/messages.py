# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Conversions between arrays and ROS messages; nothing else."""
from __future__ import annotations

from array import array
from typing import Sequence

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import PoseStamped
import numpy as np
from robodyn_ros.signals import Reference
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

NANO = 1_000_000_000


def nanoseconds(stamp: Time) -> int:
    """Time of a stamp [ns]."""
    return stamp.sec * NANO + stamp.nanosec


def stamp_of(time: int) -> Time:
    """Stamp of a time [ns]."""
    return Time(sec=time // NANO, nanosec=time % NANO)


def doubles(values: np.ndarray) -> array:
    """Array of the kind message fields take without copying value by value."""
    return array('d', np.ascontiguousarray(values, dtype=float).tobytes())


def joint_state(time: int, names: list[str], q: np.ndarray | None = None,
                v: np.ndarray | None = None, effort: np.ndarray | None = None) -> JointState:
    """Joint values at a time [ns]; fields not given stay empty."""
    message = JointState()
    message.header.stamp = stamp_of(time)
    message.header.frame_id = 'base_link'
    message.name = names
    if q is not None:
        message.position = doubles(q)
    if v is not None:
        message.velocity = doubles(v)
    if effort is not None:
        message.effort = doubles(effort)
    return message


def joint_trajectory(start: int, names: Sequence[str], reference: Reference) -> JointTrajectory:
    """Return a sampled motion as a trajectory that starts at a time [ns]."""
    message = JointTrajectory(joint_names=list(names))
    message.header.stamp = stamp_of(start)
    zero = reference.t[0]
    for t, q, v, a in zip(reference.t, reference.q, reference.v, reference.a):
        point = JointTrajectoryPoint(positions=doubles(q), velocities=doubles(v),
                                     accelerations=doubles(a))
        since = int(round((t - zero) * NANO))
        point.time_from_start.sec, point.time_from_start.nanosec = divmod(since, NANO)
        message.points.append(point)
    return message


def trajectory_times(message: JointTrajectory) -> list[int]:
    """Time from start of every point [ns]."""
    return [p.time_from_start.sec * NANO + p.time_from_start.nanosec for p in message.points]


def trajectory_fields(message: JointTrajectory) -> dict[str, list]:
    """Fields of all points, as sent."""
    return {field: [getattr(point, field) for point in message.points]
            for field in ('positions', 'velocities', 'accelerations', 'effort')}


def pose(time: int, rotation: np.ndarray, position: np.ndarray) -> PoseStamped:
    """Pose in base_link at a time [ns]."""
    message = PoseStamped()
    message.header.stamp, message.header.frame_id = stamp_of(time), 'base_link'
    at, turn = message.pose.position, message.pose.orientation
    at.x, at.y, at.z = map(float, position)
    turn.x, turn.y, turn.z, turn.w = map(float, quaternion(rotation))
    return message


def quaternion(r: np.ndarray) -> np.ndarray:
    """Quaternion x, y, z, w of a rotation matrix (3, 3)."""
    # the largest of the four squares is safe to divide by
    squares = np.array([1 + r[0, 0] - r[1, 1] - r[2, 2], 1 - r[0, 0] + r[1, 1] - r[2, 2],
                        1 - r[0, 0] - r[1, 1] + r[2, 2], 1 + r[0, 0] + r[1, 1] + r[2, 2]])
    rows = np.array([
        [squares[0], r[0, 1] + r[1, 0], r[0, 2] + r[2, 0], r[2, 1] - r[1, 2]],
        [r[0, 1] + r[1, 0], squares[1], r[1, 2] + r[2, 1], r[0, 2] - r[2, 0]],
        [r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], squares[2], r[1, 0] - r[0, 1]],
        [r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], squares[3]]])
    best = rows[int(np.argmax(squares))]
    return best / np.linalg.norm(best)


def diagnostics(time: int, node: str, task: str, level: str, text: str,
                values: dict[str, object]) -> DiagnosticArray:
    """One status of a node; level is OK, WARN or ERROR."""
    status = DiagnosticStatus(name=f'{node}: {task}', message=text, hardware_id='none',
                              level=getattr(DiagnosticStatus, level))
    status.values = [KeyValue(key=key, value=str(value)) for key, value in values.items()]
    message = DiagnosticArray(status=[status])
    message.header.stamp = stamp_of(time)
    return message
