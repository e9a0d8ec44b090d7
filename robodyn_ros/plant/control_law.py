# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A control law as compiled code: the one place that checks and traces it.

The plant compiles it into its loop; the controller node compiles the same alone (CompiledLaw).
"""
from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np

from robodyn_ros.checks import expect, number, refusal, whole_number
from robodyn_ros.codegen.program import Program
from robodyn_ros.codegen.routines import Kernel
from robodyn_ros.errors import RobodynError, SizeError, TracingError
from robodyn_ros.robots.parameters import ParameterTable
from robodyn_ros.tracing import Graph, inputs, Number, Scalar
from robodyn_ros.types import Control

NOT_NEGATIVE = 'a whole number, 0 or more'
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
        number(f'parameter {name!r} of the control', value)
    return control._replace(reference_size=size, delay=delay)


def trace_law(control: Control, t: Scalar, q: Sequence[Scalar], v: Sequence[Scalar],
              reference: Sequence[Scalar], parameters: Mapping[str, Scalar]) -> list[Number]:
    """Run the law once with recording scalars; returns one torque per joint, or refuses it."""
    try:
        tau = list(control.law(t, q, v, reference, parameters))
    except TracingError as error:
        raise TracingError(f'the control law: {error}') from error
    except RobodynError:
        raise
    except (Exception, SystemExit) as error:  # noqa: B902  a user's law may raise anything
        raise TracingError(f'the control law raised {type(error).__name__}: {error}; it must '
                           'return one torque per joint') from error
    if len(tau) != len(q):
        raise SizeError('torques of the control law', len(q), len(tau), 'one per joint')
    if not all(isinstance(x, (Scalar, float, int)) for x in tau):
        raise TracingError(f'the control law returned {tau!r}; expected numbers')
    return tau


class TracedLaw(NamedTuple):
    """A law in a recording of its own: the same operations in the plant's loop and in a node."""

    kernel: Kernel
    """'control': torque (n,) of t, q, v and the reference, side by side."""
    parameters: list[Scalar]
    """Inputs for all run-time parameters of the table, also for those the law does not read."""


def traced_law(control: Control, n: int, table: ParameterTable, group: str = '') -> TracedLaw:
    """
    Trace a law apart from everything else.

    :param table: run-time parameters; :param group: which of them are the law's, '' for all
    """
    graph = Graph()
    t = inputs(graph, 't', 1)[0]
    q, v = inputs(graph, 'q', n), inputs(graph, 'v', n)
    r = inputs(graph, 'r', control.reference_size)
    p = inputs(graph, 'p', max(1, len(table.names)))
    own = table.group(group, p) if group else dict(zip(table.names, p))
    return TracedLaw(Kernel('control', [t, *q, *v, *r], trace_law(control, t, q, v, r, own)), p)


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
        size = 1 + 2 * n + control.reference_size
        self._block = np.zeros(size + n + self._program.prepared_size)
        self._time, self._tau = self._block[:1], self._block[size:size + n]
        self._q, self._v = self._block[1:1 + n], self._block[1 + n:1 + 2 * n]
        self._reference, self._w = self._block[1 + 2 * n:size], self._block[size + n:]
        self.use(self.prepared())
        self._call = self._program.functions()['one_control'].bind(self._block, short=True)

    def prepared(self, changes: Mapping[str, float] | None = None) -> np.ndarray:
        """Return what use() takes, for parameters of which some are changed."""
        values = self.parameters.vector(changes)
        return self._program.prepared(values if values.size else np.zeros(1))

    def use(self, prepared: np.ndarray) -> None:
        """Go on with other parameters."""
        self._w[:] = prepared

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray, reference: np.ndarray
                 ) -> np.ndarray:
        """Return the torque (n,) at a state; reference: as many numbers as the law reads."""
        self._time[0], self._q[:], self._v[:] = t, q, v
        if self._reference.size:
            self._reference[:] = reference
        self._call()
        return self._tau.copy()
