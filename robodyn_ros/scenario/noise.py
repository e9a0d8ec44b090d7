# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Measurement noise of a scenario: the same in simulate() and in the node `dynamics`."""
from __future__ import annotations

import numpy as np

from robodyn_ros.scenario.schema import NoiseSettings


def measurement_noise(noise: NoiseSettings, count: int, n: int) -> np.ndarray | None:
    """
    Draw errors of positions and velocities, side by side (count, 2 n); None for no noise.

    At control instant k the law sees q + e_q[k] and v + e_v[k], in simulate() and in the node
    `dynamics` alike; the plant's own state stays clean.
    """
    if noise.position <= 0.0 and noise.velocity <= 0.0:
        return None
    random, errors = np.random.default_rng(noise.seed), np.zeros((count, 2 * n))
    errors[:, :n] = random.normal(0.0, noise.position, (count, n))
    if noise.velocity > 0.0:
        errors[:, n:] = random.normal(0.0, noise.velocity, (count, n))
    return errors
