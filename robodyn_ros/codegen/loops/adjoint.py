# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Back through a recorded rollout: the gradient of its cost, a step at a time from the end.

    cost = sum over steps h stage(t, q, v, tau, reference) + terminal(t, q, v)

To it come slopes by q, v, tau of every sample, of a cost that is known by those only.

Every step's stages are computed again from its recorded start, then their weights are carried
back in reverse order; so are the control law's, its memory's and those of torques on their way.

    point   a stage: t, q(n), v(n), tau(n), extra(n) of an implicit stage; then weights of its
            rates (2 n)
    s       points of all stages, rates(2 n + 2), answer of a pull, input of the law or the cost
            with its weights, their answers; where steps end in a projection: the point before it
            with weights (n), what a kernel answers, positions before each of its Newton steps;
            where ranks are found: the input of a pull, and what the rank solver leaves
    back    weights: of q, v at the start(2 n), of the torque that acted first(n), of the law's
            memory, of torques on their way(delay n), of the mechanics' parameters, of the law's;
            then the cost's part that is a sum over steps
"""
from __future__ import annotations

from typing import Any, Callable, Mapping, NamedTuple

from robodyn_ros.codegen.backend import Backend
from robodyn_ros.codegen.layout import Layout
from robodyn_ros.codegen.loops.outcomes import DEPENDENT, NOT_FINITE, OK, REASONS, SINGULAR
from robodyn_ros.codegen.loops.rank_solver import make_rank_solver
from robodyn_ros.codegen.native import Array, Signature
from robodyn_ros.codegen.routines import Routine
from robodyn_ros.tolerances import NEAR_ROWS, NEWTON_STEPS, ON_ROWS, STANDING


class Scheme(NamedTuple):
    """An integrator's stages: each starts ahead of the step's start along the one before."""

    ahead: tuple[float, ...]
    """Of each stage but the first, in steps."""
    weights: tuple[float, ...]
    """Of the stages' rates in the step."""
    reach: float = 0.0
    """How much of h a is added to qdot in the step of a single stage."""
    implicit: bool = False
    """Of the second stage: extra is twice the first's acceleration."""


SCHEMES = {
    'rk4': Scheme((0.5, 0.5, 1.0), (1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0)),
    'heun': Scheme((1.0,), (0.5, 0.5)), 'euler': Scheme((), (1.0,)),
    'taylor': Scheme((), (1.0,), 0.5), 'semi_implicit_euler': Scheme((), (1.0,), 1.0),
    'implicit_friction': Scheme((1.0,), (0.5, 0.5), implicit=True)}


class Adjoint(NamedTuple):
    """What the loop of one program does."""

    layout: Layout
    scheme: Scheme
    controlled: bool
    noisy: bool
    parameters: int
    """Weights of the mechanics that pull leaves."""
    of_law: int
    """The same of the law."""
    seen: int
    """Numbers of a reference that the stage cost and the law see."""
    projected: bool = False
    """Each step ends with a projection onto the rows."""
    find_ranks: bool = False
    """The rows' rank is found at every stage (rank_solver.py); no step ends with a projection."""
    corrected: bool = False
    """Of ranks: positions follow corrected velocities."""

    @property
    def lanes(self) -> int:
        """Return how many runs go side by side."""
        return 1

    @property
    def point(self) -> int:
        """Return the numbers of a stage, its weights apart."""
        return self.layout.x_size + (self.layout.n if self.scheme.implicit else 0)

    @property
    def law_input(self) -> int:
        """Return the numbers of the law's input, its weights apart."""
        return self.layout.tau + self.seen + self.layout.memory

    @property
    def places(self) -> tuple[int, int, int, int, int, int]:
        """Return where rates, answer, input, its answer, projection and the end lie in s."""
        n, stages = self.layout.n, len(self.scheme.weights)
        rates = stages * (self.point + 2 * n)
        answer = rates + 2 * n + 2
        given = answer + self.point + self.parameters + 2
        found = given + max(self.law_input + n + self.layout.memory, self.layout.x_size
                            + self.seen)
        fit = found + 1 + self.law_input + n + self.seen + self.of_law
        room = self.point + n + max(self.layout.corrected, 2 * n + self.parameters) \
            + (NEWTON_STEPS + 1) * n
        if self.find_ranks:
            room = self.pull_input + self.layout.scratch
        return rates, answer, given, found, fit, fit + (
            room if self.projected or self.find_ranks else 0)

    @property
    def pull_input(self) -> int:
        """Return the numbers of a stage and of four solves, see sensitivity.pulled_back_apart."""
        return self.point + 2 * self.layout.n + 4 * (self.layout.n + self.layout.m)

    @property
    def back(self) -> tuple[int, int, int, int, int, int]:
        """Return where torque, memory, queue, parameters, the law's and the cost lie in back."""
        n = self.layout.n
        memory = 3 * n
        queue = memory + self.layout.memory
        mechanics = queue + self.layout.kept
        law = mechanics + self.parameters
        return 2 * n, memory, queue, mechanics, law, law + self.of_law

    def signatures(self, prepared: int) -> dict[str, Signature]:
        """Return what the function for Python takes, given the length of w."""
        layout = self.layout

        def lengths(steps: int, h: float, period: int) -> list[int]:
            instants = -(-steps // period)
            return [prepared, (steps + 1) * layout.sample, instants * layout.reference,
                    layout.memory, (steps + 1) * 3 * layout.n, self.places[-1],
                    self.back[-1] + 1, instants * layout.reference]
        return {'adjoint': Signature(
            'idi', (Array('w'), Array('rows'), Array('reference'), Array('memory'),
                    Array('slopes'), Array('s', True), Array('back', True),
                    Array('by_reference', True)), lengths)}

    def make(self, backend: Backend, routines: Mapping[str, Routine],
             kernels: Mapping[str, Callable], signatures: Mapping[str, Signature]) -> None:
        """Make the loop and mark it for Python."""
        layout, scheme = self.layout, self.scheme
        export, cells = backend.export, backend.cells
        n, stages, point, seen = layout.n, len(scheme.weights), self.point, self.seen
        block, memory, sample = point + 2 * n, layout.memory, layout.sample
        rates_at, answer, given, found, fit, _ = self.places
        torque_at, memory_at, queue_at, mechanics_at, law_at, cost_at = self.back
        parameters, of_law, delay = self.parameters, self.of_law, layout.delay
        width, tau, x_size = layout.reference, layout.tau, layout.x_size
        errors = 2 * n if self.noisy else 0
        margins = answer + point - 1 + parameters
        weights, implicit, reach = scheme.weights, scheme.implicit, scheme.reach
        ahead = (*scheme.ahead, 0.0)
        rates, pull = _ranked(backend, self, kernels) if self.find_ranks else (
            kernels['rates'], kernels['pull'])
        cost = kernels['cost']
        moved = fit + point + n
        kept = moved + max(layout.corrected, 2 * n + parameters)
        m, projected = layout.m, self.projected

        if projected:
            correct, positions = kernels['correct'], kernels['positions']
            velocities = kernels['velocities']

            @backend.function
            def off_rows(w: Any, s: Any, back: Any, h: Any) -> Any:
                """Carry the weights of q and v behind a projection to those before it."""
                rates(s, (stages - 1) * block, w, s, rates_at)
                s[fit] = s[0] + h
                for k in range(2 * n):
                    s[fit + 1 + k] += h * weights[stages - 1] * s[rates_at + k]
                for k in range(n):
                    s[fit + 1 + k] += reach * h * h * s[rates_at + n + k]
                count = 0
                going = 1
                while going > 0:
                    correct(s, fit, w, s, moved)
                    if not s[moved + 2 * n] > 0.0:
                        return DEPENDENT
                    worst = 0.0
                    for r in range(m):
                        worst = max(worst, abs(s[moved + 2 * n + 1 + r]))
                    last = 0.0
                    for k in range(n):
                        last = max(last, abs(s[moved + k]))
                        s[kept + count * n + k] = s[fit + 1 + k]
                    count += 1
                    # where the rows hold, too, a step is gone back through, though none was
                    # taken: derivatives of Newton's steps come to rest one later than the steps
                    if worst < ON_ROWS or count > NEWTON_STEPS:
                        going = 0
                    else:
                        for k in range(n):
                            s[fit + 1 + k] += s[moved + k]
                        if worst < NEAR_ROWS and last < STANDING:
                            going = 0
                for k in range(n):
                    s[fit + point + k] = back[n + k]
                velocities(s, fit, w, s, moved)
                for k in range(2 * n):
                    back[k] += s[moved + k]
                for k in range(parameters):
                    back[mechanics_at + k] += s[moved + 2 * n + k]
                for reverse in range(count):
                    for k in range(n):
                        s[fit + 1 + k] = s[kept + (count - 1 - reverse) * n + k]
                        s[fit + point + k] = back[k]
                    positions(s, fit, w, s, moved)
                    for k in range(n):
                        back[k] += s[moved + k]
                    for k in range(parameters):
                        back[mechanics_at + k] += s[moved + n + k]
                return OK
        else:
            @backend.function
            def off_rows(w: Any, s: Any, back: Any, h: Any) -> Any:
                """Leave the weights where they are."""
                return OK

        @backend.function
        def step_back(w: Any, s: Any, back: Any, h: Any) -> Any:
            """Carry the weights of q and v behind a step to its start and its torque."""
            if projected:
                for k in range(point):
                    s[fit + k] = s[k]
            for stage in range(1, stages):
                at, before = stage * block, (stage - 1) * block
                rates(s, before, w, s, rates_at)
                if projected:
                    for k in range(2 * n):
                        s[fit + 1 + k] += h * weights[stage - 1] * s[rates_at + k]
                forward = h * ahead[stage - 1]
                for k in range(point):
                    s[at + k] = s[k]
                s[at] = s[0] + forward
                for k in range(2 * n):
                    s[at + 1 + k] = s[1 + k] + forward * s[rates_at + k]
                if implicit:
                    for k in range(n):
                        s[at + x_size + k] = 2.0 * s[rates_at + n + k]
            reason = off_rows(w, s, back, h)
            if reason != OK:
                return reason
            for stage in range(stages):
                at = stage * block + point
                for k in range(2 * n):
                    s[at + k] = h * weights[stage] * back[k]
                for k in range(n):
                    s[at + n + k] += reach * h * h * back[k]
            for reverse in range(stages):
                stage = stages - 1 - reverse
                at = stage * block
                pull(s, at, w, s, answer)
                if not s[margins] > 0.0:
                    return SINGULAR if s[margins] <= 0.0 else NOT_FINITE
                if not s[margins + 1] > 0.0:
                    return DEPENDENT
                for k in range(3 * n):
                    back[k] += s[answer + k]
                for k in range(parameters):
                    back[mechanics_at + k] += s[answer + point - 1 + k]
                if stage > 0:
                    forward = h * ahead[stage - 1]
                    for k in range(2 * n):
                        s[at - block + point + k] += forward * s[answer + k]
                    if implicit:
                        for k in range(n):
                            s[at - block + point + n + k] += 2.0 * s[answer + 3 * n + k]
            return OK

        if self.controlled:
            control = kernels['control']

            @backend.function
            def command_back(instant: Any, w: Any, s: Any, back: Any, reference: Any, rows: Any,
                             row: Any, start: Any, by_reference: Any) -> Any:
                """Carry the weights of the torque at a control instant to what the law read."""
                for i in range(tau):
                    s[given + i] = rows[row + i]
                for i in range(errors):
                    s[given + 1 + i] += reference[instant * width + seen + i]
                for i in range(seen):
                    s[given + tau + i] = reference[instant * width + i]
                for i in range(memory):
                    s[given + tau + seen + i] = (start[i] if row == 0
                                                 else rows[row - memory + i])
                weight = given + tau + seen + memory
                for k in range(n):
                    acted = back[torque_at + k]
                    if delay > 0:
                        # after[i] = before[i + 1], the law's last; what acts is before[0]
                        s[weight + k] = back[queue_at + (delay - 1) * n + k]
                        for reverse in range(1, delay):
                            i = delay - reverse
                            back[queue_at + i * n + k] = back[queue_at + (i - 1) * n + k]
                        back[queue_at + k] = acted
                    else:
                        s[weight + k] = acted
                    back[torque_at + k] = 0.0
                for i in range(memory):
                    s[weight + n + i] = back[memory_at + i]
                control(s, given, w, s, found)
                for i in range(2 * n):
                    back[i] += s[found + i]
                for i in range(seen):
                    by_reference[instant * width + i] += s[found + 2 * n + i]
                for i in range(errors):
                    by_reference[instant * width + seen + i] += s[found + i]
                for i in range(memory):
                    back[memory_at + i] = s[found + 2 * n + seen + i]
                for i in range(of_law):
                    back[law_at + i] += s[found + 2 * n + seen + memory + i]
        else:
            @backend.function
            def command_back(instant: Any, w: Any, s: Any, back: Any, reference: Any, rows: Any,
                             row: Any, start: Any, by_reference: Any) -> Any:
                """Leave the weights of the torque that is held."""

        @backend.entry('adjoint', signatures['adjoint'])
        def adjoint(steps: Any, h: Any, period: Any, w: Any, rows: Any, reference: Any,
                    memory: Any, slopes: Any, s: Any, back: Any, by_reference: Any) -> Any:
            """Go back from the weights of q and v at the end, which lie in back."""
            export()
            given_w, samples, wanted = cells(w), cells(rows), cells(reference)
            start, further = cells(memory), cells(slopes)
            numbers, weight, by = cells(s), cells(back), cells(by_reference)
            for reverse in range(steps):
                k = steps - 1 - reverse
                row = k * sample
                for i in range(x_size):
                    numbers[i] = samples[row + i]
                for i in range(point - x_size):
                    numbers[x_size + i] = 0.0
                reason = step_back(given_w, numbers, weight, h)
                if reason != OK:
                    return REASONS * k + reason
                instant = k // period
                for i in range(x_size):
                    numbers[given + i] = samples[row + i]
                for i in range(seen):
                    numbers[given + x_size + i] = wanted[instant * width + i]
                cost(numbers, given, given_w, numbers, found)
                weight[cost_at] += h * numbers[found]
                for i in range(3 * n):
                    weight[i] += h * numbers[found + 1 + i] + further[3 * n * k + i]
                for i in range(seen):
                    by[instant * width + i] += h * numbers[found + 1 + 3 * n + i]
                if k % period == 0:
                    command_back(instant, given_w, numbers, weight, wanted, samples, row, start,
                                 by)
            return OK


def _ranked(backend: Backend, chosen: Adjoint, kernels: Mapping[str, Callable]
            ) -> tuple[Callable, Callable]:
    """
    Return rates and pull as the straight-line kernels leave them, by rows of any rank.

    A stage is solved for the rates and, where velocities are corrected, for the correction; then
    with weights in the place of forces. What distinguishes multipliers of dependent rows moves
    nothing, here as there.
    """
    layout, point, work = chosen.layout, chosen.point, chosen.places[4]
    n, m, both = layout.n, layout.m, layout.n + layout.m
    solved = work + point + 2 * n
    answers, left = solved + 2 * both, solved + 4 * both
    scratch, parts = left + 2 * n + 2, 2 if chosen.corrected else 1
    force_at, right_at = layout.rank_force, layout.rank_right
    multipliers_at, extra_at = layout.rank_multipliers, layout.rank_extra
    margins = point - 1 + chosen.parameters
    solver = make_rank_solver(backend, layout, kernels)
    dynamics, solve_rows = solver['dynamics'], solver['solve_rows']
    terms, gradient = kernels['dynamics_terms'], kernels['pull']

    @backend.function
    def rates(x: Any, i: Any, w: Any, y: Any, j: Any) -> Any:
        """Leave qdot, a and the two margins."""
        dynamics(x, i, w, y, left)
        for k in range(2 * n + 2):
            y[j + k] = y[left + k]

    @backend.function
    def pull(x: Any, i: Any, w: Any, y: Any, j: Any) -> Any:
        """Leave the weights of what the rates depend on, and the two margins."""
        dynamics(x, i, w, y, left)
        for k in range(point + 2 * n):
            y[work + k] = x[i + k]
        for k in range(n):
            y[solved + k] = y[scratch + force_at + k]
        for r in range(m):
            y[solved + n + r] = y[scratch + multipliers_at + r]
        for k in range(both):
            y[solved + both + k] = y[scratch + extra_at + k]
        for part in range(parts):
            terms(x, i, w, y, scratch)
            for k in range(n):
                y[scratch + force_at + k] = x[i + point + (1 - part) * n + k]
            for r in range(2 * m):
                y[scratch + right_at + r] = 0.0
            solve_rows(y, scratch)
            for k in range(n):
                y[answers + part * both + k] = y[scratch + force_at + k]
            for r in range(m):
                y[answers + part * both + n + r] = y[scratch + multipliers_at + r]
        gradient(y, work, w, y, j)
        for k in range(2):
            y[j + margins + k] = y[left + 2 * n + k]

    return rates, pull
