# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The configuration next to a state at which the constraint rows hold, as far as they can.

Damped Gauss-Newton on phi(q, t) = 0 with shortest steps (numpy's least squares, so dependent and
redundant rows are legal). Slow, for starts and for telling what went wrong, not for every step.
"""
from __future__ import annotations

from typing import Sequence

import numpy as np

from robodyn_ros.plant.model import Model
from robodyn_ros.robots.payload import Given
from robodyn_ros.types import State

ITERATIONS = 100
LARGEST_MOVE = 0.5
"""Longest single step, so that the start's branch (elbow) is kept [rad] or [m]."""
RANK_TOLERANCE = 1e-10
"""Singular value of the rows, over the largest, below which a direction is lost [-]."""


def nearest(model: Model, state: State, free: Sequence[int], enough: float,
            parameters: Given) -> tuple[np.ndarray, np.ndarray]:
    """
    Return q (n,) and the errors phi (m,) that are left there.

    :param free: joints that may move
    :param enough: largest |phi| at which to stop
    """
    q = np.array(state.q, dtype=float)
    phi, _, rows = model.constraint_rows(state, parameters)
    for _ in range(ITERATIONS):
        worst = np.abs(phi).max()
        if not worst >= enough or not np.isfinite(rows).all():
            break
        move = np.zeros(len(q))
        move[free] = np.linalg.lstsq(rows[:, free], -phi, rcond=RANK_TOLERANCE)[0]
        move *= min(1.0, LARGEST_MOVE / max(np.abs(move).max(), 1e-300))
        for _ in range(30):  # shorten the step until it helps
            trial = model.constraint_rows(state._replace(q=q + move), parameters)
            if np.abs(trial[0]).max() < worst:
                break
            move *= 0.5
        else:
            break  # rounding, or a closest point that is no solution
        q += move
        phi, _, rows = trial
    return q, phi
