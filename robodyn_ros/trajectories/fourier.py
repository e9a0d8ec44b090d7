# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A periodic motion of the joints as a finite Fourier series, as identification wants it."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import StateError
from robodyn_ros.types import Trajectory


@dataclass(frozen=True)
class JointFourier:
    """
    q_i(t) = centre_i + sum over k of sine_ik sin(k rate t) + cosine_ik cos(k rate t).

    Swevers et al., Optimal robot excitation and identification, 1997: band-limited, periodic, and
    with exact derivatives.
    """

    centre: tuple[float, ...]
    """(n,) [rad] or [m]"""
    sine: tuple[float, ...]
    """Harmonics of the first joint, then those of the second … (n harmonics) [rad] or [m]."""
    cosine: tuple[float, ...]
    """(n harmonics) [rad] or [m]"""
    rate: float
    """[rad/s]"""

    def sample(self, times: np.ndarray) -> Trajectory:
        """Evaluate at times (k,)."""
        t, n = np.asarray(times, dtype=float), len(self.centre)
        if not n or len(self.sine) != len(self.cosine) or len(self.sine) % n:
            raise StateError(f'Fourier motion has {n} centres, {len(self.sine)} sines and '
                             f'{len(self.cosine)} cosines; expected as many of both, the same '
                             'number for each joint')
        sine, cosine = (np.array(x).reshape(n, -1).T for x in (self.sine, self.cosine))
        rates = self.rate * np.arange(1, len(sine) + 1)
        s, c = np.sin(np.outer(t, rates)), np.cos(np.outer(t, rates))
        return Trajectory(t, np.array(self.centre) + s @ sine + c @ cosine,
                          (c * rates) @ sine - (s * rates) @ cosine,
                          -(s * rates ** 2) @ sine - (c * rates ** 2) @ cosine)
