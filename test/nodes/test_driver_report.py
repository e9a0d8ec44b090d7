# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What is said about a driver, from made-up observations; no ROS, no clock."""

from dataclasses import replace

import pytest
from robodyn_ros.nodes.driver_check.driver_report import healthy, Heard, judged, Observation

JOINTS = ['a', 'b']
TYPE = 'sensor_msgs/msg/JointState'
MS = 1_000_000


def good(**changes):
    """Return a second of a driver at 200 /s whose stamps are 1 ms old; changes to each state."""
    states = [Heard(k * 5 * MS, (10_000 + k * 5) * MS, (9_999 + k * 5) * MS, ['b', 'a'],
                    [0.0, 1.0], [0.0, 0.0], [0.0, 0.0])._replace(**changes) for k in range(200)]
    return Observation(states, ['reliable'], [TYPE])


def verdicts(seen, rate=100.0):
    """Return the checks that did not pass."""
    findings = judged(seen, JOINTS, rate, TYPE)
    return {f.check: f.verdict for f in findings if f.verdict not in ('pass', 'not asked')}


def test_a_good_driver_in_another_order_passes():
    """Names are the contract, order is not."""
    assert verdicts(good()) == {}
    assert healthy(judged(good(), JOINTS, 100.0, TYPE))


@pytest.mark.parametrize('changes, failing', [
    ({'name': ['a', 'c']}, 'joint names'), ({'name': ['a', 'a']}, 'joint names'),
    ({'velocity': []}, 'velocity'), ({'position': [0.0]}, 'position'),
    ({'position': [0.0, float('nan')]}, 'position'), ({'effort': [1.0]}, 'effort'),
    ({'stamp': 0}, 'stamps')])
def test_a_wrong_state_fails_its_check(changes, failing):
    """One fault, one failing line."""
    assert verdicts(good(**changes)) == {failing: 'FAIL'}


def test_an_empty_effort_only_warns():
    """Effort is optional, but good to have."""
    assert verdicts(good(effort=[])) == {'effort': 'warn'}


def test_rate_and_jitter():
    """Too slow fails, uneven warns."""
    assert verdicts(good(), rate=500.0) == {'rate': 'FAIL'}
    uneven = good()
    uneven.states = [s for k, s in enumerate(uneven.states) if k % 40 > 4]
    assert verdicts(uneven) == {'jitter': 'warn'}
    assert verdicts(replace(good(), states=good().states[:1]))['rate'] == 'FAIL'


def test_another_clock_fails():
    """Stamps of a host whose clock is off, or of boot time."""
    seen = good()
    seen.states = [s._replace(clock=s.clock + 10 ** 12) for s in seen.states]
    assert verdicts(seen) == {'stamps and clock': 'FAIL'}


def test_who_publishes_and_who_reads():
    """Best effort does not reach the controller; two publishers are one too many."""
    assert verdicts(replace(good(), offered=['best_effort'])) == {'quality of service': 'FAIL'}
    assert verdicts(replace(good(), offered=['reliable'] * 2)) == {'quality of service': 'warn'}
    assert verdicts(replace(good(), listeners=[])) == {'commands are read': 'FAIL'}


@pytest.mark.parametrize('others, found', [
    ({'rivals': 1}, '1 publisher'), ({'strange': 40}, '40 messages'),
    ({'rivals': 2, 'strange': 1}, '2 publishers, 1 message')])
def test_somebody_else_commands(others, found):
    """Known from the graph or heard: either is enough, and nothing is said about the push."""
    seen = replace(good(), **others)
    assert verdicts(seen) == {'other commands': 'FAIL'}
    rows = {f.check: f for f in judged(seen, JOINTS, 100.0, TYPE)}
    assert rows['other commands'].found == found
    assert rows['sign of effort'].found == 'no result: somebody commands'
    assert rows['staleness'].verdict == 'not asked'


@pytest.mark.parametrize('effort, moved, after, bad', [
    (0.5, 0.02, 9, []), (-0.5, -0.02, 9, []), (0.5, -0.02, 9, ['sign of effort']),
    (0.5, 0.0, 9, ['sign of effort']), (0.5, float('nan'), 9, ['sign of effort']),
    (0.5, 0.02, 0, ['staleness'])])
def test_the_push(effort, moved, after, bad):
    """The joint moves the way the torque points, and states go on afterwards."""
    seen = replace(good(), joint='a', effort=effort, moved=moved, states_after=after)
    assert list(verdicts(seen)) == bad


def test_silence_is_one_failure():
    """No states: one line that says so."""
    assert verdicts(Observation()) == {'states arrive': 'FAIL'}


def test_somebody_else_who_commands_is_found_and_nothing_is_concluded():
    """With a rival the check fails, and what depends on silence is not judged."""
    seen = replace(good(), rivals=1)
    assert verdicts(seen) == {'other commands': 'FAIL'}
    stale = next(f for f in judged(seen, JOINTS, 100.0, TYPE) if f.check == 'staleness')
    assert stale.verdict == 'not asked'
