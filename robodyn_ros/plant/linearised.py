# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The linear plant next to a state: A and B of its rates, and of one step as it is computed.

    d/dt (dq, dv) = A (dq, dv) + B dtau        (dq, dv)+ = A_step (dq, dv) + B_step dtau

The rates' derivatives are compiled (plant/sensitivity.py); a step chains them as its integrator
does, and goes on through the projection where there is one. Where rows are dependent, the same
equations are solved with a pseudo-inverse that finds their rank.
"""
from __future__ import annotations

from functools import partial
from typing import Callable, NamedTuple

import numpy as np

from robodyn_ros.codegen.evaluation import Evaluation
from robodyn_ros.codegen.loops import outcomes
from robodyn_ros.codegen.program import Program
from robodyn_ros.errors import ConstraintError, RobodynError
from robodyn_ros.plant.diagnosis import failure, place, state_of
from robodyn_ros.plant.model import CHOLESKY, Model
from robodyn_ros.plant.ranked import ranked_rates, recorded
from robodyn_ros.plant.sensitivity import Mechanics, projection_by_state, rates_by_state
from robodyn_ros.robots.parameters import Given
from robodyn_ros.tolerances import NEAR_ROWS, NEWTON_STEPS, ON_ROWS, STANDING
from robodyn_ros.tracing import Number

Step = tuple[np.ndarray, np.ndarray]
"""Inputs or rates, and their derivatives."""
RatesAt = Callable[[str, np.ndarray], Step]


class Linearised(NamedTuple):
    """A plant next to states; a leading axis k where many were given."""

    A: np.ndarray  # noqa: N815  the letter of the equations
    """Rates of q and v by q and v (2 n, 2 n) [1/s and products of it]."""
    B: np.ndarray  # noqa: N815
    """Rates of q and v by the torque (2 n, n)."""
    A_step: np.ndarray  # noqa: N815
    """q and v after one step by those before (2 n, 2 n)."""
    B_step: np.ndarray  # noqa: N815
    """q and v after one step by the torque that is held during it (2 n, n)."""
    rates: np.ndarray
    """Rates of q and v themselves (2 n,)."""


class Linearisation:
    """Compiled derivatives of one plant, made when they are first asked for."""

    def __init__(self, model: Model):
        """Nothing is recorded yet."""
        self.model = model
        self._known: dict[tuple[str, bool], Evaluation] = {}
        self._programs: dict[tuple[str, bool], Program] = {}

    def __call__(self, x: np.ndarray, parameters: Given) -> Linearised:
        """Linearise at inputs t, q, v, tau (k, 1 + 3 n)."""
        n, vector = self.model.layout.n, self.model.vector(parameters)
        rates, slopes = start = self._rates(parameters, vector, 'rates', x)

        def rates_at(name: str, at: np.ndarray) -> Step:
            if name == 'rates' and at is x:  # a step begins with them
                return start
            return self._rates(parameters, vector, name, at)
        after, step = _STEPS[self.model.integrator](rates_at, x, self.model.step_size)
        if self.model.stabilisation.kind == 'projection' and self.model.layout.m:
            step = self._project(parameters, vector, after, step)
        return Linearised(slopes[..., :2 * n], slopes[..., 2 * n:3 * n], step[..., :2 * n],
                          step[..., 2 * n:], rates)

    def recorded(self, name: str, parametric: bool = False) -> Evaluation:
        """Return 'rates', 'implicit' or 'projection', recorded on first use."""
        key = name, parametric
        if key not in self._known:
            mechanics = Mechanics(self.model, parametric, name == 'implicit')
            outputs: list[Number] = (projection_by_state if name == 'projection'
                                     else rates_by_state)(mechanics)
            at = mechanics.at
            self._known[key] = Evaluation(
                f'the derivatives of the plant of {self.model.robot.name} with '
                f'{self.model.layout.m} constraint rows ({name}'
                f'{" and payload" if parametric else ""})', at.x, outputs, at.p)
        return self._known[key]

    def ranked(self, name: str, parametric: bool) -> Program:
        """Return the program of plant/ranked.py for 'rates' or 'implicit'."""
        key = name, parametric
        if key not in self._programs:
            self._programs[key] = recorded(
                Mechanics(self.model, parametric, name == 'implicit'),
                f'the derivatives of the plant of {self.model.robot.name} (rank-finding, {name}'
                f'{" and payload" if parametric else ""})')
        return self._programs[key]

    def _evaluate(self, name: str, vector: np.ndarray, x: np.ndarray) -> np.ndarray:
        return self.recorded(name, bool(self.model.differs(vector)))(x, vector)

    def _rates(self, parameters: Given, vector: np.ndarray, name: str, x: np.ndarray
               ) -> tuple[np.ndarray, np.ndarray]:
        """Return rates (k, 2 n) and their derivatives (k, 2 n, 3 n or 4 n) at inputs."""
        model, n, width = self.model, self.model.layout.n, x.shape[1] - 1
        if model.solvers[0] != CHOLESKY:
            return ranked_rates(self, parameters, vector, name, x)
        y = self._evaluate(name, vector, x)
        rates, slopes = y[:, :2 * n], y[:, 2 * n + 2:].reshape(len(x), 2 * n, width)
        margins = y[:, 2 * n:2 * n + 2]
        good = (margins > 0.0).all(axis=1) & np.isfinite(y).all(axis=1)
        if good.all():
            return rates, slopes
        for k in np.flatnonzero(~good):
            if margins[k, 0] > 0.0 and not margins[k, 1] > 0.0 and len(model.solvers) > 1:
                one = slice(k, k + 1)
                rates[one], slopes[one] = ranked_rates(self, parameters, vector, name, x[one])
            else:
                raise self.refusal(parameters, x[k], margins[k])
        return rates, slopes

    def refusal(self, parameters: Given, x: np.ndarray, margins: np.ndarray) -> RobodynError:
        """Return the error of an input where there are no derivatives."""
        reason = outcomes.NOT_FINITE
        if margins[0] <= 0.0:
            reason = outcomes.SINGULAR
        elif margins[0] > 0.0 and margins[1] <= 0.0:
            reason = outcomes.DEPENDENT
        return failure(self.model, reason, x[:self.model.layout.x_size], parameters)

    def _project(self, parameters: Given, vector: np.ndarray, x: np.ndarray,
                 step: np.ndarray) -> np.ndarray:
        """Follow the Newton steps onto the rows; returns the derivatives behind them."""
        n, m, step = self.model.layout.n, self.model.layout.m, step.copy()
        x, going = x.copy(), np.ones(len(x), bool)
        q, v = slice(1, 1 + n), slice(1 + n, 1 + 2 * n)
        for _ in range(NEWTON_STEPS):
            at = np.flatnonzero(going)
            y = self._evaluate('projection', vector, x[at])
            bad = at[~((y[:, -m - 1] > 0.0) & np.isfinite(y).all(axis=1))]
            if bad.size:
                raise ConstraintError(
                    f'the rows of {self.model.robot.name} depend on one another at '
                    f'{place(state_of(x[bad[0]], n))}, where a projection has no derivatives '
                    'here: write every row once, or choose another stabilisation')
            dq, by_q = y[:, :n], y[:, n:n + n * n].reshape(-1, n, n)
            dv = y[:, n + n * n:2 * n + n * n]
            v_by = y[:, 2 * n + n * n:2 * n + 3 * n * n].reshape(-1, n, 2 * n)
            worst, last = np.abs(y[:, -m:]).max(axis=1), np.abs(dq).max(axis=1)
            there = worst < ON_ROWS
            # as the step does: where rounding of q itself limits phi, its last step still counts
            near = ~there & (worst < NEAR_ROWS) & (last < STANDING)
            x[at[~there], q] += dq[~there]
            # where the rows hold, too: derivatives of Newton's steps come to rest one step later
            step[at, :n] += by_q @ step[at, :n]
            done = there | near
            x[at[done], v] += dv[done]
            step[at[done], n:] += v_by[done] @ step[at[done]]
            going[at[done]] = False
            if not going.any():
                return step
        raise failure(self.model, outcomes.NOT_PROJECTED, x[np.flatnonzero(going)[0]], parameters)


# --- steps, as codegen/loops/integrators.py computes them --------------------------------------

class _Motion:
    """Inputs with the derivatives of q and v by those at the start and by the torque."""

    def __init__(self, x: np.ndarray):
        count, n = len(x), (x.shape[1] - 1) // 3
        self.n, self.x = n, x
        self.by = np.tile(np.eye(2 * n, 3 * n), (count, 1, 1))

    def chained(self, slopes: np.ndarray, by: np.ndarray | None = None,
                extra: np.ndarray | None = None) -> np.ndarray:
        """Return the rates' derivatives by start and torque; extra: those of what is added."""
        n = self.n
        found = slopes[..., :2 * n] @ (self.by if by is None else by)
        found[..., 2 * n:] += slopes[..., 2 * n:3 * n]
        return found if extra is None else found + slopes[..., 3 * n:] @ extra

    def moved(self, ahead: float, time: float, rates: np.ndarray) -> np.ndarray:
        """Return the inputs ahead of the start along rates."""
        x = self.x.copy()
        x[:, 0] += time
        x[:, 1:1 + 2 * self.n] += ahead * rates
        return x


def _rk4(rates_at: RatesAt, x: np.ndarray, h: float) -> Step:
    start = _Motion(x)
    total, by_total = np.zeros((len(x), 2 * start.n)), np.zeros_like(start.by)
    here, by = x, start.by
    for stage, weight in enumerate((1.0, 2.0, 2.0, 1.0)):
        ahead = 0.5 * h if stage < 2 else h
        rates, slopes = rates_at('rates', here)
        chained = start.chained(slopes, by)
        total, by_total = total + weight * rates, by_total + weight * chained
        here, by = start.moved(ahead, ahead, rates), start.by + ahead * chained
    return start.moved(h / 6.0, h, total), start.by + h / 6.0 * by_total


def _heun(rates_at: RatesAt, x: np.ndarray, h: float) -> Step:
    start = _Motion(x)
    first, slopes = rates_at('rates', x)
    by_first = start.chained(slopes)
    second, slopes = rates_at('rates', start.moved(h, h, first))
    by_second = start.chained(slopes, start.by + h * by_first)
    return (start.moved(0.5 * h, h, first + second),
            start.by + 0.5 * h * (by_first + by_second))


def _implicit_friction(rates_at: RatesAt, x: np.ndarray, h: float) -> Step:
    start, n = _Motion(x), (x.shape[1] - 1) // 3
    none = np.zeros((len(x), n))
    first, slopes = rates_at('implicit', np.concatenate([x, none], axis=1))
    by_first = start.chained(slopes)
    second, slopes = rates_at('implicit', np.concatenate(
        [start.moved(h, h, first), 2.0 * first[:, n:]], axis=1))
    by_second = start.chained(slopes, start.by + h * by_first, 2.0 * by_first[:, n:])
    return (start.moved(0.5 * h, h, first + second),
            start.by + 0.5 * h * (by_first + by_second))


def _one_stage(reach: float, rates_at: RatesAt, x: np.ndarray, h: float) -> Step:
    """Take v + h a and q + h (qdot + reach h a)."""
    start = _Motion(x)
    rates, slopes = rates_at('rates', x)
    n = start.n
    shear = np.eye(2 * n)
    shear[:n, n:] = reach * h * np.eye(n)
    return start.moved(h, h, rates @ shear.T), start.by + h * (shear @ start.chained(slopes))


_STEPS: dict[str, Callable[[RatesAt, np.ndarray, float], Step]] = {
    'rk4': _rk4, 'heun': _heun, 'implicit_friction': _implicit_friction,
    'euler': partial(_one_stage, 0.0), 'taylor': partial(_one_stage, 0.5),
    'semi_implicit_euler': partial(_one_stage, 1.0)}
