# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Every engine that is installed gives our results; how fast it does decides nothing here."""

from importlib.util import find_spec

import numpy as np
import pytest
from robodyn_ros.bench import accuracy, accuracy_closed, accuracy_helix, by_hand, compare, limits
from robodyn_ros.bench.contender import CannotError
from robodyn_ros.bench.effort import QUICK
from robodyn_ros.bench.footprint import installed_size
from robodyn_ros.bench.plants import STEP
from robodyn_ros.bench.watch import Watch
from robodyn_ros.bench.with_ours import Ours
from robodyn_ros.bench.with_pybullet import in_its_dialect
from robodyn_ros.robots.robot import load_robot

TINY = QUICK.reduced(repeats=2, steps=20)._replace(rollouts=4, states=20, rollout_repeats=1)
INSTALLED = [pytest.param(kind, id=kind.name, marks=pytest.mark.skipif(
    find_spec(kind.module) is None, reason=f'{kind.name} is not installed'))
    for kind in compare.PEERS]


@pytest.mark.slow
@pytest.mark.parametrize('kind', INSTALLED)
def test_results_are_ours(kind):
    """Accelerations, steps, recordings and rollouts of every case agree, or it cannot."""
    for case in compare.CASES:
        if case.robot == 'irb120':  # minutes of compiling; the benchmark itself checks it
            continue
        robot = load_robot(case.robot)
        peer, sizes = kind(robot, STEP), compare.sizes_of(robot, TINY, kind.slower)
        try:
            theirs = case.make(peer, sizes)()
        except CannotError:
            continue
        ours = case.make(Ours(robot, STEP), sizes)()
        assert ours.shape == theirs.shape
        assert compare.difference(ours, theirs) < (
            peer.same_after_run if case.after_run else peer.same), (case.robot, case.title)


def test_what_is_missing_is_a_row_that_says_so(monkeypatch):
    """Without any peer the comparison still has our times, and names what is missing."""
    monkeypatch.setattr(compare, 'find_spec', lambda name: None)
    entry = compare.compare(compare.CASES[0], TINY, Watch(), {})
    assert entry['ours_us'] > 0.0
    assert all('not installed' in peer['cannot'] for peer in entry['peers'].values())


def test_a_wrong_answer_is_not_timed(monkeypatch):
    """An engine whose result differs gets a sentence instead of a ratio."""
    class Wrong(Ours):
        """Ours, a little off."""

        name = 'wrong'

        def forward(self, q, v):
            """Return accelerations that are not those."""
            return lambda: np.zeros_like(q)

    monkeypatch.setattr(compare, 'PEERS', (Wrong,))
    entry = compare.compare(compare.CASES[0], TINY, Watch(), {})
    assert entry['peers']['wrong']['cannot'].startswith(compare.DIFFERS)


def test_many_states_in_one_call_are_one_after_another():
    """Plant.derivative of (k, n) gives the bits of k calls."""
    ours = Ours(load_robot('parallel_2dof'), STEP)
    sizes = compare.sizes_of(load_robot('parallel_2dof'), TINY, 1)
    state = sizes.first
    together = ours.plant.derivative(state._replace(q=sizes.q, v=sizes.v))
    for k, pair in enumerate(zip(sizes.q, sizes.v)):
        alone = ours.plant.derivative(state._replace(q=pair[0], v=pair[1]))
        assert all(np.array_equal(a[k], b) for a, b in zip(together, alone))


@pytest.mark.slow
def test_c_by_hand_gives_our_motion():
    """The motions agree to 1e-12, else measure() raises; without a compiler it says so."""
    for entry in by_hand.measure(TINY, Watch()):
        assert entry['ours_us'] > 0.0
        assert all('us' in peer or 'cannot' in peer for peer in entry['peers'].values())


@pytest.mark.slow
def test_accuracy_is_judged_by_one_yardstick():
    """Our projected runs keep the rows; every installed engine gives numbers."""
    for task in (accuracy_closed.task(), accuracy_helix.task(0.1)):
        seen = set()
        for run in task.runs(0.1):
            if run.step != STEP or (run.engine, run.setting) in seen:
                continue
            seen.add((run.engine, run.setting))
            point = accuracy.judge(task, run, 0.1)
            assert point['violation'] < (1e-12 if run.setting == 'projection' else 1e-2), run
            assert point['energy_error_J'] < 0.1, run


def test_growth_entries():
    """Rows, rollouts and simulated time give times and megabytes."""
    watch = Watch()
    assert limits.rollouts_entry(3, TINY, watch)['recorded_MB'] > 0.0
    assert limits.duration_entry(0.1, TINY, watch)['recorded_s'] >= 0.0


def test_rows_entry(monkeypatch):
    """More rows, more operations."""
    monkeypatch.setattr(limits, 'JOINTS', 3)
    one, two = (limits.rows_entry(count, TINY, Watch()) for count in (1, 2))
    assert two['operations'] > one['operations']


def test_sizes_count_what_is_required():
    """A package weighs at least what it requires."""
    assert installed_size('robodyn_ros') > installed_size('numba') > installed_size('numpy') > 1.0


def test_links_without_mass_are_told_to_pybullet():
    """It would give them 1 kg; stops are taken away."""
    text = in_its_dialect('<link name="a"/><link name="b">\n</link><limit lower="0" upper="2"/>')
    assert text.count('<mass value="0"/>') == 2 and 'lower="1" upper="-1"' in text
