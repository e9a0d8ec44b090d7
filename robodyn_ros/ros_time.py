# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Times of messages: whole nanoseconds here, seconds and the rest in a message; no ROS."""

NANO = 1_000_000_000
"""Nanoseconds in a second."""


def nanoseconds(seconds: int, rest: int) -> int:
    """Return a time [ns] from whole seconds and the nanoseconds beyond them."""
    return seconds * NANO + rest


def seconds_and_rest(time: int) -> tuple[int, int]:
    """Return whole seconds and the nanoseconds beyond them of a time [ns]."""
    return divmod(time, NANO)
