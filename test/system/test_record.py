# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Recordings of real runs: nothing is lost, nothing is changed, a killed one is readable."""

import json
import os
import signal
import subprocess
import sys
import time

from mcap.reader import make_reader
import numpy as np
import pytest
import rclpy
from rclpy.qos import QoSProfile, ReliabilityPolicy
from robodyn_ros import load_scenario, simulate
from robodyn_ros.recording.reader import read_recording
from robodyn_ros.report.motion import read_motion
from robodyn_ros.report.summary import summary_of
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from system.graph import PATIENCE, start, stop, written

pytestmark = pytest.mark.dds
SAME = 1e-9


def robodyn(*arguments):
    """Run the command in a process of its own."""
    return subprocess.run(
        [sys.executable, '-m', 'robodyn_ros.commands.main', '--quiet', *arguments],
        capture_output=True, text=True, timeout=300, env=os.environ)


def last_stamp(path):
    """Return the newest stamp of the states in a file [ns]; 0 if there is none."""
    states = read_recording(path, ['joint_states']).messages['joint_states']
    return max((stamp for stamp, _ in states), default=0)


@pytest.mark.parametrize('scenario, duration', [
    ('scara_helix', 1.0), ('scara_helix_constrained', 5.0), ('parallel_line', 1.0)])
def test_a_recorded_lockstep_run_is_that_of_simulate(tmp_path, scenario, duration):
    """Every period is there and agrees, recording changes nothing, and the reports agree."""
    path, arrays = str(tmp_path / 'run.mcap'), str(tmp_path / 'run.npz')
    plain = ['run', scenario, '--fast', '--duration', str(duration), '--json']
    done = robodyn(*plain, '--record', path)
    assert done.returncode == 0, done.stderr[-2000:]
    with_it, without = json.loads(done.stdout), json.loads(robodyn(*plain).stdout)
    # to the last bit; a plant alone runs on between two looks, which then see other periods
    same = 0.0 if load_scenario(scenario).controller.kind != 'none' else 1e-12
    for key in ('tracking_error', 'violation', 'difference_from_simulate'):
        assert with_it[key] == pytest.approx(without[key], rel=0.0, abs=same)
    result = simulate(load_scenario(scenario), duration=duration)
    motion = read_motion(path)
    assert len(motion.t) == len(result.t) and motion.scenario == scenario
    for recorded, simulated in ((motion.t, result.t), (motion.q, result.q), (motion.v, result.v),
                                (motion.tau[:-1], result.tau[:-1])):
        assert np.abs(recorded - simulated).max() < SAME
    # what was sent has a point every 20 ms; without a controller simulate() knows all of them
    sparse = SAME if load_scenario(scenario).controller.kind != 'none' else 1e-6
    assert np.abs(motion.reference_q - result.reference.q).max() < sparse
    assert robodyn('simulate', scenario, '--duration', str(duration), '--output',
                   arrays).returncode == 0
    first, second = summary_of(motion), summary_of(read_motion(arrays))
    assert first['joints'].keys() == second['joints'].keys()
    for name, one in first['joints'].items():
        assert one == pytest.approx(second['joints'][name], abs=sparse)
    # the recording has the path as the trajectory's joints give it, to the inversion's accuracy
    assert first['tool_error_max_m'] == pytest.approx(second['tool_error_max_m'], abs=5e-6)
    assert (first['violation_max'] or 0.0) == pytest.approx(second['violation_max'] or 0.0,
                                                            abs=1e-12)
    again = robodyn('run', scenario, '--fast', '--record', path)
    assert again.returncode == 2 and 'is not overwritten' in again.stderr
    assert 'Traceback' not in again.stderr


def test_a_killed_run_is_readable_up_to_the_last_second(tmp_path, listener):
    """Complete and indexed for the package mcap; at most one second is missing."""
    path = tmp_path / 'run.mcap'
    process = subprocess.Popen(
        [sys.executable, '-m', 'robodyn_ros.commands.main', '--quiet', 'run', 'scara_helix',
         '--record', str(path)], stderr=subprocess.DEVNULL, env=os.environ)
    try:
        listener.wait(lambda: listener.commands)  # plant, controller and trajectory are there
        listener.wait_until(listener.now * 1e-9 + 3.5)  # states heard here, so the end is known
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE)
    for _ in range(20):  # what was under way
        listener.executor.spin_once(timeout_sec=0.01)
    with open(path, 'rb') as file:
        reader = make_reader(file, validate_crcs=True)
        counts = {channel.topic: 0 for channel in reader.get_summary().channels.values()}
        for _, channel, _ in reader.iter_messages():
            counts[channel.topic] += 1
    assert {'/joint_states', '/joint_commands', '/robot_description', '/trajectory/path',
            '/controller/joint_trajectory', '/controller/error', '/dynamics/tool_pose',
            '/diagnostics'} <= {topic for topic, count in counts.items() if count}
    assert counts['/joint_states'] > 1000
    assert listener.now - last_stamp(path) < 1e9


def test_the_recorder_follows_what_others_publish(tmp_path, monkeypatch):
    """Arrays as commands and best-effort states, as drivers have them; a strange type is named."""
    monkeypatch.chdir(tmp_path)
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node('driver', context=context)
    states = node.create_publisher(JointState, 'joint_states', QoSProfile(
        depth=1, reliability=ReliabilityPolicy.BEST_EFFORT))
    commands = node.create_publisher(Float64MultiArray, 'joint_commands', 10)
    node.create_publisher(Float64MultiArray, 'dynamics/tool_pose', 10)
    recorder = start('scara_helix', 'recorder')
    message, found = JointState(name=['joint_1'], position=[0.5]), {}
    deadline = time.monotonic() + PATIENCE
    try:
        while not found or not all(found.values()):
            assert time.monotonic() < deadline, written(recorder)
            message.header.stamp.sec += 1
            states.publish(message)
            commands.publish(Float64MultiArray(data=[1.0, 2.0]))
            time.sleep(0.05)
            for file in tmp_path.glob('robodyn_*Z.mcap'):
                found = read_recording(file, ['joint_states', 'joint_commands']).messages
    finally:
        code, text = stop(recorder)
        node.destroy_node()
        context.try_shutdown()
    assert code == 0, text
    assert 'dynamics/tool_pose is std_msgs/msg/Float64MultiArray, not geometry_msgs' in text
    assert found['joint_commands'][-1][1]['data'].tolist() == [1.0, 2.0]
    assert found['joint_states'][-1][1]['position'].tolist() == [0.5]


def test_an_existing_file_ends_the_recorder_with_one_sentence(tmp_path):
    """Exit code 2, and the file is as it was."""
    path = tmp_path / 'mine.mcap'
    path.write_text('mine')
    recorder = start('scara_helix', 'recorder', file=path)
    code = recorder.wait(PATIENCE)
    assert code == 2 and 'is not overwritten' in written(recorder)
    assert path.read_text() == 'mine'
