# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The back end that writes C: the same operations, so the same bits, each just before its first use.

C99 that is also C++17. All numbers are loaded before the first is stored, so a result may take the
place of an argument; it is stored as soon as it is known. A fused multiply-add is the processor's
instruction, or exact whole-number arithmetic where there is none; square roots round correctly
everywhere. Only tan, exp, tanh (of Stribeck's and Coulomb's friction) and atan2 are calls of the C
library, whose last bit is its own.
"""
from __future__ import annotations

import math
import re
from typing import Iterable, NamedTuple, Sequence

from robodyn_ros.codegen.arithmetic import WHOLE
from robodyn_ros.codegen.routines import expression, LIBRARY, Routine
from robodyn_ros.codegen.trigonometry import recorded_sincos
from robodyn_ros.tracing.graph import Argument

CALLS = {'abs': 'rd_abs', 'sqrt': 'rd_sqrt', 'min': 'rd_smaller', 'max': 'rd_larger',
         'fma': 'rd_fma'}
TRUTHS = ('lt', 'le', 'eq', 'bit')
"""Operations whose result is true or false."""
CONSTANTS = {math.inf: 'HUGE_VAL', -math.inf: '(-HUGE_VAL)'}
TAKEN = frozenset(
    'alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t '
    'char32_t class compl const const_cast constexpr continue decltype default delete do double '
    'dynamic_cast else enum explicit export extern false float for friend goto if inline int long '
    'mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public '
    'register reinterpret_cast restrict return short signed sizeof static static_assert '
    'static_cast struct switch template this thread_local throw true try typedef typeid typename '
    'union unsigned using virtual void volatile wchar_t while xor xor_eq main linux unix'.split())
"""Words that are no names in C or in C++, and those that compilers define."""
PRELUDE = r"""#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* The bits depend on these: numbers are doubles, rounded one by one, as they are written. */
#if defined(__FAST_MATH__)
#error "-ffast-math changes results: compile without it"
#endif
#if !defined(FLT_EVAL_METHOD) || FLT_EVAL_METHOD != 0
#error "this processor's arithmetic is wider than double: on x86 compile with -msse2 -mfpmath=sse"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
/* vectorisers too: gcc 12 makes fused additions and subtractions in turn, contraction or not */
#pragma GCC optimize ("fp-contract=off", "no-tree-slp-vectorize", "no-tree-loop-vectorize")
/* long functions are a tenth faster so, which on x86 no -O asks for; no bit depends on it */
#pragma GCC optimize ("schedule-insns", "sched-pressure", "rename-registers")
#endif

#if defined(__GNUC__)
#define RD_UNUSED __attribute__((unused))
#define rd_abs __builtin_fabs
#define rd_sqrt __builtin_sqrt
#else
#define RD_UNUSED
#define rd_abs fabs
#define rd_sqrt sqrt
#endif

/* Without optimisation a copy for each angle would only need more stack. */
#if defined(__GNUC__) && defined(__OPTIMIZE__)
#define RD_INLINE __attribute__((unused, always_inline)) inline
#else
#define RD_INLINE RD_UNUSED
#endif

/* a b + c, rounded once. */
#if defined(__GNUC__) && !defined(RD_SOFTWARE_FMA) && (defined(__FP_FAST_FMA) \
    || defined(__FMA__) || defined(__aarch64__))
#define rd_fma __builtin_fma
#else
/* Shift right; what falls off is remembered in the last bit. */
RD_UNUSED static uint64_t rd_sticky(uint64_t high, uint64_t low, int bits, uint64_t *rest)
{
    if (bits <= 0) {
        *rest = low;
        return high;
    }
    if (bits >= 128) {
        *rest = (high | low) != 0;
        return 0;
    }
    if (bits >= 64) {
        const int more = bits - 64;
        const uint64_t lost = low | (more ? high << (64 - more) : 0);
        *rest = (high >> more) | (lost != 0);
        return 0;
    }
    *rest = (high << (64 - bits)) | (low >> bits) | ((low << (64 - bits)) != 0);
    return high >> bits;
}

/* A finite number as mantissa 2^exponent; the mantissa has 53 bits unless it is 0. */
RD_UNUSED static uint64_t rd_parts(double x, int *exponent, int *negative)
{
    uint64_t bits, mantissa;
    memcpy(&bits, &x, sizeof bits);
    *negative = (int)(bits >> 63);
    *exponent = (int)(bits >> 52 & 2047);
    mantissa = bits & 4503599627370495u;
    if (*exponent)
        mantissa |= 4503599627370496u;
    else
        *exponent = 1;
    *exponent -= 1075;
    while (mantissa && mantissa < 4503599627370496u) {
        mantissa <<= 1;
        --*exponent;
    }
    return mantissa;
}

RD_UNUSED static double rd_fma(double a, double b, double c)
{
    int ea, eb, ec, na, nb, nc, exponent, negative, drop;
    uint64_t ma, mb, mc, high, low, chigh, clow, mantissa, half;
    double result;
    if (!(rd_abs(a) <= DBL_MAX && rd_abs(b) <= DBL_MAX) || a == 0.0 || b == 0.0)
        return a * b + c;
    if (!(rd_abs(c) <= DBL_MAX))
        return c;
    ma = rd_parts(a, &ea, &na);
    mb = rd_parts(b, &eb, &nb);
    mc = rd_parts(c, &ec, &nc);
    /* the product, 105 or 106 bits, then 20 places up: its first bit is bit 124 or 125 */
    {
        const uint64_t al = ma & 4294967295u, ah = ma >> 32, bl = mb & 4294967295u, bh = mb >> 32;
        const uint64_t middle = ah * bl + (al * bl >> 32);
        const uint64_t other = al * bh + (middle & 4294967295u);
        low = other << 32 | (al * bl & 4294967295u);
        high = ah * bh + (middle >> 32) + (other >> 32);
    }
    high = high << 20 | low >> 44;
    low <<= 20;
    exponent = ea + eb - 20;
    negative = na != nb;
    /* the summand beside it, its first bit at 125 */
    chigh = mc << 9;
    clow = 0;
    ec -= 73;
    if (mc) {
        if (ec <= exponent) {
            chigh = rd_sticky(chigh, clow, exponent - ec, &clow);
        } else {
            high = rd_sticky(high, low, ec - exponent, &low);
            exponent = ec;
        }
        if (nc == negative) {
            low += clow;
            high += chigh + (low < clow);
        } else if (high > chigh || (high == chigh && low >= clow)) {
            high -= chigh + (low < clow);
            low -= clow;
        } else {
            high = chigh - high - (clow < low);
            low = clow - low;
            negative = nc;
        }
        if (!(high | low))
            return 0.0;
    }
    while (!(high >> 63)) {
        if (!high) {
            high = low;
            low = 0;
            exponent -= 64;
            continue;
        }
        high = high << 1 | low >> 63;
        low <<= 1;
        --exponent;
    }
    /* high has 64 bits, of which 53 stay, or fewer below the smallest normal number */
    exponent += 64;
    high |= low != 0;
    drop = exponent + 11 < -1074 ? -1074 - exponent : 11;
    if (drop > 64)
        drop = 65;
    mantissa = drop < 64 ? high >> drop : 0;
    half = drop <= 64 ? (uint64_t)1 << (drop - 1) : 0;
    high = drop < 64 ? high & (((uint64_t)1 << drop) - 1) : drop == 64 ? high : 0;
    if (half && (high > half || (high == half && (mantissa & 1))))
        ++mantissa;
    exponent += drop;
    if (mantissa >> 53) {
        mantissa >>= 1;
        ++exponent;
    }
    if (exponent > 971)
        return negative ? -HUGE_VAL : HUGE_VAL;
    if (mantissa >> 52)
        mantissa += (uint64_t)(exponent + 1074) << 52;
    mantissa |= (uint64_t)negative << 63;
    memcpy(&result, &mantissa, sizeof result);
    return result;
}
#endif

RD_UNUSED static double rd_smaller(double a, double b) { return b < a ? b : a; }
RD_UNUSED static double rd_larger(double a, double b) { return b > a ? b : a; }

/* One of two numbers. gcc makes a branch of ?: on x86, which costs much where it is taken for the
 * wrong one, and keeps instructions on either side of it apart; masks of a vector's kind leave the
 * numbers in their registers. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__SSE2__)
typedef double rd_numbers __attribute__((vector_size(16)));
typedef int64_t rd_masks __attribute__((vector_size(16)));
RD_UNUSED static double rd_where(int test, double a, double b)
{
    const rd_numbers first = {a, 0.0}, second = {b, 0.0};
    const rd_masks mask = {-(int64_t)test, 0};
    const rd_masks found = ((rd_masks)first & mask) | ((rd_masks)second & ~mask);
    return ((rd_numbers)found)[0];
}
#else
RD_UNUSED static double rd_where(int test, double a, double b) { return test ? a : b; }
#endif

/* A bit of a whole number: the low bits of k + 1.5 * 2^52 are those of k. */
RD_UNUSED static int rd_bit(double k, int place)
{
    const double shifted = k + @WHOLE@;
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    return (int)(bits >> place & 1);
}
"""


class Array(NamedTuple):
    """An argument of a C function: so many numbers, and what they are."""

    name: str
    size: int
    what: str = ''
    """Meaning, shape and unit, for the comment."""
    scalar: bool = False
    """One number that is passed by value."""

    def declared(self, written: bool) -> str:
        """Return the argument's declaration."""
        if self.scalar:
            return f'double {self.name}'
        return f'{"" if written else "const "}double {self.name}[{max(1, self.size)}]'


def prelude() -> str:
    """Return what stands before the functions: arithmetic, sine and cosine."""
    sincos = function('rd_sincos', recorded_sincos(), [Array('x', 1, scalar=True)],
                      [Array('both', 2)], prepared=False)
    return PRELUDE.replace('@WHOLE@', number(WHOLE)) + '\n/* Sine and cosine of x [rad]. */\n' \
        + sincos.replace('static', 'RD_INLINE static', 1)


def function(name: str, routine: Routine, inputs: Sequence[Array], outputs: Sequence[Array],
             prepared: bool = True) -> str:
    """
    Return the function of a routine: static void name(w, inputs, outputs).

    :param prepared: the first argument is w, what depends on parameters alone
    """
    routine = routine.late()
    from_x, to_y = _places(inputs), _places(outputs)
    source = {'x': from_x, 'w': [f'w[{k}]' for k in range(1 + max(
        (load.place for load in routine.loads if load.array == 'w'), default=-1))]}
    declared = [*(['const double *w'] if prepared else []),
                *(item.declared(False) for item in inputs),
                *(item.declared(True) for item in outputs)]
    lines = [f'    const double t{node} = {source[array][place]};'
             for node, array, place in routine.loads]
    lines += _statements(routine, to_y)
    loaded = ' '.join(source[array][place] for _, array, place in routine.loads)
    names = [*(['w'] if prepared else []), *(item.name for item in inputs)]
    written = {item.name for item in outputs if item.size}
    names += [item.name for item in outputs if item.name not in written]
    unused = [f'    (void){item};' for item in names
              if not re.search(rf'\b{item}\b', loaded)]
    return '\n'.join([f'static void {name}({", ".join(declared)})', '{', *lines, *unused, '}', ''])


def _places(arrays: Sequence[Array]) -> list[str]:
    return [item.name if item.scalar else f'{item.name}[{k}]'
            for item in arrays for k in range(item.size)]


def _statements(routine: Routine, places: Sequence[str]) -> list[str]:
    """
    Return one constant per node; sin and cos of one angle come from one call.

    :param places: of the results, which are written as soon as they are known
    """
    graph = routine.graph
    kept = {load.node for load in routine.loads}
    truths = {node for node in routine.body if graph.ops[node] in TRUTHS}
    homes: dict[int, list[str]] = {}
    lines, last = [], []
    for place, a in zip(places, routine.results):
        if isinstance(a, float) or a in kept:
            last.append(f'    {place} = {_text(a)};')
        else:
            value = f't{a} ? 1.0 : 0.0' if a in truths else f't{a}'
            homes.setdefault(a, []).append(f'    {place} = {value};')
    for node, both in routine.statements:
        op, args = graph.ops[node], graph.args[node]
        if both:
            lines.append(f'    double s{node}[2];')
            lines.append(f'    rd_sincos({_text(args[0])}, s{node});')
            lines += [f'    const double t{both[kind]} = s{node}[{k}];'
                      for k, kind in enumerate(('sin', 'cos')) if kind in both]
        else:
            kind = 'int' if node in truths else 'double'
            if op == 'where':
                # one that was kept in w is 1 or 0
                test = f't{args[0]}' if args[0] in truths and args[0] not in kept \
                    else f'{_text(args[0])} != 0.0'
                value = f'rd_where({test}, {_text(args[1])}, {_text(args[2])})'
            elif op == 'bit':
                value = f'rd_bit({_text(args[0])}, {int(args[1])})'
            else:
                value = expression(op, [_text(a) for a in args], CALLS)
            lines.append(f'    const {kind} t{node} = {value};')
        for known in both.values() or (node,):
            lines += homes.get(known, ())
    return lines + last


def _text(a: Argument) -> str:
    return number(a) if isinstance(a, float) else f't{a}'


def number(value: float) -> str:
    """Return a constant that every compiler reads as the same bits."""
    if math.isnan(value):
        return '((double)NAN)'
    shown = CONSTANTS.get(value) or repr(float(value))
    return f'({shown})' if shown.startswith('-') else shown


def stack(routine: Routine) -> int:
    """Return bytes that the function of a routine needs at most: eight for each number."""
    return 8 * (len(routine.loads) + 3 * len(routine.body)) + 512


def library_calls(routines: Iterable[Routine]) -> list[str]:
    """Return the functions of the C library that routines call."""
    used = {routine.graph.ops[node] for routine in routines for node in routine.body}
    return [name for name in LIBRARY if name in used]


def identifier(text: str) -> str:
    """Return a name for C made of any text; equal texts give equal names, others may as well."""
    name = re.sub(r'\W', '_', text, flags=re.ASCII)
    if not name or name[0].isdigit():
        name = 'n' + name
    return name + '_' if name in TAKEN or name.startswith('rd_') else name


def comment(text: str) -> str:
    """Return a text, which may quote names of files, that ends no comment and begins none."""
    return text.replace('*/', '* /').replace('/*', '/ *')
