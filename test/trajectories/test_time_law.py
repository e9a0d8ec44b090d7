# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A motion has a beginning and an end: at rest, smooth between, and the same in both forms."""

import numpy as np
import pytest
from robodyn_ros.trajectories.joint_space import JointSine, JointWaypoints
from robodyn_ros.trajectories.paths import Helix, sample, SineLine
from robodyn_ros.trajectories.time_law import there_and_back, ThereAndBack, timed
from robodyn_ros.types import Trajectory

HELIX = Helix()
LINE = SineLine(0.0, 0.0, 0.3, 0.2, np.pi)


@pytest.mark.parametrize('duration', [0.01, 0.7, 2.0, 20.0])
def test_a_path_in_motion_gets_a_start_and_an_end_at_rest(duration):
    """Velocity and acceleration vanish at both ends; before and after nothing moves."""
    path = timed(HELIX, duration, 1.0)
    made = sample(path, np.array([-1.0, 0.0, duration, duration + 5.0]))
    assert np.abs(made.v).max() < 1e-12 and np.abs(made.a).max() < 1e-12
    assert np.array_equal(made.q[0], made.q[1]) and np.array_equal(made.q[2], made.q[3])
    assert made.q[0] == pytest.approx(HELIX(0.0), abs=1e-15)


def test_the_whole_path_is_passed_where_there_is_time():
    """From its first place to its last; never faster than twice its own speed."""
    for duration in (2.0, 5.0, 20.0):
        made = sample(timed(HELIX, duration, 1.0), np.linspace(0.0, duration, 400))
        assert made.q[-1] == pytest.approx(HELIX(duration), abs=1e-12)
        assert np.abs(made.v[:, 2]).max() <= 2.0 * HELIX.climb * (1.0 + 1e-12)


def test_short_pieces_do_not_accelerate_more_than_long_ones():
    """A cut-off run is a small piece of the path, not the whole of it in no time."""
    largest = [np.abs(sample(timed(HELIX, d, 1.0), np.linspace(0.0, d, 500)).a).max()
               for d in (0.01, 0.1, 1.0, 2.0)]
    assert max(largest) <= largest[-1] * 1.01


def test_rates_are_derivatives():
    """Velocity and acceleration of the tracer, against differences; continuous throughout."""
    t = np.linspace(-0.2, 5.2, 5401)
    made = sample(timed(HELIX, 5.0, 1.0), t)
    assert np.abs(np.gradient(made.q, t, axis=0) - made.v)[1:-1].max() < 1e-5
    assert np.abs(np.gradient(made.v, t, axis=0) - made.a)[1:-1].max() < 1e-3


def test_joint_motions_have_the_same_law():
    """A sine of joints by the arrays' formula is the traced path of the same sine."""
    joints = timed(JointSine((0.4, -0.2), 3.0), 5.0, 1.0)
    from robodyn_ros.tracing import sin
    path = timed(lambda s: (0.4 * sin(3.0 * s), -0.2 * sin(3.0 * s)), 5.0, 1.0)
    t = np.linspace(-0.5, 5.5, 301)
    for mine, other in zip(joints.sample(t)[1:], sample(path, t)[1:]):
        assert np.abs(mine - other).max() < 1e-12


def test_motions_that_rest_by_themselves_keep_their_own_time():
    """Way-points and sinusoidal lines are not stretched; after the end they stay."""
    rests = JointWaypoints((0.0, 1.0), ((0.0,), (1.0,)))
    assert timed(rests, 1.0, 1.0) is rests
    t = np.linspace(0.0, 4.0, 50)
    made, own = sample(timed(LINE, 4.0, 1.0), t), sample(LINE, t)
    for mine, other in zip(made[1:], own[1:]):
        assert np.abs(mine - other).max() < 1e-14
    assert np.abs(sample(timed(LINE, 4.0, 1.0), np.array([4.5, 9.0])).v).max() == 0.0


def test_no_ramp_keeps_the_speed_of_the_paper():
    """Without a ramp: full speed at once, and a sudden end."""
    made = sample(timed(HELIX, 5.0, 0.0), np.array([0.0, 2.5, 5.0, 5.1]))
    assert made.v[:, 2].tolist() == [HELIX.climb] * 3 + [0.0]


def test_there_and_back_is_the_same_way():
    """Traced and sampled: after the duration the motion runs backwards."""
    path = timed(HELIX, 4.0, 1.0)
    t = np.linspace(0.0, 4.0, 81)
    both = sample(ThereAndBack(path, 4.0), np.concatenate([t, 4.0 + t[1:]]))
    doubled = there_and_back(Trajectory(t, *sample(path, t)[1:]))
    for mine, other in zip(both, doubled):
        assert np.abs(mine - other).max() < 1e-12
    assert np.array_equal(doubled.q[0], doubled.q[-1])
