# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Mass matrix, bias, frames and energies against Pinocchio, from the same URDF text.

Friction is off on both sides. Pinocchio knows no rotors: those of scara_1000 add a constant part
to M that the paper's closed form gives, and nothing to h.
"""

from mechanics.cases import (assert_same, FIVE, frictionless, PUBLIC, random_parameters, robot,
                             states, TREES)
from mechanics.peer import Peer
from mechanics.random_urdf import random_urdf
import numpy as np
from oracles import scara_1000
import pytest
from robodyn_ros.mechanics import energy, equations, kinematics, rigid_body
from robodyn_ros.robots.robot import robot_from_text

MANY = 200
RANDOM_TREES = 60
PARTS = ('rotation', 'position', 'velocity', 'drift', 'jacobian')


def rotors(name):
    """Return the part of M that only our side has."""
    return scara_1000.rotor_mass_matrix() if name == 'scara_1000' else np.zeros(2 * (
        robot(name).n,))


def random_robots(seed, count=RANDOM_TREES):
    """Yield random trees of one to eight joints with a random gravity and payload."""
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        arm = robot_from_text(random_urdf(rng, int(rng.integers(1, 9)), int(rng.integers(5))))
        yield f'tree {seed}.{number}', arm, random_parameters(rng)


@pytest.mark.parametrize('name', [*FIVE, *PUBLIC, *TREES])
def test_compiled_mass_and_bias_are_those_of_pinocchio(name):
    """M and h of five robots, two public ones and two random trees, at 200 states each."""
    arm = robot(name)
    peer = Peer(arm)
    q, v, _ = states(arm.n, MANY, seed=51)
    M, h = arm.dynamics(q, v, frictionless(arm))
    for k in range(MANY):
        theirs = peer.mass_and_bias(q[k], v[k])
        place = f'{name} at q = {q[k].tolist()}, v = {v[k].tolist()}'
        assert_same(f'M of {place}', M[k] - rotors(name), theirs[0])
        assert_same(f'h of {place}', h[k], theirs[1])


@pytest.mark.parametrize('long', [rigid_body.LONG, 1])
def test_mass_and_bias_of_random_trees_are_those_of_pinocchio(long, monkeypatch):
    """Branches, welded links, prismatic and continuous joints, any axis, gravity and payload."""
    monkeypatch.setattr(rigid_body, 'LONG', long)  # 1: forces meet axes in the base frame
    for name, arm, parameters in random_robots(52):
        peer = Peer(arm, parameters)
        q, v, a = states(arm.n, 4, seed=53)
        for k in range(4):
            where = (q[k].tolist(), v[k].tolist())
            M, h = equations.mass_and_bias(arm.tree, parameters, *where)
            theirs = peer.mass_and_bias(*where)
            assert_same(f'M of {name} at {where}\n{arm.urdf}\n', M, theirs[0])
            assert_same(f'h of {name} at {where}\n{arm.urdf}\n', h, theirs[1])
            assert_same(f'tau of {name} at {where}\n{arm.urdf}\n', equations.inverse_dynamics(
                arm.tree, parameters, *where, a[k].tolist()),
                peer.inverse_dynamics(*where, a[k]))


@pytest.mark.parametrize('name', FIVE)
def test_compiled_tool_motion_is_that_of_pinocchio(name):
    """Pose, velocity, drift Jdot v and Jacobian of tool0 at 200 states."""
    arm, peer = robot(name), Peer(robot(name))
    q, v, _ = states(arm.n, MANY, seed=54)
    found = arm.frame('tool0', q, v)
    for k in range(MANY):
        for part, ours, theirs in zip(PARTS, found, peer.frame('tool0', q[k], v[k])):
            assert_same(f'{part} of {name} at q = {q[k].tolist()}, v = {v[k].tolist()}',
                        ours[k], theirs)


def test_every_frame_of_random_trees_moves_as_in_pinocchio():
    """Frames of moving and welded links, and of the base: pose, velocity, drift, Jacobian."""
    for name, arm, _ in random_robots(55, 25):
        peer = Peer(arm)
        q, v, _ = (x[0].tolist() for x in states(arm.n, 1, seed=56))
        for frame in arm.frames:
            motion = kinematics.frame_motion(arm.tree, arm.tree.frames[frame], q, v)
            ours = (motion.pose.rotation, motion.pose.position,
                    (*motion.linear, *motion.angular),
                    (*motion.linear_rate, *motion.angular_rate),
                    kinematics.frame_jacobian(arm.tree, arm.tree.frames[frame], q))
            for part, one, other in zip(PARTS, ours, peer.frame(frame, q, v)):
                assert_same(f'{part} of {frame} of {name} at {q}, {v}\n{arm.urdf}\n', one, other,
                            least=1.0)


@pytest.mark.parametrize('name', FIVE)
def test_compiled_energies_are_those_of_pinocchio(name):
    """Kinetic energy, that of the rotors apart, and potential energy."""
    arm, peer = robot(name), Peer(robot(name))
    q, v, _ = states(arm.n, MANY, seed=57)
    kinetic, potential = arm.energy(q, v)
    for k in range(MANY):
        spin = 0.5 * v[k] @ rotors(name) @ v[k]
        T, V = peer.energy(q[k], v[k])
        place = f'{name} at q = {q[k].tolist()}, v = {v[k].tolist()}'
        assert_same(f'T of {place}', kinetic[k] - spin, T, least=1.0)
        assert_same(f'V of {place}', potential[k], V, least=1.0)


def test_energies_of_random_trees_are_those_of_pinocchio():
    """Payload and gravity included."""
    for name, arm, parameters in random_robots(58):
        q, v, _ = (x[0].tolist() for x in states(arm.n, 1, seed=59))
        ours = (energy.kinetic_energy(arm.tree, parameters, q, v),
                energy.potential_energy(arm.tree, parameters, q))
        theirs = Peer(arm, parameters).energy(q, v)
        assert_same(f'energies of {name} at {q}, {v}\n{arm.urdf}\n', ours, theirs, least=1.0)
