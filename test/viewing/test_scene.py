# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The view without a browser: links where mechanics says they are, memory, the saved page."""

import numpy as np
import pytest
from robodyn_ros import load_robot, load_scenario, robot_names, simulate
from robodyn_ros.robots.geometry import quaternion, rotation_from_rpy
from robodyn_ros.robots.urdf.visuals import GREY, visuals_of

viser = pytest.importorskip('viser', reason='the extra "view" is not installed')

from robodyn_ros.viewing.camera import FIELD_OF_VIEW, NARROWEST  # noqa: E402
from robodyn_ros.viewing.history import History, Moment, SMALLEST_DRAWN  # noqa: E402
from robodyn_ros.viewing.scene import NODES, RobotScene, SEGMENTS, Trace  # noqa: E402
from robodyn_ros.viewing.server import Server  # noqa: E402
from robodyn_ros.viewing.viewer import replay_html, Viewer  # noqa: E402

CLOSED = 1e-9
"""How well the loops of a closed chain meet in the picture [m]."""


@pytest.fixture(scope='module')
def server():
    """Serve on a free port."""
    made = Server()
    yield made.viser
    made.close()


def rotation_of(wxyz):
    """Return the rotation matrix of a quaternion, by its textbook formula."""
    w, x, y, z = wxyz
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


@pytest.mark.parametrize('name', robot_names())
def test_links_stand_where_the_compiled_kinematics_puts_them(server, name):
    """Position and rotation of every drawn link on random configurations."""
    robot = load_robot(name)
    server.scene.reset()
    scene = RobotScene(server, robot)
    random = np.random.default_rng(3)
    for _ in range(5):
        q = random.uniform(-1.0, 1.0, robot.n)
        scene.update(q)
        for link, node in scene.links.items():
            state = robot.frame(link, q)
            assert np.abs(node.position - state.position).max() < 1e-6  # viser keeps 32 bits
            assert np.abs(rotation_of(node.wxyz) - state.rotation).max() < 1e-6


@pytest.mark.parametrize('name', robot_names())
def test_every_robot_looks_like_something(name):
    """Every moving link is drawn, with a size and a colour of its own file."""
    robot = load_robot(name)
    found = visuals_of(robot.urdf).shapes
    assert len({v.link for v in found}) > robot.n / 2
    assert all(min(v.size) > 0.0 and v.colour != GREY for v in found)
    assert any(v.kind == 'cylinder' for v in found)


def test_the_closed_chain_is_closed_in_every_picture():
    """Both frames of each loop lie on one another along the motion."""
    result = simulate(load_scenario('parallel_line'), duration=0.5)
    robot = result.robot
    assert robot.loops
    for q in result.q[::50]:
        for loop in robot.loops:
            a, b = (robot.frame(frame, q).position for frame in (loop.frame_a, loop.frame_b))
            used = [axis for axis in range(3) if 'xyz'[axis] in loop.axes]
            assert np.abs(a - b)[used].max() < CLOSED


def test_a_quaternion_turns_as_its_matrix():
    """On random rotations, half turns among them."""
    random = np.random.default_rng(5)
    for rpy in [*random.uniform(-np.pi, np.pi, (50, 3)), (np.pi, 0, 0), (0, np.pi, 0)]:
        matrix = rotation_from_rpy(tuple(rpy))
        assert np.abs(rotation_of(np.roll(quaternion(matrix), 1)) - matrix).max() < 1e-12


def test_the_trace_is_a_ring(server):
    """Standing still adds nothing; a long path reuses the oldest node and adds none."""
    server.scene.reset()
    trace = Trace(server.scene)
    for _ in range(10):
        trace.grow(np.zeros(3))
    assert trace.count == 0
    for k in range(NODES * SEGMENTS + SEGMENTS + 2):
        trace.grow(np.array([1e-3 * k, 0.0, 0.0]))
    assert len(trace.nodes) == NODES
    assert trace.points[1, 0, 0, 0] > trace.points[2, 0, 0, 0]  # written last, and oldest
    trace.clear()
    assert trace.count == 0 and not any(node.visible for node in trace.nodes)


def moment(time, error=1e-3, violation=1e-14):
    """Return a moment of a one-joint robot."""
    return Moment(time, np.array([time]), np.array([1.0]), error, violation)


def test_history_keeps_the_last_seconds_and_notices_a_restart():
    """Old moments go, repeated ones do not count, time that goes back empties it."""
    history = History(2.0)
    for k in range(100):
        assert history.add(moment(0.1 * k), wall=0.05 * k)
    assert 1.9 < history.moments[-1].time - history.moments[0].time <= 2.0
    assert history.realtime_factor == pytest.approx(2.0)
    assert history.add(history.moments[-1], wall=5.0) and len(history.moments) == 21
    assert not history.add(moment(0.0), wall=5.1) and len(history.moments) == 1


def test_curves_have_no_gaps():
    """What nobody told is filled; a violation of zero has a logarithm."""
    history = History(10.0)
    for k, (error, violation) in enumerate([(np.nan, np.nan), (0.5, 0.0), (0.25, 1e-3)]):
        history.add(moment(float(k), error, violation), float(k))
    curves = history.curves()
    assert curves['error'].tolist() == [0.5, 0.5, 0.25]
    assert curves['violation'].tolist() == [np.log10(SMALLEST_DRAWN)] * 2 + [-3.0]


def test_the_viewer_traces_the_chosen_frame_and_looks_at_the_whole_path():
    """Also if path and frame are known after the robot."""
    viewer = Viewer('127.0.0.1', 0, 5.0)
    try:
        robot = load_robot('two_link')
        viewer.show_robot(robot.urdf)
        viewer.show_state(0.0, robot.joints, [0.0, 0.0], [], np.nan, np.nan, 0.0)
        near = np.linalg.norm(viewer.server.initial_camera.position)
        viewer.show_path(np.array([[5.0, 0.0, 0.0], [-5.0, 0.0, 0.0]]))
        viewer.show_state(0.1, robot.joints, [0.0, 0.1], [], np.nan, np.nan, 0.1)
        assert np.linalg.norm(viewer.server.initial_camera.position) > 3.0 * near
        assert viewer.scene.frame == 'tool0'
        viewer.follow('link_1')
        assert viewer.scene.frame == 'link_1'
        viewer.follow('nowhere')
        assert viewer.scene.frame == 'tool0'
    finally:
        viewer.close()


@pytest.mark.parametrize('name, axes', [
    ('scara_450', (True, True, True)), ('irb120', (True, True, True)),
    ('parallel_2dof', (True, True, False)), ('two_link', (True, False, True))])
def test_the_tool_is_led_where_it_can_move(server, name, axes):
    """An arm in a plane has no handle across it."""
    server.scene.reset()
    assert RobotScene(server, load_robot(name)).led_axes() == axes


@pytest.mark.parametrize('name', ['scara_helix', 'scara_via_points', 'parallel_line'])
def test_the_arm_stays_in_the_picture(name):
    """From the first state on, which is all the camera knows beside the path."""
    result = simulate(name)
    robot, q = result.robot, result.q
    viewer = Viewer('127.0.0.1', 0, 5.0)
    try:
        viewer.show_robot(robot.urdf)
        viewer.show_path(robot.positions('tool0', q[::20]))
        viewer.show_state(0.0, robot.joints, q[0], [], np.nan, np.nan, 0.0)
        camera = viewer.server.initial_camera
        position = np.array(camera.position)
        towards = position - camera.look_at
        towards /= np.linalg.norm(towards)
        right = np.cross([0.0, 0.0, 1.0], towards)
        right /= np.linalg.norm(right)
        for state in q[::len(q) // 20]:
            seen = viewer.scene.cloud(state) - position
            half = -seen @ towards * np.tan(FIELD_OF_VIEW / 2.0)
            assert np.abs(seen @ np.cross(towards, right) / half).max() < 0.95
            assert np.abs(seen @ right / half).max() < 0.95 * NARROWEST
    finally:
        viewer.close()


def test_the_viewer_shows_what_can_be_shown():
    """A robot without joints; positions and paths that are no numbers, or light years away."""
    viewer = Viewer('127.0.0.1', 0, 5.0)
    try:
        viewer.show_robot('<robot name="post"><link name="base"/></robot>')
        for k in range(20):
            viewer.show_state(0.1 * k, [], [], [], np.nan, np.nan, 0.1 * k)
        robot = load_robot('two_link')
        viewer.show_robot(robot.urdf)
        good = [[0.1, 0.0, 0.0], [0.2, 0.0, 0.0]]
        for k, wrong in enumerate((np.nan, np.inf, 1e300, -1e39)):
            viewer.looked = False
            viewer.show_path(np.array([good[0], [0.1, wrong, 0.0], good[1]]))
            assert viewer.path.tolist() == good
            viewer.show_state(float(k), robot.joints, [wrong, 0.0], [], 1e300, np.inf, float(k))
            assert not viewer.history.moments
            viewer.show_robot('<robot name="post"><link name="base"/></robot>')
            viewer.show_robot(robot.urdf)
            assert np.isfinite(viewer.server.initial_camera.position).all()
        for k in range(20):
            viewer.show_state(0.1 * k, robot.joints, [0.0, 0.1], [1e300, np.nan], 1e300, np.inf,
                              0.1 * k)
        assert len(viewer.history.moments) == 20
    finally:
        viewer.close()


def test_the_viewer_passes_over_states_of_another_robot_and_saves_a_page():
    """Strange joints are no reason to stop; the saved page holds the scene."""
    viewer = Viewer('127.0.0.1', 0, 5.0)
    try:
        viewer.show_state(1.0, ['joint_1'], [0.0], [], np.nan, np.nan, 0.0)  # no robot yet
        robot = load_robot('two_link')
        viewer.show_robot(robot.urdf)
        viewer.show_robot(robot.urdf)
        viewer.show_state(1.0, ['elbow'], [0.0], [], np.nan, np.nan, 0.0)
        assert not viewer.history.moments
        for k in range(10):
            viewer.show_state(1.0 + 0.1 * k, ['grip', 'joint_2', 'joint_1'], [9.0, 0.1 * k, 0.0],
                              [], 1e-3, np.nan, 0.1 * k)
        assert viewer.history.moments[-1].q.tolist() == [0.0, 0.9]
        viewer.show_gains({'kp': [1.0], 'natural_frequency': [20.0], 'damping': [1.0],
                           'rho': [0.0]})
        assert set(viewer.gains) == {'natural_frequency', 'damping'}
        assert list(viewer.requests()) == []
        page = replay_html(robot, list(viewer.history.moments), np.eye(3))
        assert b'__VISER_EMBED_DATA__' in page and len(page) > 100_000
        viewer.show_settings({'speed': 0.5, 'payload': 99.0})  # kilograms beyond the slider's end
        assert viewer.page.speed.value == 0.5 and viewer.page.payload.value == 10.0
        viewer.show_robot(load_robot('scara_450').urdf)
        assert viewer.page.speed.value == 0.5
    finally:
        viewer.close()
