# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Constrained robot dynamics for ROS 2: see README.md."""
from robodyn_ros.robots.robot import load_robot, Robot

__all__ = ['load_robot', 'Robot']
