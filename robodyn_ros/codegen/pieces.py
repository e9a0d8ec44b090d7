# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Long routines cut into pieces, which compilers handle in time proportional to their number.

What a compiler does with a block of straight-line code grows faster than the block. A piece is a
run of some hundred statements in the routine's order; numbers that a later piece needs are kept in
an array in between, whose places are used again once nobody reads them. Each operation stays what
it is, so no bit depends on where the cuts are.
"""
from __future__ import annotations

from typing import NamedTuple

from robodyn_ros.codegen.routines import Routine
from robodyn_ros.tracing.graph import Argument

SINCOS = 24
"""Operations that a sine and cosine count for."""


class Piece(NamedTuple):
    """Some statements of a routine, one after another."""

    statements: list[tuple[int, dict[str, int]]]
    """As Routine.statements yields them."""
    taken: dict[int, int]
    """Nodes of earlier pieces that are read here, with their place."""
    kept: dict[int, int]
    """Nodes of this piece that later ones, or the results, read, with their place."""


class Cut(NamedTuple):
    """A routine in pieces."""

    pieces: list[Piece]
    room: int
    """Numbers of the array in between."""
    places: dict[int, int]
    """Where the results lie after the last piece, by node."""


def cut(routine: Routine, length: int) -> Cut:
    """
    Cut a routine into pieces of at least so many operations, the last one apart.

    Results are kept until the end: nothing is written before everything is read.
    """
    groups = _groups(routine, length)
    born = {node: k for k, group in enumerate(groups) for at, both in group
            for node in (at, *both.values())}
    args = [[{a for at, _ in group for a in _nodes(routine, at)} & born.keys()]
            for group in groups]
    last: dict[int, int] = {}
    for k, (read,) in enumerate(args):
        for node in read:
            last[node] = k
    results = {a for a in routine.results if not isinstance(a, float) and a in born}
    last.update(dict.fromkeys(results, len(groups)))
    ending: list[list[int]] = [[] for _ in range(len(groups) + 1)]
    for node, end in last.items():
        if end > born[node]:
            ending[end].append(node)
    place: dict[int, int] = {}
    free: list[int] = []
    room = 0
    pieces = []
    for k, group in enumerate(groups):
        kept = {}
        for at, both in group:
            for node in dict.fromkeys((at, *both.values())):
                if last.get(node, -1) > k:
                    if not free:
                        free.append(room)
                        room += 1
                    kept[node] = place[node] = free.pop()
        taken = {node: place[node] for node in sorted(args[k][0]) if born[node] < k}
        pieces.append(Piece(group, taken, kept))
        # a place is free for the next piece, not for this one, which may still read it
        free.extend(sorted((place[node] for node in ending[k]), reverse=True))
    return Cut(pieces, room, {node: place[node] for node in results})


def _groups(routine: Routine, length: int) -> list[list[tuple[int, dict[str, int]]]]:
    groups: list[list[tuple[int, dict[str, int]]]] = [[]]
    filled = 0
    for statement in routine.statements:
        if filled >= length:
            groups.append([])
            filled = 0
        groups[-1].append(statement)
        filled += SINCOS if statement[1] else 1
    return groups


def _nodes(routine: Routine, node: int) -> list[int]:
    arguments: tuple[Argument, ...] = routine.graph.args[node]
    return [a for a in arguments if not isinstance(a, float)]
