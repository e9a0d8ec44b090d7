# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Paths of a tool: exact derivatives, rest to rest, inside limits, through their points."""

import dataclasses
import math

import numpy as np
import pytest
from robodyn_ros.errors import RobodynError
from robodyn_ros.tracing import directional, Graph, inputs
from robodyn_ros.tracing.interpret import evaluate
from robodyn_ros.trajectories.tool_paths import Arc, Circle, LAWS, LEVER, Line, Polyline
from scipy.spatial.transform import Rotation, Slerp

DOWN = (math.pi, 0.0, 0.0)
CORNERS = ((0.3, 0.0, 0.2), (0.5, 0.1, 0.2), (0.5, 0.2, 0.4), (0.3, 0.2, 0.4))
TURNS = (DOWN, (3.0, 0.4, 0.2), (2.0, -0.4, 1.9), (1.0, 0.2, 3.0))
SHAPES = {
    'line': Line(start=(0.3, -0.2, 0.4), end=(0.5, 0.3, 0.2)),
    'turning line': Line(start=(0.3, -0.2, 0.4), end=(0.5, 0.3, 0.2), orientation=DOWN,
                         end_orientation=(2.0, 0.5, -1.0)),
    'turn on the spot': Line(start=(0.3, 0.0, 0.4), end=(0.3, 0.0, 0.4), orientation=DOWN,
                             end_orientation=(math.pi, 0.0, 1.5)),
    'polyline': Polyline(points=CORNERS, blend=0.05),
    'turning polyline': Polyline(points=CORNERS, orientations=TURNS, blend=0.03),
    'circle': Circle(start=(0.5, 0.0, 0.3), centre=(0.4, 0.0, 0.3), axis=(1.0, 2.0, 3.0)),
    'helix': Circle(start=(0.5, 0.0, 0.3), centre=(0.4, 0.0, 0.3), turns=-2.5, rise=0.05,
                    orientation=(0.0, 0.5, 0.0), tangent=True),
    'arc': Arc(start=(0.5, 0.0, 0.3), via=(0.4, 0.1, 0.35), end=(0.3, 0.0, 0.3),
               orientation=DOWN, end_orientation=(math.pi, 0.0, 2.0))}
"""A path of each kind, and each way to carry an orientation."""


def sampled(path, times):
    """Return coordinates and their first two derivatives by the trace (3, k, width)."""
    t = inputs(Graph(), 't', 1)[0]
    place = list(path(t))
    speed = directional(place, {t: 1.0})
    whole = [*place, *speed, *directional(speed, {t: 1.0})]
    rows = np.array([evaluate(whole, {t: x}) for x in times])
    return rows.reshape(len(times), 3, -1).transpose(1, 0, 2)


def turning(rows):
    """Return the angular velocity of quaternions and their rates (k, 3) [rad/s]."""
    return np.array([2.0 * (Rotation.from_quat(turn).inv().as_quat()[3] * rate[:3]
                            - turn[:3] * rate[3] + np.cross(turn[:3], rate[:3]))
                     for turn, rate in zip(rows[0][:, 3:], rows[1][:, 3:])])


@pytest.mark.parametrize('law', LAWS)
@pytest.mark.parametrize('shape', SHAPES)
def test_derivatives_are_those_of_the_path(shape, law):
    """Velocity and acceleration of the trace against differences of the path of plain floats."""
    path = dataclasses.replace(SHAPES[shape], law=law, duration=2.0)
    times = np.random.default_rng(1).uniform(0.02, 1.98, 40)
    _, v, a = sampled(path, times)
    step = 1e-4
    ends = np.array([[path(t - step), path(t), path(t + step)] for t in times], dtype=float)
    before, here, after = ends.transpose(1, 0, 2)
    # where an acceleration jumps (trapezoid), differences across the jump are no derivative
    jump = np.abs(sampled(path, times + step)[2] - sampled(path, times - step)[2]).max(axis=1)
    scale = max(1.0, np.abs(a).max())
    smooth = jump < 0.02 * scale
    assert smooth.sum() > 30
    assert np.abs((after - before) / (2.0 * step) - v)[smooth].max() < 1e-6 * scale
    assert np.abs((after - 2.0 * here + before) / step ** 2 - a)[smooth].max() < 1e-3 * scale


@pytest.mark.parametrize('law', LAWS)
@pytest.mark.parametrize('shape', SHAPES)
def test_every_path_goes_from_rest_to_rest_inside_its_limits(shape, law):
    """No speed at the ends; nowhere faster, and nowhere harder accelerated, than allowed."""
    for speed, acceleration in ((0.2, 0.0), (0.0, 0.7), (0.3, 1.5), (5.0, 0.2)):
        path = dataclasses.replace(SHAPES[shape], law=law, speed=speed, acceleration=acceleration)
        time = path.timing.time
        times = np.linspace(0.0, time, 301)
        rows = sampled(path, times)
        fast = np.linalg.norm(rows[1][:, :3], axis=1)
        hard = np.linalg.norm(rows[2][1:-1, :3], axis=1)
        assert np.abs(rows[1][[0, -1]]).max() < 1e-9
        if rows.shape[2] == 7 and not path.tangent:  # turns count as length
            fast = np.maximum(fast, LEVER * np.linalg.norm(turning(rows), axis=1))
        if speed:
            assert fast.max() <= speed * (1.0 + 1e-9)
        if acceleration:
            assert hard.max() <= acceleration * (1.0 + 1e-9)
        # one of the limits is what makes it take its time: but for bends it cannot be shorter
        if not path.curvature:
            straight = dataclasses.replace(SHAPES['line'], law=law, speed=speed,
                                           acceleration=acceleration)
            scale = path.length / straight.length
            assert path.timing.time <= straight.timing.time * max(1.0, scale) * (1.0 + 1e-12)
        for t, end in ((-1.0, 0.0), (time + 3.0, time)):
            assert np.abs(np.array(path(t)) - path(end)).max() < 1e-12


def test_times_of_a_line_by_hand():
    """Trapezoid: L/v + v/a, or 2 sqrt(L/a) without a cruise; quintic: 15 L / (8 v)."""
    line = Line(start=(0.0, 0.0, 0.0), end=(0.6, 0.0, 0.0))
    assert dataclasses.replace(line, law='trapezoid', speed=0.3, acceleration=0.6).timing.time == \
        pytest.approx(0.6 / 0.3 + 0.3 / 0.6)
    assert dataclasses.replace(line, law='trapezoid', speed=9.0, acceleration=0.6).timing.time == \
        pytest.approx(2.0 * math.sqrt(0.6 / 0.6))
    assert dataclasses.replace(line, speed=0.3).timing.time == pytest.approx(15 * 0.6 / (8 * 0.3))


@pytest.mark.parametrize('seed', range(8))
def test_blends_stay_near_their_corners(seed):
    """On the straight lines but within the blend of a corner; every corner is passed that near."""
    random = np.random.default_rng(seed)
    points = random.uniform(-0.5, 0.5, (5, 3))
    blend = random.uniform(0.005, 0.1)
    path = Polyline(points=tuple(map(tuple, points)), blend=blend, duration=1.0)
    s = np.linspace(0.0, path.length, 2001)
    places = np.array([path.place(x).position for x in s])
    pieces = np.array([distance_from(places, a, b) for a, b in zip(points, points[1:])])
    corners = np.linalg.norm(places[None] - points[1:-1, None], axis=2)
    off = pieces.min(axis=0) > 1e-12
    assert (corners.min(axis=0)[off] < blend * (1.0 + 1e-9)).all()
    assert (corners.min(axis=1) < blend).all()
    assert np.abs(places[[0, -1]] - points[[0, -1]]).max() < 1e-12
    tangents = np.array([path.place(x).tangent for x in s])
    assert np.linalg.norm(tangents, axis=1).max() < 1.0 + 1e-12
    assert np.abs(np.gradient(places, s, axis=0) - tangents)[1:-1].max() < 0.05


def distance_from(places, begin, end):
    """Distance of places (k, 3) from a straight piece."""
    along = np.clip((places - begin) @ (end - begin) / ((end - begin) @ (end - begin)), 0.0, 1.0)
    return np.linalg.norm(places - begin - along[:, None] * (end - begin), axis=1)


@pytest.mark.parametrize('seed', range(12))
def test_orientations_turn_on_the_shortest_arc(seed):
    """As scipy's Slerp, by the share of the way; half a turn at most."""
    random = np.random.default_rng(seed)
    ends = Rotation.from_euler('xyz', [DOWN, random.uniform(-math.pi, math.pi, 3)])
    path = Line(start=(0.3, 0.0, 0.4), end=(0.3, 0.3, 0.4), orientation=DOWN, duration=1.0,
                end_orientation=tuple(ends[1].as_euler('xyz')))
    arc = Slerp([0.0, 1.0], ends)
    for t in np.linspace(0.0, 1.0, 9):
        there = Rotation.from_quat(path(t)[3:])
        assert (there.inv() * arc(path.travelled(t) / path.length)).magnitude() < 1e-12


def test_an_orientation_of_each_point_is_reached_between_the_blends():
    """Half way on a piece the turn is half done."""
    path = SHAPES['turning polyline']
    for k, piece in enumerate(path.pieces):
        wanted = Slerp([0.0, 1.0], Rotation.from_euler('xyz', TURNS[k:k + 2]))(0.5)
        found = Rotation.from_quat(path.turn(piece.begin + 0.5 * piece.length, (1.0, 0.0, 0.0)))
        assert (found.inv() * wanted).magnitude() < 1e-12


@pytest.mark.parametrize('shape', ['circle', 'arc', 'polyline', 'helix'])
def test_a_tangent_tool_looks_along_the_path(shape):
    """Axis x of the frame is the direction of motion, z as near to the axis wanted as can be."""
    changes = {'orientation': (2.5, 0.3, 0.2), 'end_orientation': (), 'tangent': True,
               'duration': 2.0}
    path = dataclasses.replace(SHAPES[shape], **changes)
    wanted = Rotation.from_euler('xyz', path.orientation).as_matrix()[:, 2]
    rows = sampled(path, np.linspace(0.05, 1.95, 21))
    for place, speed in zip(rows[0], rows[1][:, :3]):
        frame = Rotation.from_quat(place[3:]).as_matrix()
        along = speed / np.linalg.norm(speed)
        assert frame[:, 0] == pytest.approx(along, abs=1e-9)
        assert frame[:, 1] @ wanted == pytest.approx(0.0, abs=1e-9)
        assert frame[:, 2] @ wanted > 0.0


@pytest.mark.parametrize('seed', range(6))
def test_circles_and_arcs_by_their_geometry(seed):
    """A fixed distance from the axis; an arc passes its three points in order, on one circle."""
    random = np.random.default_rng(seed)
    axis, centre, start = random.normal(size=(3, 3))
    turns, rise = random.choice([-1.0, 1.0]) * random.uniform(0.2, 3.0), random.uniform(-0.2, 0.2)
    path = Circle(start=tuple(start), centre=tuple(centre), axis=tuple(axis), turns=turns,
                  rise=rise)
    unit = axis / np.linalg.norm(axis)
    s = np.linspace(0.0, path.length, 101)
    out = np.array([path.place(x).position for x in s]) - centre
    height = out @ unit
    assert np.linalg.norm(out - height[:, None] * unit, axis=1) == pytest.approx(path.radius)
    assert height - height[0] == pytest.approx(rise * abs(turns) * s / path.length, abs=1e-12)
    sense = np.cross(out[0], path.place(0.0).tangent) @ unit
    assert np.sign(sense) == np.sign(turns)  # by the right hand
    points = random.normal(size=(3, 3))
    arc = Arc(start=tuple(points[0]), via=tuple(points[1]), end=tuple(points[2]))
    places = np.array([arc.place(x).position for x in np.linspace(0.0, arc.length, 4001)])
    nearest = np.linalg.norm(places[:, None] - points, axis=2)
    assert nearest.min(axis=0).max() < arc.length / 4000
    assert np.all(np.diff(nearest.argmin(axis=0)) > 0)
    assert np.linalg.norm(places - arc.circle.centre, axis=1) == pytest.approx(arc.circle.radius)
    assert np.linalg.norm(np.diff(places, axis=0), axis=1).sum() == pytest.approx(arc.length, 1e-6)


NAN = math.nan
BAD = [
    (Line, {'start': (0.0, 0.0), 'end': (1.0, 0.0, 0.0)}, 'start'),
    (Line, {'start': (), 'end': ()}, 'start'),
    (Line, {'start': (0.1, 0.2, 0.3), 'end': (0.1, 0.2, 0.3)}, 'no length'),
    (Line, {'start': (NAN, 0.0, 0.0), 'end': (1.0, 0.0, 0.0)}, 'start of the line.*finite'),
    (Line, {'start': (0.0, 0.0, 0.0), 'end': (1e200, 0.0, 0.0)}, 'end of the line'),
    (Line, {'start': (0.0, 0.0, 0.0), 'end': (1.0, 0.0, 0.0), 'speed': -1.0}, 'speed'),
    (Line, {'start': (0.0, 0.0, 0.0), 'end': (1.0, 0.0, 0.0), 'duration': NAN}, 'duration'),
    (Line, {'start': (0.0, 0.0, 0.0), 'end': (1.0, 0.0, 0.0), 'law': 'cubic'}, 'law'),
    (Line, {'start': (0.0, 0.0, 0.0), 'end': (1.0, 0.0, 0.0), 'orientation': (1.0,)}, 'roll'),
    (Line, {'start': (0.0, 0.0, 0.0), 'end': (1.0, 0.0, 0.0), 'end_orientation': DOWN},
     'wants orientation'),
    (Line, {'start': (0.0, 0.0, 0.5), 'end': (0.0, 0.0, 0.0), 'tangent': True}, 'tangent'),
    (Polyline, {}, '0 points'), (Polyline, {'points': ((0.0, 0.0, 0.0),)}, '1 points'),
    (Polyline, {'points': ((0.0, 0.0), (1.0, 0.0))}, 'three numbers'),
    (Polyline, {'points': ((0.0,) * 3, (1.0,) * 3, (1.0,) * 3)}, 'points 2 and 3'),
    (Polyline, {'points': ((0.0,) * 3, (1.0,) * 3), 'blend': 0.0}, 'blend'),
    (Polyline, {'points': ((0.0,) * 3, (math.inf,) * 3)}, 'points of the polyline'),
    (Polyline, {'points': ((0.0,) * 3, (1.0,) * 3), 'orientations': (DOWN,)}, '1 orientations'),
    (Polyline, {'points': ((0.0,) * 3, (1.0,) * 3, (0.0,) * 3), 'tangent': True}, 'turns back'),
    (Circle, {'start': (1.0, 0.0, 0.0), 'centre': (0.0,) * 3, 'axis': (0.0,) * 3}, 'axis'),
    (Circle, {'start': (0.0, 0.0, 1.0), 'centre': (0.0,) * 3}, 'not on it'),
    (Circle, {'start': (1.0, 0.0, 0.0), 'centre': (0.0,) * 3, 'turns': 0.0}, 'turns'),
    (Circle, {'start': (1.0, 0.0, 0.0), 'centre': (0.0,) * 3, 'turns': NAN}, 'turns'),
    (Circle, {'start': (1.0, 0.0, 0.0), 'centre': (0.0,) * 3, 'rise': 1e300}, 'rise'),
    (Arc, {'start': (0.0,) * 3, 'via': (1.0,) * 3, 'end': (2.0,) * 3}, 'on a line'),
    (Arc, {'start': (0.0,) * 3, 'via': (0.0,) * 3, 'end': (2.0, 0.0, 0.0)}, 'on a line'),
    (Arc, {'start': (0.0,) * 3, 'via': (1.0, NAN, 0.0), 'end': (2.0, 0.0, 0.0)}, 'via')]


@pytest.mark.parametrize('kind, changes, words', BAD)
def test_what_is_no_path_is_a_sentence(kind, changes, words):
    """Whatever is wrong is named."""
    with pytest.raises(RobodynError, match=words):
        kind(**changes)


def test_a_path_without_a_time_says_so():
    """And one that takes longer than its scenario."""
    line = Line(start=(0.0, 0.0, 0.0), end=(1.0, 0.0, 0.0))
    with pytest.raises(RobodynError, match='how long'):
        line(0.5)
    with pytest.raises(RobodynError, match='takes 18.75 s, and the scenario lasts 5 s'):
        dataclasses.replace(line, speed=0.1).within(5.0)
    assert line.within(5.0).timing.time == 5.0
