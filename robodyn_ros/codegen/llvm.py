# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The back end that writes LLVM instructions: one for each operation of a routine, in its order.

With lanes every number is a vector of so many runs, side by side in the arrays.
"""
from __future__ import annotations

from typing import Callable, Mapping, Sequence

from llvmlite import ir

from robodyn_ros.codegen.arithmetic import WHOLE
from robodyn_ros.codegen.routines import Routine
from robodyn_ros.codegen.trigonometry import recorded_sincos
from robodyn_ros.tracing.graph import Argument

DOUBLE, INTEGER, TRUTH = ir.DoubleType(), ir.IntType(64), ir.IntType(1)
INTRINSICS = ('fma', 'fabs', 'sqrt')
"""Functions that are instructions; others are calls of the system's library, lane by lane."""
BINARY = {'add': 'fadd', 'sub': 'fsub', 'mul': 'fmul', 'div': 'fdiv'}
COMPARISONS = {'lt': '<', 'le': '<=', 'eq': '=='}


class Place:
    """Where a routine's arrays lie: the pointer to their first number, and an offset."""

    def __init__(self, data: ir.Value, offset: ir.Value = INTEGER(0)):
        """Point at data[offset]."""
        self.data, self.offset = data, offset


class Writer:
    """Appends instructions; every number is a double, or a vector of doubles."""

    def __init__(self, builder: ir.IRBuilder, lanes: int = 1):
        """Write with a builder."""
        self.builder, self.lanes = builder, lanes
        self.kind, self.whole, self.truth = (
            ir.VectorType(kind, lanes) if lanes > 1 else kind for kind in (DOUBLE, INTEGER, TRUTH))

    def routine(self, routine: Routine, arrays: Mapping[str, Place]) -> None:
        """Write a routine whose arrays x, w and y lie at the given places."""
        values = {load.node: self._load(arrays[load.array], load.place) for load in routine.loads}
        self._body(routine, values)
        for k, result in enumerate(routine.results):
            self._store(self._value(values, result), arrays['y'], k)

    def call(self, name: str, *args: ir.Value) -> ir.Value:
        """Write a call of a function of doubles, or the instruction that stands for it."""
        module = self.builder.module
        if name not in INTRINSICS and self.lanes > 1:
            return self._lane_by_lane(name, args)
        if name in INTRINSICS:
            name = f'llvm.{name}.v{self.lanes}f64' if self.lanes > 1 else f'llvm.{name}.f64'
        signature = ir.FunctionType(self.kind, [self.kind] * len(args))
        known = module.globals.get(name) or ir.Function(module, signature, name)
        return self.builder.call(known, args)

    def _lane_by_lane(self, name: str, args: Sequence[ir.Value]) -> ir.Value:
        """Write a call of the system's library for each lane: vector versions round otherwise."""
        build, alone = self.builder, Writer(self.builder)
        result: ir.Value = ir.Constant(self.kind, ir.Undefined)
        for lane in range(self.lanes):
            at = ir.Constant(ir.IntType(32), lane)
            found = alone.call(name, *(build.extract_element(x, at) for x in args))
            result = build.insert_element(result, found, at)
        return result

    def _body(self, routine: Routine, values: dict[int, ir.Value]) -> None:
        graph, angles = routine.graph, routine.angles
        for node in routine.body:
            if node in values:  # the cosine to a sine
                continue
            op, args = graph.ops[node], graph.args[node]
            if op in ('sin', 'cos'):
                pair = dict(zip(('sin', 'cos'), self._sincos(self._value(values, args[0]))))
                values.update({at: pair[name] for name, at in angles[args[0]].items()})
            else:
                values[node] = self._operation(op, [self._value(values, a) for a in args], args)

    def _sincos(self, angle: ir.Value) -> list[ir.Value]:
        inner = recorded_sincos()
        values = {inner.loads[0].node: angle}
        self._body(inner, values)
        return [self._value(values, result) for result in inner.results]

    def _operation(self, op: str, values: Sequence[ir.Value],
                   args: Sequence[Argument]) -> ir.Value:
        build = self.builder
        if op in BINARY:
            write: Callable[..., ir.Value] = getattr(build, BINARY[op])
            return write(*values)
        if op in COMPARISONS:
            return build.fcmp_ordered(COMPARISONS[op], *values)
        if op == 'neg':
            return build.fneg(*values)
        if op == 'where':
            return build.select(self._condition(values[0]), *values[1:])
        if op in ('min', 'max'):
            a, b = values
            return build.select(build.fcmp_ordered('<' if op == 'min' else '>', b, a), b, a)
        if op in ('fms', 'fnma'):
            a, b, c = values
            return self.call('fma', a, b, build.fneg(c)) if op == 'fms' \
                else self.call('fma', build.fneg(a), b, c)
        if op == 'bit':
            return self._bit(values[0], int(args[1]))
        return self.call('fabs' if op == 'abs' else op, *values)

    def _bit(self, number: ir.Value, place: int) -> ir.Value:
        """Write the test of a bit: the low bits of k + 1.5 * 2^52 are those of k."""
        build = self.builder
        shifted = build.fadd(number, self._constant(self.kind, WHOLE))
        bits = build.bitcast(shifted, self.whole)
        return build.trunc(build.lshr(bits, self._constant(self.whole, place)), self.truth)

    def _condition(self, value: ir.Value) -> ir.Value:
        if value.type == self.truth:
            return value
        # it was kept in w, as 1 or 0
        return self.builder.fcmp_unordered('!=', value, self._constant(self.kind, 0.0))

    def _constant(self, kind: ir.Type, value: float) -> ir.Constant:
        """Return a constant, the same in every lane."""
        return ir.Constant(kind, [value] * self.lanes if self.lanes > 1 else value)

    def _value(self, values: Mapping[int, ir.Value], a: Argument) -> ir.Value:
        return self._constant(self.kind, a) if isinstance(a, float) else values[a]

    def _pointer(self, at: Place, place: int) -> ir.Value:
        build = self.builder
        index = build.add(at.offset, INTEGER(place * self.lanes))
        first = build.gep(at.data, [index], inbounds=True)
        return build.bitcast(first, ir.PointerType(self.kind))

    def _load(self, at: Place, place: int) -> ir.Value:
        return self.builder.load(self._pointer(at, place), align=8)

    def _store(self, value: ir.Value, at: Place, place: int) -> None:
        if value.type == self.truth:  # a truth becomes 1 or 0
            value = self.builder.uitofp(value, self.kind)
        self.builder.store(value, self._pointer(at, place), align=8)
