# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Moving pictures: the right number of frames at the right times, of any robot."""

import numpy as np
from PIL import Image
import pytest
from recording.encode import recorded
from robodyn_ros import load_robot, robot_names
from robodyn_ros.report.animation import HEIGHT, samples_of, Scene, write_animation
from robodyn_ros.report.motion import read_motion
from robodyn_ros.report.render import Solid
from robodyn_ros.robots.robot import robot_from_text

ROBOT = load_robot('two_link')
T = np.linspace(0.0, 0.5, 51)
Q = np.stack([0.1 + T, 0.5 - 3.0 * T], axis=1)


@pytest.fixture
def motion(tmp_path):
    """Return half a second of motion."""
    return read_motion(recorded(tmp_path / 'run.mcap', ROBOT, T, Q))


def test_gif(motion, tmp_path):
    """Eleven different frames of 50 ms, for ever, with small files."""
    write_animation(motion, tmp_path / 'run.gif')
    with Image.open(tmp_path / 'run.gif') as film:
        assert film.n_frames == 11 and film.size[1] == HEIGHT and film.info['loop'] == 0
        seen = []
        for k in range(film.n_frames):
            film.seek(k)
            assert film.info['duration'] == 50
            seen.append(film.convert('RGB').tobytes())
    assert len(set(seen)) == 11 and (tmp_path / 'run.gif').stat().st_size < 200_000


def test_mp4(motion, tmp_path):
    """The frames come out of ffmpeg again."""
    from imageio_ffmpeg import count_frames_and_secs
    write_animation(motion, tmp_path / 'run.mp4')
    frames, seconds = count_frames_and_secs(str(tmp_path / 'run.mp4'))
    assert frames == 13 and seconds == pytest.approx(13 / 25, abs=0.05)


@pytest.mark.parametrize('kind, seconds, rate, count', [
    ('gif', 5.0, 20, 101), ('gif', 20.0, 20, 401), ('gif', 30.0, 10, 301),
    ('gif', 600.0, 10, 401), ('mp4', 20.0, 25, 501), ('mp4', 600.0, 25, 1501)])
def test_frames_are_spread_over_the_motion(kind, seconds, rate, count):
    """From the first sample to the last; long motions are shown faster."""
    t = np.arange(0.0, seconds + 5e-4, 1e-3) + 7.0
    found, samples = samples_of(t, kind)
    assert (found, len(samples)) == (rate, count)
    assert samples[0] == 0 and samples[-1] == len(t) - 1
    assert np.ptp(np.diff(t[samples])) < 2.1e-3


def test_a_single_sample():
    """One frame."""
    assert samples_of(np.array([1.0]), 'gif')[1].tolist() == [0]


def test_near_faces_hide_far_ones(motion):
    """Where the middle of a face that looks at the camera is drawn, nothing farther is seen."""
    scene = Scene(motion)
    canvas, camera = scene.empty.copy(), scene.empty.camera
    faces = scene.solid.at(motion.q[0])
    canvas.paint(faces)
    corners, _ = camera.project(faces.corners)
    (ax, ay), (bx, by) = (corners[:, 2] - corners[:, 0]).T, (corners[:, 3] - corners[:, 1]).T
    large = (faces.normals @ camera.towards > 0.05) & (np.abs(ax * by - ay * bx) > 200.0)
    dots, depths = camera.project(faces.corners.mean(axis=1))
    assert large.sum() > 10
    for dot, depth in zip(dots[large], depths[large]):
        assert canvas._depth[int(dot[1]), int(dot[0])] > depth - 5.0 / camera.scale
    assert (canvas.picture() != scene.empty.picture()).any()


@pytest.mark.parametrize('name', robot_names())
def test_faces_look_outwards(name):
    """The divergence theorem: normals times areas add up to nothing, centres to three volumes."""
    robot = load_robot(name)
    faces = Solid(robot).at(np.full(robot.n, 0.3))
    diagonals = faces.corners[:, 2] - faces.corners[:, 0], faces.corners[:, 3] - faces.corners[
        :, 1]
    areas = np.cross(*diagonals) / 2
    assert np.abs(areas.sum(axis=0)).max() < 1e-9
    assert (areas * faces.corners.mean(axis=1)).sum() > 0.0
    assert np.isfinite(faces.corners).all() and (faces.colours >= 0.0).all()


def test_a_robot_without_visuals_gets_bars():
    """From joint to joint, so that something is seen."""
    text = ROBOT.urdf
    while '<visual>' in text:
        before, _, rest = text.partition('<visual>')
        text = before + rest.partition('</visual>')[2]
    robot = robot_from_text(text)
    faces = Solid(robot).at(np.zeros(robot.n))
    assert len(faces.corners) and np.isfinite(faces.normals).all()
