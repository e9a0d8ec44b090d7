# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What encoders would read: the plant's state with the scenario's repeatable noise; no ROS."""
from __future__ import annotations

import numpy as np

from robodyn_ros.scenario.noise import measurement_noise
from robodyn_ros.scenario.periods import periods_in
from robodyn_ros.scenario.schema import NoiseSettings


class Sensor:
    """Adds the errors that simulate() adds at the same control instant."""

    def __init__(self, noise: NoiseSettings, duration: float, period: float, n: int):
        """Draw the errors of a whole motion; after its end they come again."""
        self.n = n
        self._errors = measurement_noise(noise, periods_in(duration, period) + 1, n)

    def measured(self, instant: int, q: np.ndarray, v: np.ndarray
                 ) -> tuple[np.ndarray, np.ndarray]:
        """Return positions and velocities (n,) as measured at a control instant."""
        if self._errors is None:
            return q, v
        error = self._errors[instant % len(self._errors)]
        return q + error[:self.n], v + error[self.n:]
