# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What two stages of RK4 share a vector register for.

Positions of the second stage follow from the velocities at the start, those of the fourth from the
velocities of the third: neither waits for an acceleration. So whatever does not depend on
velocities, sines and cosines, the pivots of M and the rows A among it, is computed for the stages
1 and 2 at once, then for 3 and 4, two numbers an instruction. The operations are those of a stage
by itself, and so are the bits.
"""
from __future__ import annotations

from typing import NamedTuple

from robodyn_ros.codegen.layout import Layout
from robodyn_ros.codegen.routines import Load, Routine

PAIRED = 'rk4_pairs'
"""Name of RK4 with stages in pairs."""
LANES = 2


class Pair(NamedTuple):
    """A routine of the dynamics in two."""

    positions: Routine
    """What does not depend on velocities, for LANES stages side by side: of x, into its rest."""
    rates: Routine
    """a(n) and the margins of one of the stages: x begins at its lane, others lie between."""
    room: int
    """Numbers of the array x of both: t, q, v, tau and what the first hands the second."""


def paired(dynamics: Routine, layout: Layout) -> Pair | None:
    """Return the dynamics in two; None where positions move otherwise than by the velocities."""
    n, size = layout.n, layout.x_size
    place = {load.node: load.place for load in dynamics.loads if load.array == 'x'}
    if [place.get(a) if not isinstance(a, float) else None  # type: ignore[arg-type]
            for a in dynamics.results[:n]] != list(range(1 + n, 1 + 2 * n)):
        return None
    graph, results = dynamics.graph, dynamics.results[n:]
    moving = {node for node, at in place.items() if 1 + n <= at < 1 + 2 * n}
    for node in dynamics.body:
        if not moving.isdisjoint(_nodes(graph.args[node])):
            moving.add(node)
    still = [node for node in dynamics.body if node not in moving]
    rest = [node for node in dynamics.body if node in moving]
    read = {a for node in rest for a in _nodes(graph.args[node])} | _nodes(results)
    kept = [node for node in still if node in read]
    shared = _loads(dynamics, still, kept)
    positions = dynamics._replace(name='positions', outputs=len(kept), loads=shared, body=still,
                                  results=kept, one_w=True, apart=True)
    loads = [load._replace(place=load.place * LANES) if load.array == 'x' else load
             for load in _loads(dynamics, rest, results)]
    loads += [Load(node, 'x', (size + k) * LANES) for k, node in enumerate(kept)]
    rates = dynamics._replace(name='rates', inputs=(size + len(kept)) * LANES, loads=loads,
                              body=rest, results=results, outputs=len(results), apart=True)
    return Pair(positions.late(), rates.late(), rates.inputs)


def _nodes(arguments: object) -> set[int]:
    return {a for a in arguments if not isinstance(a, float)}  # type: ignore[attr-defined]


def _loads(routine: Routine, body: list[int], results: object) -> list[Load]:
    read = {a for node in body for a in _nodes(routine.graph.args[node])} | _nodes(results)
    return [load for load in routine.loads if load.node in read]
