# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What the public interface of the engine does not show, in one place.

Counts of operations, the moment between tracing and compiling, and a compiled loop without the
copies of a public call are measured, not used: everything else here calls what a user calls.
"""
from __future__ import annotations

import time
from typing import Any, Callable, NamedTuple

import numpy as np
from robodyn_ros import Plant, Robot


class Build(NamedTuple):
    """How long the program of a plant took, and how large it is."""

    traced: float
    """When it was traced, by time.perf_counter [s]."""
    compile_s: float
    compile_cpu_s: float
    operations: int
    """Of one evaluation of the dynamics."""
    source_kB: float  # noqa: N815  the unit as it is printed


def build(plant: Plant) -> Build:
    """Trace a plant, then compile it or load it from the cache."""
    program = plant.program()
    traced, busy = time.perf_counter(), time.process_time()
    program.functions()  # compiles
    compiled, busy = time.perf_counter(), time.process_time() - busy
    return Build(traced, compiled - traced, busy, operations_of(plant), len(program.source) / 1e3)


def operations_of(plant: Plant) -> int:
    """Operations of one evaluation of the dynamics, as traced."""
    return plant.program().operations['dynamics']


def mass_and_bias_loop(robot: Robot, q: np.ndarray, v: np.ndarray
                       ) -> tuple[Callable[[], Any], int]:
    """
    Return the compiled loop over states (k, n), its arrays made beforehand, and its operations.

    Robot.dynamics is the same loop with the checks and copies of a public call.
    """
    program = robot.compiled.program('mass_and_bias')
    return (evaluation_loop(robot, 'mass_and_bias', q, v, np.zeros_like(q))[0],
            program.operations['evaluate'])


def evaluation_loop(robot: Robot, name: str, q: np.ndarray, v: np.ndarray, u: np.ndarray
                    ) -> tuple[Callable[[], Any], np.ndarray]:
    """Return a robot's function in a compiled loop over states (k, n), and where it writes."""
    program, k = robot.compiled.program(name), len(q)
    evaluate, w = program.functions()['many_evaluate'], program.prepared(
        robot.parameters.flat())  # type: ignore[arg-type]
    x = np.concatenate([q, v, u], axis=1).reshape(-1)
    y = np.empty(k * program.routines['evaluate'].outputs)
    return lambda: evaluate(k, x, w, y), y
