# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What is taken needs evidence: friction, the delay of velocities, a cut-off, a robot's file."""

from dataclasses import replace
import re

from identification.cases import arm, motion, other, recording
import numpy as np
import pytest
from robodyn_ros.identification.cross_validation import BLOCKS, evidence
from robodyn_ros.identification.filtering import found_cutoff, in_step, Measured
from robodyn_ros.identification.identify import identify, judged
from robodyn_ros.robots.robot import robot_from_text


def measured(truth, seed, noise=0.3, **options):
    """Return what would be measured of a robot, with noise and without accelerations."""
    return recording(truth, seed, noise=noise, exact=False, duration=20.0, **options)


def extras(found):
    """Return the names of numbers of friction that are looked for beyond the plainest."""
    return {found.chosen.names[k] for name in ('peak', 'saturating') for k in np.flatnonzero(
        found.fit.used) if k in range(*found.chosen.of_axes(name).indices(found.chosen.size))}


def test_plain_friction_stays_plain():
    """Viscous and Coulomb friction with noise: nothing else is taken, whatever the noise."""
    robot = arm()
    for seed in range(3):
        truth, _ = other(robot, 30 + seed)
        found = identify(robot, [measured(truth, 30 + seed)], second_stage=False)
        assert not extras(found) and not found.fit.lag
        assert (found.fit.velocity < 0.5).all()


def test_friction_that_saturates_is_found_where_it_is():
    """At one joint of three, whose friction ends at 3 N m; its error is that of the noise."""
    robot = arm()
    truth, _ = other(robot, 33)
    text = re.sub(r'(<friction joint="joint_2"[^>]*?)/>',
                  r'\1 saturating="6" saturation="0.4"/>', truth.urdf)
    assert text != truth.urdf
    found = identify(robot, [measured(robot_from_text(text), 33)], second_stage=False)
    assert extras(found) == {'joint_2 saturating'}
    assert judged(found.judged, found.fit.theta).rms[1] < 0.2


def test_one_block_is_no_evidence():
    """A gain in a single block has a standard error as large as itself; an even one has none."""
    before, one = np.ones(BLOCKS), np.ones(BLOCKS)
    one[3] = 0.01
    gain, error = evidence(before, one)
    assert gain > 0.5 and gain < 2.0 * error
    gain, error = evidence(before, np.full(BLOCKS, 0.9))
    assert gain == pytest.approx(-np.log(0.9)) and error < 1e-12
    assert evidence(before, np.where(np.arange(BLOCKS) == 0, 0.5, np.nan)) == (0.0, np.inf)


@pytest.mark.parametrize('delay', [0.006, -0.004])
def test_velocities_that_come_late_are_moved_back(delay):
    """The delay is found to a tenth of a millisecond, told, and costs the model nothing."""
    robot = arm()
    truth, _ = other(robot, 34)
    right = measured(truth, 34, noise=0.05, rate=500.0)
    _, _, v, _ = motion(3, 34, 20.0, 500.0)
    late = replace(right, v=np.column_stack([np.interp(right.t - delay, right.t, column)
                                             for column in v.T]))
    moved, found = in_step(late, 8.0)
    assert found == pytest.approx(delay, abs=1e-4)
    assert np.abs(moved.v - v)[50:-50].max() < 0.01 * np.abs(v).max()
    assert in_step(right, 8.0) == (right, 0.0)
    models = [identify(robot, [one], second_stage=False) for one in (right, late)]
    errors = [judged(one.judged, one.fit.theta).overall for one in models]
    assert errors[1] < 1.05 * errors[0]
    assert [any('ms after the positions' in remark for remark in one.remarks)
            for one in models] == [False, True]


def test_a_short_piece_in_which_a_joint_rests_does_not_raise_the_cutoff():
    """Noise of a joint at rest has power everywhere; the motion's ends where it ended."""
    t, q, _, _ = motion(3, 35, 20.0, 200.0)
    noise = 1e-4 * np.random.default_rng(0).normal(size=q.shape)
    whole = Measured('made up', t, q + noise, np.zeros_like(q))
    resting = Measured('made up', t[:300], 1e-3 * q[:300] + noise[:300], np.zeros((300, 3)))
    assert found_cutoff([whole, resting]) == pytest.approx(found_cutoff([whole]), rel=0.05)


def test_a_lighter_robot_of_like_build_is_told():
    """A third of the masses: how many times lighter is told, and nothing of the right robot."""
    robot = arm()
    light = robot_from_text(re.sub(
        r'<inertia [^>]*>|mass value="[^"]*"', lambda part: re.sub(
            r'(?<==")[-0-9.e]+', lambda number: str(float(number.group()) / 3.0), part.group()),
        robot.urdf), 'light.urdf')
    said = [next((remark for remark in identify(
        robot, [measured(one, 36, noise=0.1)], second_stage=False).remarks
        if 'times as heavy' in remark), '') for one in (light, robot)]
    assert '0.33 times as heavy as arm.urdf says' in said[0] and not said[1]


def test_masses_that_are_wrong_are_no_other_robot():
    """In grams, or all alike: told. Geometry that they contradict: refused."""
    robot = arm()
    recorded = measured(other(robot, 37)[0], 37, noise=0.1)

    def masses(text):
        return identify(robot_from_text(text), [recorded], second_stage=False).masses
    grams = masses(re.sub('mass value="([0-9.]+)"', r'mass value="\g<1>000"', robot.urdf))
    alike = masses(re.sub('mass value="[0-9.]+"', 'mass value="20"', robot.urdf))
    assert not grams.contradict and not alike.contradict and grams.file > grams.none
    turned = robot.urdf.replace('xyz="0.4 0 0"', 'xyz="-0.4 0 0"').replace(
        'xyz="0.1', 'xyz="-0.3')
    assert masses(turned).contradict
