# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What speaks against recording and file being of one robot.

Free bodies, rotors and friction explain much of any robot's torque, so the error of a fit does not
tell. What tells is whether the masses of the file explain something of the torque: of two models
whose rotors, friction and offsets are fitted, one has the bodies of the file and one has none.
"""
from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from robodyn_ros.identification.fit import Equations, weighted
from scipy.optimize import lsq_linear


class Masses(NamedTuple):
    """How much of the torque is not explained where rotors, friction and offsets are fitted."""

    file: float
    """With the bodies of the file [-]."""
    none: float
    """Without bodies [-]."""


def told_by_masses(equations: Equations, used: np.ndarray, before: np.ndarray) -> Masses | None:
    """
    Return what the masses of the file tell of a recording, None where the file has none.

    :param used: parameters to look for (size,); :param before: theta of the file (size,)
    """
    bodies = np.arange(len(before)) < equations.chosen.rotors.start
    if not before[bodies].any():
        return None
    file, none = (_left(equations, used & ~bodies, np.where(bodies, part * before, 0.0))
                  for part in (1.0, 0.0))
    return Masses(file, none)


def _left(equations: Equations, used: np.ndarray, held: np.ndarray) -> float:
    """Return the part of the torque that is left where some parameters are held."""
    rows = equations.counted
    sigma = np.array([max(float(np.std(column)), 1e-12) for column in equations.tau.T])
    known = equations.predicted(held)
    A, b = weighted(replace(equations, known=known), sigma, np.ones_like(known))
    sizes = np.linalg.norm(A, axis=0)
    free = np.flatnonzero(used & (sizes > 0.0))
    lowest = np.where(equations.chosen.positive[free], 0.0, -np.inf)
    theta = held.copy()
    if len(free):
        theta[free] = lsq_linear(A[:, free] / sizes[free], b, (lowest, np.inf)).x / sizes[free]
    left = (equations.tau - equations.Y @ theta)[rows]
    return float(np.linalg.norm(left) / max(float(np.linalg.norm(equations.tau[rows])), 1e-300))
