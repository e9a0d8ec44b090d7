# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Motions are read from results and recordings, and whatever is wrong with one is told."""

import numpy as np
import pytest
from recording.encode import JOINT_STATE, joint_state, recorded, trajectory
from robodyn_ros import load_robot
from robodyn_ros.commands.main import main
from robodyn_ros.errors import RecordingError, RobodynError
from robodyn_ros.recording.writer import RecordingWriter
from robodyn_ros.report.motion import motion_of_recording, motion_of_result, read_motion
from robodyn_ros.robots.robot import robot_from_text
from robodyn_ros.ros_time import NANO

ROBOT = load_robot('two_link')
T = np.linspace(0.0, 0.1, 11)
Q = np.stack([0.1 + T, 0.5 - T], axis=1)


@pytest.fixture(scope='module')
def result(tmp_path_factory):
    """Return the NPZ file of a short simulation."""
    path = tmp_path_factory.mktemp('result') / 'run.npz'
    assert main(['--quiet', 'simulate', 'two_link_line', '--duration', '0.2', '--output',
                 str(path)]) == 0
    return path


def test_a_result_has_all_a_report_needs(result):
    """Scenario, robot, what was wanted and the constraints."""
    motion = read_motion(result)
    assert motion.scenario == 'two_link_line' and motion.robot.joints == ROBOT.joints
    assert motion.reference_q.shape == motion.q.shape == motion.tau.shape
    assert motion.row_names and len(motion.watched) == len(motion.t)
    assert motion.followed and motion.tool_error.max() < 1e-3


def test_a_recording_in_another_joint_order(tmp_path):
    """Columns are in the order of the robot; time counts from the simulated zero."""
    motion = read_motion(recorded(tmp_path / 'run.mcap', ROBOT, T, Q))
    assert motion.scenario == 'by_hand' and not motion.followed and motion.complete
    np.testing.assert_allclose(motion.t, T, atol=1e-12)
    np.testing.assert_array_equal(motion.q, Q)


def test_what_is_wanted_of_a_joint_that_turns_without_limits_is_the_nearer_way(tmp_path):
    """As the controller follows it: whole turns are no error."""
    robot = robot_from_text(ROBOT.urdf.replace('"revolute"', '"continuous"'))
    assert robot.limits.turning.all()
    t, begin, end = np.linspace(0.0, 1.0, 101), np.array([0.1, 7.0]), np.array([6.5, 0.9])
    path = recorded(tmp_path / 'run.mcap', robot, t, begin + t[:, None] * (
        end + np.array([-2.0, 2.0]) * np.pi - begin), commands=True,
        wanted=trajectory(NANO, robot.joints, 1, end))
    motion = motion_of_recording(path)
    assert motion.followed and np.abs(motion.reference_q - motion.q).max() < 0.1


def test_a_state_that_was_said_twice_counts_once(tmp_path):
    """As lockstep does while nobody answers."""
    path = recorded(tmp_path / 'run.mcap', ROBOT, [0.0, 0.0, 0.01], Q[:3])
    np.testing.assert_array_equal(motion_of_recording(path).q, Q[1:3])


def test_robot_by_name(tmp_path):
    """Where the file lacks the robot it is asked for, and can be given."""
    path = recorded(tmp_path / 'run.mcap', ROBOT, T, Q, urdf=False)
    with pytest.raises(RecordingError, match='has no robot_description; name .* --robot'):
        motion_of_recording(path)
    assert motion_of_recording(path, ROBOT).robot is ROBOT
    with pytest.raises(RecordingError, match="lacks joint 'joint_3'; .* instead of scara_450"):
        motion_of_recording(path, load_robot('scara_450'))


def test_another_robot_than_that_of_the_file_is_refused(result, tmp_path):
    """Its joints would be taken for others; the same arm with other numbers may be given."""
    path = recorded(tmp_path / 'run.mcap', ROBOT, T, Q)
    heavier = robot_from_text(ROBOT.urdf.replace('<mass value="', '<mass value="1'))
    renamed = robot_from_text(ROBOT.urdf.replace('name="two_link"', 'name="other"'))
    for read, file in ((motion_of_recording, path), (motion_of_result, result)):
        for other in (load_robot('irb120'), renamed):
            with pytest.raises(RecordingError, match=f'is of the robot two_link .*{other.name}'):
                read(file, other)
        assert read(file, heavier).robot is heavier


def test_a_robot_for_a_recording_whose_own_cannot_be_read(tmp_path):
    """Then --robot helps, as where there is none."""
    np.savez(tmp_path / 'run.npz', t=T, q=Q, v=Q, tau=Q, phi=Q[:, :0], urdf='none')
    assert motion_of_result(tmp_path / 'run.npz', ROBOT).robot is ROBOT


def test_an_empty_recording(tmp_path):
    """The sentence says what there is."""
    path = tmp_path / 'run.mcap'
    RecordingWriter(path).close()
    with pytest.raises(RecordingError, match='no joint_states .it has nothing.; record while'):
        motion_of_recording(path)


def test_states_without_positions(tmp_path):
    """Nothing can be drawn."""
    writer = RecordingWriter(tmp_path / 'run.mcap')
    writer.add(writer.channel('/joint_states', *JOINT_STATE, ''), 1, joint_state(1, ['joint_1']))
    writer.close()
    with pytest.raises(RecordingError, match='have no positions'):
        motion_of_recording(tmp_path / 'run.mcap', ROBOT)


@pytest.mark.parametrize('arrays, words', [
    ({'t': T}, "has no array 'q'"),
    ({'t': T, 'q': Q, 'v': Q, 'tau': Q, 'phi': Q}, 'does not tell its robot'),
    ({'t': T, 'q': Q[:, :1], 'v': Q, 'tau': Q, 'phi': Q, 'urdf': ROBOT.urdf}, "'q' has the shape"),
    ({'t': T, 'q': Q, 'v': Q, 'tau': Q, 'phi': Q, 'urdf': 'none'}, 'not well-formed XML')])
def test_other_arrays(tmp_path, arrays, words):
    """One sentence each."""
    np.savez(tmp_path / 'run.npz', **arrays)
    with pytest.raises(RobodynError, match=words):
        motion_of_result(tmp_path / 'run.npz')


def test_a_damaged_result(result, tmp_path):
    """Half a file is no file."""
    path = tmp_path / 'half.npz'
    path.write_bytes(result.read_bytes()[:2000])
    with pytest.raises(RecordingError, match='half.npz: cannot be read as NPZ'):
        motion_of_result(path)
