# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The watch over a run of all nodes in one process knows when the motion is over."""

from types import SimpleNamespace

import numpy as np
import pytest
from robodyn_ros.nodes.single_process import Monitor


@pytest.mark.parametrize('periods, over', [
    ([0, 1, 2, 3, 4, 5], True), ([0, 3, 6], True), ([7], True), ([0, 4], False),
    ([3, 0, 5], False)])
def test_a_motion_is_over_at_its_end_or_beyond(periods, over):
    """A plant that waits for nobody may pass the end between two looks (regression)."""
    runner = SimpleNamespace(periods=0, q=np.zeros(2), mode='moving', reason='')
    plant = SimpleNamespace(runner=runner, period=10_000_000)
    expected = SimpleNamespace(t=np.arange(6) * 0.01, q=np.zeros((6, 2)), reference=None,
                               row_names=())
    monitor = Monitor(plant, None, None, expected, in_space=False)
    for runner.periods in periods:
        monitor.look()
    assert monitor.over is over and monitor.status.difference == 0.0
