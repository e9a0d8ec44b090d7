# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Tests of the plant; `cases` and `ode45` are shared with test/constraints."""
