# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Torques that act some control instants after they were computed."""
from __future__ import annotations

from typing import Any


def delay_torque(queue: Any, torque: Any, at: int, size: int, delay: int) -> None:
    """
    Exchange the torques torque[at:at + size] for those given delay calls ago.

    The one definition: compiled into the loops, and called as it is by the plant of the nodes.

    :param queue: torques on their way, oldest first (delay size,)
    """
    for i in range(size):
        late = queue[i]
        for d in range(delay - 1):
            queue[d * size + i] = queue[(d + 1) * size + i]
        queue[(delay - 1) * size + i] = torque[at + i]
        torque[at + i] = late
