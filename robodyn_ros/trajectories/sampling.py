# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Position, velocity and acceleration of a traceable path at many times, in compiled code."""
from __future__ import annotations

import dataclasses
from typing import Callable, Sequence

import numpy as np

from robodyn_ros.codegen.program import Program
from robodyn_ros.codegen.routines import Kernel
from robodyn_ros.tracing import directional, Graph, inputs, Number, Scalar
from robodyn_ros.tracing.dataclass_parameters import number_fields
from robodyn_ros.types import Trajectory

Path = Callable[[Number], Sequence[Number]]


def sample(path: Path, times: np.ndarray) -> Trajectory:
    """
    Evaluate a path with its exact first and second derivatives; q, v, a are its coordinates'.

    The number fields of a dataclass path are inputs of the compiled code: other numbers of the
    same kind of path compile nothing.
    """
    fields = number_fields(path)
    graph = Graph()
    t = inputs(graph, 't', 1)[0]
    p = inputs(graph, 'p', max(1, len(fields)))
    traced = dataclasses.replace(path, **dict(zip(fields, p))) if fields else path  # type: ignore
    position = list(traced(t))
    flow: dict[Scalar, Number] = {t: 1.0}
    velocity = directional(position, flow)
    acceleration = directional(velocity, flow)
    kernel = Kernel('evaluate', [t], [*position, *velocity, *acceleration])
    program = Program(f'the path {type(path).__name__}', [kernel], p)
    times = np.ascontiguousarray(times, dtype=float)
    w = program.prepared(list(fields.values()) or [0.0])
    y = program.evaluate('evaluate', times.reshape(-1, 1), w)
    return Trajectory(times, *np.split(y, 3, axis=1))
