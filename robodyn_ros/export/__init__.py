# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A robot or a scenario as C that needs nothing else: the same bits in a driver's loop."""
