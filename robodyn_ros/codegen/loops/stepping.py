# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Time stepping around the kernels of a plant, and the functions of it that Python calls.

One loop serves a single run, a run that goes on where another stopped, and, with lanes, many runs
side by side in the processor's vector registers, with the same bits for each. Layouts of the
arrays: layout.py. A run in a group that needs a decision of its own (a failed step, dependent
rows) makes the whole group stop, to be repeated one run at a time.
"""
from __future__ import annotations

from typing import Any, Callable, Mapping, NamedTuple

from robodyn_ros.codegen.backend import Backend
from robodyn_ros.codegen.layout import Layout
from robodyn_ros.codegen.loops.delay import delay_torque
from robodyn_ros.codegen.loops.integrators import (AT_ONCE, IMPLICIT, make_integrator,
                                                   make_judge, unrolled)
from robodyn_ros.codegen.loops.measuring import make_measure
from robodyn_ros.codegen.loops.outcomes import (DEPENDENT, NOT_FINITE, NOT_PROJECTED, OK, REASONS)
from robodyn_ros.codegen.loops.pairs import LANES, PAIRED, paired
from robodyn_ros.codegen.loops.rank_solver import make_rank_solver
from robodyn_ros.codegen.native import Array, Signature
from robodyn_ros.codegen.routines import prepared_size, Routine
from robodyn_ros.tolerances import NEAR_ROWS, NEWTON_STEPS, ON_ROWS, STANDING

OUTCOME = 3
"""Numbers that a group of measured runs leaves: next step, samples, OK or the reason to stop."""
HUGE = 1e300
"""Size from which a number counts as no longer finite: sums of such numbers overflow."""


class Stepping(NamedTuple):
    """What the loops of one program do."""

    layout: Layout
    integrator: str
    controlled: bool
    projected: bool
    find_ranks: bool
    """The rows' rank is found at run time (rank_solver.py)."""
    noisy: bool = False
    """The last 2 n numbers of a reference are errors of the state that the law sees."""
    measured: bool = False
    """Samples are not recorded but measured: their extremes and sums are kept (measuring.py)."""
    targets: int = 0
    """Numbers of a target; 0: there is none, and no error is measured."""
    own: bool = False
    """Each run of a group has its own references and targets, side by side."""

    @property
    def lanes(self) -> int:
        """Return how many runs go side by side."""
        return self.layout.lanes

    @property
    def copies(self) -> int:
        """Return how many references and targets lie side by side."""
        return self.layout.lanes if self.own else 1

    def make(self, backend: Backend, routines: Mapping[str, Routine],
             kernels: Mapping[str, Callable], signatures: Mapping[str, Signature]) -> None:
        """Make the loops of a program and mark those that Python calls."""
        integrator, room = self.integrator, 0
        if integrator == AT_ONCE:
            step = unrolled(routines['dynamics'], self.layout.n)
            kernels = {**kernels, AT_ONCE: backend.kernel(step)}
        elif integrator == 'rk4' and self.lanes == 1 and not self.find_ranks:
            pair = paired(routines['dynamics'], self.layout)
            if pair is not None:
                integrator, room = PAIRED, pair.room
                kernels = {**kernels, 'positions': backend.kernel(pair.positions, LANES),
                           PAIRED: backend.kernel(pair.rates)}
        make_loops(backend, self._replace(integrator=integrator), kernels, signatures, room,
                   prepared_size(routines))

    def signatures(self, prepared: int) -> dict[str, Signature]:
        """Return what the functions for Python take, given the length of w."""
        layout, lanes = self.layout, self.layout.lanes

        def rollout(first: int, steps: int, h: float, every: int, period: int) -> list[int]:
            instants = (-(-steps // period) if self.controlled else 0) * self.copies
            samples = steps // every + 1 if every else 0
            each = (1, layout.x_size, prepared, layout.scratch, layout.workspace)
            kept = layout.measure if self.measured else samples * layout.sample
            return [*(lanes * size for size in each), instants * layout.reference,
                    lanes * kept, lanes * layout.queue, 2]

        def measure(count: int, first: int, steps: int, h: float, every: int, period: int,
                    tolerance: float) -> list[int]:
            t0, x, w, y, s, reference, rows, queue, _ = rollout(first, steps, h, every, period)
            targets = (steps // every + 1) * self.targets * self.copies
            times = count if self.own else 1
            return [count * t0, count * x, count * w, y, s, times * reference, count * rows,
                    count * queue, count * OUTCOME, times * targets]

        arrays = (Array('t0'), Array('x', True), Array('w'), Array('y', True), Array('s', True),
                  Array('reference'), Array('rows', True), Array('queue', True),
                  Array('done', True, 'n'))
        if self.measured:
            return {'measure': Signature('iiidiid', (*arrays, Array('targets')), measure)}
        found = {'rollout': Signature('iidii', arrays, rollout)}
        if lanes == 1:
            found['derivative'] = Signature(
                'i', (Array('x'), Array('w'), Array('y', True), Array('rates', True)),
                lambda count: (count * layout.x_size, prepared, layout.scratch,
                               count * 2 * layout.n))
            found['steps_in_place'] = Signature(
                '', (Array('block', True), Array('w'), Array('counts', True, 'n')),
                lambda: (layout.block, prepared, 4))
        return found


def make_loops(backend: Backend, chosen: Stepping, kernels: Mapping[str, Callable],
               signatures: Mapping[str, Signature], room: int, prepared: int) -> None:
    """Make the loops of a program and mark those that Python calls."""
    layout = chosen.layout
    implicit = chosen.integrator == IMPLICIT
    if chosen.find_ranks:
        found = make_rank_solver(backend, layout, kernels)
        if implicit:
            terms = {**kernels, 'dynamics_terms': kernels['implicit_terms']}
            found['implicit'] = make_rank_solver(backend, layout, terms)['dynamics']
        kernels = {**kernels, **found}
    lanes, n, m = layout.lanes, layout.n * layout.lanes, layout.m
    margins, tau, sample = layout.margins * lanes, layout.tau * lanes, layout.sample
    control_at, start_at = layout.control * lanes, layout.start * lanes
    reference_size, delay, observed = layout.reference, layout.delay, layout.observed
    memory, kept_at = layout.memory, layout.kept * lanes
    # errors of the state come last in a reference, and are not among what the law is given
    errors = 2 * layout.n if chosen.noisy else 0
    wanted = reference_size - errors
    memory_at, answer_at = control_at + tau + wanted * lanes, layout.answer * lanes
    recorded, copies, measured = layout.x_size, chosen.copies, chosen.measured
    dynamics, observe = kernels['dynamics'], kernels['observe']
    export, cells = backend.export, backend.cells
    judge = make_judge(backend, lanes)
    stage = {IMPLICIT: 'implicit'}.get(chosen.integrator, chosen.integrator)
    advance = make_integrator(backend, layout, chosen.integrator, kernels.get(stage, dynamics),
                              judge, kernels.get('slopes'), kernels.get('positions'), room)

    if chosen.projected:
        correct = kernels['correct']

        @backend.function
        def project(x: Any, w: Any, y: Any) -> Any:
            """Newton steps until the rows hold, then the velocity is made to fit them."""
            for _ in range(NEWTON_STEPS):
                correct(x, 0, w, y, 0)
                if not y[2 * n] > 0.0:
                    return DEPENDENT
                worst = 0.0
                for r in range(m):
                    if not abs(y[2 * n + 1 + r]) < HUGE:
                        return NOT_FINITE
                    worst = max(worst, abs(y[2 * n + 1 + r]))
                if worst < ON_ROWS:
                    for k in range(n):
                        x[1 + n + k] += y[n + k]
                    return OK
                last = 0.0
                for k in range(n):
                    last = max(last, abs(y[k]))
                    x[1 + k] += y[k]
                # the rounding of q itself limits phi on long arms: stop when a step cannot help
                if worst < NEAR_ROWS and last < STANDING:
                    for k in range(n):
                        x[1 + n + k] += y[n + k]
                    return OK
            return NOT_PROJECTED
    else:
        @backend.function
        def project(x: Any, w: Any, y: Any) -> Any:
            """Leave the state where it is."""
            return OK

    if chosen.controlled:
        control = kernels['control']
        exchange = backend.function(delay_torque)

        @backend.function
        def command(instant: Any, x: Any, w: Any, s: Any, reference: Any, queue: Any) -> Any:
            """Compute the torque of a control instant; the one of delay instants ago acts."""
            for i in range(tau):
                s[control_at + i] = x[i]
            for i in range(wanted):
                for lane in range(lanes):
                    s[control_at + tau + i * lanes + lane] = reference[
                        (instant * reference_size + i) * copies + lane % copies]
            for i in range(errors):
                for lane in range(lanes):
                    s[control_at + (1 + i) * lanes + lane] += reference[
                        (instant * reference_size + wanted + i) * copies + lane % copies]
            if memory > 0:
                for i in range(memory * lanes):
                    s[memory_at + i] = queue[kept_at + i]
                control(s, control_at, w, s, answer_at)
                for i in range(n):
                    x[tau + i] = s[answer_at + i]
                for i in range(memory * lanes):
                    queue[kept_at + i] = s[answer_at + n + i]
            else:
                control(s, control_at, w, x, tau)
            if delay > 0:
                exchange(queue, x, tau, n, delay)
    else:
        @backend.function
        def command(instant: Any, x: Any, w: Any, s: Any, reference: Any, queue: Any) -> Any:
            """Hold the torque that was given."""

    if lanes == 1:
        @backend.function
        def finite(x: Any) -> Any:
            """Tell whether q and v are numbers, by one sum."""
            total = 0.0
            for k in range(2 * n):
                total += abs(x[1 + k])
            return total < HUGE
    else:
        @backend.function
        def finite(x: Any) -> Any:
            """Tell whether all q and v are numbers, one by one: this can be done in vectors."""
            bad = 0
            for k in range(2 * n):
                if not abs(x[lanes + k]) < HUGE:
                    bad += 1
            return bad == 0

    @backend.function
    def one_step(x: Any, w: Any, y: Any, s: Any, h: Any) -> Any:
        """Advance x by h and project if asked; OK or the reason why x must not be used."""
        reason = advance(x, w, y, s, h)
        if reason == OK:
            reason = project(x, w, y)
        if reason == OK and not finite(x):
            return NOT_FINITE
        return reason

    if measured:
        measure = make_measure(backend, layout, chosen.targets, copies, kernels)

        @backend.function
        def record(x: Any, w: Any, y: Any, queue: Any, rows: Any, number: Any, length: Any,
                   targets: Any, tolerance: Any, seconds: Any) -> Any:
            """Measure a sample of every run."""
            measure(x, w, y, rows, number, targets, tolerance, seconds)
    else:
        @backend.function
        def record(x: Any, w: Any, y: Any, queue: Any, rows: Any, number: Any, length: Any,
                   targets: Any, tolerance: Any, seconds: Any) -> Any:
            """Write a sample of every run; the rows of one run are together, length numbers."""
            observe(x, 0, w, y, 0)
            for lane in range(lanes):
                place = lane * length + number * sample
                for k in range(recorded):
                    rows[place + k] = x[k * lanes + lane]
                for k in range(observed):
                    rows[place + recorded + k] = y[k * lanes + lane]
                for k in range(memory):
                    rows[place + recorded + observed + k] = queue[kept_at + k * lanes + lane]

    @backend.function
    def run(first: Any, steps: Any, h: Any, every: Any, period: Any, t0: Any, x: Any, w: Any,
            y: Any, s: Any, reference: Any, rows: Any, queue: Any, done: Any, targets: Any,
            tolerance: Any) -> Any:
        """
        Run steps first .. steps - 1 from x; record every so many, control every period.

        Returns OK or the reason to stop. On return x is the last good state, done[0] the next step
        and done[1] the samples written so far. With every = 0 nothing is recorded. The torque in x
        is held between control instants; queue holds the torques still on their way and the law's
        memory.
        """
        length = 0
        if every > 0:
            length = (steps // every + 1) * sample
        resumed = first > 0
        for k in range(first, steps):
            for lane in range(lanes):
                x[lane] = t0[lane] + k * h
            if k % period == 0 and not resumed:
                command(k // period, x, w, s, reference, queue)
            # a sample is written again with the same numbers, but it must not be measured twice
            if every > 0 and k % every == 0 and not (measured and resumed):
                record(x, w, y, queue, rows, k // every, length, targets, tolerance, every * h)
                done[1] = k // every + 1
            resumed = False
            for i in range(2 * n):
                s[start_at + i] = x[lanes + i]
            reason = one_step(x, w, y, s, h)
            if reason != OK:
                for i in range(2 * n):
                    x[lanes + i] = s[start_at + i]
                for lane in range(lanes):
                    x[lane] = t0[lane] + k * h
                done[0] = k
                return reason
        done[0] = steps
        for lane in range(lanes):
            x[lane] = t0[lane] + steps * h
        if every > 0 and steps % every == 0:
            # no step follows that would judge the rows of this state
            dynamics(x, 0, w, y, 0)
            reason = judge(y, margins)
            if reason != OK:
                return reason
            record(x, w, y, queue, rows, steps // every, length, targets, tolerance, 0.0)
            done[1] = steps // every + 1
        return OK

    if measured:
        width, kept, queued = prepared * lanes, layout.measure * lanes, layout.queue * lanes
        # what a group has of its own; else all read the same
        read, aims = (reference_size * lanes, chosen.targets * lanes) if chosen.own else (0, 0)

        @backend.entry('measure', signatures['measure'])
        def call_measure(count: Any, first: Any, steps: Any, h: Any, every: Any, period: Any,
                         tolerance: Any, t0: Any, x: Any, w: Any, y: Any, s: Any, reference: Any,
                         rows: Any, queue: Any, done: Any, targets: Any) -> Any:
            """
            Call run from Python, measuring, for one group after another.

            done holds, of each group, what run leaves there and what it returns.
            """
            export()
            outcome = cells(done)
            instants, samples = (steps + period - 1) // period, steps // every + 1
            for k in range(count):
                outcome[k * OUTCOME + 2] = run(
                    first, steps, h, every, period, cells(t0)[k * lanes:],
                    cells(x)[k * recorded * lanes:], cells(w)[k * width:], cells(y), cells(s),
                    cells(reference)[k * instants * read:], cells(rows)[k * kept:],
                    cells(queue)[k * queued:], outcome[k * OUTCOME:],
                    cells(targets)[k * samples * aims:], tolerance)
            return OK
        return

    @backend.entry('rollout', signatures['rollout'])
    def rollout(first: Any, steps: Any, h: Any, every: Any, period: Any, t0: Any, x: Any, w: Any,
                y: Any, s: Any, reference: Any, rows: Any, queue: Any, done: Any) -> Any:
        """Call run from Python."""
        export()
        return run(first, steps, h, every, period, cells(t0), cells(x), cells(w), cells(y),
                   cells(s), cells(reference), cells(rows), cells(queue), cells(done),
                   cells(rows), 0.0)

    if lanes == 1:
        _make_single(backend, layout, dynamics, judge, run, signatures)


def _make_single(backend: Backend, layout: Layout, dynamics: Callable, judge: Callable,
                 run: Callable, signatures: Mapping[str, Signature]) -> None:
    """Make what is called for one run only: rates of states, and steps in place."""
    n, margins, width = layout.n, layout.margins, layout.x_size
    block_x, block_y, block_s = layout.block_x, layout.block_y, layout.block_s
    export, cells = backend.export, backend.cells

    @backend.function
    def all_rates(count: Any, x: Any, w: Any, y: Any, rates: Any) -> Any:
        """
        Write qdot and a of many states x, one after another, to rates.

        Returns OK, or REASONS times the number of the first state whose rates are no good plus
        the reason.
        """
        for k in range(count):
            dynamics(x, k * width, w, y, 0)
            reason = judge(y, margins)
            total = 0.0
            for i in range(2 * n):
                rates[k * 2 * n + i] = y[i]
                total += abs(y[i])
            if reason == OK and not total < HUGE:
                reason = NOT_FINITE
            if reason != OK:
                return REASONS * k + reason
        return OK

    @backend.entry('derivative', signatures['derivative'])
    def derivative(count: Any, x: Any, w: Any, y: Any, rates: Any) -> Any:
        """Call all_rates from Python."""
        export()
        return all_rates(count, cells(x), cells(w), cells(y), cells(rates))

    @backend.entry('steps_in_place', signatures['steps_in_place'])
    def steps_in_place(block: Any, prepared: Any, counts: Any) -> Any:
        """
        Take some steps without control and record, in arrays that are always the same.

        block = h, t0, x, y, s; counts = steps taken so far and to be taken now, then what run
        leaves in done(2).
        """
        export()
        numbers, whole = cells(block), cells(counts)
        first, last = whole[0], whole[0] + whole[1]
        unused = numbers[:1]
        reason = run(first, last, numbers[0], 0, 1, numbers[1:block_x], numbers[block_x:block_y],
                     cells(prepared), numbers[block_y:block_s], numbers[block_s:], unused, unused,
                     unused, whole[2:], unused, 0.0)
        whole[0] = last
        return reason
