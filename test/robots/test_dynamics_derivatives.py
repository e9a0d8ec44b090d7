# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of inverse and forward dynamics: complex steps, Pinocchio, and the regressor."""

from importlib import metadata
import os
from pathlib import Path
import subprocess
import sys

from mechanics.random_urdf import random_urdf
import numpy as np
import pytest
from robodyn_ros import load_robot, Parameters, robot_from_text
from robodyn_ros.errors import RobodynError, SingularMassError, SizeError
from robodyn_ros.identification.parameters import parameter_set
from robodyn_ros.identification.regressor import Regressor
from robodyn_ros.mechanics import equations
from robodyn_ros.mechanics.parameters import NAMES
from robodyn_ros.robots.derivatives import FRICTION
from robodyn_ros.tracing import Graph, inputs
from tracing.complex_numbers import jacobian

EXACT = 1e-12
LADEN = Parameters(gravity=(0.3, -1.0, -9.0), payload_mass=1.5, payload_centre=(0.02, 0.0, 0.1),
                   payload_inertia=(0.02, 0.03, 0.025, 0.001, 0.0, 0.002), friction_scale=0.7)
MIMICS = (2, 0, '0.7'), (4, 2, '-1.3')
"""Followers among the joints of a random tree, whom they follow, and how."""


def wild(seed, mimics=()):
    """Return a random tree with every kind of joint and friction, and joints that follow."""
    text = random_urdf(np.random.default_rng([91, seed]), 6, 2)
    names = robot_from_text(text).joints
    for follower, followed, ratio in mimics:
        begin = text.index(f'<joint name="{names[follower]}"')
        end = text.index('</joint>', begin)
        text = (f'{text[:end]}<mimic joint="{names[followed]}" multiplier="{ratio}" '
                f'offset="0.2"/>{text[end:]}')
    arm = robot_from_text(text)
    # rubbing of every sort: Coulomb with and without a peak, viscous, saturating
    laws = [law._replace(viscous=0.3, coulomb=0.4 * (k % 2), breakaway=0.4 * (k % 2) + 0.2,
                         velocity=0.15, saturating=0.5 * (k % 3), saturation=0.8)
            for k, law in enumerate(arm.tree.friction)]
    arm.tree = arm.tree._replace(friction=tuple(laws))
    return arm


ROBOTS = {'irb120': lambda: load_robot('irb120'), 'wild': lambda: wild(1),
          'mimics': lambda: wild(2, MIMICS), 'scara_450': lambda: load_robot('scara_450')}


def close(ours, theirs, tolerance=EXACT):
    """Tell whether arrays agree, relative to the largest entry."""
    return np.abs(ours - theirs).max(initial=0.0) <= tolerance * max(
        1.0, np.abs(theirs).max(initial=0.0))


def by_complex_steps(arm, parameters, q, v, a):
    """Return tau and its Jacobian by q, v, a and run-time parameters, and M."""
    graph, n = Graph(), arm.n
    x = [inputs(graph, letter, n) for letter in 'qva']
    p = inputs(graph, 'p', len(NAMES))
    flat = [*x[0], *x[1], *x[2], *p]
    tau = equations.inverse_dynamics(arm.tree, Parameters.from_flat(p), *x)
    values = dict(zip(flat, [*q, *v, *a, *parameters.flat()]))
    return jacobian(tau, values, flat)


@pytest.mark.parametrize('name', ROBOTS)
@pytest.mark.parametrize('laden', [False, True], ids=['own', 'laden'])
def test_derivatives_are_complex_steps(name, laden):
    """Torque by q, v, a and all run-time parameters; acceleration by the implicit equation."""
    arm = ROBOTS[name]()
    given = LADEN if laden else None
    n, rng = arm.n, np.random.default_rng(92)
    q, v, a = rng.uniform(-1.0, 1.0, (3, n))
    by = NAMES if laden else ()
    found = arm.inverse_dynamics_derivatives(q, v, a, given, by)
    expected = by_complex_steps(arm, given or arm.parameters, q, v, a)
    assert close(found.tau, arm.inverse_dynamics(q, v, a, given))
    for ours, theirs in zip(found[:3], np.split(expected[:, :3 * n], 3, axis=1)):
        assert close(ours, theirs)
    assert found.dtau_dp.shape == (n, len(by)) and close(found.dtau_dp,
                                                         expected[:, 3 * n:][:, :len(by)])
    forward = arm.derivatives(q, v, found.tau, given, by)
    inverse = np.linalg.inv(expected[:, 2 * n:3 * n])
    size = np.abs(inverse).max() * np.abs(found.dtau_da).max()  # condition: rounding of M^-1
    assert close(forward.a, a, EXACT * size)
    assert close(forward.da_dtau, inverse, EXACT * size)
    for ours, theirs in zip((forward.da_dq, forward.da_dv, forward.da_dp), found[:2] + found[3:4]):
        assert close(ours, -inverse @ theirs, EXACT * size)


def test_every_parameter_of_bodies_and_joints():
    """Columns by inertias and rotors are the regressor's; friction's are differences."""
    arm = load_robot('scara_450')
    chosen, n = parameter_set(arm), arm.n
    q, v, a = np.random.default_rng(93).uniform(-1.0, 1.0, (3, 5, n))
    names = [name for name in arm.derivable if name in chosen.names
             and name.split()[-1] not in FRICTION]
    assert len(names) >= 10 * n
    found = arm.inverse_dynamics_derivatives(q, v, a, None, names).dtau_dp
    Y = Regressor(chosen, arm.parameters.gravity)(q, v, a, np.full(n, 0.1))
    assert close(found, Y[..., [chosen.names.index(name) for name in names]])
    arm = wild(2, MIMICS)
    for kind in FRICTION:
        k = 4  # a mimic: its friction acts on whom it follows
        joint, law = arm.tree.bodies[k].joint, arm.tree.friction[k]
        more = {'viscous': {'viscous': law.viscous + 1.0},
                'saturating': {'saturating': law.saturating + 1.0},
                'peak': {'breakaway': law.breakaway + 1.0},
                'coulomb': {'coulomb': law.coulomb + 1.0, 'breakaway': law.breakaway + 1.0}}
        other = wild(2, MIMICS)
        laws = list(other.tree.friction)
        laws[k] = law._replace(**more[kind])
        other.tree = other.tree._replace(friction=tuple(laws))
        q, v, a = np.random.default_rng(94).uniform(-0.5, 0.5, (3, arm.n))
        column = arm.inverse_dynamics_derivatives(q, v, a, None, f'{joint} {kind}').dtau_dp[:, 0]
        moved = other.inverse_dynamics(q, v, a) - arm.inverse_dynamics(q, v, a)
        assert np.abs(column).max() > 0.0 and close(column, moved), kind


def listed():
    """Return files of public arms, where their package is installed."""
    try:
        found = {Path(str(file)).stem: str(file.locate())
                 for file in metadata.files('example-robot-data') or []
                 if str(file).endswith('.urdf')}
    except metadata.PackageNotFoundError:
        return []
    return [found[name] for name in ('ur5_robot', 'panda') if name in found]


@pytest.mark.parametrize('path', ['irb120', *listed()], ids=lambda path: Path(path).stem)
def test_derivatives_are_those_of_pinocchio(path):
    """By computeRNEADerivatives and computeABADerivatives, coupled by G where joints follow."""
    peers = pytest.importorskip('mechanics.peer')
    pin, arm = peers.pin, load_robot(path)
    peer, still = peers.Peer(arm), {'friction_scale': 0.0}
    rng, (model, data, G) = np.random.default_rng(95), (peer.model, peer.data, peer.G)
    q, v, a = rng.uniform(-1.0, 1.0, (3, arm.n))
    full = peer.position(q), peer.velocity(v), peer.velocity(a)
    given = still if any(any(law[:3]) for law in arm.tree.friction) else None
    pin.computeRNEADerivatives(model, data, *full)
    ours = arm.inverse_dynamics_derivatives(q, v, a, given)
    whole = np.triu(data.M) + np.triu(data.M, 1).T
    theirs = [G.T @ x @ G for x in (data.dtau_dq, data.dtau_dv, whole)]
    for one, other in zip(ours, theirs):
        assert np.abs(one - other).max() <= EXACT * np.abs(other).max()
    if arm.mimics:
        return  # Pinocchio's forward dynamics knows no joints that follow
    pin.computeABADerivatives(model, data, full[0], full[1], G @ ours.tau)
    whole = np.triu(data.Minv) + np.triu(data.Minv, 1).T
    forward = arm.derivatives(q, v, ours.tau, given)
    for one, other in zip(forward, (data.ddq_dq, data.ddq_dv, whole)):
        assert np.abs(one - G.T @ other @ G).max() <= EXACT * np.abs(other).max()


def test_many_have_the_bits_of_one():
    """Batches of any size, on lanes; library functions, too."""
    arm = load_robot('irb120')
    q, v, u = np.random.default_rng(96).uniform(-1.0, 1.0, (3, 11, arm.n))
    for name in ('derivatives', 'inverse_dynamics_derivatives'):
        function = getattr(arm, name)
        many, few = function(q, v, u), function(q[:3], v[:3], u[:3])
        for k in range(11):
            for one, all_ in zip(function(q[k], v[k], u[k]), many):
                assert one.tobytes() == all_[k].tobytes()
        assert all(a.tobytes() == b[:3].tobytes() for a, b in zip(few, many))
        apart = np.zeros(2 * arm.n)[::2]
        apart[:] = q[0]
        for given in (q[0].tolist(), apart, q[0].astype('>f8'), q[0].astype(object)):
            again = function(given, v[0][::1], list(u[0]))
            assert again[0].tobytes() == many[0][0].tobytes()
            again = function(given, v[0], u[0])
            assert all(one.tobytes() == all_[0].tobytes() for one, all_ in zip(again, many))


def test_without_a_compiler_the_bits_are_the_same():
    """ROBODYN_INTERPRET=1 runs the same operations as plain Python."""
    code = ('import numpy as np; from robodyn_ros import load_robot; '
            "arm = load_robot('irb120'); x = np.linspace(-1.0, 1.0, 36).reshape(2, 3, 6); "
            'print([y.tobytes().hex() for one in (x[0, 0], x[0]) '
            'for y in arm.derivatives(one, 2.0 * one, 3.0 * one)])')
    found = [subprocess.run([sys.executable, '-c', code], env={**os.environ, **extra}, check=True,
                            capture_output=True, text=True, timeout=120).stdout
             for extra in ({}, {'ROBODYN_INTERPRET': '1'})]
    assert found[0] == found[1] and len(found[0]) > 1000


def test_refusals_are_sentences():
    """Sizes, names, what is not finite, and a mass matrix without an inverse."""
    arm = load_robot('two_link')
    zero = np.zeros(2)
    with pytest.raises(SizeError, match='joints are'):
        arm.derivatives(np.zeros(3), zero, zero)
    with pytest.raises(RobodynError, match='not finite'):
        arm.derivatives(zero, np.array([np.nan, 0.0]), zero)
    with pytest.raises(RobodynError, match="unknown parameter 'mass'"):
        arm.derivatives(zero, zero, zero, by='mass')
    with pytest.raises(RobodynError, match='by'):
        arm.inverse_dynamics_derivatives(zero, zero, zero, by=3)
    post = robot_from_text('<robot name="post"><link name="base"/></robot>')
    with pytest.raises(RobodynError, match='no joint moves'):
        post.derivatives(np.zeros(0), np.zeros(0), np.zeros(0))
    bare = robot_from_text(_without_inertia(arm.urdf))
    with pytest.raises(SingularMassError, match='not positive definite'):
        bare.derivatives(np.zeros(bare.n), np.zeros(bare.n), np.zeros(bare.n))


def _without_inertia(text):
    while '<inertial>' in text:
        begin, end = text.index('<inertial>'), text.index('</inertial>') + len('</inertial>')
        text = text[:begin] + text[end:]
    return text
