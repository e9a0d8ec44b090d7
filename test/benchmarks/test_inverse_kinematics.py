# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The test of inverse kinematics asks all the same, and believes nobody; times decide nothing."""

from benchmarks.ik_arms import ARMS
from benchmarks.ik_solvers import Ours, Solver
from benchmarks.inverse_kinematics import judge, measure_arm, require_same_arm, rows_of
import numpy as np
import pytest
from robodyn_ros import RobodynError


class Boaster(Solver):
    """Says that it has arrived, and never leaves the middle of the limits."""

    name, package = 'boaster', 'none'

    def forward(self, q):
        """Return what is true."""
        return self.arm.robot.positions(self.arm.frame, q)

    def solve(self, k):
        """Do nothing."""
        return self.middle


class Absent(Boaster):
    """A peer that is not installed."""

    name, module = 'absent', 'no_such_module'


class Stranger(Boaster):
    """Has another arm in mind."""

    def forward(self, q):
        """Return what is a millimetre off."""
        return super().forward(q) + 1e-3


def test_answers_are_judged_by_where_the_tool_is():
    """All of ours arrive, none of one that does not move; an absent one is said to be absent."""
    entry = measure_arm('iiwa14', ARMS['iiwa14'](), 60, lambda: None, (Ours, Boaster, Absent))
    ours, boaster = entry['solvers']['ours'], entry['solvers']['boaster']
    assert ours['solved_percent'] == ours['many_solved_percent'] == 100.0
    assert boaster['solved_percent'] == 0.0 and ours['poses'] == boaster['poses'] == 60
    text = '\n'.join(rows_of([entry]))
    assert 'none is not installed' in text and '100.00 %' in text


def test_an_answer_beyond_a_limit_or_another_arm_counts_nothing():
    """A configuration that reaches by whole turns too many; a model that differs."""
    arm = ARMS['iiwa14']()
    q = arm.configurations(3)
    states = arm.robot.frame(arm.frame, q)
    solver = Boaster(arm, states.rotation, states.position)
    assert judge(solver, range(3), q).all()
    assert not judge(solver, range(3), q + 2.0 * np.pi).any()
    with pytest.raises(RobodynError, match='models differ'):
        require_same_arm(Stranger(arm, states.rotation, states.position))


@pytest.mark.parametrize('name, n', [('IRB 120', 6), ('Panda', 7), ('iiwa14', 7), ('UR5', 6)])
def test_arms_are_those_of_the_table(name, n):
    """Chains of so many joints, with limits; the iiwa stands 1.306 m tall, as its data sheet."""
    arm = ARMS[name]()
    assert arm.robot.n == n and np.isfinite(arm.middle).all()
    if name == 'iiwa14':
        assert arm.robot.positions('tool0', np.zeros(7)) == pytest.approx([0.0, 0.0, 1.306])
    if name == 'UR5':
        assert arm.robot.limits.upper == pytest.approx([2.0 * np.pi] * 6)
