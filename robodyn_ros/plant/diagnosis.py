# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Why a run stopped or cannot start: what is off, by how much, and what to do, in one sentence.

Rows contradict each other when they depend on one another wherever the joints are, and are
singular when only this place takes a direction from them. All of this is slow: it is asked after
a run stopped, or when its start is to be put onto the rows or is clearly off them.
"""
from __future__ import annotations

import logging
from typing import Sequence

import numpy as np

from robodyn_ros.codegen.loops import outcomes
from robodyn_ros.codegen.loops.integrators import IMPLICIT
from robodyn_ros.errors import (ConstraintError, RobodynError, SimulationError, SingularMassError)
from robodyn_ros.plant.model import Model, STIFF
from robodyn_ros.robots.mass_check import friction_rate, mass_report
from robodyn_ros.robots.parameters import Given
from robodyn_ros.types import State

LOG = logging.getLogger('robodyn_ros')
CLEARLY_OFF = 1e-3
"""Error of a row that is clear, not rounding: [m], [rad], or that per second."""
REACHED = 1e-9
"""Error of a row up to which the nearest configuration counts as on it [m] or [rad]."""
DIVERGED = 1e9
"""Position beyond which an integration has run away [rad] or [m]."""
LARGEST_MOVE = 0.5
"""Longest single step to the nearest configuration: keeps the branch (elbow) [rad] or [m]."""
RANK_TOLERANCE = 1e-10
"""Singular value of the rows, over the largest, below which a direction is lost [-]."""
PROBE_MOVE = 0.1
"""How far joints are moved to see whether rows depend on one another there too [rad] or [m]."""


def place(state: State) -> str:
    """Return time and configuration for a sentence."""
    return f't = {state.t:.6g} s, q = {np.round(state.q, 6).tolist()}'


def state_of(x: np.ndarray, n: int) -> State:
    """Return the state of an input or a recorded row, which begin with t, q and v."""
    return State(float(x[0]), x[1:1 + n].copy(), x[1 + n:1 + 2 * n].copy())


def nearest(model: Model, state: State, free: Sequence[int], enough: float,
            parameters: Given) -> tuple[np.ndarray, np.ndarray]:
    """
    Return the q (n,) next to a state that fits the rows best, and the phi (m,) left there.

    Damped Gauss-Newton on phi(q, t) = 0 with shortest steps (numpy's least squares, so dependent
    and redundant rows are legal).

    :param free: joints that may move
    :param enough: largest |phi| at which to stop
    """
    q = np.array(state.q, dtype=float)
    phi, _, rows = model.constraint_rows(state, parameters)
    for _ in range(100):
        worst = np.abs(phi).max()
        if not worst >= enough or not np.isfinite(rows).all():
            break
        move = np.zeros(len(q))
        move[free] = np.linalg.lstsq(rows[:, free], -phi, rcond=RANK_TOLERANCE)[0]
        move *= min(1.0, LARGEST_MOVE / max(np.abs(move).max(), 1e-300))
        for _ in range(30):  # shorten the step until it helps
            trial = model.constraint_rows(state._replace(q=q + move), parameters)
            if np.abs(trial[0]).max() < worst:
                break
            move *= 0.5
        else:
            break  # rounding, or a closest point that is no solution
        q += move
        phi, _, rows = trial
    return q, phi


def misfit(model: Model, state: State, parameters: Given) -> str:
    """Name the row that no small change of q, or of v, could bring to zero; '' if all can."""
    phi, rate, rows = model.constraint_rows(state, parameters)
    if not (np.isfinite(phi).all() and np.isfinite(rate).all() and np.isfinite(rows).all()):
        return ''
    lengths = np.linalg.norm(rows, axis=1)
    scale = np.where(lengths > 0.0, lengths, 1.0)  # rows in any unit count alike
    unit = rows / scale[:, None]
    for error, name in ((phi, ''), (rate, ' per second')):
        change = np.linalg.lstsq(unit, -error / scale, rcond=RANK_TOLERANCE)[0]
        rest = np.abs(error / scale + unit @ change)
        worst = int(np.argmax(rest))
        if rest[worst] > CLEARLY_OFF:
            return (f'{model.row_names[worst]!r} stays off by {rest[worst] * scale[worst]:.3g}'
                    f'{name}')
    return ''


def unreached(model: Model, state: State, parameters: Given) -> str:
    """Name the row that cannot be brought to zero one step after a state; '' if all can."""
    n = model.robot.n
    ahead = State(state.t + model.step_size, state.q + model.step_size * state.v, state.v)
    if not np.isfinite(model.constraint_rows(ahead, parameters)[0]).all():
        return ''
    q, phi = nearest(model, ahead, range(n), 0.01 * REACHED, parameters)
    worst = int(np.argmax(np.abs(phi)))
    if abs(phi[worst]) > REACHED:
        return f'{model.row_names[worst]!r} stays off by {abs(phi[worst]):.3g}'
    return misfit(model, ahead._replace(q=q), parameters)


def singular(model: Model, state: State, parameters: Given) -> bool:
    """Tell whether the rows lose a direction at this place, not everywhere."""
    random = np.random.default_rng(0)
    moves = random.uniform(-PROBE_MOVE, PROBE_MOVE, (3, model.robot.n))
    rows = np.array([model.constraint_rows(state._replace(q=state.q + move), parameters)[2]
                     for move in (np.zeros(model.robot.n), *moves)])
    if not np.isfinite(rows).all():
        return True
    lengths = np.linalg.norm(rows, axis=2).max(axis=0)  # of each row where it is longest
    unit = rows / np.where(lengths > 0.0, lengths, 1.0)[:, None]
    ranks = np.linalg.matrix_rank(unit, tol=1e-6)
    return bool(ranks[0] < ranks.max() or ranks.max() == len(model.row_names))


def inconsistent(model: Model, state: State, parameters: Given) -> ConstraintError:
    """Return the error for rows that ask for what cannot be at a state."""
    name, rows = model.robot.name, ', '.join(model.row_names)
    left = misfit(model, state, parameters)
    off = f': {left}' if left else ''
    if not singular(model, state, parameters):
        return ConstraintError(f'constraint rows of {name} ({rows}) contradict each other at '
                               f'{place(state)}{off}; remove one or make them agree')
    if len(model.row_names) == 1:
        return ConstraintError(f'constraint row {rows!r} of {name} is singular at {place(state)}'
                               f'{off}: no joint moves it there; start elsewhere or change it')
    return ConstraintError(f'constraint rows of {name} ({rows}) are singular at {place(state)}'
                           f'{off}: they lose a direction there; start elsewhere or change them')


def failure(model: Model, reason: int, x: np.ndarray, parameters: Given) -> RobodynError:
    """
    Return the error for a loop that stopped.

    :param reason: of codegen/loops/outcomes.py
    :param x: the last good input
    """
    state = state_of(x, model.layout.n)
    far = np.abs(state.q).max() > DIVERGED  # whatever failed there, it ran away before
    error = None if far or not model.row_names else _failed_rows(model, reason, state, parameters)
    name, where = model.robot.name, place(state)
    if error is None and reason == outcomes.SINGULAR and not far:
        report = mass_report(model.robot)
        error = SingularMassError(
            f'{report.sentence(model.robot)} (at {where})' if not report.sound else
            f'the mass matrix of {name} is not positive definite at {where}; give every moving '
            'link mass and inertia')
    elif error is None and reason == outcomes.DEPENDENT and not far:
        error = ConstraintError(f'constraint rows of {name} ({", ".join(model.row_names)}) are '
                                f"dependent at {where}; use solver='auto' or 'rank'")
    elif error is None:
        error = SimulationError(f'{name} left the finite numbers after {where}; '
                                + (_stiff_friction(model) or 'use a smaller step or check '
                                   'torques and gains'))
    error.state = state
    return error


def _stiff_friction(model: Model) -> str:
    """Say so where the friction of the robot's file is too stiff for the step."""
    rate = friction_rate(model.robot)
    if model.integrator == IMPLICIT or rate * model.step_size <= STIFF:
        return ''
    return (f'its joint friction stops it at {rate:.3g}/s, which {model.integrator} bears up to a '
            f'step of {STIFF / rate:.2g} s, not {model.step_size:g} s: use integrator '
            f"'auto' or {IMPLICIT!r}")


def _failed_rows(model: Model, reason: int, state: State,
                 parameters: Given) -> RobodynError | None:
    """Return the error that names what is wrong with the rows; None if it is not theirs."""
    name, where = model.robot.name, place(state)
    bad = ~np.isfinite(model.constraint_rows(state, parameters)[0])
    if bad.any():
        return ConstraintError(f'row {model.row_names[int(np.argmax(bad))]!r} of {name} is no '
                               f'finite number at {where}; correct the function, or start where '
                               'it is defined')
    if reason == outcomes.INCONSISTENT:
        return inconsistent(model, state, parameters)
    if reason != outcomes.NOT_PROJECTED:
        return None
    left = unreached(model, state, parameters)
    off = f': {left}' if left else ''
    return ConstraintError(f'{name} cannot be moved onto its constraint rows '
                           f'({", ".join(model.row_names)}) near {where}{off}; check that no rows '
                           'contradict each other and that the path can be reached, or start '
                           'nearer')


class StartCheck:
    """Looks at the starts of a plant's runs, and remembers what need not be looked at again."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._agreed = self._warned = False

    def one(self, model: Model, x: np.ndarray, errors: np.ndarray | None, dependent: bool,
            parameters: Given) -> None:
        """
        Refuse a start whose rows contradict each other; warn of one that is off its rows for good.

        :param x: input or recorded row of the start
        :param errors: phi and its rate (2 m,); None where nothing was recorded
        :param dependent: the rows needed a rank
        """
        if errors is None and (self._agreed or not dependent):
            return  # once per plant: a single step must not pay for it again
        if errors is not None and max(map(abs, errors.tolist())) <= CLEARLY_OFF:
            return  # few numbers: faster than numpy
        start = state_of(x, model.layout.n)
        if dependent and misfit(model, start, parameters):
            error = inconsistent(model, start, parameters)
            error.state = start
            raise error
        self._agreed |= dependent
        if errors is not None and not self._warned:
            self._warned = _warn(model, start, errors)

    def many(self, model: Model, rows: np.ndarray) -> None:
        """Check the worst start of a batch (runs, samples, sample): no rows depend there."""
        m = model.layout.m
        errors = np.abs(rows[:, 0, rows.shape[2] - 2 * m:])
        if m and errors.max() > CLEARLY_OFF:
            worst = rows[int(errors.max(axis=1).argmax()), 0]
            self.one(model, worst, worst[-2 * m:], False, None)


def _warn(model: Model, start: State, errors: np.ndarray) -> bool:
    """Log the row that is off most and stays so without stabilisation; True if there is one."""
    names, kind = model.row_names, model.stabilisation.kind
    speed = max(1.0, float(np.abs(start.v).max()))
    phi, rate = np.abs(errors).reshape(2, -1)
    found = []
    if kind in ('none', 'velocity_correction') and phi.max() > CLEARLY_OFF:
        found.append(f'{names[int(np.argmax(phi))]!r} by {phi.max():.3g}')
    if kind == 'none' and rate.max() > CLEARLY_OFF * speed:
        found.append(f'{names[int(np.argmax(rate))]!r} by {rate.max():.3g} per second')
    if found:
        LOG.warning('%s starts off its constraint rows at %s: %s; stabilisation %r does not bring '
                    'it back: use assemble_start, baumgarte or projection', model.robot.name,
                    place(start), ' and '.join(found), kind)
    return bool(found)
