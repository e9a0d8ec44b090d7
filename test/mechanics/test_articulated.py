# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Articulated bodies and factors of M are two ways to the same numbers, on any tree."""

import numpy as np
import pytest
from robodyn_ros.constraints.ready_made import loop
from robodyn_ros.mechanics import equations, rigid_body
from robodyn_ros.mechanics.alignment import aligned, aligned_inertias
from robodyn_ros.mechanics.articulated import ArticulatedFactor, possible
from robodyn_ros.mechanics.factorisation import factor_mass
from robodyn_ros.mechanics.inertia import body_inertias
from robodyn_ros.mechanics.parameters import Parameters, payload_inertia
from robodyn_ros.mechanics.tree import Body, Frame, Friction, Inertia, PRISMATIC, REVOLUTE, Tree
from robodyn_ros.plant.plant import Plant
from robodyn_ros.robots.robot import robot_from_text
from robodyn_ros.tracing import Graph, inputs, operations
from robodyn_ros.types import State

TOLERANCE = 1e-12


def turned(rng, kind):
    """Return a rotation: any, about a coordinate axis, or hardly one."""
    if kind == 'right':
        a, b, c = rng.permutation(3)
        matrix = np.zeros((3, 3))
        matrix[0, a], matrix[1, b], matrix[2, c] = rng.choice([-1.0, 1.0], 3)
        matrix[2] *= np.linalg.det(matrix)
        return matrix
    matrix, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    matrix *= np.linalg.det(matrix)
    if kind == 'any':
        return matrix
    small = 10.0 ** rng.uniform(-9.0, -2.0)  # axes that are nearly parallel
    c, s, turn = np.cos(small), np.sin(small), rng.uniform(-3.0, 3.0)
    spin = np.array([[np.cos(turn), -np.sin(turn), 0.0], [np.sin(turn), np.cos(turn), 0.0],
                     [0.0, 0.0, 1.0]])
    return spin @ np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]) @ spin.T


def matrix(array):
    """Return an array as the tuples of mechanics."""
    return tuple(tuple(map(float, row)) for row in array)


def random_tree(seed, count=9):
    """Return a tree with branches, both kinds of joints, and axes that lie in all ways."""
    rng = np.random.default_rng(seed)
    bodies = []
    for k in range(count):
        root = rng.standard_normal((3, 3))
        centre, mass = rng.uniform(-0.3, 0.3, 3), rng.uniform(0.3, 3.0)
        tensor = 0.02 * (root @ root.T + np.eye(3))
        tensor = np.trace(tensor) * np.eye(3) - tensor \
            + mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
        place = rng.uniform(-0.4, 0.4, 3) * rng.integers(0, 2, 3)
        bodies.append(Body(f'j{k}', int(rng.integers(max(-1, k - 3), k)),
                           str(rng.choice([REVOLUTE, REVOLUTE, PRISMATIC])),
                           matrix(turned(rng, rng.choice(['any', 'right', 'near']))),
                           tuple(map(float, place)),
                           Inertia(mass, tuple(map(float, mass * centre)), matrix(tensor))))
    return Tree(tuple(bodies), {'end': Frame(count - 1)}, payload_frame='end'), rng


def parts(tree):
    """Return the inertias of a tree's bodies."""
    return body_inertias(tree, payload_inertia(Parameters()))


@pytest.mark.parametrize('seed', range(12))
def test_other_frames_are_the_same_tree(seed):
    """M by composite bodies does not change with the frames along common normals."""
    tree, rng = random_tree(seed)
    q = rng.uniform(-2.0, 2.0, tree.n).tolist()
    links = aligned(tree)
    inertias = aligned_inertias(tree, links, parts(tree))
    other = tree._replace(bodies=tuple(
        Body('', link.parent, link.kind, link.rotation, link.translation, inertia)
        for link, inertia in zip(links, inertias)))
    one, two = (np.array(rigid_body.mass_matrix(t, i, q)) for t, i in (
        (tree, parts(tree)), (other, inertias)))
    np.testing.assert_allclose(two, one, rtol=0.0, atol=TOLERANCE * np.abs(one).max())


@pytest.mark.parametrize('seed', range(12))
def test_both_ways_lead_to_the_same_acceleration(seed):
    """And so do pivots, and M^-1 by its halves, with something on the diagonal as well."""
    tree, rng = random_tree(seed)
    assert possible(tree)
    q, v, tau, right = rng.uniform(-2.0, 2.0, (4, tree.n)).tolist()
    gravity = (0.3, -0.2, -9.8)
    mass = np.array(rigid_body.mass_matrix(tree, parts(tree), q))
    bias = rigid_body.inverse_dynamics(tree, parts(tree), q, v, [0.0] * tree.n, gravity)
    factor = ArticulatedFactor(tree, parts(tree), q)
    expected = np.linalg.solve(mass, np.subtract(tau, bias))
    found = factor.finish_solve(factor.half_solve(tau, factor.wrenches(v, gravity)))
    scale = TOLERANCE * np.linalg.cond(mass) ** 0.5
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=scale * np.abs(expected).max())
    pivots = 1.0 / np.array(factor_mass(mass.tolist()).inverse_pivots)
    np.testing.assert_allclose(1.0 / np.array(factor.inverse_pivots), pivots, rtol=1e-10)
    assert factor.margin > 0.0
    more = rng.uniform(0.0, 0.5, tree.n)
    stiff = ArticulatedFactor(tree, parts(tree), q, more.tolist())
    expected = np.linalg.solve(mass + np.diag(more), right)
    np.testing.assert_allclose(stiff.finish_solve(stiff.half_solve(right)), expected, rtol=0.0,
                               atol=scale * np.abs(expected).max())


def test_a_body_without_mass_at_the_end_is_told():
    """Its joint has nothing to move: the margin is not positive."""
    tree, rng = random_tree(3)
    last = tree.bodies[-1]._replace(inertia=Inertia())
    tree = tree._replace(bodies=(*tree.bodies[:-1], last))
    assert not ArticulatedFactor(tree, parts(tree), [0.1] * tree.n).margin > 0.0


@pytest.mark.parametrize('count, shorter', [(3, False), (14, True)])
def test_the_shorter_way_is_recorded(count, shorter):
    """A long chain goes by articulated bodies; a short one keeps the factors of M, and its bits."""
    tree, _ = random_tree(5, count)
    tree = tree._replace(friction=(Friction(),) * count, bodies=tuple(
        body._replace(parent=k - 1) for k, body in enumerate(tree.bodies)))  # one chain
    graph = Graph()
    q, v, tau = (inputs(graph, letter, count) for letter in 'qvu')
    mass, bias = equations.mass_and_bias(tree, Parameters(), q, v)
    factor = factor_mass(mass)
    long = factor.finish_solve(factor.half_solve([u - h for u, h in zip(tau, bias)]))
    found, _ = equations.forward_dynamics(tree, Parameters(), q, v, tau)
    assert (operations(found) < operations(long)) == shorter
    assert shorter or [x.node for x in found] == [x.node for x in long]


HAND = """<robot name="hand"><link name="palm"/>{}</robot>"""
FINGER = """
<joint name="j{k}" type="revolute"><parent link="{parent}"/><child link="l{k}"/>
  <origin xyz="{x} 0.02 0.01" rpy="0.3 {x} 0.2"/><axis xyz="0 0.6 0.8"/>
  <limit lower="-2" upper="2" velocity="5" effort="5"/><dynamics damping="0.1"/></joint>
<link name="l{k}"><inertial><origin xyz="0.02 0.01 0.03" rpy="0.1 0.2 0.3"/><mass value="0.1"/>
  <inertia ixx="2e-4" ixy="1e-5" ixz="0" iyy="3e-4" iyz="0" izz="2e-4"/></inertial></link>"""


def hand():
    """Return four fingers of four joints."""
    return robot_from_text(HAND.format(''.join(
        FINGER.format(k=4 * f + j, parent='palm' if j == 0 else f'l{4 * f + j - 1}',
                      x=0.05 * (f + 1) if j == 0 else 0.04) for f in range(4) for j in range(4))))


def test_rows_go_the_shorter_way_as_well():
    """Two fingertips held together: the same motion as by factors of M and ranks."""
    robot = hand()
    held = loop('l3', 'l7', 'x y z')
    plant, other = (Plant(robot, [held], solver=solver) for solver in ('cholesky', 'rank'))
    start = State(0.0, np.full(robot.n, 0.1), np.zeros(robot.n))
    one, two = (p.derivative(start)[1] for p in (plant, other))
    np.testing.assert_allclose(one, two, rtol=0.0, atol=1e-9 * np.abs(two).max())
