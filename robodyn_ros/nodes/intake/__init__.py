# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The controller's door: trajectories come in, and are checked, in a process of their own."""
