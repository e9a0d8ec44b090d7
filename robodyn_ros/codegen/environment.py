# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The arithmetic that machine code runs with, whatever the process around it asked for.

A library linked with -ffast-math lets the processor flush subnormal numbers to zero in the thread
that loads it and in those that it starts; others change how results are rounded. Either would
change bits. So an entry looks at the processor's register first: where it is not as IEEE 754 and
C begin (round to nearest, subnormal numbers kept, no traps), it is so during the call, and
restored.

What Python computes around compiled code, starts and references among it, is left to the process;
a warning says so, once.
"""
from __future__ import annotations

import logging
from typing import Sequence

from llvmlite import ir

LOG = logging.getLogger('robodyn_ros')

BYTE, SHORT, LONG = (ir.IntType(bits) for bits in (8, 32, 64))
MXCSR, MXCSR_MODES = 0x1F80, 0xFFC0
"""The default of x86, and what is no mere memory of exceptions (bits 0 to 5)."""
_BYTES = ir.PointerType(BYTE)
_tiny, _one, _more = 5e-324, 1.0, 1e-30  # names, since Python would fold numbers itself
_warned: set[str] = set()


def warn() -> None:
    """Say once how the arithmetic of this thread was changed, if it was."""
    found = 'flushes numbers below 2.3e-308 to zero' if _tiny * _one == 0.0 else \
        'does not round to nearest' if _one + _more != _one or -_one + _more != -_one else ''
    if found and found not in _warned:
        _warned.add(found)
        LOG.warning('the arithmetic of this process %s, as after loading a library that was '
                    'linked with -ffast-math; compiled programs have the same bits all the same, '
                    'but starts, references and whatever else Python computes may differ: load '
                    'that library in another process', found)


def call(builder: ir.IRBuilder, machine: str, function: ir.Function,
         arguments: Sequence[ir.Value]) -> None:
    """
    Write a call of a function with default arithmetic.

    :param machine: first part of the target's triple; one that is not known is left as it is
    """
    # never written into its caller, where its arithmetic could move across the change
    def inner() -> None:
        builder.call(function, arguments, attrs=('noinline',))

    if machine in ('x86_64', 'i686'):
        place = builder.alloca(SHORT)
        address = builder.bitcast(place, _BYTES)
        builder.call(_intrinsic(builder, 'x86.sse.stmxcsr', ir.VoidType(), _BYTES), [address])
        before = builder.load(place)
        usual = builder.icmp_unsigned('==', builder.and_(before, SHORT(MXCSR_MODES)),
                                      SHORT(MXCSR))
        load = _intrinsic(builder, 'x86.sse.ldmxcsr', ir.VoidType(), _BYTES)

        def use(value: ir.Value) -> None:
            builder.store(value, place)
            builder.call(load, [address])
        default = SHORT(MXCSR)
    elif machine in ('aarch64', 'arm64'):
        before = builder.call(_intrinsic(builder, 'aarch64.get.fpcr', LONG), [])
        usual = builder.icmp_unsigned('==', before, LONG(0))
        load = _intrinsic(builder, 'aarch64.set.fpcr', ir.VoidType(), LONG)

        def use(value: ir.Value) -> None:
            builder.call(load, [value])
        default = LONG(0)
    else:
        inner()
        return
    with builder.if_else(usual, likely=True) as (as_it_is, changed):
        with as_it_is:
            inner()
        with changed:
            use(default)
            inner()
            use(before)


def _intrinsic(builder: ir.IRBuilder, name: str, result: ir.Type, *takes: ir.Type) -> ir.Function:
    known = builder.module.globals.get(f'llvm.{name}')
    return known or ir.Function(builder.module, ir.FunctionType(result, takes), f'llvm.{name}')
