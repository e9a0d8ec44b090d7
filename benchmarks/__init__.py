# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Measurements of the engine beside MuJoCo and Pinocchio; timings decide no test."""
