# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A repeated motion has no jump where it begins again."""

import numpy as np
import pytest
from robodyn_ros import load_scenario
from robodyn_ros.scenario.simulation import Simulation
from robodyn_ros.trajectories.return_to_start import closed

PERIOD = 1e-3


@pytest.mark.parametrize('scenario', ['scara_helix', 'scara_via_points'])
def test_an_open_motion_gets_a_way_back(scenario):
    """Two laps in a row: positions, speeds and accelerations go on without a step."""
    run = Simulation(load_scenario(scenario))
    lap = closed(run.reference, run.robot.limits.velocity, PERIOD)
    assert len(lap.t) > len(run.reference.t)
    assert np.array_equal(lap.q[:len(run.reference.t)], run.reference.q)
    assert np.allclose(np.diff(lap.t), PERIOD)
    for key in 'qva':
        values = getattr(lap, key)
        assert np.abs(values[-1] - values[0]).max() < 1e-9
    q = np.concatenate([lap.q, lap.q[1:]])
    slope = np.gradient(q, PERIOD, axis=0)[len(run.reference.t) - 5:len(lap.t) + 5]
    v = np.concatenate([lap.v, lap.v[1:]])[len(run.reference.t) - 5:len(lap.t) + 5]
    assert np.abs(slope - v).max() < 5e-3
    limits = run.robot.limits
    assert (np.abs(lap.v).max(axis=0) < np.maximum(
        limits.velocity, np.abs(run.reference.v).max(axis=0) + 1e-9)).all()


def test_a_closed_motion_stays_as_it_is():
    """Sines over whole periods come back by themselves."""
    run = Simulation(load_scenario('parallel_line'))
    assert closed(run.reference, run.robot.limits.velocity, PERIOD) is run.reference
