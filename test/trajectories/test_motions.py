# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Every motion is consistent: velocity and acceleration are the derivatives of position.

Checked by central differences away from kinks, and by continuity where it is claimed: paths and
sines in everything, way-points up to the acceleration, via points and tables up to the velocity.
"""

import numpy as np
import pytest
from robodyn_ros import Reference, RobodynError, Trajectory
from robodyn_ros.trajectories.joint_space import JointSine, JointWaypoints, Table
from robodyn_ros.trajectories.paths import Helix, sample, SineLine
from robodyn_ros.trajectories.via_points import ViaPoints

POINTS = ((0.0, -0.8, 0.0), (0.0, -0.8, 0.5), (0.5, -0.6, 0.5), (0.8, 0.0, 0.5), (0.8, 0.0, 0.0))
TIMES = (0.0, 0.6, 2.0, 3.4, 4.0)


@pytest.fixture(scope='module')
def table(tmp_path_factory):
    """Return the path of a CSV file with two joints, blank lines and spaces in it."""
    path = tmp_path_factory.mktemp('tables') / 'motion.csv'
    path.write_text('t, joint_1 ,joint_2\n0.5,0.1,1.0\n1.0,0.3,0.8\n\n1.5,0.2,0.9\n2.5,0.0,0.5\n')
    return str(path)


def motion(name, table=''):
    """Return a motion as a function times -> Trajectory, its kinks, and its start and end."""
    if name == 'helix':
        return lambda t: sample(Helix(climb=0.03, centre_x=0.1), t), (), None
    if name == 'line':
        return lambda t: sample(SineLine(0.1, 0.2, -0.3, 0.6, 1.7), t), (), None
    if name in ('siciliano', 'fixed_arrival'):
        path = ViaPoints(POINTS, TIMES, timing=name)
        kinks = [x for s in path.segments for x in (
            s.start, s.start + s.ramp, s.start + s.duration - s.ramp, s.start + s.duration)]
        return lambda t: sample(path, t), tuple(kinks), (0.0, max(kinks))
    if name == 'sine':
        return JointSine((0.4, 1.0), 3.0, (0.1, -0.2)).sample, (), None
    if name == 'way-points':
        times = (0.5, 1.0, 1.8, 2.5)
        made = JointWaypoints(times, ((0.0, 1.0), (0.5, 0.2), (0.1, 0.3), (0.7, 0.6)),
                              ((0.0, 0.0), (0.3, -0.2), (0.1, 0.1), (0.0, 0.0)))
        return made.sample, times, (0.5, 2.5)
    return Table(table).sample, (0.5, 1.0, 1.5, 2.5), (0.5, 2.5)


NAMES = ('helix', 'line', 'siciliano', 'fixed_arrival', 'sine', 'way-points', 'table')


@pytest.mark.parametrize('name', NAMES)
def test_velocity_and_acceleration_are_derivatives(name, table):
    """Central differences of position and velocity, at times with no kink within the step."""
    evaluate, kinks, _ = motion(name, table)
    times, h = np.random.default_rng(1).uniform(-0.5, 4.5, 200), 1e-5
    away = np.all([np.abs(times - k) > 2.0 * h for k in kinks], axis=0) if kinks else times > -1.0
    times = times[away]
    now, before, after = evaluate(times), evaluate(times - h), evaluate(times + h)
    assert type(now) is Trajectory is Reference and np.array_equal(now.t, times)
    for value, rate in (('q', 'v'), ('v', 'a')):
        slope = (getattr(after, value) - getattr(before, value)) / (2.0 * h)
        size = 1.0 + np.abs(getattr(now, rate)).max()
        assert np.abs(slope - getattr(now, rate)).max() < 2e-8 * size, (name, rate)


@pytest.mark.parametrize('name', NAMES)
def test_continuous_where_claimed(name, table):
    """No jump of position and velocity at any kink; way-points not of the acceleration either."""
    evaluate, kinks, _ = motion(name, table)
    claimed = ['q', 'v'] + ['a'] * (name == 'way-points')
    for kink in kinks:
        left, right = evaluate(np.array([kink - 1e-9])), evaluate(np.array([kink + 1e-9]))
        for value in claimed:
            jump = np.abs(getattr(right, value) - getattr(left, value)).max()
            assert jump < 1e-6, (name, value, kink)


@pytest.mark.parametrize('name', ['siciliano', 'fixed_arrival', 'way-points', 'table'])
def test_rest_before_the_start_and_after_the_end(name, table):
    """Outside its times a motion stands still where it begins and ends."""
    evaluate, _, (start, end) = motion(name, table)
    outside = evaluate(np.array([start - 3.0, start - 1e-6, end + 1e-6, end + 50.0]))
    edge = evaluate(np.array([start, start, end, end]))
    assert np.array_equal(outside.q, edge.q)
    assert not outside.v.any() and not outside.a.any()


def test_endless_motions_go_on():
    """A helix climbs and a sine swings at any time, also before zero."""
    early, late = sample(Helix(), np.array([-2.0, 100.0])).q
    assert early[2] == pytest.approx(-0.04) and late[2] == pytest.approx(2.0)
    swing = JointSine((1.0,), 2.0).sample(np.array([-1.0, 1e3])).q[:, 0]
    assert swing == pytest.approx(np.sin([-2.0, 2e3]))


def test_closed_forms_of_the_papers_paths():
    """Helix of paper 000 and line of paper 002, written out."""
    t = np.linspace(0.0, 7.0, 50)
    helix, W = sample(Helix(), t), 0.4 * np.pi
    assert np.abs(helix.q - np.stack([
        0.05 * np.sin(W * t), 0.35 + 0.05 * np.cos(W * t), 0.02 * t], 1)).max() < 1e-15
    assert np.abs(helix.a - np.stack([
        -0.05 * W ** 2 * np.sin(W * t), -0.05 * W ** 2 * np.cos(W * t), 0 * t], 1)).max() < 1e-15
    line = sample(SineLine(0.21, 0.25, 0.37, 0.25, np.pi), t)
    assert np.abs(line.q[:, 0] - (0.29 - 0.08 * np.cos(np.pi * t))).max() < 1e-15
    assert np.array_equal(line.q[:, 1], np.full(50, 0.25))
    assert not line.v[0].any()


def test_other_numbers_compile_nothing(monkeypatch):
    """The numbers of a path are inputs of its compiled code."""
    from robodyn_ros.codegen import cache
    sample(Helix(), np.zeros(1))
    monkeypatch.setattr(cache, 'load', lambda *_: pytest.fail('compiled again'))
    assert sample(Helix(radius=3.0, rate=0.0), np.zeros(1)).q[0, 1] == pytest.approx(3.35)


def test_quintics_pass_their_way_points():
    """Position, velocity and acceleration at the knots are those given, zero where not given."""
    made = JointWaypoints((0.0, 1.0, 3.0), ((0.0, 1.0), (0.5, 0.2), (0.1, 0.3)),
                          accelerations=((0.0, 0.0), (2.0, -1.0), (0.0, 0.0)))
    there = made.sample(np.array([0.0, 1.0, 3.0]))
    assert np.abs(there.q - made.positions).max() < 1e-12
    assert np.abs(there.v).max() < 1e-12
    assert np.abs(there.a - made.accelerations).max() < 1e-10
    middle = JointWaypoints((0.0, 2.0), ((0.0,), (1.0,))).sample(np.array([1.0]))
    assert middle.q[0, 0] == pytest.approx(0.5)
    assert middle.v[0, 0] == pytest.approx(15.0 / 16.0)  # 1.875 / T, the quintic's peak


def test_a_table_passes_its_rows(table):
    """The spline passes every row of the file and rests at both ends."""
    names, times, rows = Table(table).read()
    there = Table(table).sample(times)
    assert names == ['joint_1', 'joint_2'] and np.abs(there.q - rows).max() < 1e-14
    assert np.abs(there.v[[0, -1]]).max() < 1e-14


@pytest.mark.parametrize('text, words', [
    ('', r'motion.csv: the first line is missing; expected t and the names'),
    ('time,joint_1\n0,1\n1,2\n', r"first line is \['time', 'joint_1'\]; expected t"),
    ('t\n0\n1\n', r"first line is \['t'\]"),
    ('t,joint_1\n0,1\n\n\n1,abc\n', "motion.csv: line 5 is '1,abc'; expected 2 finite numbers"),
    ('t,joint_1\n0,1,2\n1,2\n', "line 2 is '0,1,2'; expected 2 finite numbers"),
    ('t,joint_1\n0,nan\n1,2\n', "line 2 is '0,nan'"),
    ('t,joint_1\n0,1\n', 'motion.csv: 1 times and 1 positions.*two or more'),
    ('t,joint_1\n0,1\n1,2\n1,3\n', 'motion.csv: time 1.0 follows 1.0; times must increase'),
    (b't,joint_1\n\xff\xfe,2\n', 'motion.csv: cannot be read'),
    (None, r'motion.csv: cannot be read \(No such file.*give a CSV file'),
])
def test_wrong_tables_are_refused_in_one_sentence(tmp_path, text, words):
    """Each names the file, the line where there is one, and the value."""
    path = tmp_path / 'motion.csv'
    if isinstance(text, bytes):
        path.write_bytes(text)
    elif text is not None:
        path.write_text(text)
    with pytest.raises(RobodynError, match=words) as caught:
        Table(str(path)).sample(np.zeros(1))
    assert '\n' not in str(caught.value)


@pytest.mark.parametrize('changes, words', [
    ({'times': (0.0, 1.0)}, '2 times and 3 positions'),
    ({'times': (0.0, 2.0, 1.0)}, 'time 1.0 follows 2.0; times must increase'),
    ({'velocities': ((0.0,),) * 3}, r'velocities \(3, 1\).*differ'),
    ({'times': (0.0,), 'positions': ((0.0, 0.0),)}, 'two or more'),
])
def test_wrong_way_points_are_refused_in_one_sentence(changes, words):
    """Each says what does not fit."""
    good = {'times': (0.0, 1.0, 2.0), 'positions': ((0.0, 1.0),) * 3}
    with pytest.raises(RobodynError, match=words):
        JointWaypoints(**{**good, **changes}).sample(np.zeros(1))
