# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A control law as compiled code: the one place that checks and traces it.

The plant compiles it into its loop; the controller node compiles the same alone (CompiledLaw).
"""
from __future__ import annotations

import re
from typing import Any, Iterable, Mapping, NamedTuple, Sequence

import numpy as np

from robodyn_ros.checks import expect, number, numbers, refusal, shown, whole_number
from robodyn_ros.codegen.program import Program
from robodyn_ros.codegen.python_text import text
from robodyn_ros.codegen.routines import Kernel, routines
from robodyn_ros.errors import RobodynError, SizeError, TracingError
from robodyn_ros.plant.python_state import changed, python_state
from robodyn_ros.robots.parameters import ParameterTable
from robodyn_ros.tracing import Graph, inputs, Number, Scalar
from robodyn_ros.tracing.blame import blamed
from robodyn_ros.types import Control, Schedule

MOST_MEMORY = 10_000
"""Numbers that a law may keep."""
BLAME = 'the control law'
NOT_NEGATIVE = 'a whole number, 0 or more'
REMEDY = ('a law with memory: Control(law, reference_size, parameters, memory=START) whose law '
          'takes the memory as its last argument and returns torques and the next memory')
TOPIC = re.compile('[A-Za-z_][A-Za-z0-9_]*')
MOST_REFERENCE, MOST_DELAY = 10_000, 100_000
"""Numbers a law reads at an instant, and instants a torque may be on its way."""


def checked_control(given: Any) -> Control | None:
    """Return the control law, if there is one; refuse sizes and parameters that cannot be."""
    if given is None:
        return None
    control = expect(Control, 'control', given, 'Control(law, reference_size, parameters)')
    if not callable(control.law):
        raise refusal('law of the control', control.law, 'a function of t, q, v, reference and '
                      'parameters')
    size = whole_number('reference_size of the control', control.reference_size, NOT_NEGATIVE,
                        most=MOST_REFERENCE)
    delay = whole_number('delay of the control', control.delay, NOT_NEGATIVE, most=MOST_DELAY)
    expect(Mapping, 'parameters of the control', control.parameters,  # type: ignore[type-abstract]
           "a mapping such as {'stiffness': 30.0}")
    for name, value in control.parameters.items():
        if not isinstance(name, str) or not name:
            raise refusal('a name in parameters of the control', name, 'a word')
        number(f'parameter {name!r} of the control', value)
    start = numbers('memory of the control', control.memory, 'the numbers it starts with')
    if start.ndim != 1 or not np.isfinite(start).all() or len(start) > MOST_MEMORY:
        raise refusal('memory of the control', control.memory,
                      f'a list of at most {MOST_MEMORY} finite numbers, with which it starts')
    if control.schedule is not None:
        schedule = expect(Schedule, 'schedule of the control', control.schedule,
                          'Schedule(width, spacing, rows), or None')
        whole_number('width of the schedule', schedule.width, NOT_NEGATIVE, most=size)
        number('spacing of the schedule', schedule.spacing, 'seconds between knots', above=0.0)
    _check_told(control.told, len(start))
    return control._replace(reference_size=size, delay=delay, memory=tuple(start.tolist()))


def _check_told(told: Any, size: int) -> None:
    """Refuse what cannot be published of a memory of a size."""
    expect(Mapping, 'told of the control', told,  # type: ignore[type-abstract]
           "a mapping such as {'unexplained': 0}")
    for topic, first in told.items():
        if not isinstance(topic, str) or not TOPIC.fullmatch(topic):
            raise refusal('a name in told of the control', topic, 'the name of a topic: letters, '
                          'digits and _, no digit first')
        whole_number(f'told {topic!r} of the control', first,
                     f'a place in its memory of {size} numbers', most=max(0, size - 1))


def trace_law(control: Control, t: Scalar, q: Sequence[Scalar], v: Sequence[Scalar],
              reference: Sequence[Scalar], parameters: Mapping[str, Scalar],
              memory: Sequence[Scalar] = ()) -> tuple[list[Number], list[Number]]:
    """Run the law once with recording scalars; returns a torque per joint and the next memory."""
    arguments: tuple = (t, q, v, reference, parameters)
    with blamed(BLAME, 'it must return one torque per joint'):
        made = control.law(*arguments, memory) if control.memory else control.law(*arguments)
        if control.memory:
            made = tuple(made)
    if not control.memory:
        return _numbers(made, 'torques', len(q), 'one torque per joint'), []
    if len(made) != 2:
        raise SizeError('what the control law with memory returned', 'torques and the next memory',
                        f'{len(made)} things')
    return (_numbers(made[0], 'torques', len(q), 'one torque per joint'),
            _numbers(made[1], 'memory', len(control.memory), 'as many as it starts with'))


def _numbers(given: Any, what: str, count: int, hint: str) -> list[Number]:
    """Return what a law gave as a list of numbers, or refuse it."""
    if not isinstance(given, Iterable) or isinstance(given, (str, bytes, set, Mapping)):
        raise TracingError(f'{BLAME} returned {shown(given)}; expected a list of numbers: '
                           f'{what}, {hint}')
    found: list[Any] = list(given)
    if len(found) != count:
        raise SizeError(f'{what} of the control law', count, len(found), hint)
    try:
        return [x if isinstance(x, Scalar) else number(what, x) for x in found]
    except RobodynError:
        raise TracingError(f'{BLAME} returned {shown(found)}; expected numbers that are finite: '
                           f'{what}, {hint}') from None


class TracedLaw(NamedTuple):
    """A law in a recording of its own: the same operations in the plant's loop and in a node."""

    kernel: Kernel
    """'control': torque (n,) and memory, of t, q, v, the reference and memory, side by side."""
    parameters: list[Scalar]
    """Inputs for all run-time parameters of the table, also for those the law does not read."""


def traced_law(control: Control, n: int, table: ParameterTable, group: str = '') -> TracedLaw:
    """
    Trace a law apart from everything else.

    A user's law is recorded twice: one that keeps state in Python variables would be frozen, and
    gives itself away by another recording, or by what it has changed.

    :param table: run-time parameters; :param group: which of them are the law's, '' for all
    """
    for topic, place in control.told.items():
        if place + n > len(control.memory):
            raise SizeError(f'what told {topic!r} of the control names', f'{n} numbers',
                            len(control.memory) - place, 'one per joint, from there on in memory')
    first = _recorded(control, n, table, group)
    if not str(getattr(control.law, '__module__', '')).startswith('robodyn_ros.'):
        before = python_state(control.law)
        try:
            again = _recorded(control, n, table, group)
        except TracingError as error:
            raise TracingError(f'{error}; where it keeps state in Python variables, make it '
                               f'{REMEDY}') from error
        texts = [[text(routine) for routine in routines([law.kernel], law.parameters)]
                 for law in (first, again)]
        if texts[0] != texts[1]:
            raise TracingError('the control law does something else when it is called again: it '
                               'keeps state in Python variables, which a recording cannot follow; '
                               f'make it {REMEDY}')
        name = changed(before, python_state(control.law))
        if name:
            raise TracingError(f'the control law changes {name} whenever it is called: state in '
                               'Python variables, which a recording would freeze; make it '
                               f'{REMEDY}')
    return first


def _recorded(control: Control, n: int, table: ParameterTable, group: str) -> TracedLaw:
    graph = Graph()
    t = inputs(graph, 't', 1)[0]
    q, v = inputs(graph, 'q', n), inputs(graph, 'v', n)
    r = inputs(graph, 'r', control.reference_size)
    z = inputs(graph, 'z', len(control.memory))
    p = inputs(graph, 'p', max(1, len(table.names)))
    own = table.group(group, p) if group else dict(zip(table.names, p))
    tau, memory = trace_law(control, t, q, v, r, own, z)
    return TracedLaw(Kernel('control', [t, *q, *v, *r, *z], [*tau, *memory]), p)


class CompiledLaw:
    """A law by itself, in arrays of its own: for a controller that answers states one by one."""

    def __init__(self, name: str, n: int, control: Control):
        """
        Trace the law and compile it, or load it.

        :param name: of the robot, for messages
        """
        control = checked_control(control) or control
        self.parameters = ParameterTable(control.parameters.items())
        law = traced_law(control, n, self.parameters)
        self._program = Program(f'the controller of {name}', [law.kernel], law.parameters)
        self._start = np.array(control.memory, dtype=float)
        state, kept = 1 + 2 * n, len(control.memory)
        size = state + control.reference_size + kept
        self._block = np.zeros(size + n + kept + self._program.prepared_size)
        self._time, self._tau = self._block[:1], self._block[size:size + n]
        self._q, self._v = self._block[1:1 + n], self._block[1 + n:state]
        self._reference = self._block[state:state + control.reference_size]
        self._memory = self._block[state + control.reference_size:size]
        self.memory = self._block[size + n:size + n + kept]
        """What the law keeps for the next control instant."""
        self._w = self._block[size + n + kept:]
        self.use(self.prepared())
        self.reset()
        self._call = self._program.functions()['one_control'].bind(self._block, short=True)

    def prepared(self, changes: Mapping[str, float] | None = None) -> np.ndarray:
        """Return what use() takes, for parameters of which some are changed."""
        values = self.parameters.vector(changes)
        return self._program.prepared(values if values.size else np.zeros(1))

    def use(self, prepared: np.ndarray) -> None:
        """Go on with other parameters."""
        self._w[:] = prepared

    def reset(self) -> None:
        """Let the memory start anew."""
        # both: what comes next may be the same control instant again
        self.memory[:] = self._memory[:] = self._start

    def keep(self) -> None:
        """Let the memory be what it was before the last call, as if that had not been."""
        self.memory[:] = self._memory

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray, reference: np.ndarray,
                 again: bool = False) -> np.ndarray:
        """
        Return the torque (n,) at a state.

        :param reference: as many numbers as the law reads
        :param again: the same control instant as the last: the memory does not move on
        """
        self._time[0], self._q[:], self._v[:] = t, q, v
        if self._reference.size:
            self._reference[:] = reference
        if self._memory.size and not again:
            self._memory[:] = self.memory
        self._call()
        return self._tau.copy()
