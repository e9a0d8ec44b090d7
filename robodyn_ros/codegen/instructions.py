# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Numbers and arrays that append an LLVM instruction for everything that is done with them."""
from __future__ import annotations

from typing import Any, NamedTuple

from llvmlite import ir

from robodyn_ros.codegen.arithmetic import WHOLE, Writes

DOUBLE, INTEGER = ir.DoubleType(), ir.IntType(64)
INTRINSICS = ('fma', 'fabs', 'sqrt')
"""Functions that are instructions; others are calls of the system's library, one lane only."""


class Value(Writes):
    """A number (or a truth value) that an instruction computes."""

    __hash__ = None  # type: ignore[assignment]  # == writes a comparison

    def __init__(self, writer: 'Writer', code: ir.Value):
        """Wrap the result of an instruction."""
        self.writer, self.code = writer, code

    def _binary(self, name: str, a: Any, b: Any, *kind: str) -> 'Value':
        write = getattr(self.writer.builder, name)
        return Value(self.writer, write(*kind, self.writer.code(a), self.writer.code(b)))

    def __add__(self, other: Any) -> 'Value':
        """Write self + other."""
        return self._binary('fadd', self, other)

    def __sub__(self, other: Any) -> 'Value':
        """Write self - other."""
        return self._binary('fsub', self, other)

    def __mul__(self, other: Any) -> 'Value':
        """Write self * other."""
        return self._binary('fmul', self, other)

    def __truediv__(self, other: Any) -> 'Value':
        """Write self / other."""
        return self._binary('fdiv', self, other)

    def __radd__(self, other: float) -> 'Value':
        """Write other + self."""
        return self._binary('fadd', other, self)

    def __rsub__(self, other: float) -> 'Value':
        """Write other - self."""
        return self._binary('fsub', other, self)

    def __rmul__(self, other: float) -> 'Value':
        """Write other * self."""
        return self._binary('fmul', other, self)

    def __rtruediv__(self, other: float) -> 'Value':
        """Write other / self."""
        return self._binary('fdiv', other, self)

    def __neg__(self) -> 'Value':
        """Write -self."""
        return Value(self.writer, self.writer.builder.fneg(self.code))

    def __lt__(self, other: Any) -> 'Value':
        """Write self < other."""
        return self._binary('fcmp_ordered', self, other, '<')

    def __le__(self, other: Any) -> 'Value':
        """Write self <= other."""
        return self._binary('fcmp_ordered', self, other, '<=')

    def __gt__(self, other: Any) -> 'Value':
        """Write self > other."""
        return self._binary('fcmp_ordered', self, other, '>')

    def __ge__(self, other: Any) -> 'Value':
        """Write self >= other."""
        return self._binary('fcmp_ordered', self, other, '>=')

    def __eq__(self, other: Any) -> 'Value':  # type: ignore[override]
        """Write self == other."""
        return self._binary('fcmp_ordered', self, other, '==')

    def call(self, name: str, *args: Any) -> 'Value':
        """Write a function of arithmetic.py."""
        return Value(self.writer, self.writer.call(name, *map(self.writer.code, args)))

    def bit(self, place: int) -> 'Value':
        """Write the test of a bit: the low bits of k + 1.5 * 2^52 are those of k."""
        writer, build = self.writer, self.writer.builder
        bits = build.bitcast((self + WHOLE).code, writer.whole)
        moved = build.lshr(bits, writer.constant(writer.whole, place))
        return Value(writer, build.trunc(moved, writer.truth))


class Place(NamedTuple):
    """A run-time offset plus a constant: what stands between the brackets of x[i + 3]."""

    offset: ir.Value
    constant: int = 0

    def __add__(self, more: int) -> 'Place':  # type: ignore[override]
        """Move on."""
        return Place(self.offset, self.constant + more)


class Cells:
    """An array of doubles: reading writes a load, assigning a store."""

    def __init__(self, writer: 'Writer', data: ir.Value):
        """Wrap the pointer to its first number."""
        self.writer, self.data = writer, data

    def _pointer(self, at: Any) -> ir.Value:
        offset, constant = at if isinstance(at, Place) else (INTEGER(0), at)
        build = self.writer.builder
        first = build.gep(self.data, [build.add(offset, INTEGER(constant))], inbounds=True)
        return build.bitcast(first, ir.PointerType(self.writer.kind))

    def __getitem__(self, at: Any) -> Value:
        """Write a load."""
        return Value(self.writer, self.writer.builder.load(self._pointer(at), align=8))

    def __setitem__(self, at: Any, value: Any) -> None:
        """Write a store; a truth value becomes 1 or 0."""
        writer, code = self.writer, self.writer.code(value)
        if code.type == writer.truth:
            code = writer.builder.uitofp(code, writer.kind)
        writer.builder.store(code, self._pointer(at), align=8)


class Writer:
    """Where instructions go, and the type of every number: a double or a vector of doubles."""

    def __init__(self, builder: ir.IRBuilder, lanes: int):
        """Write with a builder; lanes 0: plain doubles."""
        self.builder, self.lanes = builder, lanes
        self.kind, self.whole, self.truth = (
            ir.VectorType(kind, lanes) if lanes else kind
            for kind in (DOUBLE, INTEGER, ir.IntType(1)))

    def constant(self, kind: ir.Type, value: float) -> ir.Constant:
        """Return a constant, the same in every lane."""
        return ir.Constant(kind, [value] * self.lanes if self.lanes else value)

    def code(self, value: Any) -> ir.Value:
        """Return what an instruction can take."""
        return value.code if isinstance(value, Value) else self.constant(self.kind, float(value))

    def call(self, name: str, *args: ir.Value) -> ir.Value:
        """Write a call, or what stands for it."""
        build, module = self.builder, self.builder.module
        if name == 'choose':
            condition, a, b = args
            if condition.type != self.truth:  # it was kept in w
                condition = build.fcmp_unordered('!=', condition, self.constant(self.kind, 0.0))
            return build.select(condition, a, b)
        if name in INTRINSICS:
            name = f'llvm.{name}.v{self.lanes}f64' if self.lanes else f'llvm.{name}.f64'
        signature = ir.FunctionType(self.kind, [self.kind] * len(args))
        return build.call(module.globals.get(name) or ir.Function(module, signature, name), args)
