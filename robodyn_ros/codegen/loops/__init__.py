# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Loops around the kernels of a plant: stepping, integrators, the rank-finding solver."""
