# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Why a compiled loop stopped: the whole numbers it returns."""

OK, DEPENDENT, SINGULAR, NOT_FINITE, INCONSISTENT, NOT_PROJECTED = range(6)
"""
DEPENDENT: the rows lost their rank; SINGULAR: the mass matrix is not positive definite;
INCONSISTENT: dependent rows contradict each other; NOT_PROJECTED: no state on the rows was found.
"""
REASONS = 8
"""Numbers reserved for a reason where it is returned with a place: REASONS place + reason."""
