# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The back end that writes C: operations one by one, to the bits of Python's."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest
from robodyn_ros.codegen.arithmetic import fma
from robodyn_ros.codegen.c_text import (Array, comment, function, identifier, library_calls,
                                        number, prelude, stack)
from robodyn_ros.codegen.program import Program
from robodyn_ros.codegen.routines import Kernel
from robodyn_ros.codegen.trigonometry import sincos
from robodyn_ros.tracing import (absolute, atan2, clip, cos, exp, Graph, inputs, maximum, minimum,
                                 sin, sqrt, tan, tanh, where)

pytestmark = pytest.mark.skipif(shutil.which('gcc') is None, reason='there is no gcc')
WARNINGS = ['-Wall', '-Wextra', '-Werror', '-pedantic', '-Wconversion']
POINTER = ctypes.POINTER(ctypes.c_double)


def compiled(folder, text, *flags, name='code'):
    """Compile C with every warning an error, and load it."""
    (folder / f'{name}.c').write_text(text)
    library = folder / f'{name}.so'
    subprocess.run(['gcc', '-std=c99', *WARNINGS, '-O2', '-ffp-contract=off', '-shared', '-fPIC',
                    *flags, str(folder / f'{name}.c'), '-o', str(library), '-lm'], check=True)
    return ctypes.CDLL(str(library))


def doubles(*values):
    """Return numbers as C takes them."""
    return (ctypes.c_double * max(1, len(values)))(*values)


def same_bits(a, b):
    """Tell whether numbers are equal to the last bit; one NaN is as good as another."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    return bool(np.all((a.view(np.int64) == b.view(np.int64)) | (np.isnan(a) & np.isnan(b))))


def odd_numbers(rng, count):
    """Return numbers of every size: products that nearly cancel, tiny ones and infinite ones."""
    sizes = rng.choice([0, 1, 20, 300, 1000], size=(count, 3))
    numbers = rng.standard_normal((count, 3)) * 2.0 ** (sizes * rng.uniform(-1, 1, (count, 3)))
    near = rng.random(count) < 0.4
    with np.errstate(all='ignore'):
        numbers[near, 2] = -numbers[near, 0] * numbers[near, 1]
    coarse = rng.random((count, 3)) < 0.2
    numbers[coarse] = rng.choice([0.0, -0.0, 1.0, -1.0, 5e-324, -2.2250738585072014e-308, np.inf,
                                  np.nan, 1.7976931348623157e308, 0.5, 1 + 2.0 ** -52],
                                 size=int(coarse.sum()))
    return numbers


def test_the_software_fma_rounds_once(tmp_path):
    """By whole numbers, as the exact fractions of Python do; also where results are subnormal."""
    text = prelude() + ('\nvoid many(int k, const double *x, double *y);\n'
                        'void many(int k, const double *x, double *y)\n{\n    int i;\n'
                        '    for (i = 0; i < k; ++i)\n'
                        '        y[i] = rd_fma(x[3 * i], x[3 * i + 1], x[3 * i + 2]);\n}\n')
    library = compiled(tmp_path, text, '-DRD_SOFTWARE_FMA')
    x = odd_numbers(np.random.default_rng(5), 60_000)
    y = np.zeros(len(x))
    library.many(len(x), x.ctypes.data_as(POINTER), y.ctypes.data_as(POINTER))
    theirs = np.array([fma(*row) for row in x.tolist()])
    wrong = [k for k in range(len(x)) if not same_bits(y[k], theirs[k])]
    assert not wrong, [(x[k].tolist(), y[k], theirs[k]) for k in wrong[:3]]


def test_sine_and_cosine_have_our_bits(tmp_path):
    """Of angles of every size, with the instruction or without."""
    text = prelude() + ('\nvoid both(double x, double y[2]);\n'
                        'void both(double x, double y[2]) { rd_sincos(x, y); }\n')
    libraries = [compiled(tmp_path, text, flag, name=f'code{k}')
                 for k, flag in enumerate(('-march=native', '-DRD_SOFTWARE_FMA'))]
    rng = np.random.default_rng(7)
    y = doubles(0.0, 0.0)
    for x in (rng.standard_normal(2000) * 10.0 ** rng.uniform(-8, 6, 2000)).tolist():
        for library in libraries:
            library.both(ctypes.c_double(x), y)
            assert same_bits(list(y), sincos(x)), x


def test_every_operation_has_the_bits_of_the_machine_code(tmp_path):
    """A function of all of them, with conditions of the parameters that are kept in w."""
    graph = Graph()
    x, p = inputs(graph, 'x', 3), inputs(graph, 'p', 2)
    a, b, c = x
    outputs = [a * b + c * p[0], a / (b * b + 1.0), -sqrt(absolute(c)), minimum(a, b),
               maximum(a, c), clip(a, -p[1], p[1]), where(p[0] < p[1], a, b), where(a <= b, c, a),
               sin(a) * cos(a) + cos(b), tan(a), exp(-b * b), tanh(c), atan2(a, b),
               c - a * b, a * b - c, p[0] * p[1], 2.5, -0.0]
    program = Program('operations', [Kernel('evaluate', x, outputs)], p)
    prepare, kernel = (program.routines[name] for name in ('prepare', 'evaluate'))
    assert library_calls([kernel]) == ['tan', 'exp', 'tanh', 'atan2']
    parts = [Array('x', 3)], [Array('y', len(outputs))]
    text = '\n'.join([
        prelude(), function('rd_prepare', prepare, [Array('p', 2)],
                            [Array('w', prepare.outputs)], prepared=False),
        function('rd_kernel', kernel, *parts),
        'void call(const double *p, const double *x, double *y);\n'
        'void call(const double *p, const double *x, double *y)\n{\n'
        f'    double w[{prepare.outputs}];\n    rd_prepare(p, w);\n    rd_kernel(w, x, y);\n}}\n'])
    library = compiled(tmp_path, text)
    rng = np.random.default_rng(11)
    for _ in range(300):
        values, parameters = rng.standard_normal(3), rng.uniform(0.0, 2.0, 2)
        y = doubles(*[0.0] * len(outputs))
        library.call(doubles(*parameters), doubles(*values), y)
        ours = program.evaluate('evaluate', values, program.prepared(parameters))
        assert same_bits(list(y), ours)


def test_a_result_may_lie_where_an_argument_lies(tmp_path):
    """Results are written as soon as they are known, and every argument is read before."""
    graph = Graph()
    (a, b, c), p = inputs(graph, 'x', 3), inputs(graph, 'p', 1)
    root = sqrt(a)
    routine = Program('alias', [Kernel('f', [a, b, c], [root + 1.0, a, root / b, c - a])],
                      p).routines['f']
    made = function('rd_alias', routine, [Array('x', 3)], [Array('y', 4)])
    assert made.index('y[0] =') < made.index(' / ')
    library = compiled(tmp_path, '\n'.join([
        prelude(), made, 'void call(double *x);\nvoid call(double *x) { rd_alias(0, x, x); }\n']))
    numbers = doubles(4.0, 8.0, 5.0, 0.0)
    library.call(numbers)
    assert list(numbers) == [3.0, 4.0, 0.25, 1.0]


def test_names_become_identifiers():
    """Whatever a file calls its joints; words of C and C++ are avoided."""
    assert identifier('kp.joint-1') == 'kp_joint_1'
    assert identifier('6r') == 'n6r' and identifier('') == 'n' and identifier('class') == 'class_'
    assert identifier('gelenk_ä') == 'gelenk__'
    assert comment('a */ b /* c') == 'a * / b / * c'


def test_constants_are_read_as_the_same_bits():
    """Infinite ones and signed zeros among them."""
    assert [number(x) for x in (1.5, -0.0, float('inf'), -float('inf'))] == [
        '1.5', '(-0.0)', 'HUGE_VAL', '(-HUGE_VAL)']
    assert number(float('nan')) == '((double)NAN)'


def test_stack_counts_numbers():
    """A longer function has a larger bound."""
    graph = Graph()
    x, p = inputs(graph, 'x', 2), inputs(graph, 'p', 1)
    short = Program('short', [Kernel('f', x, [x[0] + x[1]])], p).routines['f']
    longer = Program('longer', [Kernel('f', x, [sin(x[0]) + x[1] / x[0]])], p).routines['f']
    assert stack(short) < stack(longer)
