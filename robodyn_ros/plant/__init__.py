# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A robot under constraints, simulated: traced, compiled, stepped and rolled out."""
