# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The emitted text: no dead code, parameters prepared once, the same bits every time."""

import ast
import math

import numpy as np
import pytest
from robodyn_ros.codegen.program import Program
from robodyn_ros.codegen.routines import Kernel
from robodyn_ros.robots.robot import load_robot, robot_names
from robodyn_ros.tracing import cos, exp, Graph, inputs, minimum, sin, sqrt, tanh
from tracing.recording import KINKED, program, run, same, SMOOTH, Tape

ROUNDING = 1e-13


def functions(source):
    """Return the function definitions of a source by name."""
    return {node.name: node for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.FunctionDef)}


def names(node):
    """Return all names read in a piece of source."""
    return {x.id for x in ast.walk(node) if isinstance(x, ast.Name)}


def emitted(function, count, parameters):
    """Emit one kernel of count inputs and some parameters."""
    graph = Graph()
    x, p = inputs(graph, 'x', count), inputs(graph, 'p', parameters)
    return Program('a test', [Kernel('evaluate', x, list(function(x, p)))], p)


def body(made):
    """Return the text of a program without its imports."""
    return made.source[made.source.index('def '):]


def test_dead_code_is_not_emitted():
    """What no output needs, and what a zero factor cancels, is not in the source."""
    def wasteful(x, p):
        unused = exp(x[0]) + sqrt(x[1])
        return [sin(x[0]) + tanh(x[1]) * 0.0 + (unused - unused)]
    text = emitted(wasteful, 2, 1)
    for word in ('exp', 'sqrt', 'tanh', 'x[i + 1]'):
        assert word not in body(text), text.source
    assert text.operations == {'prepare': 0, 'evaluate': 1}


def test_sine_and_cosine_of_one_angle_are_one_call():
    """The pair costs one reduction; of a lone sine the cosine is thrown away."""
    text = emitted(lambda x, p: [sin(x[0]), cos(x[0]), sin(x[1])], 2, 1)
    assert body(text).count('sincos(') == 2, text.source


def test_prepare_holds_what_depends_on_parameters_alone():
    """Kernels do no work that only parameters need; parameters not used are not read."""
    def law(x, p):
        gain = sqrt(exp(p[0]) + p[1] * p[1])
        return [gain * x[0] + tanh(p[0]), gain + 1.0]
    text = emitted(law, 1, 3)
    prepare, kernel = (ast.unparse(functions(text.source)[n]) for n in ('prepare', 'evaluate'))
    for word in ('exp', 'sqrt', 'tanh'):
        assert word in prepare and word not in kernel, text.source
    assert 'x[i + 2]' not in prepare, text.source
    assert text.operations['evaluate'] == 1 and text.prepared_size == 3, text.source


@pytest.mark.parametrize('name', robot_names())
def test_robot_source_is_deterministic_and_prepares_every_parameter(name):
    """Two traces give one text; every line assigns something used."""
    texts = []
    for _ in range(2):
        made = load_robot(name).compiled.program('mass_and_bias')
        texts.append(made.source)
    assert texts[0] == texts[1]
    compile(texts[0], name, 'exec')
    parts = functions(texts[0])
    for part in ('prepare', 'evaluate'):
        assigned = [t.id for node in ast.walk(parts[part]) if isinstance(node, ast.Assign)
                    for target in node.targets for t in ast.walk(target)
                    if isinstance(t, ast.Name) and isinstance(t.ctx, ast.Store) and t.id != '_']
        read = {x.id for x in ast.walk(parts[part])
                if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Load)}
        assert len(assigned) == len(set(assigned)), f'{part} of {name} assigns a name twice'
        assert set(assigned) <= read, f'{part} of {name}: {set(assigned) - read} are never used'


@pytest.mark.parametrize('name', ['mass_and_bias', 'inverse_dynamics', 'forward_dynamics',
                                  'energy', 'bias_parts', 'frame tool0'])
def test_every_name_of_a_source_is_defined(name):
    """A constant equal to a node's number does not swallow the node (regression)."""
    for robot in robot_names():
        source = load_robot(robot).compiled.program(name).source
        for part in (functions(source)[key] for key in ('prepare', 'evaluate')):
            stored = {x.id for x in ast.walk(part)
                      if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)}
            free = {n for n in names(part) - stored if n.startswith('t') and n[1:].isdigit()}
            assert not free, f'{name} of {robot} uses {free} undefined'


@pytest.mark.parametrize('name', ['mass_and_bias', 'forward_dynamics'])
def test_late_operations_are_the_same_and_follow_their_arguments(name):
    """Another order of the same list; each operation waits for its first reader's other chains."""
    for robot in robot_names():
        routine = load_robot(robot).compiled.program(name).routines['evaluate']
        late = routine.late()
        assert sorted(late.body) == sorted(routine.body)
        assert late.late().body == late.body
        place = {node: k for k, node in enumerate(late.body)}
        for node in late.body:
            for a in late.graph.args[node]:
                assert isinstance(a, float) or place.get(a, -1) < place[node]


def test_late_operations_stand_before_their_first_use():
    """A constant result, and one equal to a node's number, among them."""
    graph = Graph()
    (x, y), p = inputs(graph, 'x', 2), inputs(graph, 'p', 1)
    early = sqrt(x)
    other = exp(y)
    results = [other, 1.0, float(early.node), early + other, early]
    routine = Program('late', [Kernel('evaluate', [x, y], results)], p).routines['evaluate']
    assert [graph.ops[node] for node in routine.body] == ['sqrt', 'exp', 'add']
    assert [graph.ops[node] for node in routine.late().body] == ['exp', 'sqrt', 'add']


def test_prepared_parameters_give_what_plain_numbers_give():
    """A tape with some inputs as parameters, compiled once, equals the plain function."""
    rng = np.random.default_rng(41)
    tapes = [Tape(rng, 5, 16, SMOOTH + KINKED) for _ in range(10)]
    compiled = program(lambda *x: [y for tape in tapes for y in tape.play(x)], 2, parameters=3)
    for _ in range(20):
        x, p = rng.normal(size=2), rng.normal(size=3)
        expected = [y for tape in tapes for y in tape.play(map(float, [*x, *p]))]
        for k, (ours, theirs) in enumerate(zip(run(compiled, x, p), expected)):
            assert same(ours, theirs, ROUNDING), f'{ours} != {theirs} at {x}, {p}: {tapes[k // 3]}'


def test_infinite_constants_are_written_as_python():
    """An effort limit that the file does not give is infinite and must compile."""
    text = emitted(lambda x, p: [minimum(x[0], math.inf), x[0] * -math.inf, x[0] + math.nan], 1, 1)
    assert 'math.inf' in text.source and '(-math.inf)' in text.source
    assert 'math.nan' in text.source
    assert not {'inf', 'nan'} & names(ast.parse(text.source))
