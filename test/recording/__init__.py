# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Tests of recordings, with an encoder of their own."""
