# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The friction law of paper 003: its peak, its limits, and that it never gives energy."""

import math

from mechanics.cases import assert_same, robot, states
from mechanics.random_urdf import random_urdf
import numpy as np
from oracles import irb120
import pytest
from robodyn_ros.mechanics import equations
from robodyn_ros.mechanics.friction import friction_torque, friction_torques, mean_slope
from robodyn_ros.mechanics.parameters import Parameters
from robodyn_ros.mechanics.tree import Friction
from robodyn_ros.robots.robot import robot_from_text

LAWS = 200


def random_law(rng):
    """Return a law with any of its parts."""
    coulomb = rng.uniform(0.0, 3.0)
    return Friction(rng.uniform(0.0, 2.0), coulomb, coulomb * rng.uniform(1.0, 2.0),
                    10.0 ** rng.uniform(-3.0, 0.0))


def random_saturation(rng):
    """Return the fields of friction that saturates."""
    return {'saturating': rng.uniform(0.0, 2.0), 'saturation': 10.0 ** rng.uniform(-1.0, 1.0)}


def test_compiled_friction_of_irb120_is_the_law_of_the_paper():
    """Eq. (21) with sqrt(2 e) at speeds far below and above the breakaway velocity."""
    arm = robot('irb120')
    q, v, _ = states(arm.n, 200, seed=111)
    v = v * 10.0 ** np.random.default_rng(112).uniform(-4.0, 1.0, v.shape)
    friction = arm.bias(q, v).friction
    for k in range(len(v)):
        assert_same(f'friction at v = {v[k].tolist()}', friction[k], irb120.friction_torque(v[k]))


def test_the_peak_is_the_breakaway_torque_at_the_breakaway_velocity():
    """Without viscous part: f(vb) = breakaway, less what tanh(10) lacks of 1; it is a peak."""
    rng = np.random.default_rng(113)
    for _ in range(LAWS):
        law = random_law(rng)._replace(viscous=0.0)
        at_peak = friction_torque(law, law.velocity)
        expected = law.breakaway - law.coulomb * (1.0 - math.tanh(10.0))
        assert at_peak == pytest.approx(expected, rel=1e-13), law
        # the Coulomb part is still rising by 2 x 10 sech^2(10), 2e-8 of it: not a peak to more
        for beside in (0.9, 1.1):
            assert friction_torque(law, beside * law.velocity) <= at_peak * (1.0 + 1e-7), law


def test_friction_is_odd_opposes_motion_and_ends_in_coulomb_plus_viscous():
    """f(-v) = -f(v), v f(v) >= 0, f(0) = 0, f -> coulomb + viscous v at speed."""
    rng = np.random.default_rng(114)
    for _ in range(LAWS):
        law, v = random_law(rng), float(rng.normal() * 10.0 ** rng.uniform(-4.0, 1.0))
        assert friction_torque(law, -v) == -friction_torque(law, v), (law, v)
        assert friction_torque(law, v) * v >= 0.0, (law, v)
        assert friction_torque(law, 0.0) == 0.0
        fast = 20.0 * law.velocity
        assert friction_torque(law, fast) == pytest.approx(
            law.coulomb + law.viscous * fast, rel=1e-12), law


def test_parts_that_are_zero_are_left_out():
    """Viscous friction alone is linear; no friction is exactly 0."""
    rng = np.random.default_rng(115)
    for v in rng.normal(size=50).tolist():
        assert friction_torque(Friction(viscous=0.3), v) == 0.3 * v
        assert friction_torque(Friction(), v) == 0.0
        equal = Friction(coulomb=0.5, breakaway=0.5, velocity=0.1)
        assert friction_torque(equal, v) == 0.5 * math.tanh(100.0 * v)


def test_the_factor_multiplies_every_joint():
    """friction_torques is the law of each joint times the friction scale."""
    rng = np.random.default_rng(116)
    laws, v = [random_law(rng) for _ in range(5)], rng.normal(size=5).tolist()
    one = [friction_torque(law, speed) for law, speed in zip(laws, v)]
    assert_same('scaled', friction_torques(laws, v, 2.5), 2.5 * np.array(one))


def test_friction_of_a_coupled_motor_acts_on_both_joints():
    """Torques S^T f(S v), found from the law alone; it takes power, and the slopes are exact."""
    rng = np.random.default_rng(117)
    text = random_urdf(rng, 3, 0)
    motor = ('<robodyn><coupling joint="j2" other="j0" ratio="-1.5" damping="0.4" friction="0.9" '
             'breakaway="1.2" breakaway_velocity="0.2" saturating="0.7" saturation="0.4"/>'
             '</robodyn></robot>')
    arm, plain = (robot_from_text(text.replace('</robot>', end)) for end in (motor, '</robot>'))
    law, turns = Friction(0.4, 0.9, 1.2, 0.2, 0.7, 0.4), np.array([-1.5, 0.0, 1.0])
    for v in rng.normal(size=(50, 3)) * 10.0 ** rng.uniform(-3.0, 0.5, (50, 1)):
        own, rest = (np.array(equations.friction(one.tree, Parameters(), v.tolist()))
                     for one in (arm, plain))
        assert_same(f'friction at {v}', own - rest, turns * friction_torque(law, turns @ v))
        assert (own - rest) @ v >= 0.0
        slopes = np.array(equations.friction_slopes(arm.tree, Parameters(), v.tolist())) \
            - equations.friction_slopes(plain.tree, Parameters(), v.tolist())
        assert_same(f'slopes at {v}', slopes, np.outer(turns, turns)
                    * friction_torque(law, turns @ v) / (turns @ v))


def test_friction_that_saturates_is_odd_opposes_motion_and_ends():
    """It is viscous when slow and constant when fast; the mean slope is torque over velocity."""
    rng = np.random.default_rng(118)
    for _ in range(LAWS):
        plain = random_law(rng)
        law = plain._replace(**random_saturation(rng))
        v = float(rng.normal() * 10.0 ** rng.uniform(-4.0, 1.0))
        extra = friction_torque(law, v) - friction_torque(plain, v)
        assert extra == pytest.approx(law.saturating * math.tanh(v / law.saturation), abs=1e-12)
        assert friction_torque(law, -v) == -friction_torque(law, v)
        assert mean_slope(law, v) * v == pytest.approx(friction_torque(law, v), rel=1e-9)
