# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Rows that a plant cannot keep: which one is off, by how much, and why.

Rows contradict each other when they depend on one another wherever the joints are, and are
singular when only this place takes a direction from them. All of this is slow: it is asked after
a run stopped, or when its start is clearly off the rows.
"""
from __future__ import annotations

import logging
from typing import Mapping, NamedTuple, TYPE_CHECKING

import numpy as np

from robodyn_ros.errors import ConstraintError
from robodyn_ros.plant.checks import place
from robodyn_ros.plant.nearest import nearest, RANK
from robodyn_ros.types import State

if TYPE_CHECKING:
    from robodyn_ros.plant.plant import Plant

LOG = logging.getLogger('robodyn_ros')
OFF = 1e-3
"""Error of a row that is clear, not rounding: [m], [rad], or that per second."""
REACHED = 1e-9
"""Error of a row up to which the nearest configuration counts as on it [m] or [rad]."""
ELSEWHERE = 0.1
"""How far joints are moved to see whether rows depend on one another there too [rad] or [m]."""


class Misfit(NamedTuple):
    """The row that is off most."""

    row: str
    amount: float
    """[m] or [rad], of a rate [m/s] or [rad/s]."""
    unit: str = ''

    def __str__(self) -> str:
        """Name the row and how far it is off."""
        return f'{self.row!r} stays off by {self.amount:.3g}{self.unit}'


def state_of(x: np.ndarray, n: int) -> State:
    """Return the state of an input or a recorded row, which begin with t, q and v."""
    return State(float(x[0]), x[1:1 + n].copy(), x[1 + n:1 + 2 * n].copy())


def misfit(plant: 'Plant', state: State, parameters: Mapping[str, float] | None) -> Misfit | None:
    """Return the row that no small change of q, or of v, could bring to zero; None: there is."""
    phi, rate, rows = plant.constraint_rows(state, parameters)
    if not (np.isfinite(phi).all() and np.isfinite(rate).all() and np.isfinite(rows).all()):
        return None
    lengths = np.linalg.norm(rows, axis=1)
    scale = np.where(lengths > 0.0, lengths, 1.0)  # rows in any unit count alike
    unit = rows / scale[:, None]
    for error, name in ((phi, ''), (rate, ' per second')):
        change = np.linalg.lstsq(unit, -error / scale, rcond=RANK)[0]
        rest = np.abs(error / scale + unit @ change)
        worst = int(np.argmax(rest))
        if rest[worst] > OFF:
            return Misfit(plant.row_names[worst], float(rest[worst] * scale[worst]), name)
    return None


def unreached(plant: 'Plant', state: State, parameters: Mapping[str, float] | None
              ) -> Misfit | None:
    """Return the row that cannot be brought to zero one step after a state; None: all can."""
    n = plant.robot.n
    ahead = State(state.t + plant.step_size, state.q + plant.step_size * state.v, state.v)
    if not np.isfinite(plant.constraint_rows(ahead, parameters)[0]).all():
        return None
    q, phi = nearest(plant, ahead, range(n), 0.01 * REACHED, parameters)
    worst = int(np.argmax(np.abs(phi)))
    if abs(phi[worst]) > REACHED:
        return Misfit(plant.row_names[worst], float(abs(phi[worst])))
    return misfit(plant, ahead._replace(q=q), parameters)


def singular(plant: 'Plant', state: State, parameters: Mapping[str, float] | None) -> bool:
    """Tell whether the rows lose a direction at this place, not everywhere."""
    random = np.random.default_rng(0)
    moves = random.uniform(-ELSEWHERE, ELSEWHERE, (3, plant.robot.n))
    rows = np.array([plant.constraint_rows(state._replace(q=state.q + move), parameters)[2]
                     for move in (np.zeros(plant.robot.n), *moves)])
    if not np.isfinite(rows).all():
        return True
    lengths = np.linalg.norm(rows, axis=2).max(axis=0)  # of each row where it is longest
    unit = rows / np.where(lengths > 0.0, lengths, 1.0)[:, None]
    ranks = np.linalg.matrix_rank(unit, tol=1e-6)
    return bool(ranks[0] < ranks.max() or ranks.max() == len(plant.row_names))


def inconsistent(plant: 'Plant', state: State, parameters: Mapping[str, float] | None
                 ) -> ConstraintError:
    """Return the error for rows that ask for what cannot be at a state."""
    name, rows = plant.robot.name, ', '.join(plant.row_names)
    left = misfit(plant, state, parameters)
    off = f': {left}' if left else ''
    if not singular(plant, state, parameters):
        return ConstraintError(f'constraint rows of {name} ({rows}) contradict each other at '
                               f'{place(state)}{off}; remove one or make them agree')
    if len(plant.row_names) == 1:
        return ConstraintError(f'constraint row {rows!r} of {name} is singular at {place(state)}'
                               f'{off}: no joint moves it there; start elsewhere or change it')
    return ConstraintError(f'constraint rows of {name} ({rows}) are singular at {place(state)}'
                           f'{off}: they lose a direction there; start elsewhere or change them')


def not_projected(plant: 'Plant', state: State, parameters: Mapping[str, float] | None
                  ) -> ConstraintError:
    """Return the error for a step that could not be brought onto the rows."""
    left = unreached(plant, state, parameters)
    off = f': {left}' if left else ''
    return ConstraintError(
        f'{plant.robot.name} cannot be moved onto its constraint rows '
        f'({", ".join(plant.row_names)}) near {place(state)}{off}; check that no rows contradict '
        'each other and that the path can be reached, or start nearer')


def check_start(plant: 'Plant', x: np.ndarray, errors: np.ndarray | None, dependent: bool,
                parameters: Mapping[str, float] | None) -> None:
    """
    Refuse a start whose rows contradict each other; warn of one that is off its rows for good.

    :param x: input or recorded row of the start
    :param errors: phi and its rate (2 m,); None where nothing was recorded
    :param dependent: the rows needed a rank
    """
    if errors is None and (plant.agreed or not dependent):
        return  # once per plant: a single step must not pay for it again
    if errors is not None and max(map(abs, errors.tolist())) <= OFF:  # few: faster than numpy
        return
    start = state_of(x, plant.robot.n)
    if dependent and misfit(plant, start, parameters):
        error = inconsistent(plant, start, parameters)
        error.state = start
        raise error
    plant.agreed |= dependent
    if errors is not None and not plant.warned:
        plant.warned = warn(plant, start, errors)


def check_starts(plant: 'Plant', rows: np.ndarray) -> None:
    """Check the worst start of runs side by side (runs, samples, width): no rows depend there."""
    m = len(plant.row_names)
    errors = np.abs(rows[:, 0, rows.shape[2] - 2 * m:])
    if m and errors.max() > OFF:
        worst = rows[int(errors.max(axis=1).argmax()), 0]
        check_start(plant, worst, worst[-2 * m:], False, None)


def warn(plant: 'Plant', start: State, errors: np.ndarray) -> bool:
    """Log the row that is off most, if no stabilisation brings it back; return whether."""
    names, kind = plant.row_names, plant.stabilisation.kind
    speed = max(1.0, float(np.abs(start.v).max()))
    phi, rate = np.abs(errors).reshape(2, -1)
    found = []
    if kind in ('none', 'velocity_correction') and phi.max() > OFF:
        found.append(f'{names[int(np.argmax(phi))]!r} by {phi.max():.3g}')
    if kind == 'none' and rate.max() > OFF * speed:
        found.append(f'{names[int(np.argmax(rate))]!r} by {rate.max():.3g} per second')
    if found:
        LOG.warning('%s starts off its constraint rows at %s: %s; stabilisation %r does not bring '
                    'it back: use assemble_start, baumgarte or projection', plant.robot.name,
                    place(start), ' and '.join(found), kind)
    return bool(found)
