# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The text of LLVM's instructions, as every version from OLDEST on reads it.

Numbers are doubles, whole numbers have 64 bits; a name is '%' and a count. Pointers know no type
from LLVM 17 on; before, their type is part of the text.
"""
from __future__ import annotations

import struct
from typing import Sequence

from llvmlite import binding

DOUBLE, WHOLE, TRUTH = 'double', 'i64', 'i1'
UNTYPED = binding.llvm_version_info[0] >= 17
"""Pointers have no type."""
FLOATS, INTEGERS = ('ptr', 'ptr') if UNTYPED else ('double*', 'i64*')
"""Pointers to numbers and to whole numbers."""


FEW = 2
"""Lanes that one register holds on every processor with vectors of doubles."""


def constant(value: float) -> str:
    """Return a number by its bits."""
    return f'0x{struct.unpack("<Q", struct.pack("<d", value))[0]:016X}'


class Lines:
    """The instructions of one function, as they are written."""

    def __init__(self, declared: set[str], lanes: int = 1):
        """
        Begin a function.

        :param declared: declarations of functions of other modules, to which calls add theirs
        """
        self.lines: list[str] = []
        self.declared, self.lanes = declared, lanes
        self.table: dict[str, int] | None = None
        """Constants by their text, with their place, where they are read from a table."""
        self.table_at = '%table'
        self._count = 0
        self.kind, self.whole, self.truth = (
            f'<{lanes} x {kind}>' if lanes > 1 else kind for kind in (DOUBLE, WHOLE, TRUTH))

    def name(self) -> str:
        """Return a name that nothing has."""
        self._count += 1
        return f'%v{self._count}'

    def put(self, text: str) -> str:
        """Write an instruction; returns the name of its result."""
        name = self.name()
        self.lines.append(f'  {name} = {text}')
        return name

    def add(self, text: str) -> None:
        """Write an instruction without a result."""
        self.lines.append(f'  {text}')

    def constant(self, value: float) -> str:
        """
        Return a constant, the same in every lane.

        It is read from a table: its place beside the base is part of the instruction that needs
        it, while an address of its own would be another instruction.
        """
        if self.table is None:
            return self.same(DOUBLE, constant(value))
        place = self.table.setdefault(constant(value), len(self.table))
        if 1 < self.lanes <= FEW:
            return self.load(self.table_at, place)
        at = self.place(self.table_at, str(place)) if place else self.table_at
        return self._spread(self.put(f'load double, {FLOATS} {at}, align 8'))

    @property
    def numbers(self) -> list[str]:
        """Return what the table holds: a number once, or once for each of a few lanes."""
        copies = self.lanes if self.lanes <= FEW else 1
        return [text for text in self.table or () for _ in range(copies)]

    def _spread(self, number: str) -> str:
        """Return a number of one lane in every lane."""
        if self.lanes == 1:
            return number
        one = self.put(f'insertelement {self.kind} undef, double {number}, i32 0')
        return self.put(f'shufflevector {self.kind} {one}, {self.kind} undef, '
                        f'<{self.lanes} x i32> zeroinitializer')

    def same(self, kind: str, text: str) -> str:
        """Return a constant of a kind, the same in every lane."""
        if self.lanes == 1:
            return text
        return f'<{", ".join([f"{kind} {text}"] * self.lanes)}>'

    def call(self, name: str, *args: str) -> str:
        """Write a call of a function of numbers, lane by lane: vector versions round otherwise."""
        if self.lanes > 1 and not name.startswith('llvm.'):
            found = 'undef'
            for lane in range(self.lanes):
                each = [self.put(f'extractelement {self.kind} {a}, i32 {lane}') for a in args]
                one = self._call(DOUBLE, name, each)
                found = self.put(f'insertelement {self.kind} {found}, double {one}, i32 {lane}')
            return found
        return self._call(self.kind, name, args)

    def _call(self, kind: str, name: str, args: Sequence[str]) -> str:
        kinds = ', '.join([kind] * len(args))
        self.declared.add(f'declare {kind} @{name}({kinds})')
        given = ', '.join(f'{kind} {a}' for a in args)
        return self.put(f'call {kind} @{name}({given})')

    def intrinsic(self, name: str, *args: str) -> str:
        """Write a call of an instruction that is written like a function."""
        suffix = f'v{self.lanes}f64' if self.lanes > 1 else 'f64'
        return self.call(f'llvm.{name}.{suffix}', *args)

    def renamed(self, data: str) -> str:
        """
        Return an address under a name of which the compiler does not know that it is the same.

        What was read by the old name is read again by the new one, as part of the instruction that
        needs it. Else it would wait for its next use in a register, or, since there are too few,
        on the stack, which is a store and a load more.
        """
        return self.put(f'call {FLOATS} asm "", "=r,0"({FLOATS} {data})')

    def place(self, data: str, index: str, kind: str = DOUBLE) -> str:
        """Return the address of data[index]."""
        pointer = INTEGERS if kind == WHOLE else FLOATS
        return self.put(f'getelementptr inbounds {kind}, {pointer} {data}, i64 {index}')

    def load(self, data: str, place: int, one: bool = False) -> str:
        """Load number place of an array, of all lanes; or one, the same for all."""
        if one:
            at = self.place(data, str(place)) if place else data
            return self._spread(self.put(f'load double, {FLOATS} {at}, align 8'))
        return self.put(f'load {self.kind}, {self._at(data, place)}, align 8')

    def store(self, value: str, data: str, place: int) -> None:
        """Store number place of an array, of all lanes."""
        self.add(f'store {self.kind} {value}, {self._at(data, place)}, align 8')

    def _at(self, data: str, place: int) -> str:
        at = self.place(data, str(place * self.lanes)) if place else data
        if self.lanes == 1 or UNTYPED:
            return f'{FLOATS} {at}'
        return f'{self.kind}* ' + self.put(f'bitcast {FLOATS} {at} to {self.kind}*')
