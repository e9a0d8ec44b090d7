# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Scenario files, and the one place that wires robot, trajectory, controller and plant."""
