# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics: paper 004's numbers, branches, redundancy, loops, singularities."""

import dataclasses
from functools import cache

import numpy as np
from oracles import parallel_2dof, scara_450
from plant.cases import parallel_start, relative, robot, TARGETS
import pytest
from robodyn_ros import follow, joint_motion, load_scenario, RobodynError
from robodyn_ros.errors import SingularityError
from robodyn_ros.scenario.desired_motion import DesiredMotion
from robodyn_ros.trajectories.paths import Helix, sample, SineLine
from trajectories.test_motions import POINTS, TIMES
from trajectories.test_via_points import ViaPoints

WANTED = TARGETS['004']['clik_1ms_max_position_error']


@cache
def scara_task():
    """Return paper 004's task and start, as its scenario states them."""
    settings = load_scenario('scara_via_points').trajectory
    return DesiredMotion(settings).task, np.array(settings.inverse_kinematics.start)


def tip_error(motion):
    """Return the error of paper 004's tool in x, y, z, yaw over time (k, 4)."""
    wanted = sample(ViaPoints(POINTS, TIMES), motion.t).q
    off = robot('scara_1000').frame('tool0', motion.q).position - wanted
    return np.column_stack([off, motion.q[:, 0] + motion.q[:, 1] + motion.q[:, 3]])


@pytest.mark.parametrize('integrator, key', [('taylor', 'taylor_2'), ('euler', 'euler')])
def test_errors_along_via_points(integrator, key):
    """Largest distance from the path for three pairs of gains; the yaw stays to rounding."""
    for (kp, kd), wanted in zip(WANTED['gains_kp_kd'], WANTED[key]):
        error = tip_error(joint_motion(robot('scara_1000'), *scara_task(), 4.0, kp=kp, kd=kd,
                                       integrator=integrator))
        largest = np.linalg.norm(error[:, :3], axis=1).max()
        assert largest == pytest.approx(wanted, rel=0.03), (integrator, kp)
        assert np.abs(error[:, 3]).max() < 1e-14


def test_a_start_beside_the_path_is_pulled_onto_it():
    """Offset (.05, -.05, -.05, .1), gains 900/60, Euler: the largest error (yaw) decays so."""
    told = WANTED['start_offset']
    task, start = scara_task()
    error = tip_error(joint_motion(robot('scara_1000'), task, start + told['offset'], 0.5,
                                   assemble=False, integrator='euler'))
    largest = [np.abs(error[round(1e3 * t)]).max() for t in told['t']]
    assert largest == pytest.approx(told['error'], rel=0.035)


def test_the_path_rests_on_its_limit():
    """d3 overshoots its end by what paper 004's remarks say, which the tolerance allows."""
    for integrator, wanted in (('euler', 1.00023), ('taylor', 1.0000066)):
        motion = joint_motion(robot('scara_1000'), *scara_task(), 4.0, integrator=integrator)
        assert motion.q[:, 2].max() == pytest.approx(wanted, abs=6e-6)


@pytest.mark.parametrize('elbow', [-1, 1])
def test_the_start_chooses_the_branch(elbow):
    """A start near either elbow of the SCARA gives the whole helix on that elbow."""
    settings = load_scenario('scara_helix').trajectory
    near = tuple(scara_450.path_position(0.0, elbow) + 0.05)
    chosen = dataclasses.replace(settings.inverse_kinematics, start=near)
    motion = DesiredMotion(dataclasses.replace(settings, inverse_kinematics=chosen)).reference(
        robot('scara_450'), 5.0, 1e-3)
    exact = np.array([scara_450.path_position(t, elbow) for t in motion.t[::50]])
    assert np.abs(motion.q[::50] - exact).max() < 1e-6
    assert np.all(np.sign(motion.q[:, 1]) == elbow)
    speeds = np.array([scara_450.path_velocity(t, elbow) for t in motion.t[::50]])
    assert np.abs(motion.v[::50] - speeds).max() < 1e-4


def test_a_closed_chain_moves_as_its_closed_form():
    """parallel_2dof on its line: all six joints, closed and on the line."""
    motion = DesiredMotion(load_scenario('parallel_line').trajectory).reference(
        robot('parallel_2dof'), 4.0, 1e-3)
    times = motion.t[::40]
    exact = np.array([relative(parallel_2dof.path_position(t)) for t in times])
    speeds = np.array([relative(parallel_2dof.path_velocity(t)) for t in times])
    assert np.abs(motion.q[::40] - exact).max() < 1e-5
    assert np.abs(motion.v[::40] - speeds).max() < 1e-4
    assert np.abs(motion.q[0] - parallel_start().q).max() < 1e-9


def test_a_redundant_arm_keeps_the_task():
    """irb120 with x, y, z only: the tool on its helix, accelerations the smallest possible."""
    arm, path = robot('irb120'), Helix(centre_x=0.374, centre_y=-0.05, start_z=0.63)
    motion = joint_motion(arm, [follow('tool0', path)], np.zeros(6), 3.0)
    wanted = sample(path, motion.t)
    frame = arm.frame('tool0', motion.q, motion.v)
    assert np.linalg.norm(frame.position - wanted.q, axis=1).max() < 1e-6
    for k in range(0, 3001, 500):
        J = frame.jacobian[k, :3]
        b = wanted.a[k] - frame.drift[k, :3] + 60.0 * (
            wanted.v[k] - J @ motion.v[k]) + 900.0 * (wanted.q[k] - frame.position[k, :3])
        assert np.abs(motion.a[k] - np.linalg.pinv(J) @ b).max() < 1e-9


def stretched(end):
    """Return a task that pulls two_link's tool straight out, and a start with the elbow below."""
    return [follow('tool0', SineLine(0.8, 0.0, end, 0.0, 2.0), 'x z', name='line')], (0.6, -1.2)


def test_a_path_through_the_stretched_arm_is_refused():
    """It says when, where and which rows, before any motion; also between two samples."""
    for end, time in ((1.0, np.pi / 2.0), (1.05, np.arccos(1.0 - 2.0 * 0.2 / 0.25) / 2.0)):
        with pytest.raises(SingularityError) as caught:
            joint_motion(robot('two_link'), *stretched(end), 3.0)
        text = str(caught.value)
        assert 'two_link passes a singularity at t = ' in text and 'line.x, line.z' in text
        assert float(text.split('t = ')[1].split(' s')[0]) == pytest.approx(time, abs=0.02)
        elbow = float(text.split('q = [')[1].split(',')[1].split(']')[0])
        assert abs(elbow) < 0.05 and 'through_singularities' in text


@pytest.mark.parametrize('end, deviation, speed', [(1.0, 0.02, 10.0), (1.05, 0.15, 40.0)])
def test_the_override_gives_way_and_catches_up(end, deviation, speed):
    """Allowed, the arm goes to its full stretch, at bounded speed, and is back on the path."""
    motion = joint_motion(robot('two_link'), *stretched(end), 3.0, through_singularities=True)
    tip = robot('two_link').frame('tool0', motion.q).position
    along = 0.8 + 0.5 * (end - 0.8) * (1.0 - np.cos(2.0 * motion.t))
    error = np.hypot(tip[:, 0] - along, tip[:, 2])
    assert error[motion.t < 0.8].max() < 1e-5 and error[-1] < 1e-4
    assert error.max() < deviation and np.abs(motion.v).max() < speed
    assert tip[:, 0].max() > 0.98


def test_a_start_that_cannot_reach_is_refused():
    """A path that begins out of reach says which row stays off."""
    path = SineLine(1.2, 0.0, 1.4, 0.0, 2.0)
    with pytest.raises(RobodynError, match="cannot be assembled.*row 'line.x' stays off by 0.2"):
        joint_motion(robot('two_link'), [follow('tool0', path, 'x z', name='line')], (0.6, -1.2),
                     1.0)
