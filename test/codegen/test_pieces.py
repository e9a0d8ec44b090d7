# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A long routine in pieces, of one lane and of many, has the bits of the whole one."""

import numpy as np
import pytest
from robodyn_ros.codegen import llvm, progress
from robodyn_ros.codegen.loops.table import Table
from robodyn_ros.codegen.native import link
from robodyn_ros.codegen.pieces import cut
from robodyn_ros.codegen.program import Program
from robodyn_ros.codegen.routines import Kernel
from robodyn_ros.tracing import cos, Graph, inputs, sin, tanh, where

SIZE, LANES = 12, 4


def made(loops=None, seed=3):
    """Return a program of random operations, conditions that cross cuts among them."""
    rng, graph = np.random.default_rng(seed), Graph()
    x, p = inputs(graph, 'x', SIZE), inputs(graph, 'p', 2)
    known, truths = [*x, *(p[0] * y for y in x[:3])], [x[0] < x[1], p[0] < p[1]]
    for _ in range(700):
        a, b, c = (known[k] for k in rng.integers(max(0, len(known) - 200), len(known), 3))
        kind = rng.integers(0, 8)
        known.append([lambda: a * b + c, lambda: a - b, lambda: a * 0.5 - b * c, lambda: sin(a),
                      lambda: cos(a) * 0.25,
                      lambda: where(truths[-1 - int(rng.integers(0, 2))], a, b),
                      lambda: a / (b * b + 1.0), lambda: tanh(b)][kind]())
        if kind == 1:
            truths.append(a < c)
    return Program('pieces', [Kernel('evaluate', x, [*known[::7], x[3], 2.5, -0.0])], p, loops)


def values(monkeypatch, long, loops=None):
    """Evaluate at some places, with routines cut from so many operations on."""
    monkeypatch.setattr(llvm, 'LONG', long)
    monkeypatch.setattr(llvm, 'LONG_LANES', long)
    monkeypatch.setattr(llvm, 'PIECE', 40)
    program = made(loops)
    functions = link(program.machine_code(), program.signatures)
    w = np.zeros(program.prepared_size)
    functions['prepare_parameters'](1, np.array([0.25, 1.5]), w)
    x = np.random.default_rng(0).uniform(-1.0, 1.0, (3 * LANES, SIZE))
    outputs = program.routines['evaluate'].outputs
    y = np.zeros((len(x), outputs))
    if loops is None:
        functions['many_evaluate'](len(x), x.reshape(-1), w, y.reshape(-1))
        return y
    side = np.ascontiguousarray(x.reshape(3, LANES, SIZE).transpose(0, 2, 1)).reshape(-1)
    z = np.zeros(3 * LANES * outputs)
    functions['table'](3, side, np.repeat(w, LANES), z)
    return z.reshape(3, outputs, LANES).transpose(0, 2, 1).reshape(len(x), outputs)


def test_cuts_change_no_bit(monkeypatch):
    """Whole or in pieces of some ten operations, alone or side by side."""
    outputs = made().routines['evaluate'].outputs
    whole = values(monkeypatch, 10 ** 9)
    assert np.isfinite(whole).all() and whole.shape[1] == outputs
    for loops in (None, Table(SIZE, outputs, LANES)):
        assert values(monkeypatch, 100, loops).tobytes() == whole.tobytes()


def test_a_piece_reads_what_was_kept_and_nothing_else():
    """Every number that crosses a cut has a place that nobody takes before its last reader."""
    routine = made().routines['evaluate']
    parts = cut(routine, 40)
    assert len(parts.pieces) > 10 and parts.room < 400
    assert [node for piece in parts.pieces for node, _ in piece.statements] \
        == [node for node, _ in routine.statements]
    cells = {}
    for piece in parts.pieces:
        assert all(cells[place] == node for node, place in piece.taken.items())
        assert not set(piece.taken.values()) & set(piece.kept.values())
        cells.update({place: node for node, place in piece.kept.items()})
    assert all(cells[place] == node for node, place in parts.places.items())


class Terminal:
    """Stands for stderr."""

    def __init__(self, tty):
        """Be a terminal, or a file."""
        self.tty, self.text = tty, ''

    def isatty(self):
        """Tell which."""
        return self.tty

    def write(self, text):
        """Keep what is written."""
        self.text += text

    def flush(self):
        """Do nothing."""


@pytest.mark.parametrize('tty, operations, shown', [
    (True, progress.LONG, True), (True, 100, False), (False, 10 ** 6, False)])
def test_a_long_compilation_says_how_far_it_is(tty, operations, shown):
    """On a terminal only; the bar is gone afterwards."""
    stream = Terminal(tty)
    with progress.told('an arm', operations, stream) as told:
        told(0.5)
    assert ('50 %' in stream.text) == shown == ('an arm' in stream.text)
    assert not shown or stream.text.endswith('\r')
