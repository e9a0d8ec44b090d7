# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Via points of paper 004: golden vectors in both timings, distances, speeds, what is refused."""

from functools import cache
import json

import numpy as np
from plant.cases import GOLDEN, TARGETS
import pytest
from robodyn_ros import RobodynError
from robodyn_ros.trajectories.paths import sample
from robodyn_ros.trajectories.via_points import ViaPoints
from trajectories.test_motions import POINTS, TIMES

WANTED = TARGETS['004']
TIMINGS = ('siciliano', 'fixed_arrival')


@cache
def run(timing):
    """Return the path sampled every 0.1 ms."""
    return sample(ViaPoints(POINTS, TIMES, timing=timing), np.linspace(0.0, 4.0, 40001))


@pytest.mark.parametrize('timing', TIMINGS)
def test_golden_vectors(timing):
    """Position, velocity and acceleration at six times to the last digits."""
    gold = json.loads((GOLDEN / '004.json').read_text())[f'traj_{timing}']
    times = np.array([float(t) for t in gold])
    ours = sample(ViaPoints(POINTS, TIMES, timing=timing), times)
    theirs = np.array(list(gold.values()))[:, :, :3]  # the fourth coordinate is the yaw held at 0
    for k, values in enumerate((ours.q, ours.v, ours.a)):
        assert np.abs(values - theirs[:, k]).max() < 1e-12


@pytest.mark.parametrize('timing', TIMINGS)
def test_segments_have_the_papers_numbers(timing):
    """Lengths, accelerations 5 L / T^2, ramps 0.27639 T; the anticipation shifts the starts."""
    segments = ViaPoints(POINTS, TIMES, timing=timing).segments
    assert [s.length for s in segments] == pytest.approx(WANTED['segment_length'], abs=5e-7)
    assert [s.acceleration for s in segments] == pytest.approx(
        WANTED['segment_acceleration'][timing], rel=1e-4)
    assert [s.ramp / s.duration for s in segments] == pytest.approx([0.27639] * 4, abs=5e-6)
    spans = {'siciliano': [(0.0, 0.6), (0.4, 1.8), (1.6, 3.0), (2.8, 3.4)],
             'fixed_arrival': [(0.0, 0.6), (0.4, 2.0), (1.8, 3.4), (3.2, 4.0)]}
    ends = [(s.start, s.start + s.duration) for s in segments]
    assert np.abs(np.array(ends) - spans[timing]).max() < 1e-12


@pytest.mark.parametrize('timing', TIMINGS)
def test_inner_points_are_passed_at_a_distance(timing):
    """The blending cuts corners by 4 to 21 mm; ends are reached exactly."""
    path = run(timing)
    near = [1e3 * np.linalg.norm(path.q - p, axis=1).min() for p in POINTS[1:4]]
    assert near == pytest.approx(WANTED['via_point_distance_mm'][timing], abs=0.06)
    assert np.abs(path.q[[0, -1]] - [POINTS[0], POINTS[-1]]).max() < 1e-15


@pytest.mark.parametrize('timing', TIMINGS)
def test_speeds_and_accelerations(timing):
    """Slowest between the ends, fastest, and largest acceleration."""
    path, end = run(timing), {'siciliano': 3.4, 'fixed_arrival': 4.0}[timing]
    speed = np.linalg.norm(path.v, axis=1)
    moving = (path.t > 0.3) & (path.t < end - 0.3)
    found = [speed[moving].min(), speed.max(), np.linalg.norm(path.a, axis=1).max()]
    slow, fast, pull = WANTED['path'][timing]
    assert found == [pytest.approx(slow, abs=9e-3), pytest.approx(fast, abs=6e-4),
                     pytest.approx(pull, abs=6e-3)]


def test_siciliano_ends_early_and_fixed_arrival_on_time():
    """The sum of anticipations, 0.6 s, is gained by one and not by the other."""
    for timing, end in (('siciliano', 3.4), ('fixed_arrival', 4.0)):
        path = run(timing)
        moving = np.flatnonzero(np.linalg.norm(path.v, axis=1) > 1e-9)
        assert path.t[moving[-1]] == pytest.approx(end, abs=2e-4)


def test_without_anticipation_every_point_is_reached():
    """No blending: the path stops at each point at its time."""
    for timing in TIMINGS:
        path = sample(ViaPoints(POINTS, TIMES, 0.0, timing), np.array(TIMES))
        assert np.abs(path.q - POINTS).max() < 1e-12
        assert np.abs(path.v).max() < 1e-12


def test_the_least_factor_is_a_triangle():
    """With k = 4 nothing cruises: the speed peaks at 2 L / T."""
    path = ViaPoints(((0.0,), (1.0,)), (0.0, 2.0), factor=4.0)
    assert path.segments[0].ramp == pytest.approx(1.0)
    assert sample(path, np.array([1.0])).v[0, 0] == pytest.approx(1.0)


@pytest.mark.parametrize('changes, words', [
    ({'timing': 'later'}, "unknown timing 'later' in via points: use one of fixed_arrival, sic"),
    ({'times': (0.0, 1.0)}, '5 points and 2 times; expected the same number'),
    ({'points': POINTS[:1], 'times': (0.0,)}, 'two or more'),
    ({'times': (0.0, 0.6, 0.6, 3.4, 4.0)}, 'each must be later than the one before'),
    ({'points': (*POINTS[:4], (1.0, 2.0))}, 'different numbers of coordinates'),
    ({'points': (POINTS[0], POINTS[0], *POINTS[2:])}, 'via points 1 and 2 are the same point'),
    ({'factor': 3.9}, 'factor of via points is 3.9; expected 4 or more'),
    ({'factor': float('nan')}, 'factor of via points is nan'),
])
def test_what_is_no_path_is_refused_in_one_sentence(changes, words):
    """Each says which points, times or numbers."""
    with pytest.raises(RobodynError, match=words):
        ViaPoints(**{'points': POINTS, 'times': TIMES, **changes})
