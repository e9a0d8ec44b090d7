# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The few numbers that decide in the mechanics and in the compiled loops alike."""

PIVOT = 1e-10
"""Pivot over diagonal entry, or row length over the longest, below which rank is lost [-]."""

RESIDUAL = 1e-6
"""Relative residual of dependent rows above which they contradict each other [-]."""

ON_ROWS = 2e-14
"""Largest |phi| that counts as exactly on the constraint after projection [m] or [rad]."""

NEAR_ROWS = 50.0 * ON_ROWS
"""Largest |phi| that rounding of q may leave on long arms: enough where a step cannot help."""

STANDING = 1e-15
"""Longest step of a projection that cannot help [m] or [rad]."""

NEWTON_STEPS = 20
"""Of a projection, at most."""
