# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The robots and states the tests of mechanics share, and how numbers are compared."""

import functools
from importlib import metadata
import json
from pathlib import Path

from mechanics.random_urdf import random_urdf
import numpy as np
import pytest
from robodyn_ros.mechanics.parameters import Parameters
from robodyn_ros.robots.robot import load_robot, robot_from_text

FIVE = ('scara_450', 'two_link', 'parallel_2dof', 'irb120', 'scara_1000')
PUBLIC = ('ur5_robot.urdf', 'xarm7.urdf')
TREES = ('tree 1', 'tree 2')
"""Random trees that are compiled."""
RELATIVE = 1e-12  # rounding of two different orders of operations, over the largest entry
GOLDEN = Path(__file__).resolve().parents[1] / 'golden'


@functools.cache
def robot(name):
    """Return a robot by name, file name or 'tree N'; loaded once, so compiled once."""
    if name.startswith('tree '):
        number = int(name[5:])
        return robot_from_text(random_urdf(np.random.default_rng(number), 6, 3), name)
    return load_robot(public_urdf(name) if name.endswith('.urdf') else name)


def public_urdf(file):
    """Return the path of a robot of the package example-robot-data; skips where it is missing."""
    try:
        listed = metadata.files('example-robot-data') or []
    except metadata.PackageNotFoundError:
        listed = []
    found = [entry.locate() for entry in listed if entry.name == file]
    if not found:
        pytest.skip(f'needs {file} of the PyPI package example-robot-data')
    return str(Path(found[0]).resolve())


def states(n, count, seed, speed=2.0):
    """Return q, v, a, each (count, n), random."""
    rng = np.random.default_rng(seed)
    return (rng.uniform(-3.0, 3.0, (count, n)), rng.normal(size=(count, n)) * speed,
            rng.normal(size=(count, n)) * 5.0)


def random_parameters(rng, friction_scale=0.0):
    """Return a random gravity and a payload a real body could be."""
    sides, mass = rng.uniform(0.02, 0.3, 3), rng.uniform(0.1, 6.0)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    tensor = turn @ np.diag(mass / 12.0 * (np.sum(sides ** 2) - sides ** 2)) @ turn.T
    inertia = [tensor[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    return Parameters(gravity=tuple(rng.normal(size=3) * 6.0), payload_mass=mass,
                      payload_centre=tuple(rng.uniform(-0.3, 0.3, 3)),
                      payload_inertia=tuple(inertia), friction_scale=friction_scale)


def frictionless(arm):
    """Return the robot's own parameters with the friction switched off."""
    return arm.parameters._replace(friction_scale=0.0)


def golden(paper):
    """Return the golden vectors of a paper, lists as arrays."""
    data = json.loads((GOLDEN / f'{paper}.json').read_text())
    return {k: np.array(v) if isinstance(v, list) else v for k, v in data.items()}


def assert_same(what, ours, theirs, relative=RELATIVE, least=1e-3):
    """Compare to a fraction of the largest entry (at least `least`); `what` names the input."""
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    assert ours.shape == theirs.shape, f'{what}: shapes {ours.shape} and {theirs.shape}'
    allowed = relative * max(np.max(np.abs(theirs), initial=0.0), least)
    worst = np.max(np.abs(ours - theirs), initial=0.0)
    assert worst <= allowed, f'{what}: off by {worst:.3e} > {allowed:.1e}\n{ours}\n{theirs}'
