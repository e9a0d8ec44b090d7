# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Inverse dynamics of a slanted chain as C that CasADi generates.

Recursive Newton-Euler on CasADi's scalars (SX), as its users write it, from the same URDF text;
its expression graph shares common terms, and Function.generate writes C.
"""
from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

GRAVITY = 9.81
"""As robots here have it [m/s^2]."""
PACKAGE = 'casadi'


def _numbers(node: Any, name: str, fallback: str = '0 0 0') -> np.ndarray:
    return np.array([float(word) for word in node.get(name, fallback).split()])


def _rotation(rpy: np.ndarray) -> np.ndarray:
    """Return R = Rz(yaw) Ry(pitch) Rx(roll) of URDF."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    return np.array([[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                     [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
                     [-sp, cp * sr, cp * cr]])


def _inertia(node: Any) -> np.ndarray:
    xx, xy, xz, yy, yz, zz = (float(node.get(key))
                              for key in ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def write_inverse_dynamics(urdf: str, folder: Path, name: str) -> Path:
    """
    Write tau = M(q) a + h(q, v) of a serial chain of turning joints as C.

    :param urdf: joints and links in the order of the chain
    """
    import casadi
    tree: Any = ElementTree.fromstring(urdf)
    joints, links = tree.findall('joint'), tree.findall('link')[1:]
    n = len(joints)
    q, v, a = (casadi.SX.sym(letter, n) for letter in 'qva')
    w, dw = casadi.SX.zeros(3), casadi.SX.zeros(3)
    linear = casadi.SX([0.0, 0.0, GRAVITY])
    passed, forces = [], []
    for k, (joint, link) in enumerate(zip(joints, links)):
        origin, inertial = joint.find('origin'), link.find('inertial')
        axis = _numbers(joint.find('axis'), 'xyz')
        cross = casadi.skew(casadi.SX(axis))
        turn = (casadi.cos(q[k]) * casadi.SX.eye(3) + casadi.sin(q[k]) * cross
                + (1.0 - casadi.cos(q[k])) * casadi.SX(np.outer(axis, axis)))
        R = casadi.SX(_rotation(_numbers(origin, 'rpy'))) @ turn
        p = casadi.SX(_numbers(origin, 'xyz'))
        linear = R.T @ (linear + casadi.cross(dw, p) + casadi.cross(w, casadi.cross(w, p)))
        spin = casadi.SX(axis) * v[k]
        dw = R.T @ dw + casadi.cross(R.T @ w, spin) + casadi.SX(axis) * a[k]
        w = R.T @ w + spin
        place = inertial.find('origin')
        c, turned = _numbers(place, 'xyz'), _rotation(_numbers(place, 'rpy'))
        mass = float(inertial.find('mass').get('value'))
        moment = casadi.SX(turned @ _inertia(inertial.find('inertia')) @ turned.T)
        at_centre = linear + casadi.cross(dw, c) + casadi.cross(w, casadi.cross(w, c))
        force = mass * at_centre
        torque = moment @ dw + casadi.cross(w, moment @ w) + casadi.cross(c, force)
        passed.append((R, p, axis))
        forces.append((force, torque))
    tau: list[Any] = [None] * n
    force, torque = casadi.SX.zeros(3), casadi.SX.zeros(3)
    for k in reversed(range(n)):
        R, p, axis = passed[k]
        force, torque = forces[k][0] + force, forces[k][1] + torque
        tau[k] = casadi.dot(casadi.SX(axis), torque)
        force = R @ force
        torque = R @ torque + casadi.cross(p, force)
    function = casadi.Function(name, [q, v, a], [casadi.vertcat(*tau)], {'cse': True})
    made = casadi.CodeGenerator(f'{name}.c')
    made.add(function)
    return Path(made.generate(f'{folder}/'))
