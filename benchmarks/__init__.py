# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Measurements of the engine beside five others, from a checkout; timings decide no test."""
