# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Derivatives where rows depend on one another: the plant's solve with a pseudo-inverse.

With B = A L^-T, M = L L^T, of rank r wherever the joints are near the state,

    P = L^-T (1 - B^+ B) L^-1        Q = L^-T B^+

stand for the answers of plant/sensitivity.py; multipliers are those of least norm, and any would
do, since what distinguishes them moves nothing. Where the rank itself changes with the state there
is no derivative, and this is one of those next to it.
"""
from __future__ import annotations

from typing import NamedTuple, Protocol, Sequence

import numpy as np

from robodyn_ros.codegen.program import Program
from robodyn_ros.codegen.routines import Kernel
from robodyn_ros.plant.model import Model
from robodyn_ros.plant.rollout import rates
from robodyn_ros.plant.sensitivity import by_variables, Matrix, Mechanics
from robodyn_ros.robots.parameters import Given
from robodyn_ros.tolerances import PIVOT
from robodyn_ros.tracing import inputs, Number


class Owner(Protocol):
    """What keeps the programs: plant/linearised.py."""

    model: Model

    def ranked(self, name: str, parametric: bool) -> Program:
        """Return the program of recorded() by name."""


class Answers(NamedTuple):
    """P, Q and the multipliers' answer of many states."""

    P: np.ndarray  # noqa: N815  the letters of the equations
    """(k, n, n)"""
    Q: np.ndarray  # noqa: N815
    """(k, n, m)"""
    pull: np.ndarray
    """Multipliers by M^(1/2) Qc-like vectors: (k, m, n)."""
    lower: np.ndarray
    """L (k, n, n)."""


def recorded(mechanics: Mechanics, title: str) -> Program:
    """
    Return the program of the kernels 'terms' and 'residuals' of a plant.

    terms: M (n, n), force (n), A (m, n), b (m), rate (m) of x; residuals: R1, R2 by the variables,
    and those of the velocity's correction, of x, a, l, u and the correction's multipliers.
    """
    at, n, m = mechanics.at, mechanics.robot.n, len(mechanics.rows.A)
    rows = mechanics.rows
    terms = [*(x for row in mechanics.mass for x in row), *mechanics.force,
             *(x for row in rows.A for x in row), *mechanics.b, *rows.rate]
    a, l, u, k = (inputs(at.graph, letter, size)  # noqa: E741
                  for letter, size in (('a', n), ('l', m), ('d', n), ('k', m)))
    variables = [*at.q, *at.v, *at.tau, *at.extra]
    parts: list[Matrix] = [by_variables(mechanics.motion_residual(a, l), variables)]
    if corrects(mechanics.model):
        parts.append(by_variables(mechanics.correction_residual(
            u, k, [-rate for rate in rows.rate]), variables))
    residuals: list[Number] = [x for part in parts for row in part for x in row]
    return Program(title, [Kernel('terms', at.x, terms),
                           Kernel('residuals', [*at.x, *a, *l, *u, *k], residuals)], at.p)


def corrects(model: Model) -> bool:
    """Tell whether positions follow corrected velocities."""
    return model.stabilisation.kind == 'velocity_correction' and model.layout.m > 0


def ranked_rates(owner: Owner, parameters: Given, vector: np.ndarray, name: str, x: np.ndarray
                 ) -> tuple[np.ndarray, np.ndarray]:
    """Return rates (k, 2 n) and their derivatives (k, 2 n, 3 n or 4 n) at inputs, rows of x."""
    model, n, m = owner.model, owner.model.layout.n, owner.model.layout.m
    rates(model, np.ascontiguousarray(x[:, :1 + 3 * n]), parameters)  # says what is wrong
    program = owner.ranked(name, bool(model.differs(vector)))
    w = program.prepared(vector)
    y, k = program.evaluate('terms', x, w), len(x)
    sizes: Sequence[int] = np.cumsum([n * n, n, m * n, m, m])[:-1].tolist()
    mass, force, rows, right, rate = np.split(y, sizes, axis=1)
    found = answers(mass.reshape(k, n, n), rows.reshape(k, m, n))
    a, held = _solved(found, force, right)
    u, pull = _solved(found, np.zeros_like(force), -rate)
    residuals = program.evaluate('residuals', np.concatenate([x, a, held, u, pull], axis=1), w)
    parts = residuals.reshape(k, -1, n + m, x.shape[1] - 1)
    by = [-(found.P @ part[:, :n] + found.Q @ part[:, n:]) for part in parts.swapaxes(0, 1)]
    speed, speed_by = x[:, 1 + n:1 + 2 * n], np.zeros_like(by[0])
    speed_by[:, range(n), range(n, 2 * n)] = 1.0
    if corrects(model):
        speed, speed_by = speed + u, speed_by + by[1]
    return np.concatenate([speed, a], axis=1), np.concatenate([speed_by, by[0]], axis=1)


def answers(mass: np.ndarray, rows: np.ndarray) -> Answers:
    """Return the answers of M (k, n, n) and A (k, m, n) of any rank."""
    lower = np.linalg.cholesky(mass)
    inverse = np.linalg.inv(lower)
    scaled = rows @ inverse.swapaxes(1, 2)
    length = np.linalg.norm(scaled, axis=2, keepdims=True)
    length[length == 0.0] = 1.0
    U, s, V = np.linalg.svd(scaled / length, full_matrices=False)  # noqa: N806
    kept = s > PIVOT * s.max(axis=1, keepdims=True, initial=0.0)
    s = np.where(kept, 1.0 / np.where(kept, s, 1.0), 0.0)
    V = V * kept[..., None]  # noqa: N806
    out = inverse.swapaxes(1, 2)
    right = V.swapaxes(1, 2) * s[:, None] @ U.swapaxes(1, 2) / length.swapaxes(1, 2)
    return Answers(out @ (inverse - V.swapaxes(1, 2) @ (V @ inverse)), out @ right,
                   right.swapaxes(1, 2), lower)


def _solved(found: Answers, force: np.ndarray, right: np.ndarray
            ) -> tuple[np.ndarray, np.ndarray]:
    """Return u and l of M u - A^T l = force, A u = right."""
    u = (found.P @ force[..., None] + found.Q @ right[..., None])
    lower = found.lower
    across = lower.swapaxes(1, 2) @ u - np.linalg.solve(lower, force[..., None])
    return u[..., 0], (found.pull @ across)[..., 0]
