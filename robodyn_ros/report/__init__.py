# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Figures, numbers and pages of a run."""
