# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The gradient of a rollout's cost by its parameters, its start and its reference.

    cost = sum over steps h stage(t, q, v, tau, reference) + terminal(t, q, v)

To it comes whatever else a motion costs, given by its slopes by every sample. The rollout is
recorded as always; then its compiled adjoint goes back through it (codegen/loops/adjoint.py),
which costs two or three rollouts however many parameters there are.
Both functions are recorded like a control law, and so differentiated exactly.
"""
from __future__ import annotations

from typing import Any, Callable, NamedTuple, Sequence

import numpy as np

from robodyn_ros.checks import items, numbers, refusal
from robodyn_ros.codegen.loops import outcomes
from robodyn_ros.codegen.loops.adjoint import Adjoint, SCHEMES
from robodyn_ros.codegen.program import Program
from robodyn_ros.codegen.routines import Kernel
from robodyn_ros.errors import (ConstraintError, RobodynError, SizeError, TracingError,
                                UnknownNameError)
from robodyn_ros.mechanics.parameters import NAMES
from robodyn_ros.plant.control_law import traced_law
from robodyn_ros.plant.diagnosis import place
from robodyn_ros.plant.model import CHOLESKY, Model, RANK_SOLVER, TITLES
from robodyn_ros.plant.sensitivity import (Mechanics, projection_alone, pulled_back,
                                           pulled_back_apart, rates_alone)
from robodyn_ros.robots.parameters import Given
from robodyn_ros.tracing import evaluate, gradient, Graph, inputs, Number, Scalar
from robodyn_ros.tracing.blame import blamed
from robodyn_ros.types import Rollout, State

Stage = Callable[..., Any]
Slopes = Callable[[Rollout], np.ndarray]
"""Of a motion: d cost by q, v, tau of every sample (steps + 1, 3 n)."""


class RolloutGradient(NamedTuple):
    """What Plant.rollout_gradient returns."""

    cost: float
    parameters: dict[str, float]
    """d cost by each parameter that was named."""
    q: np.ndarray
    """d cost by the positions at the start (n,)."""
    v: np.ndarray
    """d cost by the velocities at the start (n,)."""
    tau: np.ndarray
    """d cost by the torque that was given (n,); zero where a law replaces it at once."""
    reference: np.ndarray
    """d cost by the rows of the reference (instants, size)."""
    rollout: Rollout
    """The motion itself, every step of it."""


class Adjoints:
    """Compiled adjoints of one plant: one for each choice of cost and parameters."""

    def __init__(self, model: Model):
        """Refuse what has no adjoint here; nothing is recorded yet."""
        self.model = model
        if model.solvers[0] != CHOLESKY and model.stabilisation.kind == 'projection':
            raise ConstraintError(f'the plant of {model.robot.name} projects onto rows whose rank '
                                  'it finds as it runs, which has no adjoint here: write every '
                                  'row once, or choose another stabilisation')
        self._ends: dict[Stage | None, tuple[list[Scalar], list[Number]]] = {}
        self._known: dict[tuple, tuple[Program, Program | None, Adjoint]] = {}

    def __call__(self, motion: Rollout, rows: np.ndarray, reference: np.ndarray,
                 stage: Stage | None, terminal: Stage | None, by: Sequence[str],
                 parameters: Given, slopes: Slopes | None) -> RolloutGradient:
        """
        Go back through a recorded motion.

        :param rows: the samples as they were recorded, every step (steps + 1, layout.sample)
        :param reference: (instants, size)
        """
        model, n = self.model, self.model.layout.n
        vector = model.vector(parameters)
        seen = model.control.reference_size if model.control else reference.shape[1]
        parametric = bool(model.differs(vector)) or bool(set(by) & set(NAMES))
        steps = len(rows) - 1
        end, of_end = self._end(terminal, motion.end)
        further = self._slopes(slopes, motion)
        start = np.array(model.control.memory if model.control else (), dtype=float)
        period = model.control_period if model.control else 1
        for solver in model.solvers:
            program, finish, loop = self._recorded(stage, tuple(by), parametric, seen,
                                                   solver != CHOLESKY)
            torque, memory, queue, mechanics, law, cost = loop.back
            back, s = np.zeros(cost + 1), np.zeros(loop.places[-1])
            back[:3 * n] = further[-1]
            back[:2 * n] += of_end
            by_reference = np.zeros(reference.shape)
            stop = program.functions()['adjoint'](
                steps, model.step_size, period, program.prepared(vector), rows.reshape(-1),
                reference.reshape(-1), start, further.reshape(-1), s, back,
                by_reference.reshape(-1))
            if stop % outcomes.REASONS != outcomes.DEPENDENT or loop.projected:
                break
        if stop != outcomes.OK:
            raise self._stopped(motion, stop)
        found = np.zeros(0)
        if finish is not None:
            found = finish.evaluate('evaluate', back[mechanics:law], finish.prepared(vector))
        laws = [name for name in by if name.startswith('controller.')]
        values = dict(zip([name for name in by if name not in laws], found.tolist()))
        values |= dict(zip(laws, back[law:cost].tolist()))
        tau = back[torque:memory] + back[queue:mechanics].reshape(-1, n).sum(axis=0)
        return RolloutGradient(float(back[cost]) + end, {name: values[name] for name in by},
                               back[:n].copy(), back[n:2 * n].copy(), tau, by_reference, motion)

    def _end(self, terminal: Stage | None, end: State) -> tuple[float, np.ndarray]:
        """Return the terminal cost and its gradient by q and v (2 n,)."""
        if terminal not in self._ends:
            graph, n = Graph(), self.model.layout.n
            t, q, v = inputs(graph, 't', 1)[0], inputs(graph, 'q', n), inputs(graph, 'v', n)
            cost = _checked_cost(terminal, t, q, v, what='terminal')
            self._ends[terminal] = [t, *q, *v], [cost, *gradient([cost], [1.0], [*q, *v])]
        given, outputs = self._ends[terminal]
        found = evaluate(outputs, dict(zip(given, [end.t, *end.q.tolist(), *end.v.tolist()])))
        return found[0], np.array(found[1:])

    def _slopes(self, slopes: Slopes | None, motion: Rollout) -> np.ndarray:
        shape = len(motion.t), 3 * self.model.layout.n
        if slopes is None:
            return np.zeros(shape)
        found = numbers('slopes', slopes(motion), 'what the function of the motion returns')
        if found.shape != shape:
            raise SizeError('slopes', shape, found.shape, 'by q, v, tau of every sample')
        return np.ascontiguousarray(found)

    def checked(self, by: Any) -> tuple[str, ...]:
        """Return names of run-time parameters; the error lists those there are."""
        found = tuple(items(str, 'by', [by] if isinstance(by, str) else by,
                            "names such as 'controller.kp'"))
        for name in found:
            if name not in self.model.parameters.names:
                raise UnknownNameError('parameter', name, self.model.parameters.names)
            if found.count(name) > 1:
                raise refusal('by', list(found), f'each name once, but {name!r} is there twice')
        return found

    def _stopped(self, motion: Rollout, stop: int) -> RobodynError:
        step, reason = divmod(stop, outcomes.REASONS)
        where = place(State(float(motion.t[step]), motion.q[step], motion.v[step]))
        if reason == outcomes.DEPENDENT:
            return ConstraintError(
                f'constraint rows of {self.model.robot.name} depend on one another at {where}, '
                'where a projection has no adjoint here: write every row once, keep the motion '
                'away from there, or choose another stabilisation')
        return ConstraintError(f'the motion of {self.model.robot.name} has no derivatives at '
                               f'{where}: its mass matrix is not positive definite there')

    def _recorded(self, stage: Stage | None, by: tuple[str, ...], parametric: bool, seen: int,
                  ranks: bool) -> tuple[Program, Program | None, Adjoint]:
        # the functions are part of the key, and so are kept: no id comes again
        key = stage, by, parametric, seen, ranks
        if key not in self._known:
            self._known[key] = self._record(*key)
        return self._known[key]

    def _record(self, stage: Stage | None, by: tuple[str, ...], parametric: bool, seen: int,
                ranks: bool) -> tuple[Program, Program | None, Adjoint]:
        model, names = self.model, self.model.parameters.names
        scheme = SCHEMES[model.integrator]
        mechanics = Mechanics(model, parametric, scheme.implicit)
        at, graph = mechanics.at, mechanics.at.graph
        own = [name for name in by if not name.startswith('controller.')]
        chosen = [at.p[names.index(name)] for name in own]
        solved, pull = pulled_back_apart(mechanics, chosen) if ranks else (
            [], pulled_back(mechanics, chosen))
        r = inputs(graph, 'r', seen)
        cost = _checked_cost(stage, at.t, at.q, at.v, at.tau, r)
        by_cost = gradient([cost], [1.0], [*at.q, *at.v, *at.tau, *r])
        corrected = model.stabilisation.kind == 'velocity_correction' and bool(model.layout.m)
        kernels = [
            Kernel('dynamics_terms', at.x, mechanics.terms(corrected)) if ranks else
            Kernel('rates', at.x, rates_alone(mechanics)),
            Kernel('pull', [*at.x, *pull.weights, *solved], pull.outputs),
            Kernel('cost', [at.t, *at.q, *at.v, *at.tau, *r], [cost, *by_cost])]
        if pull.positions:
            n = model.layout.n
            kernels += [
                Kernel('correct', at.x, projection_alone(mechanics.of_projection())),
                Kernel('positions', [*at.x, *pull.weights[:n]], pull.positions),
                Kernel('velocities', [*at.x, *pull.weights[n:]], pull.velocities)]
        law, of_law = None, [name for name in by if name.startswith('controller.')]
        if model.control is not None:
            traced = traced_law(model.control, model.robot.n, model.parameters, 'controller')
            kernel, p = traced.kernel, traced.parameters
            weights = inputs(kernel.inputs[0].graph, 'w', len(kernel.outputs))
            found = gradient(kernel.outputs, weights, [
                *kernel.inputs[1:], *(p[names.index(name)] for name in of_law)])
            law = Kernel('control', [*kernel.inputs, *weights], found), p
        layout = model.layout if model.control else model.layout._replace(reference=seen)
        loop = Adjoint(layout, scheme, model.control is not None,
                       model.control is not None and model.control.noisy, len(pull.made),
                       len(of_law), seen, bool(pull.positions), ranks, corrected)
        title = f'the adjoint of the plant of {model.robot.name}{TITLES[RANK_SOLVER] * ranks}'
        finish = None
        if own:
            weights = inputs(graph, 'w', len(pull.made))
            finish = Program(f'{title} by parameters', [Kernel(
                'evaluate', weights, gradient(pull.made, weights, chosen))], at.p)
        return Program(title, kernels, at.p, loop, law), finish, loop


def _checked_cost(function: Stage | None, *arguments: Any, what: str = 'stage') -> Number:
    """Run a cost once with recording scalars."""
    if function is None:
        return 0.0
    with blamed(f'the {what} cost', 'it must return one number'):
        cost = function(*arguments)
    if isinstance(cost, bool) or not isinstance(cost, (Scalar, float, int)):
        raise TracingError(f'the {what} cost returned {cost!r:.80}; expected one number')
    return cost if isinstance(cost, Scalar) else float(cost)
