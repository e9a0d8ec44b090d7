# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""From a recording of a real robot to a model that fits it; knows nothing of ROS."""
