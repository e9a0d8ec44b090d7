# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Compiled functions of one robot, each traced and compiled when it is first needed."""
from __future__ import annotations

from collections import defaultdict
from math import isfinite
from typing import Any, Iterator, Sequence

import numpy as np

from robodyn_ros.checks import numbers
from robodyn_ros.codegen.program import Program
from robodyn_ros.codegen.routines import Kernel
from robodyn_ros.errors import SizeError, UnknownNameError
from robodyn_ros.mechanics import energy, equations, kinematics
from robodyn_ros.mechanics.parameters import NAMES, Parameters
from robodyn_ros.mechanics.tree import Tree
from robodyn_ros.tracing import Graph, inputs, Number

FLOAT = np.dtype(float)
FUNCTIONS = ('mass_and_bias', 'bias_parts', 'inverse_dynamics', 'forward_dynamics', 'energy',
             'frame NAME', 'position NAME')


def traced_outputs(name: str, tree: Tree, p: Parameters, q: list, v: list,
                   u: list) -> Sequence[Number]:
    """
    Return the outputs of one of FUNCTIONS; u is a or tau, where it needs one.

    mass_and_bias: M row by row, then h; bias_parts: Coriolis, gravity, friction (n each);
    forward_dynamics: a, then the margin of M; energy: kinetic, potential; frame NAME: pose (R 9,
    p 3), velocity (6), drift (6) and Jacobian (6 n); position NAME: (3).
    """
    if name == 'mass_and_bias':
        mass, bias = equations.mass_and_bias(tree, p, q, v)
        return [x for row in mass for x in row] + bias
    if name == 'bias_parts':
        return [x for part in equations.bias_parts(tree, p, q, v) for x in part]
    if name == 'inverse_dynamics':
        return equations.inverse_dynamics(tree, p, q, v, u)
    if name == 'forward_dynamics':
        acceleration, margin = equations.forward_dynamics(tree, p, q, v, u)
        return [*acceleration, margin]
    if name == 'energy':
        return [energy.kinetic_energy(tree, p, q, v), energy.potential_energy(tree, p, q)]
    kind, _, called = name.partition(' ')
    if kind not in ('frame', 'position') or not called:
        raise UnknownNameError('function', name, FUNCTIONS)
    if called not in tree.frames:
        raise UnknownNameError('frame', called, tree.frames, f'function {name!r}')
    frame = tree.frames[called]
    if kind == 'position':
        return kinematics.frame_pose(tree, frame, q).position
    motion = kinematics.frame_motion(tree, frame, q, v)
    jacobian = kinematics.frame_jacobian(tree, frame, q)
    return [*(x for row in motion.pose.rotation for x in row), *motion.pose.position,
            *motion.linear, *motion.angular, *motion.linear_rate, *motion.angular_rate,
            *(x for row in jacobian for x in row)]


class InPlace:
    """
    A compiled function for loops in Python: numbers are not looked at, and no array is made.

    Called with q, v and, where there is one, tau or a, arrays of floats (n,); returns `result`,
    the same array each time, which the next call overwrites. Not to be shared between threads.
    """

    def __init__(self, program: Program, parameters: Parameters, outputs: int):
        """
        Compile the function, or load it, and make room.

        :param outputs: how many of the function's outputs are the result
        """
        routine = program.routines['evaluate']
        inputs_, every = routine.inputs, routine.outputs
        w = program.prepared(parameters.flat())  # type: ignore[arg-type]
        block = np.concatenate([np.zeros(inputs_ + every), w])
        # memoryviews copy a few numbers in half the time of arrays
        rows: Any = block[:inputs_].reshape(3, -1)
        self._cells: list[Any] = [memoryview(row) for row in rows]
        self._q, self._v, self._u = self._cells
        self._none = np.zeros(inputs_ // 3)
        self.whole = block[inputs_:inputs_ + every]
        """All outputs."""
        self.result = self.whole[:outputs]
        self._call = program.functions()['one_evaluate'].bind(block, short=True)

    def __call__(self, q: np.ndarray, v: np.ndarray, u: np.ndarray | None = None) -> np.ndarray:
        """Evaluate at one state."""
        if u is None:
            u = self._none
        try:
            self._q[:], self._v[:], self._u[:] = q, v, u
        except (TypeError, ValueError):  # no arrays of floats, or of another size
            self._copy(q, v, u)
        self._call()
        return self.result

    def _copy(self, *given: object) -> None:
        for name, cell, values in zip(('q', 'v', 'tau or a'), self._cells, given):
            array = numbers(name, values, f'{self._none.size} numbers')
            if array.shape != self._none.shape:
                raise SizeError(name, self._none.shape, array.shape)
            cell[:] = array


class Compiled:
    """Programs of a tree by name; 'frame NAME' gives the kinematics of a frame."""

    def __init__(self, title: str, tree: Tree, own: Parameters):
        """
        Nothing is traced yet.

        :param own: gravity and friction of the robot's file and no payload: constants of the code
            as long as no others are given
        """
        self.title, self.tree, self.own = title, tree, own
        self._programs: dict[tuple[str, bool], Program] = {}
        self._shape = (tree.n,)
        # one waiting for each thread that calls at a time
        self._spare: dict[str, list[InPlace]] = defaultdict(list)

    def program(self, name: str, parametric: bool = False) -> Program:
        """
        Return the program of a function, traced on first use.

        :param parametric: payload, gravity and friction are inputs, not the robot's own
        """
        key = name, parametric
        if key not in self._programs:
            graph, n = Graph(), self.tree.n
            q, v, u = (inputs(graph, letter, n) for letter in 'qvu')
            p = inputs(graph, 'p', len(NAMES))
            values = Parameters.from_flat(p) if parametric else self.own
            outputs = list(traced_outputs(name, self.tree, values, q, v, u))
            kernel = Kernel('evaluate', [*q, *v, *u], outputs)
            title = f'{name} of {self.title}{" with payload" if parametric else ""}'
            self._programs[key] = Program(title, [kernel], p)
        return self._programs[key]

    def quick(self, name: str, q: object, v: object, u: object) -> np.ndarray | None:
        """
        Evaluate a function at one state of plain arrays, by the shortest way.

        :returns: None where shapes, types or numbers want to be looked at first
        """
        if not type(q) is type(v) is type(u) is np.ndarray:
            return None
        if not (q.shape == v.shape == u.shape == self._shape  # type: ignore[attr-defined]
                and q.dtype is v.dtype is u.dtype is FLOAT):  # type: ignore[attr-defined]
            return None
        # also where no result depends on it; sums of Python's numbers warn of nothing
        if not isfinite(sum(q.tolist()) + sum(v.tolist())  # type: ignore[attr-defined]
                        + sum(u.tolist())):  # type: ignore[attr-defined]
            return None
        spare = self._spare[name]
        try:
            function = spare.pop()
        except IndexError:
            function = self.in_place(name, self.own)
        function(q, v, u)  # type: ignore[arg-type]
        y = function.whole.copy()
        spare.append(function)
        return y if isfinite(sum(y.tolist())) else None

    def in_place(self, name: str, parameters: Parameters) -> InPlace:
        """Return a function that works in arrays of its own."""
        program = self.program(name, parameters != self.own)
        margin = 1 if name == 'forward_dynamics' else 0  # the last output is no acceleration
        return InPlace(program, parameters, program.routines['evaluate'].outputs - margin)

    def each(self, name: str, parameters: np.ndarray, q: np.ndarray, v: np.ndarray,
             u: np.ndarray) -> Iterator[np.ndarray]:
        """Evaluate a function at the same states (i, n) for each of many parameters (k, 14)."""
        x = np.concatenate([q, v, u], axis=-1)
        own = (parameters == np.array(self.own.flat(), dtype=float)).all(axis=1)
        for usual, first in zip(own.tolist(), parameters[:, None]):
            program = self.program(name, not usual)
            yield program.evaluate('evaluate', x, program.prepared_each(first)[0])

    def __call__(self, name: str, parameters: Parameters, q: np.ndarray, v: np.ndarray,
                 u: np.ndarray) -> np.ndarray:
        """Evaluate a function at one state (n,) or many (k, n)."""
        program = self.program(name, parameters != self.own)
        x = np.concatenate([q, v, u], axis=-1)
        return program.evaluate('evaluate', x, program.prepared(parameters.flat()))  # type: ignore
