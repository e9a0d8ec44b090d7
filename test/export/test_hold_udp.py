# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The exported 1 kHz loop holds an arm of this package over UDP, by the bits of the node."""

import math
import shutil
import signal
import socket
import struct
import subprocess

import numpy as np
import pytest
from robodyn_ros import load_scenario, Simulation
from robodyn_ros.commands.main import main
from robodyn_ros.plant.control_law import CompiledLaw
from robodyn_ros.ros_time import NANO
from robodyn_ros.trajectories.joint_plan import JointPlan, Points

pytestmark = pytest.mark.skipif(shutil.which('gcc') is None or shutil.which('make') is None,
                                reason='there is no gcc, or no make')
CHANGES = ['controller.ki=40', 'dynamics.initial_velocity=[0, 0, 0, 0]']
PERIOD = 1_000_000
"""[ns]"""
PATIENCE = 60.0
"""Longest wait for a datagram or for the end of the loop [s]; the machine may be busy."""


@pytest.fixture(scope='module')
def loop(tmp_path_factory):
    """Return the path of the compiled example."""
    folder = tmp_path_factory.mktemp('c')
    words = [word for change in CHANGES for word in ('--set', change)]
    assert main(['--quiet', 'export', 'scara_helix', '--what', 'controller', *words, '--output',
                 str(folder)]) == 0
    subprocess.run(['make', '-s', 'examples', 'CFLAGS=-O1 -Werror'], cwd=folder, check=True)
    return folder / 'examples' / 'hold_udp'


class Arm:
    """The plant of the scenario behind a socket: it answers each command with its next state."""

    def __init__(self):
        """Stand still where the scenario begins."""
        self.simulation = Simulation(load_scenario('scara_helix', CHANGES), with_control=False)
        plant, n = self.simulation.plant, self.simulation.robot.n
        self.motion = plant.in_place(self.simulation.assembly.state, 1, self.simulation.parameters)
        self.stamp, self.seen, self.last = 0, [], np.zeros(n)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(('127.0.0.1', 0))
        self.socket.settimeout(PATIENCE)
        self.port = self.socket.getsockname()[1]
        self.form = f'q{n}d'

    def state(self):
        """Return the datagram of the state."""
        return struct.pack('q', self.stamp) + self.motion.q.tobytes() + self.motion.v.tobytes()

    def serve(self, answers, answer=None):
        """Answer commands until so many were new."""
        while len(self.seen) < answers:
            given, self.peer = self.socket.recvfrom(4096)
            stamp, *tau = struct.unpack(self.form, given)
            if stamp == self.stamp:
                self.seen.append((self.motion.q.copy(), self.motion.v.copy(), tau))
                self.motion.tau[:] = tau
                self.motion.step()
                self.stamp += PERIOD
            self.socket.sendto(answer or self.state(), self.peer)

    def last_command(self):
        """Return the last torques that come."""
        self.socket.settimeout(0.5)
        tau = None
        try:
            while True:
                tau = struct.unpack(self.form, self.socket.recv(4096))[1:]
        except TimeoutError:
            return tau


@pytest.fixture
def arm():
    """Return an arm whose socket is closed at the end."""
    made = Arm()
    yield made
    made.socket.close()


def started(loop, *words):
    """Start the example."""
    return subprocess.Popen([str(loop), '127.0.0.1', *map(str, words)], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def ended(process):
    """Wait for its end; returns exit code and what it said."""
    try:
        said = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    return process.returncode, *said


def test_it_holds_the_arm_with_the_torques_of_the_node(loop, arm):
    """Against gravity, to the last bit of the law that this package compiles; 0 at the end."""
    process = started(loop, arm.port, 0, int(1e3 * PATIENCE))
    try:
        arm.serve(400)
    finally:
        process.send_signal(signal.SIGTERM)
    code, said, complaint = ended(process)
    assert code == 0 and not complaint and 'states answered' in said
    assert arm.last_command() == (0.0,) * 4
    scenario = arm.simulation.scenario
    full = Simulation(scenario)
    control, n = full.control, full.robot.n
    law = CompiledLaw('scara', n, control)
    first, still = arm.seen[0][0], np.zeros((1, n))
    state = np.concatenate([first, np.zeros(2 * n)])
    plan = JointPlan(0, Points(np.zeros(1, dtype=np.int64), first[None], still, still)).begun(
        0, state, 0.0)
    for k, (q, v, tau) in enumerate(arm.seen):
        assert law(k * PERIOD / NANO, q, v, plan.sample(k * PERIOD)).tolist() == list(tau), k
    assert np.abs(arm.motion.q - first).max() < 1e-3 and np.abs(arm.seen[-1][2]).max() > 1.0


def test_an_arm_that_falls_silent_ends_the_loop_without_torque(loop, arm):
    """It says so, and its exit code is 1."""
    process = started(loop, arm.port, 0, 2000)
    arm.serve(30)
    assert arm.last_command() == (0.0,) * 4
    code, _, complaint = ended(process)
    assert code == 1 and f'127.0.0.1 port {arm.port}: no new state within the time-out' \
        in complaint


@pytest.mark.parametrize('broken', [
    b'short', b'x' * 4000, struct.pack('q8d', 5, *[math.nan] * 8)], ids=['short', 'long', 'nan'])
def test_what_is_no_state_is_refused(loop, arm, broken):
    """It waits for a state, counts what it refused, and gives up."""
    process = started(loop, arm.port, 0, 100)
    arm.socket.settimeout(0.3)
    with pytest.raises(TimeoutError):
        arm.serve(1, broken)
    code, said, complaint = ended(process)
    assert code == 1 and 'no state within 2 s' in complaint
    assert ' 0 states answered' in said and ', 0 datagrams refused' not in said


def test_bad_arguments_and_absent_arms_are_told(loop, arm):
    """In a sentence, at once."""
    arm.socket.close()
    code, _, complaint = ended(started(loop, arm.port))
    assert code == 1 and 'nobody listens there; start the arm first' in complaint
    for words in (['nowhere'], [0], [5005, 'long'], [5005, 1, 0]):
        code, _, complaint = ended(started(loop, *words))
        assert code == 2 and complaint.startswith('usage: ')
