# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Quality-of-service profiles, named by what they are for (docs of ROS 2: About QoS)."""
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.qos_overriding_options import QoSOverridingOptions


def stream() -> QoSProfile:
    """Return a STREAM of its own: rclpy writes what parameters override into the profile."""
    return QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)


STREAM = stream()
"""States, commands, trajectories: every reader is served, reliable or best-effort."""

LATCHED = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE,
                     durability=DurabilityPolicy.TRANSIENT_LOCAL)
"""The last one is kept for those who come later: robot_description, trajectory, path."""

OVERRIDABLE = QoSOverridingOptions.with_default_policies()
"""Lets parameters such as qos_overrides./joint_states.subscription.reliability change quality."""

CLOCK = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
"""Simulated time; only the newest counts."""

NEWEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
"""No history is needed; hears reliable and best-effort publishers."""
