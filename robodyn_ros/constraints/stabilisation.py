# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
How constraint errors are kept small while integrating.

none                 the bare equation: errors drift as phi(0) + t phidot(0)
baumgarte            phiddot + alpha phidot + beta phi = 0 (alpha [1/s], beta [1/s^2])
velocity_correction  the positions follow velocities made to fit the rows (Liu & Liu, paper 001)
projection           after each step q and v are moved onto the rows, to rounding
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robodyn_ros.checks import expect, number
from robodyn_ros.errors import ConstraintError, UnknownNameError

KINDS = ('none', 'baumgarte', 'velocity_correction', 'projection')
NOT_NEGATIVE = 'a finite number that is not negative'


class Stabilisation(NamedTuple):
    """A kind and its gains; the gains are run-time parameters of the compiled plant."""

    kind: str = 'none'
    alpha: float = 0.0
    """[1/s]"""
    beta: float = 0.0
    """[1/s^2]"""


def stabilisation(kind: str, alpha: float | None = None, beta: float | None = None,
                  time_constant: float | None = None, damping: float = 1.0) -> Stabilisation:
    """
    Choose a stabilisation.

    :param alpha: Baumgarte gain on the rate, with beta; or give time_constant instead
    :param time_constant: 1/omega [s]: alpha = 2 damping omega, beta = omega^2
    :param damping: damping ratio, 1 for the fastest decay without overshoot [-]
    """
    if kind not in KINDS:
        raise UnknownNameError('stabilisation', kind, KINDS)
    if time_constant is not None:
        if alpha is not None or beta is not None:
            raise ConstraintError('stabilisation was given alpha or beta and a time constant; '
                                  'give one or the other')
        number('the time constant of the stabilisation', time_constant,
               'a positive number of seconds', above=0.0, error=ConstraintError)
        number('damping of the stabilisation', damping, NOT_NEGATIVE, 0.0, error=ConstraintError)
        alpha, beta = 2.0 * damping / time_constant, 1.0 / time_constant ** 2
    if kind == 'baumgarte' and (alpha is None or beta is None):
        raise ConstraintError('baumgarte needs alpha and beta, or a time constant')
    if kind != 'baumgarte' and (alpha or beta):
        raise ConstraintError(f'stabilisation {kind!r} has no gains; use baumgarte for alpha and '
                              'beta')
    return Stabilisation(kind, *(
        0.0 if value is None else
        number(f'{name} of the stabilisation', value, NOT_NEGATIVE, 0.0, error=ConstraintError)
        for name, value in (('alpha', alpha), ('beta', beta))))


def checked_stabilisation(given: object) -> Stabilisation:
    """Return a stabilisation, which may be given by its kind alone where it has no gains."""
    if isinstance(given, str):
        return stabilisation(given)
    return stabilisation(*expect(Stabilisation, 'stabilisation', given, 'stabilisation(KIND) with '
                                 f'one of {", ".join(KINDS)}', ConstraintError))


def amplification(integrator: str, alpha: float, beta: float, step: float) -> float:
    """
    Factor by which one step multiplies a constraint error (1 or less is stable) [-].

    Largest |R(h lambda)| over the roots of lambda^2 + alpha lambda + beta = 0, R the integrator's
    stability function; semi-implicit Euler and Taylor by the eigenvalues of their step.
    """
    if integrator in ('semi_implicit_euler', 'taylor'):
        reach = step ** 2 * (0.5 if integrator == 'taylor' else 1.0)
        matrix = np.array([[1.0 - reach * beta, step - reach * alpha],
                           [-step * beta, 1.0 - step * alpha]])
        return float(np.abs(np.linalg.eigvals(matrix)).max())
    z = step * np.roots([1.0, alpha, beta])
    terms = {'euler': 1, 'heun': 2, 'implicit_friction': 2, 'rk4': 4}[integrator]
    growth, term = np.ones_like(z, dtype=complex), np.ones_like(z, dtype=complex)
    for k in range(1, terms + 1):
        term = term * z / k
        growth = growth + term
    return float(np.abs(growth).max())


def step_warning(chosen: Stabilisation, integrator: str, step: float) -> str:
    """Return a sentence when the step makes Baumgarte's correction unstable, else ''."""
    if chosen.kind != 'baumgarte':
        return ''
    factor = amplification(integrator, chosen.alpha, chosen.beta, step)
    if factor <= 1.0 + 1e-9:
        return ''
    return (f'baumgarte with alpha {chosen.alpha:g} and beta {chosen.beta:g} is unstable with '
            f'{integrator} and a step of {step:g} s: errors grow by {factor:.6g} per step; use a '
            'smaller step, smaller gains or projection')
