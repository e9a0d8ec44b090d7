# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The ROS 2 nodes: node.py of each folder speaks ROS, the files beside it do not."""
from robodyn_ros.interruption import begin_module

begin_module()
