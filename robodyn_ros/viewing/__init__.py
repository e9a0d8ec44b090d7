# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The browser view without ROS: the scene, the page's controls and plots, its memory."""
