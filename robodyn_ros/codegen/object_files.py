# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Object files of our own, put into memory and linked.

For x86-64 and its large code model LLVM writes ELF files with a single kind of relocation: the
address of a symbol, eight bytes, at a place in a section. Putting such files into memory is laying
sections side by side and writing addresses. So a program from the cache needs no LLVM, whose
library is 100 MB of a process and takes longer to load than a robot and its plant together.
Whatever is not as described here is Unfamiliar, and left to LLVM's own loader (llvm_loader.py).

Pages are written first; then code can be run and constants be read, and neither be written any
more. A file's numbers are not trusted where they say how much is written where.
"""
from __future__ import annotations

import ctypes
import mmap
import struct
from typing import Any, Iterator, NamedTuple, Sequence

HEADER = struct.Struct('<16sHHIQQQIHHHHHH')
SECTION = struct.Struct('<IIQQQQIIQQ')
SYMBOL = struct.Struct('<IBBHQQ')
RELOCATION = struct.Struct('<QQq')
ADDRESS = struct.Struct('<Q')
"""The structures of ELF: System V ABI, chapters 4 and 5, and its supplement for x86-64."""
IDENTITY = b'\x7fELF\x02\x01\x01'
"""64 bits, least byte first, version 1."""
OBJECT, X86_64 = 1, 62
IN_FILE, SYMBOLS, RELOCATIONS, ZEROS = 1, 2, 4, 8
"""Types of sections."""
WRITTEN, IN_MEMORY, RUN, PER_THREAD = 1, 2, 4, 0x400
"""Flags of sections."""
SPECIAL = 0xff00
"""Numbers of sections from here on are none; a symbol that is elsewhere is in section 0."""
LOCAL = 0
"""Binding of symbols that only their own file knows."""
TO_ADDRESS = 1
"""The relocation R_X86_64_64."""
PAGES = {RUN: mmap.PROT_READ | mmap.PROT_EXEC, 0: mmap.PROT_READ,
         WRITTEN: mmap.PROT_READ | mmap.PROT_WRITE}
"""How pages are protected, by what their sections are for; in the order of memory."""
MOST_BYTES = 1 << 30
"""Size of a program in memory; no compiler writes such a one."""


class Unfamiliar(Exception):
    """These files are not as this module knows them."""


class Section(NamedTuple):
    """A section of an object file."""

    kind: int
    flags: int
    size: int
    link: int
    info: int
    alignment: int
    data: bytes

    @property
    def purpose(self) -> int:
        """Return a key of PAGES."""
        both = self.flags & (WRITTEN | RUN)
        if both not in PAGES:
            raise Unfamiliar('code that is written')
        return both


class Loaded:
    """Object files in memory; the memory lives as long as this."""

    def __init__(self, objects: Sequence[bytes]):
        """Put files into memory and link them; Unfamiliar if that is for others to do."""
        try:
            files = [_sections(data) for data in objects]
            self._places, ends = _laid_out(files)
            self._memory = mmap.mmap(-1, max(ends), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS,
                                     mmap.PROT_READ | mmap.PROT_WRITE)
            self._cell = ctypes.c_char.from_buffer(self._memory)
            self._base = ctypes.addressof(self._cell)
            self._process: Any = ctypes.CDLL(None)
            for (file, k), place in self._places.items():
                section = files[file][k]
                if section.kind == IN_FILE:
                    self._memory[place:place + section.size] = section.data
            names = [list(self._symbols(file, sections)) for file, sections in enumerate(files)]
            self.addresses: dict[str, int] = {
                name: address for known in names for name, address, binding in known
                if address is not None and binding != LOCAL}
            """Of symbols that other files may use, by name."""
            for file, sections in enumerate(files):
                self._relocate(file, sections, names[file])
            self._protect(ends)
        except (struct.error, IndexError, ValueError, OSError) as error:
            raise Unfamiliar(str(error)) from None

    def _symbols(self, file: int, sections: Sequence[Section]
                 ) -> Iterator[tuple[str, int | None, int]]:
        """Yield name, address and binding of a file's symbols; no address: it is elsewhere."""
        tables = [section for section in sections if section.kind == SYMBOLS]
        if len(tables) > 1:
            raise Unfamiliar('several tables of symbols')
        for table in tables:
            texts = sections[table.link].data
            for name, info, _, home, value, _ in SYMBOL.iter_unpack(table.data):
                place = None if home >= SPECIAL else self._places.get((file, home))
                yield (texts[name:texts.index(b'\0', name)].decode(),
                       None if place is None else self._base + place + value, info >> 4)

    def _relocate(self, file: int, sections: Sequence[Section],
                  symbols: Sequence[tuple[str, int | None, int]]) -> None:
        for table in sections:
            place = self._places.get((file, table.info))
            if table.kind != RELOCATIONS or place is None:
                continue
            end = sections[table.info].size - ADDRESS.size
            for offset, info, addend in RELOCATION.iter_unpack(table.data):
                if info & 0xffffffff != TO_ADDRESS or offset > end:
                    raise Unfamiliar(f'relocation {info & 0xffffffff} at {offset}')
                name, address, _ = symbols[info >> 32]
                if address is None:
                    address = self.addresses.get(name) or self._found(name)
                ADDRESS.pack_into(self._memory, place + offset, address + addend)

    def _found(self, name: str) -> int:
        """Return the address of a function of the system's library, such as tanh."""
        try:
            found = ctypes.cast(getattr(self._process, name), ctypes.c_void_p).value
        except AttributeError:
            found = None
        if not found:
            raise Unfamiliar(f'{name!r} is not in this process')
        return found

    def _protect(self, ends: Sequence[int]) -> None:
        protect = self._process.mprotect
        protect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        for begin, end, rights in zip((0, *ends), ends, PAGES.values()):
            if end > begin and protect(self._base + begin, end - begin, rights):
                raise Unfamiliar('memory that must not be run')


def _sections(data: bytes) -> list[Section]:
    identity, of, machine, _, _, _, table, _, _, _, _, each, count, _ = HEADER.unpack_from(data)
    if (identity[:len(IDENTITY)], of, machine, each) != (IDENTITY, OBJECT, X86_64, SECTION.size):
        raise Unfamiliar('no object file of x86-64')
    found = []
    for k in range(count):
        _, kind, flags, _, at, size, link, info, alignment, _ = SECTION.unpack_from(
            data, table + k * SECTION.size)
        in_file = b'' if kind == ZEROS else data[at:at + size]
        if kind != ZEROS and len(in_file) != size or flags & PER_THREAD:
            raise Unfamiliar(f'section {k}')
        found.append(Section(kind, flags, size, link, info, max(1, alignment), in_file))
    return found


def _laid_out(files: Sequence[Sequence[Section]]) -> tuple[dict[tuple[int, int], int], list[int]]:
    """Return where each section that is to be in memory lies, and where each kind of page ends."""
    places, ends, top = {}, [], 0
    for purpose in PAGES:
        for file, sections in enumerate(files):
            for k, section in enumerate(sections):
                if section.flags & IN_MEMORY and section.purpose == purpose:
                    if section.kind not in (IN_FILE, ZEROS) or section.alignment > mmap.PAGESIZE:
                        raise Unfamiliar(f'section {k}')
                    top += -top % section.alignment
                    places[file, k] = top
                    top += section.size
        top += -top % mmap.PAGESIZE
        ends.append(top)
    if not 0 < top <= MOST_BYTES:
        raise Unfamiliar(f'{top} bytes')
    return places, ends
