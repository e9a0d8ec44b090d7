# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A non-holonomic constraint against textbook motions: a skate on a slope, Chaplygin's sleigh.

See Neimark and Fufaev, Dynamics of Nonholonomic Systems (1972), chapters II and III. The skate is
a plate that slides in a plane (joints x, y, yaw); its blade, the x axis of tool0, does not move
sideways.
"""

import numpy as np
from plant import cases
import pytest
from robodyn_ros import knife_edge, Plant, robot_from_text, stabilisation, State

MASS, INERTIA = 2.0, 0.3
# The carriages need some mass; this little changes the motion by as little.
CARRIAGE = 1e-12
# RK4 at 1 ms over a few seconds, and the carriages' mass.
INTEGRATED = 1e-10

LINK = """<link name="{0}"><inertial><mass value="{1}"/><inertia ixx="{2}" iyy="{2}" izz="{2}"
ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/><axis xyz="{4}"/>
<limit lower="-99" upper="99" velocity="99" effort="99"/></joint>"""
SKATE = '\n'.join([
    '<robot name="skate"><link name="base_link"/>',
    LINK.format('carriage', CARRIAGE, CARRIAGE), LINK.format('frame', CARRIAGE, CARRIAGE),
    LINK.format('tool0', MASS, INERTIA), JOINT.format('x', 'prismatic', 'base_link', 'carriage',
                                                      '1 0 0'),
    JOINT.format('y', 'prismatic', 'carriage', 'frame', '0 1 0'),
    JOINT.format('yaw', 'revolute', 'frame', 'tool0', '0 0 1'), '</robot>'])


@pytest.fixture(scope='module')
def skate():
    """Return the skate, its rows projected."""
    return Plant(robot_from_text(SKATE, 'skate'), [knife_edge('tool0')],
                 stabilisation=stabilisation('projection'))


@pytest.mark.parametrize('slope, spin', [(1.5, 1.0), (4.0, -2.5), (9.0, 4.0)])
def test_a_spinning_skate_on_a_slope_draws_a_cycloid(skate, slope, spin):
    """
    It does not slide down for ever but drifts sideways on a cycloid.

    x = s/(2 w^2) sin^2(w t), y = s/(2 w^2) (w t - sin(2 w t)/2), yaw = w t, with the pull s down
    the slope along x and spin w; the blade's force is 2 m s sin(w t) [N].
    """
    pull = {'gravity.x': slope}
    motion = skate.rollout(State(0.0, np.zeros(3), [0.0, 0.0, spin]), 5.0, parameters=pull,
                           every=10)
    angle, size = spin * motion.t, slope / (2.0 * spin ** 2)
    expected = np.column_stack([size * np.sin(angle) ** 2,
                                size * (angle - np.sin(2.0 * angle) / 2.0), angle])
    cases.assert_close('q', motion.q, expected, INTEGRATED)
    cases.assert_close('blade', motion.multipliers[:, 0],
                       2.0 * MASS * slope * np.sin(angle), 1e-9)


def test_the_blade_neither_slips_nor_works(skate):
    """Sideways velocity stays at rounding and energy is conserved, from random starts."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        start = State(0.0, rng.uniform(-2.0, 2.0, 3), rng.uniform(-2.0, 2.0, 3))
        # the start slips; the knife edge takes that velocity away in the first step
        start = skate.advance(start)
        motion = skate.rollout(start, 2.0, every=20, parameters={'gravity.z': -9.81})
        assert np.abs(motion.phi_rate).max() < 1e-13, start
        kinetic, potential = skate.robot.energy(motion.q, motion.v)
        cases.assert_close('energy', kinetic + potential,
                           np.full(len(motion.t), kinetic[0] + potential[0]), 1e-11, start)


@pytest.mark.parametrize('ahead, mass', [(0.2, 1.0), (0.05, 3.0)])
def test_chaplygins_sleigh_ends_with_its_mass_ahead(skate, ahead, mass):
    """
    A centre of mass ahead of the blade makes spinning decay into straight motion.

    u = U tanh(a k^2 U t + c), w = k U / cosh(a k^2 U t + c), k^2 = m/(J + m a^2): speed u along
    the blade, spin w, distance a of the centre of mass.
    """
    total = MASS + mass
    a = mass * ahead / total
    k2 = total / (INERTIA + mass * ahead ** 2)
    load = {'payload.mass': mass, 'payload.centre.x': ahead}
    motion = skate.rollout(State(0.0, np.zeros(3), [0.0, 0.0, 3.0]), 5.0, parameters=load,
                           every=10)
    final = 3.0 / np.sqrt(k2)
    phase = a * k2 * final * motion.t
    forward = np.sum(motion.v[:, :2] * np.column_stack([np.cos(motion.q[:, 2]),
                                                        np.sin(motion.q[:, 2])]), axis=1)
    cases.assert_close('u', forward, final * np.tanh(phase), INTEGRATED)
    cases.assert_close('w', motion.v[:, 2], 3.0 / np.cosh(phase), INTEGRATED)
