# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Reasons are logged once, shown for a while, and a flood stays small."""

from robodyn_ros.nodes.common.reasons import KEPT, MOST, Reasons
from robodyn_ros.nodes.dynamics.plant_runner import refusal_of

NANO = 1_000_000_000


def test_a_reason_is_new_once_and_numbers_do_not_make_it_new():
    """The newest wording is shown; after some reports in peace it is forgotten and new again."""
    reasons = Reasons()
    assert reasons.add('effort 5.0 is too much') and not reasons.add('effort 6.5e3 is too much')
    assert reasons.add("unknown joint 'joint_2'") and reasons.add("unknown joint 'joint_3'")
    assert 'effort 6.5e3 is too much' in reasons.report()
    for _ in range(KEPT - 1):
        assert reasons.report()
    assert not reasons.report()
    assert reasons.add('effort 5.0 is too much')
    reasons.clear()
    assert not reasons.report()


def test_a_flood_of_different_reasons_is_cut():
    """No more than MOST lines in the log however inventive the nonsense."""
    reasons = Reasons()
    new = [reasons.add('word ' + 'x' * k) for k in range(10 * MOST)]
    assert sum(new) == MOST == len(reasons.report())


def test_which_commands_fit_the_present_state():
    """Lockstep wants the state's stamp; free mode any that is not too old, or none."""
    now = 5 * NANO
    assert refusal_of(now, now, None) is None
    assert refusal_of(now - 1, now, None) == ''  # the answer to a state that was sent twice
    assert 'lacks the stamp' in refusal_of(0, now, None) and refusal_of(now + 1, now, None)
    assert refusal_of(0, now, 0.1) is None and refusal_of(now - NANO // 20, now, 0.1) is None
    assert '0.200 s ago' in refusal_of(now - NANO // 5, now, 0.1)
