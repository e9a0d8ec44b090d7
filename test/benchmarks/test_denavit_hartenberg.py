# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Robots in the convention of Denavit and Hartenberg are still ours.

Poses and M(q) are worked out from the links by the textbook; in the Robotics Toolbox, where it is
installed, M(q), accelerations and torques come from its own functions. Rotors and friction are
left out: the convention has none.
"""

from benchmarks.contender import CannotError
from benchmarks.denavit_hartenberg import denavit_hartenberg
from benchmarks.plants import chain, STEP
from benchmarks.with_toolbox import Toolbox
from mechanics.cases import assert_same, frictionless, states
from mechanics.random_urdf import random_urdf
import numpy as np
import pytest
from robodyn_ros import load_robot, RobodynError, robot_from_text, State
from robodyn_ros.mechanics import equations, kinematics
from robodyn_ros.mechanics.tree import PRISMATIC, REVOLUTE

NAMES = ('scara_450', 'scara_1000', 'irb120', 'two_link', 'slanted', *map(str, range(20)))
"""Numbers are random chains: prismatic joints, a base and links of several welded parts."""
NEARLY_PARALLEL = 1e-10
"""Random axes may be, and then the common normal is far away: relative difference [-]."""
COUNT = 5


def robot(name):
    """
    Return a robot without rotors; random ones in a random gravity.

    The toolbox (1.5.0) fails on one joint, and where the first joint is prismatic, its C adds the
    gravity across that axis to the acceleration of later joints; so gravity is then along it.
    """
    if name.isdigit():
        rng = np.random.default_rng(int(name))
        arm = robot_from_text(random_urdf(rng, int(rng.integers(2, 8)), chain=1.0))
        first, gravity = arm.tree.bodies[0], rng.normal(size=3) * 6.0
        if first.kind == PRISMATIC:
            gravity = 9.0 * np.array(first.rotation)[:, 2]
        arm.parameters = arm.parameters._replace(gravity=tuple(gravity.tolist()))
    else:
        arm = chain(7) if name == 'slanted' else load_robot(name)
    arm.tree = arm.tree._replace(rotors=())
    return arm


def ours(arm, q, v):
    """Mass matrix and bias of one state; not compiled, which would take minutes."""
    return map(np.array, equations.mass_and_bias(arm.tree, frictionless(arm), q.tolist(),
                                                 v.tolist()))


def frames(dh, q):
    """Frames 0 to n in the base frame: Rz(theta) Tz(d) Tx(a) Rx(alpha) after each other."""
    found = [dh.base]
    for link, x in zip(dh.links, q):
        theta, d = (link.theta + x, link.d) if link.kind == REVOLUTE else (link.theta, link.d + x)
        (st, sa), (ct, ca) = np.sin((theta, link.alpha)), np.cos((theta, link.alpha))
        found.append(found[-1] @ np.array([
            [ct, -st * ca, st * sa, link.a * ct], [st, ct * ca, -ct * sa, link.a * st],
            [0.0, sa, ca, d], [0.0, 0.0, 0.0, 1.0]]))
    return found


def mass_matrix(dh, q):
    """Sum over the links of m Jv^T Jv + Jw^T I Jw, Jacobians of the centres of mass."""
    at = frames(dh, q)
    total = np.zeros((len(q), len(q)))
    for k, link in enumerate(dh.links):
        turn, centre = at[k + 1][:3, :3], at[k + 1][:3, 3] + at[k + 1][:3, :3] @ link.centre
        linear, angular = np.zeros((2, 3, len(q)))
        for j, before in enumerate(at[:k + 1]):
            axis = before[:3, 2]
            if dh.links[j].kind == REVOLUTE:
                linear[:, j], angular[:, j] = np.cross(axis, centre - before[:3, 3]), axis
            else:
                linear[:, j] = axis
        spin = turn.T @ angular
        total += link.mass * linear.T @ linear + spin.T @ link.tensor @ spin
    return total


@pytest.mark.parametrize('name', NAMES)
def test_poses_and_masses_are_ours(name):
    """The last frame is the last body's; M(q) is ours."""
    arm = robot(name)
    dh = denavit_hartenberg(arm)
    q, v, _ = states(arm.n, COUNT, seed=71)
    for k in range(COUNT):
        place = f'{name} at q = {q[k].tolist()}'
        pose, last = kinematics.body_poses(arm.tree, q[k].tolist())[-1], frames(dh, q[k])[-1]
        assert_same(f'rotation of {place}', last[:3, :3], pose.rotation, NEARLY_PARALLEL)
        assert_same(f'position of {place}', last[:3, 3], pose.position, NEARLY_PARALLEL)
        M, _ = ours(arm, q[k], v[k])
        assert_same(f'M of {place}', mass_matrix(dh, q[k]), M, NEARLY_PARALLEL)


@pytest.mark.parametrize('name', NAMES)
@pytest.mark.parametrize('count', [1, COUNT])
def test_the_toolbox_gives_our_results(name, count):
    """M(q), torques and accelerations; of one state, of which it drops the first axis, too."""
    pytest.importorskip('roboticstoolbox', reason='the Robotics Toolbox is not installed')
    arm = robot(name)
    peer = Toolbox(arm, STEP)
    q, v, a = states(arm.n, count, seed=72)
    M, h = map(np.array, zip(*(ours(arm, *pair) for pair in zip(q, v))))
    mine = np.linalg.solve(M, -h[..., None])[..., 0]
    assert_same(f'M of {name}', peer.mass_matrix(q)(), M, peer.tolerance)
    assert_same(f'tau of {name}', peer.inverse(q, v, a)(), (M @ a[..., None])[..., 0] + h,
                peer.tolerance)
    for forward in (peer.forward, peer.forward_singly):
        assert_same(f'a of {name}', forward(q, v)(), mine, peer.tolerance)


@pytest.mark.parametrize('count', [1, 3])
def test_runs_side_by_side_are_runs_one_by_one(count):
    """Ends and recorded positions are those of single runs in the toolbox, to the bit."""
    pytest.importorskip('roboticstoolbox', reason='the Robotics Toolbox is not installed')
    peer = Toolbox(load_robot('scara_450'), STEP)
    starts = [State(0.0, *pair) for pair in zip(*states(4, count, seed=73)[:2])]
    for many, one in ((peer.rollouts, peer.steps), (peer.recorded_rollouts, peer.record)):
        assert np.array_equal(many(starts, 5)(), [one(start, 5)() for start in starts])


def test_branches_are_refused():
    """The convention is for serial robots; the toolbox says of loops that it has none."""
    arm = load_robot('parallel_2dof')
    with pytest.raises(RobodynError, match='parallel_2dof has branches'):
        denavit_hartenberg(arm)
    peer, q = Toolbox(arm, STEP), np.zeros((1, arm.n))
    for ask in (peer.forward, peer.forward_singly, peer.constrained):
        with pytest.raises(CannotError, match='no closed chains'):
            ask(q, q)
