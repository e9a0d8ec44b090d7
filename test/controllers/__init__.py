# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Tests of the control laws; `cases` holds the plants they share."""
