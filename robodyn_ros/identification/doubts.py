# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What speaks against recording and file being of one robot.

Free bodies, rotors and friction explain much of any robot's torque, so the error of a fit does
not tell. What tells is whether the masses of the file explain something of the torque: of two
models whose rotors, friction and offsets are fitted, one has the bodies of the file and one has
none. A third multiplies the bodies of the file by one number: that of a lighter robot of like
build is well below one, though the masses of the file explain much of its torque. A fourth has
bodies of any kind: what those explain, the file's should at least halve when multiplied. A right
robot whose file has wrong masses passes thereby, in grams, of other links or all alike.
"""
from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from robodyn_ros.identification.equations import Equations
from robodyn_ros.identification.fit import plain_least_squares
from robodyn_ros.identification.solving import weighted
from scipy.optimize import lsq_linear


SEEN = 0.15
"""Part of the torque that must be left, with bodies or without, for masses to matter [-]."""
LITTLE = 0.5
"""Of what is left without bodies: where the masses of the file leave more, they tell little."""
USUAL = 1.5
"""Factor by which masses of a file may be wrong without a word [-]."""


class Masses(NamedTuple):
    """How much of the torque is not explained where rotors, friction and offsets are fitted."""

    file: float
    """With the bodies of the file [-]."""
    none: float
    """Without bodies [-]."""
    times: float
    """What the bodies of the file are multiplied by where that is fitted, too [-]."""
    multiplied: float
    """With the bodies of the file times that, if it is positive [-]."""
    free: float
    """With bodies of any kind, possible or not [-]."""

    @property
    def contradict(self) -> bool:
        """
        Tell whether the file's bodies make it worse, and are not right but for a factor either.

        Only where masses matter: most of what is left without bodies is theirs.
        """
        theirs = self.none ** 2 - self.free ** 2
        return (self.file > max(SEEN, self.none) and theirs > 0.5 * self.none ** 2
                and self.none ** 2 - self.multiplied ** 2 < 0.5 * theirs)


def told_by_masses(equations: Equations, used: np.ndarray, before: np.ndarray) -> Masses | None:
    """
    Return what the masses of the file tell of a recording, None where the file has none.

    :param used: parameters to look for (size,); :param before: theta of the file (size,)
    """
    bodies = np.arange(len(before)) < equations.chosen.rotors.start
    if not before[bodies].any():
        return None
    held = np.where(bodies, before, 0.0)
    file, none = (_left(equations, used & ~bodies, part * held)[0] for part in (1.0, 0.0))
    left, times = _left(equations, used & ~bodies, 0.0 * held, equations.Y @ held)
    any_bodies = equations.predicted(plain_least_squares(equations, used))
    free = _part(equations, (equations.tau - any_bodies)[equations.counted])
    return Masses(file, none, times, left if times > 0.0 else none, free)


def weight_doubts(path: str, masses: Masses | None) -> list[str]:
    """Return what the masses of a robot's file say against its being the recorded one."""
    if masses is None or max(masses.file, masses.none) < SEEN or masses.times <= 0.0 or (
            masses.file < LITTLE * masses.none and 1.0 / USUAL < masses.times < USUAL):
        return []
    return [f'the torques are those of bodies {masses.times:.2g} times as heavy as {path} says; '
            f'with its masses {100.0 * masses.file:.2g} % of the torque are not explained before '
            f'they are fitted, without any {100.0 * masses.none:.2g} %: make sure that it is the '
            'URDF of this robot, and that efforts are torques (--drive-gains for currents)']


def _left(equations: Equations, used: np.ndarray, held: np.ndarray,
          bodies: np.ndarray | None = None) -> tuple[float, float]:
    """
    Return the part of the torque that is left where some parameters are held.

    :param bodies: torques (k, n) of which any multiple is added
    :returns: that part, and the multiple
    """
    sigma = np.array([max(float(np.std(column)), 1e-12) for column in equations.tau.T])
    known = equations.predicted(held)
    free = np.flatnonzero(used)
    Y, lowest = equations.Y[:, :, free], np.where(equations.chosen.positive[free], 0.0, -np.inf)
    if bodies is not None:
        Y, lowest = np.concatenate([Y, bodies[..., None]], axis=2), np.append(lowest, -np.inf)
    A, b = weighted(replace(equations, Y=Y, known=known), sigma, np.ones_like(known))
    sizes = np.linalg.norm(A, axis=0)
    live = np.flatnonzero(sizes > 0.0)
    found = np.zeros(len(sizes))
    if len(live):
        found[live] = lsq_linear(A[:, live] / sizes[live], b, (lowest[live], np.inf)).x \
            / sizes[live]
    left = (equations.unknown - Y @ found - equations.Y @ held)[equations.counted]
    return _part(equations, left), float(found[-1]) if bodies is not None else 1.0


def _part(equations: Equations, left: np.ndarray) -> float:
    """Return the part of the torque that residuals of what counts are."""
    size = max(float(np.linalg.norm(equations.tau[equations.counted])), 1e-300)
    return float(np.linalg.norm(left)) / size
