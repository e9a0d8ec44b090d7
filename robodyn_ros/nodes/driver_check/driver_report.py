# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What the controller needs from a driver, judged from what was heard of it; no ROS.

A finding that fails would stop or endanger the arm; one that warns would make it worse.
"""
from __future__ import annotations

from dataclasses import dataclass, field
import math
from typing import NamedTuple, Sequence

import numpy as np

PASS, WARN, FAIL, SKIPPED = 'pass', 'warn', 'FAIL', 'not asked'
LARGEST_AGE = 0.1
"""Largest age of a stamp when its message arrives [s]."""
AGE_BY_ANOTHER_CLOCK = 1e8
"""Age beyond which the stamp is of another clock than ours [s]."""
LEAST_MOTION = 1e-5
"""Motion below which a test torque did nothing [rad] or [m]."""
FIELDS = ('position', 'velocity', 'effort')


class Finding(NamedTuple):
    """One line of the table."""

    check: str
    found: str
    expected: str
    verdict: str


class Heard(NamedTuple):
    """One joint state and when it came."""

    arrival: int
    """By a steady clock [ns]."""
    clock: int
    """Time of the node's clock then [ns]."""
    stamp: int
    """[ns]"""
    name: list[str]
    position: list[float]
    velocity: list[float]
    effort: list[float]


@dataclass
class Observation:
    """All that was seen of a driver."""

    states: list[Heard] = field(default_factory=list)
    offered: list[str] = field(default_factory=list)
    """Reliability of each publisher of the states: reliable or best_effort."""
    listeners: list[str] = field(default_factory=list)
    """Type of each subscription to the commands."""
    rivals: int = 0
    """Other publishers of the commands, as the graph tells."""
    strange: int = 0
    """Commands heard that were not ours: a publisher may be heard before the graph tells of it."""
    joint: str = ''
    """Joint that got a torque; empty if none was asked for."""
    effort: float = 0.0
    """The torque [N m] or [N]."""
    moved: float = math.nan
    """How far the joint went with it [rad] or [m]."""
    states_after: int = 0
    """States heard in the second half of the wait after the last command."""
    has_control_msgs: bool = False
    """The interfaces of the action that MoveIt sends trajectories with are installed."""

    @property
    def commanded(self) -> bool:
        """Tell if anybody else commands the arm."""
        return bool(self.rivals or self.strange)


def judged(seen: Observation, joints: Sequence[str], least_rate: float,
           command_type: str) -> list[Finding]:
    """
    Return every finding about a driver.

    :param joints: of the robot
    :param least_rate: states per second to expect
    :param command_type: message type the controller would send
    """
    if not seen.states:
        publishers = f'{len(seen.offered)} publishers' if seen.offered else 'no publisher'
        return [Finding('states arrive', f'none, {publishers}', 'JointState messages', FAIL)]
    return [_names(seen, joints), *_rate(seen, least_rate), *_stamps(seen),
            *(_field(seen, name, len(joints)) for name in FIELDS), _quality(seen),
            _listens(seen, command_type), _rivals(seen), _sign(seen), _staleness(seen),
            _action(seen)]


def healthy(findings: Sequence[Finding]) -> bool:
    """Tell if nothing failed."""
    return all(finding.verdict != FAIL for finding in findings)


def _names(seen: Observation, joints: Sequence[str]) -> Finding:
    wrong = next((s.name for s in seen.states if sorted(s.name) != sorted(joints)), None)
    found = wrong if wrong is not None else seen.states[0].name
    return Finding('joint names', ', '.join(found) or '(none)',
                   f'{", ".join(joints)}, in any order', PASS if wrong is None else FAIL)


def _rate(seen: Observation, least: float) -> list[Finding]:
    if len(seen.states) < 3:
        return [Finding('rate', f'{len(seen.states)} states', f'at least {least:g} /s', FAIL)]
    intervals = np.diff([s.arrival for s in seen.states]) * 1e-9
    rate = len(intervals) / max(float(intervals.sum()), 1e-9)
    middle, late = np.percentile(intervals, [50.0, 99.0])
    return [Finding('rate', f'{rate:.1f} /s', f'at least {least:g} /s',
                    PASS if rate >= least else FAIL),
            Finding('jitter', f'median {middle * 1e3:.2f} ms, p99 {late * 1e3:.2f} ms',
                    'p99 at most 3 times the median', PASS if late <= 3.0 * middle else WARN)]


def _stamps(seen: Observation) -> list[Finding]:
    stamps = np.array([s.stamp for s in seen.states])
    zeros, backward = int((stamps == 0).sum()), int((np.diff(stamps) <= 0).sum())
    found = f'{zeros} are zero' if zeros else f'{backward} do not increase' if backward \
        else 'increasing'
    result = [Finding('stamps', found, 'increasing, none zero',
                      FAIL if zeros or backward else PASS)]
    if not zeros:
        age = float(np.median([s.clock - s.stamp for s in seen.states])) * 1e-9
        hint = ' (a simulated clock? --sim-time)' if age > AGE_BY_ANOTHER_CLOCK else ''
        result.append(Finding('stamps and clock', f'{age * 1e3:.2f} ms old (median){hint}',
                              f'within {LARGEST_AGE * 1e3:g} ms of the clock here',
                              PASS if abs(age) <= LARGEST_AGE else FAIL))
    return result


def _field(seen: Observation, name: str, n: int) -> Finding:
    values = [getattr(s, name) for s in seen.states]
    sizes = sorted({len(v) for v in values})
    finite = all(math.isfinite(x) for row in values for x in row)
    needed = name != 'effort'
    verdict = PASS if sizes == [n] and finite else WARN if not needed and sizes == [0] else FAIL
    found = ('empty' if sizes == [0] else f'{" or ".join(map(str, sizes))} values') \
        + ('' if finite else ', not all finite')
    return Finding(name, found, f'{n} finite values' + ('' if needed else ' (optional)'), verdict)


def _quality(seen: Observation) -> Finding:
    bad = 'best_effort' in seen.offered
    verdict = FAIL if bad else PASS if len(seen.offered) == 1 else WARN
    found = ', '.join(seen.offered) or 'no publisher to be seen'
    return Finding('quality of service', found, 'one publisher, reliable', verdict)


def _listens(seen: Observation, command_type: str) -> Finding:
    right = seen.listeners.count(command_type)
    found = ', '.join(sorted(set(seen.listeners))) or 'nobody listens'
    return Finding('commands are read', found, command_type, PASS if right else FAIL)


def _rivals(seen: Observation) -> Finding:
    found = [f'{count} {word}{"s" * (count > 1)}' for count, word in (
        (seen.rivals, 'publisher'), (seen.strange, 'message')) if count]
    return Finding('other commands', ', '.join(found) or 'none',
                   'none: stop the controller while the driver is checked',
                   FAIL if seen.commanded else PASS)


def _sign(seen: Observation) -> Finding:
    expected = 'the joint moves the way the torque points'
    if not seen.joint and seen.commanded:
        return Finding('sign of effort', 'no result: somebody commands', expected, SKIPPED)
    if not seen.joint:
        return Finding('sign of effort', '-', f'{expected} (ask with --effort)', SKIPPED)
    found = f'{seen.joint} moved {seen.moved:+.3g} with {seen.effort:+g}'
    right = abs(seen.moved) > LEAST_MOTION and seen.moved * seen.effort > 0.0
    return Finding('sign of effort', found, expected, PASS if right else FAIL)


def _staleness(seen: Observation) -> Finding:
    expected = 'states keep coming when commands stop'
    if not seen.joint and seen.commanded:
        return Finding('staleness', 'not known: somebody commands', expected, SKIPPED)
    if not seen.joint:
        return Finding('staleness', 'states come without any command', expected, PASS)
    return Finding('staleness', f'{seen.states_after} states after the commands stopped',
                   expected, PASS if seen.states_after else FAIL)


def _action(seen: Observation) -> Finding:
    found = 'installed' if seen.has_control_msgs else 'not installed'
    return Finding('trajectory action', f'control_msgs is {found}',
                   'control_msgs, if MoveIt is to lead the arm (ros-$ROS_DISTRO-control-msgs)',
                   PASS if seen.has_control_msgs else SKIPPED)
