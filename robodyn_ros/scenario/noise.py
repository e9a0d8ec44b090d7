# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Measurement noise of a scenario: the same in simulate() and in the node `dynamics`."""
from __future__ import annotations

from typing import Mapping

import numpy as np

from robodyn_ros.scenario.schema import NoiseSettings
from robodyn_ros.tracing import Number
from robodyn_ros.types import Control


def measurement_noise(noise: NoiseSettings, count: int, n: int) -> np.ndarray | None:
    """
    Draw errors of positions and velocities, side by side (count, 2 n); None for no noise.

    At control instant k the law sees q + e_q[k] and v + e_v[k], in simulate() and in the node
    `dynamics` alike; the plant's own state stays clean.
    """
    if noise.position <= 0.0 and noise.velocity <= 0.0:
        return None
    random = np.random.default_rng(noise.seed)
    return np.hstack([random.normal(0.0, noise.position, (count, n)),
                      random.normal(0.0, noise.velocity, (count, n))])


def with_noise(control: Control, n: int) -> Control:
    """Return the control law fed with a state plus noise from the last 2 n reference columns."""
    def law(t: Number, q: list, v: list, reference: list, values: Mapping) -> list:
        clean, noise = reference[:-2 * n], reference[-2 * n:]
        return list(control.law(t, [x + e for x, e in zip(q, noise[:n])],
                                [x + e for x, e in zip(v, noise[n:])], clean, values))

    return control._replace(law=law, reference_size=control.reference_size + 2 * n)
