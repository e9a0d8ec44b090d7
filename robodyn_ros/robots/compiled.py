# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Compiled functions of one robot, each traced and compiled when it is first needed."""
from __future__ import annotations

from math import isfinite
from typing import Callable, Sequence

import numpy as np

from robodyn_ros.errors import UnknownNameError
from robodyn_ros.mechanics import energy, equations, kinematics
from robodyn_ros.mechanics.parameters import NAMES, Parameters
from robodyn_ros.mechanics.tree import Tree
from robodyn_ros.tracing import Graph, inputs, Number
from robodyn_ros.tracing.program import Kernel, Program

FLOAT = np.dtype(float)
Traced = Callable[[Tree, Parameters, list, list, list], Sequence[Number]]


def _mass_and_bias(tree: Tree, p: Parameters, q: list, v: list, _: list) -> list:
    mass, bias = equations.mass_and_bias(tree, p, q, v)
    return [x for row in mass for x in row] + bias


def _bias_parts(tree: Tree, p: Parameters, q: list, v: list, _: list) -> list:
    return [x for part in equations.bias_parts(tree, p, q, v) for x in part]


def _inverse(tree: Tree, p: Parameters, q: list, v: list, a: list) -> list:
    return equations.inverse_dynamics(tree, p, q, v, a)


def _forward(tree: Tree, p: Parameters, q: list, v: list, tau: list) -> list:
    acceleration, margin = equations.forward_dynamics(tree, p, q, v, tau)
    return [*acceleration, margin]


def _energy(tree: Tree, p: Parameters, q: list, v: list, _: list) -> list:
    return [energy.kinetic_energy(tree, p, q, v), energy.potential_energy(tree, p, q)]


def frame_functions(name: str) -> Traced:
    """Pose (R 9, p 3), velocity (6), drift (6) and Jacobian (6 n) of a frame."""
    def traced(tree: Tree, _: Parameters, q: list, v: list, __: list) -> list:
        frame = tree.frames[name]
        motion = kinematics.frame_motion(tree, frame, q, v)
        jacobian = kinematics.frame_jacobian(tree, frame, q)
        return [*(x for row in motion.pose.rotation for x in row), *motion.pose.position,
                *motion.linear, *motion.angular, *motion.linear_rate, *motion.angular_rate,
                *(x for row in jacobian for x in row)]
    return traced


def position_function(name: str) -> Traced:
    """Position (3) of a frame."""
    def traced(tree: Tree, _: Parameters, q: list, __: list, ___: list) -> list:
        return list(kinematics.frame_pose(tree, tree.frames[name], q).position)
    return traced


FUNCTIONS: dict[str, Traced] = {
    'mass_and_bias': _mass_and_bias, 'bias_parts': _bias_parts, 'inverse_dynamics': _inverse,
    'forward_dynamics': _forward, 'energy': _energy,
}


def _function(name: str) -> Traced:
    if name in FUNCTIONS:
        return FUNCTIONS[name]
    kind, _, frame = name.partition(' ')
    makers = {'frame': frame_functions, 'position': position_function}
    if kind not in makers or not frame:
        raise UnknownNameError('function', name, [*FUNCTIONS, 'frame NAME', 'position NAME'])
    return makers[kind](frame)


class _Ready:
    """A compiled function with its parameters prepared."""

    def __init__(self, program: Program, parameters: Parameters):
        """Compile it, or load it."""
        self.parameters = parameters
        self.call = program.names['many_evaluate']
        self.w = program.prepared(parameters.flat())  # type: ignore[arg-type]
        inputs_, self.outputs = program.sizes['evaluate']
        self.shape = (inputs_ // 3,)
        self._spare: list[tuple[np.ndarray, ...]] = []  # one for each thread that calls at a time

    def evaluate(self, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return the outputs at one state; nothing is checked."""
        try:
            work = self._spare.pop()
        except IndexError:
            x = np.empty((3, *self.shape))
            work = (x.reshape(-1), *x)
        x, xq, xv, xu = work
        xq[:], xv[:], xu[:] = q, v, u
        y = np.empty(self.outputs)
        self.call(1, x, self.w, y)
        self._spare.append(work)
        return y


class InPlace:
    """
    A compiled function for loops in Python: nothing is checked, and no array is made.

    Called with q, v and, where there is one, tau or a, each (n,); returns `result`, the same array
    each time, which the next call overwrites. Not to be shared between threads.
    """

    def __init__(self, ready: _Ready, outputs: int):
        """
        Make room.

        :param outputs: how many of the function's outputs are the result
        """
        x = np.zeros((3, *ready.shape))
        self._x, (self._q, self._v, self._u) = x.reshape(-1), x
        self._call, self._w, self._y = ready.call, ready.w, np.empty(ready.outputs)
        self.result = self._y[:outputs]

    def __call__(self, q: np.ndarray, v: np.ndarray, u: np.ndarray | float = 0.0) -> np.ndarray:
        """Evaluate at one state."""
        self._q[:], self._v[:], self._u[:] = q, v, u
        self._call(1, self._x, self._w, self._y)
        return self.result


class Compiled:
    """Programs of a tree by name; 'frame NAME' gives the kinematics of a frame."""

    def __init__(self, title: str, tree: Tree):
        """Nothing is traced yet."""
        self.title, self.tree = title, tree
        self._programs: dict[str, Program] = {}
        self._ready: dict[str, _Ready] = {}

    def program(self, name: str) -> Program:
        """Return the program of a function, traced on first use."""
        if name not in self._programs:
            function = _function(name)
            graph, n = Graph(), len(self.tree.bodies)
            q, v, u = (inputs(graph, letter, n) for letter in 'qvu')
            p = inputs(graph, 'p', len(NAMES))
            outputs = function(self.tree, Parameters.from_flat(p), q, v, u)
            kernel = Kernel('evaluate', [*q, *v, *u], outputs)
            self._programs[name] = Program(f'{name} of {self.title}', [kernel], p, ['evaluate'])
        return self._programs[name]

    def quick(self, name: str, parameters: Parameters, q: object, v: object, u: object
              ) -> np.ndarray | None:
        """
        Evaluate a function at one state of plain arrays, by the shortest way.

        :returns: None where shapes, types or numbers want to be looked at first
        """
        if not type(q) is type(v) is type(u) is np.ndarray:
            return None
        ready = self._ready.get(name)
        if ready is None or ready.parameters is not parameters:
            ready = self._ready[name] = _Ready(self.program(name), parameters)
        if not (q.shape == v.shape == u.shape == ready.shape  # type: ignore[attr-defined]
                and q.dtype is v.dtype is u.dtype is FLOAT):  # type: ignore[attr-defined]
            return None
        y = ready.evaluate(q, v, u)
        return y if isfinite(sum(y.tolist())) else None

    def in_place(self, name: str, parameters: Parameters) -> InPlace:
        """Return a function that works in arrays of its own."""
        ready = _Ready(self.program(name), parameters)
        margin = 1 if name == 'forward_dynamics' else 0  # the last output is no acceleration
        return InPlace(ready, ready.outputs - margin)

    def __call__(self, name: str, parameters: Parameters, q: np.ndarray, v: np.ndarray,
                 u: np.ndarray) -> np.ndarray:
        """Evaluate a function at one state (n,) or many (k, n)."""
        program = self.program(name)
        x = np.concatenate([q, v, u], axis=-1)
        return program.evaluate('evaluate', x, program.prepared(parameters.flat()))  # type: ignore
