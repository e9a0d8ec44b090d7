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
from typing import NamedTuple, Sequence

LOG = logging.getLogger('robodyn_ros')

X86 = """declare void @llvm.x86.sse.stmxcsr({BYTES})
declare void @llvm.x86.sse.ldmxcsr({BYTES})
define i64 @{SYMBOL}({TAKEN}) nounwind {{
  %place = alloca i32
  %address = {ADDRESS}
  call void @llvm.x86.sse.stmxcsr({BYTES} %address)
  %before = load i32, {SHORTS} %place
  %modes = and i32 %before, 65472
  %usual = icmp eq i32 %modes, 8064
  br i1 %usual, label %asitis, label %changed, !prof !{{!"branch_weights", i32 1000, i32 1}}
asitis:
  %first = call i64 @{INNER}({TAKEN}) noinline
  ret i64 %first
changed:
  store i32 8064, {SHORTS} %place
  call void @llvm.x86.sse.ldmxcsr({BYTES} %address)
  %second = call i64 @{INNER}({TAKEN}) noinline
  store i32 %before, {SHORTS} %place
  call void @llvm.x86.sse.ldmxcsr({BYTES} %address)
  ret i64 %second
}}
"""
"""0x1F80 is the default of MXCSR; its bits 0 to 5 merely remember exceptions."""
ARM = """declare i64 @llvm.aarch64.get.fpcr()
declare void @llvm.aarch64.set.fpcr(i64)
define i64 @{SYMBOL}({TAKEN}) nounwind {{
  %before = call i64 @llvm.aarch64.get.fpcr()
  %usual = icmp eq i64 %before, 0
  br i1 %usual, label %asitis, label %changed, !prof !{{!"branch_weights", i32 1000, i32 1}}
asitis:
  %first = call i64 @{INNER}({TAKEN}) noinline
  ret i64 %first
changed:
  call void @llvm.aarch64.set.fpcr(i64 0)
  %second = call i64 @{INNER}({TAKEN}) noinline
  call void @llvm.aarch64.set.fpcr(i64 %before)
  ret i64 %second
}}
"""
OTHER = """define i64 @{SYMBOL}({TAKEN}) nounwind {{
  %first = call i64 @{INNER}({TAKEN}) noinline
  ret i64 %first
}}
"""
# never written into its caller, where its arithmetic could move across the change
GUARDS = {'x86_64': X86, 'i686': X86, 'aarch64': ARM, 'arm64': ARM}
"""By the first part of a target's triple; a processor that is not known is left as it is."""
_tiny, _one, _more = 5e-324, 1.0, 1e-30  # names, since Python would fold numbers itself
_warned: set[str] = set()


class Guard(NamedTuple):
    """A function with default arithmetic around another."""

    text: str
    declared: set[str]


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


def guarded(symbol: str, inner: str, taken: Sequence[str], machine: str,
            untyped: bool = True) -> Guard:
    """
    Return the text of a function that calls another with default arithmetic.

    :param taken: what both take, in LLVM's words, such as 'double %x'
    :param machine: first part of the target's triple
    :param untyped: pointers have no type
    """
    text = GUARDS.get(machine, OTHER).format(
        SYMBOL=symbol, INNER=inner, TAKEN=', '.join(taken), BYTES='ptr' if untyped else 'i8*',
        SHORTS='ptr' if untyped else 'i32*', ADDRESS='getelementptr i32, ptr %place, i64 0'
        if untyped else 'bitcast i32* %place to i8*')
    declared: list[str] = []
    made: list[str] = []
    for line in text.splitlines():
        (declared if line.startswith('declare ') else made).append(line)
    return Guard('\n'.join([*made, '']), set(declared))
