# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Arrays that compiled code must not see are refused, by calls and when arrays are bound."""

import pickle

import numpy as np
import pytest
from robodyn_ros.codegen.layout import Layout
from robodyn_ros.errors import ArgumentError
from robodyn_ros.plant.plant import Plant
from robodyn_ros.robots.robot import load_robot
from robodyn_ros.types import Control
from tracing.recording import program

LENGTH = 4
UNFIT = {
    'gaps': (np.zeros(2 * LENGTH)[::2], 'ascontiguousarray'),
    'backwards': (np.zeros(LENGTH)[::-1], 'ascontiguousarray'),
    'columns first': (np.zeros((2, LENGTH)).T, 'ascontiguousarray'),
    'single precision': (np.zeros(LENGTH, dtype=np.float32), 'float32.*float64'),
    'whole numbers': (np.zeros(LENGTH, dtype=np.int64), 'int64.*float64'),
    'the other end first': (np.zeros(LENGTH, dtype='>f8'), '>f8.*float64'),
    'objects': (np.zeros(LENGTH, dtype=object), 'object.*float64'),
    'too short': (np.zeros(LENGTH - 2), f'has {LENGTH - 2} numbers.*or more'),
    'empty': (np.zeros(0), 'has 0 numbers'),
}
NO_ARRAYS = {'an address': 0, 'nothing': None, 'a list': [0.0] * LENGTH, 'a number': np.float64()}


@pytest.fixture(scope='module')
def functions():
    """Compile y = 2 x + 1."""
    return program(lambda x: [2.0 * x + 1.0], 1).functions()


def many(functions, x, y):
    """Evaluate at LENGTH places x, into y."""
    return functions['many_evaluate'](LENGTH, x, np.zeros(1), y)


@pytest.mark.parametrize('name', UNFIT)
def test_an_unfit_array_is_refused(name, functions):
    """The sentence names the argument and what to do; nothing is written."""
    array, words = UNFIT[name]
    with pytest.raises(ArgumentError, match=f'y of many_evaluate.*{words}'):
        many(functions, np.ones(LENGTH), array)
    with pytest.raises(ArgumentError, match=f'x of many_evaluate.*{words}'):
        many(functions, array, np.ones(LENGTH))
    with pytest.raises(ArgumentError, match=words):
        functions['one_evaluate'].bind(array)
    assert not array.any()


def test_an_array_that_must_not_be_written_is_refused_as_a_result(functions):
    """As an input it will do."""
    fixed = np.ones(LENGTH)
    fixed.flags.writeable = False
    with pytest.raises(ArgumentError, match='y of many_evaluate is read-only'):
        many(functions, np.ones(LENGTH), fixed)
    many(functions, fixed, np.ones(LENGTH))
    assert fixed.tolist() == [1.0] * LENGTH


@pytest.mark.parametrize('name', NO_ARRAYS)
def test_what_is_no_array_is_refused(name, functions):
    """Least of all a number is taken for an address."""
    with pytest.raises(ArgumentError, match='x of many_evaluate.*numpy array'):
        many(functions, NO_ARRAYS[name], np.ones(LENGTH))


def test_arrays_of_whole_numbers_are_told_from_others():
    """Each array must have the type that the code was compiled for."""
    steps = Plant(load_robot('two_link')).ready().functions['steps_in_place']
    assert steps.signature.kinds == 'ppn'
    with pytest.raises(ArgumentError, match='counts.*float64.*int64'):
        steps.bind(*np.zeros((3, 500)))


def test_the_number_of_arguments_is_looked_at(functions):
    """One too many is as wrong as one too few."""
    for arrays in ((), (np.zeros(LENGTH), np.zeros(LENGTH))):
        with pytest.raises(ArgumentError, match='one_evaluate was given .* arguments'):
            functions['one_evaluate'].bind(*arrays)
    with pytest.raises(ArgumentError, match='many_evaluate was given 2 arguments'):
        functions['many_evaluate'](1, np.zeros(1))


def test_fit_arrays_need_not_be_ordinary(functions):
    """Two dimensions, longer than needed, of a copied type."""
    x = np.arange(6.0).reshape(2, 3)
    y = pickle.loads(pickle.dumps(np.zeros(6)))  # its type is equal to float, not the same
    many(functions, x, y)
    assert y.tolist() == (2.0 * x.ravel() + 1.0)[:LENGTH].tolist() + [0.0, 0.0]


@pytest.mark.parametrize('short', [False, True])
def test_a_bound_call_works_in_its_arrays(short, functions):
    """What stands there when it is called counts."""
    block = np.zeros(LENGTH)
    call = functions['one_evaluate'].bind(block, short=short)
    for x in (1.0, -3.0):
        block[0] = x
        call()
        assert block[1] == 2.0 * x + 1.0


@pytest.mark.parametrize('short', [False, True])
def test_a_bound_call_keeps_its_numbers(short, functions):
    """Scalars stay as they were when it was bound; arrays that are only read may be fixed."""
    x, y = np.arange(6.0), np.zeros(6)
    x.flags.writeable = False
    functions['many_evaluate'].bind(LENGTH, x, np.zeros(1), y, short=short)()
    assert y.tolist() == [1.0, 3.0, 5.0, 7.0, 0.0, 0.0]
    plant = Plant(load_robot('two_link'))  # numbers with a point, too
    (run, w), layout, done = plant.ready(), plant.model.layout, np.zeros(2, dtype=np.int64)
    ends = []
    for bound in (False, True):
        given = {**arguments(layout, w.size, 7, 3, 2), 'w': w, 'done': done}
        given['x'][1:3] = 0.3, -0.2
        call = run['rollout'].bind(0, 7, 1e-3, 3, 2, *given.values(), short=short) if bound else \
            lambda: run['rollout'](0, 7, 1e-3, 3, 2, *given.values())
        assert call() == 0
        ends.append(given['x'].tobytes())
    assert ends[0] == ends[1] != arguments(layout, w.size, 7, 3, 2)['x'].tobytes()


def arguments(layout, prepared, steps, every, period):
    """Return arrays for a rollout that are just long enough, filled with a mark behind them."""
    sizes = {'t0': 1, 'x': layout.x_size, 'w': prepared, 'y': layout.scratch,
             's': layout.workspace, 'reference': -(-steps // period) * layout.reference,
             'rows': (steps // every + 1) * layout.sample, 'queue': layout.delay * layout.n}
    arrays = {name: np.zeros(size) for name, size in sizes.items()}
    return {**arrays, 'done': np.zeros(2, dtype=np.int64)}


@pytest.mark.parametrize('robot', ['two_link', 'scara_450'])
@pytest.mark.parametrize('name', ['t0', 'x', 'w', 'y', 's', 'reference', 'rows', 'queue', 'done'])
def test_every_array_of_a_rollout_has_its_least_length(robot, name):
    """One number less is refused by name; just enough is enough (the layout is the owner)."""
    n = load_robot(robot).n
    control = Control(lambda t, q, v, r, p: [p['k'] * x for x in r], n, {'k': 1.0}, delay=2)
    plant = Plant(load_robot(robot), control=control, control_period=2)
    functions, w = plant.ready()
    layout = plant.model.layout
    assert layout == Layout(n, 0, n, 2)
    given = arguments(layout, w.size, 7, 3, 2)
    given['w'][:] = w
    assert functions['rollout'](0, 7, 1e-3, 3, 2, *given.values()) == 0
    short = {**given, name: given[name][:-1]}
    with pytest.raises(ArgumentError, match=f'^{name} of rollout has'):
        functions['rollout'](0, 7, 1e-3, 3, 2, *short.values())


@pytest.mark.parametrize('n, m, reference, delay', [
    (1, 0, 0, 0), (1, 1, 0, 1), (2, 3, 4, 0), (4, 3, 12, 2), (7, 6, 0, 5)])
def test_no_two_parts_of_a_layout_share_a_number(n, m, reference, delay):
    """Parts follow one another without overlap, and fit into the whole."""
    made = Layout(n, m, reference, delay)
    rank = [0, made.rank_force, made.rank_rows, made.rank_right, made.rank_turn, made.rank_norms,
            made.rank_u, made.rank_multipliers, made.rank_extra]
    sizes = [n * n, n, m * n, 2 * m, m * m, m, n, m, n + m]
    assert [b - a for a, b in zip(rank, rank[1:])] == sizes[:-1]
    assert made.scratch == made.results + rank[-1] + sizes[-1]
    assert made.results >= max(2 * n + 8, made.observed, made.corrected + n)
    assert [made.times, made.control, made.start] == [5 * n, 5 * n + 1, 7 * n + 2 + reference]
    assert made.workspace == made.start + 2 * n
    assert made.block == 2 + made.x_size + made.scratch + made.workspace
