# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Arrange runs side by side for lanes.py, and take their rows apart again."""
from __future__ import annotations

from typing import Any, Callable, NamedTuple, Sequence

import numpy as np

LANES = 16
"""Runs side by side: two or four vector registers of any width, which hides their latency."""


class Shape(NamedTuple):
    """What a plant's layouts depend on."""

    joints: int
    rows: int
    reference: int
    """Numbers per control instant."""
    delay: int
    """Control instants between measuring and the torque's arrival."""


def run_batch(run: Callable[..., Any], shape: Shape, inputs: Sequence[np.ndarray],
              parameters: Sequence[np.ndarray], steps: int, step: float, every: int, period: int,
              reference: np.ndarray) -> np.ndarray | None:
    """
    Run LANES rollouts; returns their recorded rows (LANES, samples, width).

    :param run: compiled side_by_side of lanes.py
    :param inputs: t, q, v, tau of each (1 + 3 n,)
    :param parameters: prepared parameters of each
    :returns: None where a run needs a decision of its own
    """
    n, m = shape.joints, shape.rows
    width, samples = 1 + 5 * n + 3 * m, steps // every + 1
    x = np.array(inputs).T.reshape(-1)
    w = np.array(parameters).T.reshape(-1)
    y = np.empty(LANES * (2 * n + 3 * m + 2))
    s = np.empty(LANES * (2 + 6 * n + shape.reference))
    try:
        rows = np.empty(LANES * samples * width)
    except (MemoryError, ValueError):  # perhaps there is room for one after another
        return None
    queue = np.tile(x[(1 + 2 * n) * LANES:], max(1, shape.delay))
    good = run(steps, step, x[:LANES].copy(), every, period, x, w, y, s, reference, rows, queue)
    return rows.reshape(LANES, samples, width) if good else None
