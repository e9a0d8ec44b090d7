# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Parameters that a robot can have: every body's pseudo-inertia positive definite.

The pseudo-inertia of a body is P = [[S, h], [h^T, m]] with S = tr(I) 1 / 2 - I (Wensing, Kim and
Slotine, Linear matrix inequalities for physically consistent inertial parameter identification,
2018): positive definite if and only if some distribution of positive mass has these ten numbers.
What is minimised is convex:

    |A theta - b|^2 / 2 + weight (sum over bodies of tr(P0^-1 P) - log det(P0^-1 P) - 4
                                  + sum over positive numbers of trust (x / x0 - log(x / x0) - 1)
                                  + sum over others of trust (x - x0)^2 / (2 s^2))

The second term is the divergence of P from a prior P0 (Lee, Wensing and Park, Geometric robot
dynamic identification, 2020): it does not depend on frames or units, draws what the data does not
show to the prior, and is infinite where a body would become impossible, so that no inequality is
left to be handled. Newton's method, damped so that it stays inside, finds the only minimum.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robodyn_ros.identification.parameters import ParameterSet, TEN
from scipy.linalg import solve_triangular

STEPS, SHORT = 60, 12
"""Of Newton's method for one weight; half a dozen are usual. With a good start."""
DONE = 1e-6
"""Newton decrement, in weights, at which a minimum is reached."""
FIRST = 1e3
"""Weight of the prior with which the search begins."""


def _pseudo(ten: np.ndarray) -> np.ndarray:
    mass, x, y, z, xx, xy, xz, yy, yz, zz = ten
    half = 0.5 * (xx + yy + zz)
    return np.array([[half - xx, -xy, -xz, x], [-xy, half - yy, -yz, y],
                     [-xz, -yz, half - zz, z], [x, y, z, mass]])


BASIS = np.array([_pseudo(row) for row in np.eye(TEN)])
"""dP / d(ten), (10, 4, 4)."""


def pseudo_inertia(ten: np.ndarray) -> np.ndarray:
    """Return P (4, 4) of a body's ten numbers."""
    return np.tensordot(ten, BASIS, axes=1)


class Prior(NamedTuple):
    """What is believed before the data is seen."""

    theta: np.ndarray
    """(size,); its bodies are possible, its positive numbers positive."""
    spread: np.ndarray
    """Standard deviations of the numbers that may have any sign (size,)."""
    trust: np.ndarray
    """By how much of the weight each number outside of bodies is drawn to it (size,)."""


class Consistent(NamedTuple):
    """The minimum."""

    theta: np.ndarray
    curvature: np.ndarray
    """Second derivative there (size, size): the inverse of the covariance."""


def consistent(chosen: ParameterSet, information: np.ndarray, target: np.ndarray, prior: Prior,
               weight: float, used: np.ndarray, start: np.ndarray | None = None) -> Consistent:
    """
    Return the possible parameters that fit best.

    The weight falls from a large one to the one asked for, each minimum the start of the next:
    Newton's steps stay long only where the next minimum is not far (path following).

    :param information: A^T A (size, size)
    :param target: A^T b (size,)
    :param weight: of the prior, counted in observations of standard deviation one
    :param used: numbers that are looked for (size,), those of all bodies among them; the others
        are zero
    :param start: the minimum of a similar problem with this weight, if one is known
    """
    prior = prior._replace(theta=np.where(used, prior.theta, 0.0))
    problem = _Problem(chosen, information, target, prior, np.flatnonzero(used))
    if start is not None:
        start = np.where(used, np.where((start == 0.0) & chosen.positive, prior.theta, start), 0.0)
        found = problem.minimum(start, weight, SHORT)
        if found is not None:
            return Consistent(found, problem.curvature)
    theta, now = prior.theta.copy(), max(weight, FIRST)
    while True:
        found = problem.minimum(theta, now, STEPS)
        theta = problem.last if found is None else found
        if now <= weight:
            return Consistent(theta, problem.curvature)
        now = max(weight, 0.1 * now)


class _Problem:
    """What is minimised, for any weight."""

    def __init__(self, chosen: ParameterSet, information: np.ndarray, target: np.ndarray,
                 prior: Prior, free: np.ndarray):
        self.information, self.target, self.prior, self.free = information, target, prior, free
        self.bodies = chosen.bodies
        self.first = chosen.bodies * TEN
        self.trust = prior.trust
        self.inverse0 = np.linalg.inv(self._matrices(prior.theta))
        self.positive = np.intersect1d(np.flatnonzero(chosen.positive), free)
        self.other = np.intersect1d(np.flatnonzero(_others(chosen)), free)
        self.last = prior.theta
        """The last good parameters, and the second derivative there."""
        self.curvature = information

    def _matrices(self, theta: np.ndarray) -> np.ndarray:
        """Pseudo-inertias of all bodies (bodies, 4, 4)."""
        return np.tensordot(theta[:self.first].reshape(-1, TEN), BASIS, axes=1)

    def minimum(self, theta: np.ndarray, weight: float, steps: int) -> np.ndarray | None:
        """Return the minimum, None if it is not reached within so many steps."""
        value = self.value(theta, weight)
        for _ in range(steps):
            try:
                gradient, curvature = self.derivatives(theta, weight)
            except np.linalg.LinAlgError:  # at the very edge of what is possible
                return None
            self.last, self.curvature = theta, curvature
            free = self.free
            block = curvature[np.ix_(free, free)]
            scale = 1.0 / np.sqrt(np.diag(block))
            scaled = block * np.outer(scale, scale)
            scaled[np.diag_indices_from(scaled)] += 1e-14
            try:
                factor = np.linalg.cholesky(scaled)
            except np.linalg.LinAlgError:
                return None
            half = solve_triangular(factor, -gradient[free] * scale, lower=True)
            step = np.zeros_like(theta)
            step[free] = solve_triangular(factor, half, lower=True, trans='T') * scale
            decrement = float(half @ half)
            if decrement < DONE * weight:
                return theta
            size = min(1.0, 0.9 * self._room(theta, step))
            while True:
                tried = self.value(theta + size * step, weight)
                if tried <= value - 0.1 * size * decrement:
                    break
                size *= 0.5
                if size < 1e-9:
                    return theta  # rounding: no step gets lower
            theta, value = theta + size * step, tried
        return None

    def _room(self, theta: np.ndarray, step: np.ndarray) -> float:
        """Return the step at which the first body or number becomes impossible."""
        P, D = self._matrices(theta), self._matrices(step)
        inner = np.linalg.inv(np.linalg.cholesky(P))
        low = float(np.linalg.eigvalsh(inner @ D @ inner.transpose(0, 2, 1)).min())
        low = min(low, float((step[self.positive] / theta[self.positive]).min(initial=0.0)))
        return -1.0 / low if low < 0.0 else np.inf

    def value(self, theta: np.ndarray, weight: float) -> float:
        """Return what is minimised, infinite where a body is impossible."""
        P = self._matrices(theta)
        ratios = theta[self.positive] / self.prior.theta[self.positive]
        try:
            roots = np.diagonal(np.linalg.cholesky(P), axis1=1, axis2=2)
        except np.linalg.LinAlgError:
            return np.inf
        if not (ratios > 0.0).all():
            return np.inf
        total = float(np.sum(self.inverse0 * P) - 2.0 * np.log(roots).sum())
        total += float(self.trust[self.positive] @ (ratios - np.log(ratios)))
        away = ((theta - self.prior.theta) / self.prior.spread)[self.other]
        total += 0.5 * float(self.trust[self.other] @ away ** 2)
        return (0.5 * float(theta @ self.information @ theta) - float(self.target @ theta)
                + weight * total)

    def derivatives(self, theta: np.ndarray, weight: float) -> tuple[np.ndarray, np.ndarray]:
        """Return gradient and second derivative."""
        gradient = self.information @ theta - self.target
        curvature = self.information.copy()
        inverse = np.linalg.inv(self._matrices(theta))
        slope = np.einsum('bij,kji->bk', self.inverse0 - inverse, BASIS)
        gradient[:self.first] += weight * slope.ravel()
        turned = np.einsum('bij,kjl->bkil', inverse, BASIS)
        bends = weight * np.einsum('bkij,blji->bkl', turned, turned)
        for k in range(self.bodies):
            place = slice(k * TEN, (k + 1) * TEN)
            curvature[place, place] += bends[k]
        positive, other = self.positive, self.other
        pull = weight * self.trust
        gradient[positive] += pull[positive] * (
            1.0 / self.prior.theta[positive] - 1.0 / theta[positive])
        curvature[positive, positive] += pull[positive] / theta[positive] ** 2
        gradient[other] += (pull * (theta - self.prior.theta) / self.prior.spread ** 2)[other]
        curvature[other, other] += pull[other] / self.prior.spread[other] ** 2
        return gradient, curvature


def _others(chosen: ParameterSet) -> np.ndarray:
    """Tell which numbers may have any sign, outside of bodies."""
    found = ~chosen.positive
    found[:chosen.bodies * TEN] = False
    return found


def is_consistent(ten: np.ndarray) -> bool:
    """Tell whether some body has these ten numbers."""
    return bool(np.linalg.eigvalsh(pseudo_inertia(ten))[0] > 0.0)
