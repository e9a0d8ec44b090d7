# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Attacks that must fail, quick ones as tests; `make soak` runs the long ones (soak.py)."""
