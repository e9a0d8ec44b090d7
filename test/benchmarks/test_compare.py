# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Every engine that is installed gives our results; how fast it does decides nothing here."""

from importlib.util import find_spec
import re

from benchmarks import (accuracy_closed, accuracy_helix, accuracy_task, by_hand, compare,
                        scaling, work)
from benchmarks.accuracy_helix import helix
from benchmarks.contender import CannotError, Contender
from benchmarks.footprint import installed_size
from benchmarks.plants import STEP
from benchmarks.progress import ProgressBars
from benchmarks.sizes import QUICK
from benchmarks.with_ours import Ours
from benchmarks.with_pybullet import in_its_dialect
import numpy as np
from oracles import scara_450
import pytest
from robodyn_ros import load_robot, Plant, robot_from_text

TINY = QUICK.reduced(repeats=2, steps=20)._replace(compare_rollouts=4, states=20)
INSTALLED = [pytest.param(kind, id=kind.name, marks=pytest.mark.skipif(
    find_spec(kind.module) is None, reason=f'{kind.name} is not installed'))
    for kind in compare.PEERS]
CLOSED = [case for case in work.CASES if case.robot == 'parallel_2dof']


@pytest.mark.slow
@pytest.mark.parametrize('kind', INSTALLED)
def test_results_are_ours(kind):
    """Matrices, torques, accelerations, steps, recordings and rollouts agree, or it cannot."""
    seen = 0
    for case in work.CASES:
        robot = load_robot(case.robot)
        peer, workload = kind(robot, STEP), work.workload_of(robot, TINY)
        try:
            theirs = case.make(peer, workload)()
        except CannotError:
            continue
        ours = case.make(Ours(robot, STEP), workload)()
        assert ours.shape == theirs.shape
        assert work.difference(case, workload, ours, theirs) < (
            peer.run_tolerance if case.is_run else peer.tolerance), (case.robot, case.title)
        seen += 1
    assert seen >= 10


def test_what_is_missing_is_a_row_that_says_so(monkeypatch):
    """Without any peer the comparison still has our times, and names what is missing."""
    monkeypatch.setattr(compare, 'find_spec', lambda name: None)
    entry = compare.compare(work.CASES[2], TINY, ProgressBars(), {})
    assert entry['ours_us'] > 0.0
    assert all('not installed' in peer['cannot'] for peer in entry['peers'].values())


class Idle(Contender):
    """An engine that reads the robot and computes nothing."""

    name, module = 'idle', 'robodyn_ros'
    tolerance = run_tolerance = max(max(peer.tolerance, peer.run_tolerance)
                                    for peer in compare.PEERS)

    def __init__(self, robot, step):
        """Take any robot."""
        self.step = step

    def constrained(self, q, v):
        """Return no acceleration."""
        return lambda: np.zeros_like(q)

    def steps(self, start, count):
        """Stand still."""
        return lambda: np.concatenate([start.q, start.v])


class Forceless(Idle):
    """An engine that moves on as if no force acted."""

    def steps(self, start, count):
        """Keep the speed."""
        return lambda: np.concatenate([start.q + count * self.step * start.v, start.v])


class Loopless(Ours):
    """Ours with the loops left open."""

    name, module = 'loopless', 'robodyn_ros'
    tolerance = run_tolerance = Idle.tolerance

    def __init__(self, robot, step):
        """Take the robot without its loops."""
        super().__init__(robot, step)
        self.plant = Plant(robot_from_text(
            re.sub(r'<loop\b.*?(/>|</loop>)', '', robot.urdf, flags=re.DOTALL), robot.path),
            step=step)


@pytest.mark.slow
@pytest.mark.parametrize('kind', [Idle, Forceless, Loopless])
@pytest.mark.parametrize('case', CLOSED, ids=[case.title for case in CLOSED])
def test_a_wrong_answer_is_not_timed(monkeypatch, kind, case):
    """With the tolerance of the softest peer, who does not compute is refused all the same."""
    monkeypatch.setattr(compare, 'PEERS', (kind,))
    entry = compare.compare(case, TINY._replace(compare_steps=200), ProgressBars(), {})
    assert entry['peers'][kind.name]['cannot'].startswith(compare.WRONG_ANSWER)


def test_one_engine_that_fails_does_not_stop_the_others(monkeypatch):
    """Whatever an engine raises becomes a sentence in its cell."""
    class Broken(Idle):
        """An engine of another version."""

        def constrained(self, q, v):
            """Fail."""
            raise AttributeError('no such function in this version')

    monkeypatch.setattr(compare, 'PEERS', (Broken,))
    entry = compare.compare(CLOSED[0], TINY, ProgressBars(), {})
    assert 'no such function' in entry['peers']['idle']['cannot']


def test_many_states_in_one_call_are_one_after_another():
    """Plant.derivative of (k, n) gives the bits of k calls."""
    ours = Ours(load_robot('parallel_2dof'), STEP)
    workload = work.workload_of(load_robot('parallel_2dof'), TINY)
    state = workload.first
    together = ours.plant.derivative(state._replace(q=workload.q, v=workload.v))
    for k, pair in enumerate(zip(workload.q, workload.v)):
        alone = ours.plant.derivative(state._replace(q=pair[0], v=pair[1]))
        assert all(np.array_equal(a[k], b) for a, b in zip(together, alone))


@pytest.mark.slow
def test_c_by_hand_gives_our_motion():
    """The motions agree to 1e-12, else measure() raises; a compiler that is there compiles."""
    for entry in by_hand.measure(TINY, ProgressBars()):
        for peer in entry['peers'].values():
            if 'us' not in peer:
                assert peer['cannot'] == 'no C compiler'
    subnormal = np.array([5e-324])  # -ffast-math, linked in, would flush it in this process
    assert (subnormal * np.ones(1))[0] == 5e-324


def test_the_exact_motion_on_the_helix():
    """The states that satisfy the rows are those of the closed form, to 1e-12."""
    q, v = accuracy_helix.exact_motion(0.5)
    for k, t in enumerate(accuracy_task.SAMPLE_PERIOD * np.arange(1, len(q) + 1)):
        assert np.abs(scara_450.path_position(t) - q[k]).max() < 1e-12
        assert np.abs(scara_450.path_velocity(t) - v[k]).max() < 1e-12


def test_the_helix_of_the_peers_is_that_of_the_paper():
    """Positions, velocities and accelerations of the table are the closed forms."""
    found = helix(0.01, 50, 0.5)
    for k in range(50):
        wanted = scara_450.helix(0.01 * (k + 0.5))
        assert all(np.allclose(a[k], b[[0, 1, 3]], atol=1e-14)
                   for a, b in zip(found, wanted))


@pytest.mark.slow
@pytest.mark.parametrize('task', [accuracy_closed.task, lambda: accuracy_helix.task(0.2)],
                         ids=['closed', 'helix'])
def test_accuracy_is_judged_by_one_yardstick(task):
    """Our projected runs keep the rows to 1e-12, the stiffest settings of all others to 1e-4."""
    made, settings = task(), set()
    for run in made.runs():
        if run.step != STEP or (run.engine, run.setting) in settings:
            continue
        settings.add((run.engine, run.setting))
        point = accuracy_task.judge(made, run.prepare()(0.2))
        best = run.setting == 'projection'
        soft = run.setting in ('default softness', 'default')
        assert point['violation'] < (1e-12 if best else 1e-3 if soft else 1e-4), run
        assert point['energy_error_J'] < (1e-9 if best else 0.05), run
    assert len(settings) >= 3
    judged = accuracy_task.judge(made, tuple(np.ones((2, 20, made.plant.robot.n))))
    assert judged['violation'] > 1e-2  # a motion that is none


@pytest.mark.slow
@pytest.mark.parametrize('growth', scaling.GROWTHS, ids=[g.kind for g in scaling.GROWTHS])
def test_growth_entries(growth):
    """Both engines give the same states, times and megabytes."""
    entry = scaling.entry(growth, 1, TINY, ProgressBars())
    assert entry['ours']['peak_MB'] > 10.0
    if find_spec('mujoco'):
        assert entry['difference'] < growth.tolerance and entry['mujoco']['peak_MB'] > 10.0


def test_sizes_count_what_is_required():
    """A package weighs at least what it requires."""
    sizes = list(map(installed_size, ('robodyn_ros', 'llvmlite', 'numpy')))
    assert sizes == sorted(sizes, reverse=True) and sizes[-1] > 1.0


def test_links_without_mass_are_told_to_pybullet():
    """It would give them 1 kg; stops are taken away."""
    text = in_its_dialect('<link name="a"/><link name="b">\n</link><limit lower="0" upper="2"/>')
    assert text.count('<mass value="0"/>') == 2 and 'lower="1" upper="-1"' in text
