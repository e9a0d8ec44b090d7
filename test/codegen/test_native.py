# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Arrays that compiled code must not see are refused, by calls and when arrays are bound."""

import ctypes
import pickle

import numpy as np
import pytest
from robodyn_ros.codegen.native import bind
from robodyn_ros.plant.plant import Plant
from robodyn_ros.robots.robot import load_robot
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
}
NO_ARRAYS = {'an address': 0, 'nothing': None, 'a list': [0.0] * LENGTH, 'a number': np.float64()}


@pytest.fixture(scope='module')
def names():
    """Compile y = 2 x + 1."""
    return program(lambda x: [2.0 * x + 1.0], 1).names


def many(names, x, y):
    """Evaluate at all x, into y."""
    return names['many_evaluate'](len(y), x, np.zeros(1), y)


@pytest.mark.parametrize('name', UNFIT)
def test_an_unfit_array_is_refused(name, names):
    """The sentence names the type, or how to make the array contiguous; nothing is written."""
    array, words = UNFIT[name]
    with pytest.raises(ctypes.ArgumentError, match=f'argument 4.*{words}'):
        many(names, np.ones(LENGTH), array)
    with pytest.raises(ctypes.ArgumentError, match=f'argument 2.*{words}'):
        many(names, array, np.ones(LENGTH))
    with pytest.raises(TypeError, match=words):
        bind(names['one_evaluate'], array)
    assert not array.any()


@pytest.mark.parametrize('name', NO_ARRAYS)
def test_what_is_no_array_is_refused(name, names):
    """Least of all a number is taken for an address."""
    with pytest.raises(ctypes.ArgumentError, match='argument 2'):
        many(names, NO_ARRAYS[name], np.ones(LENGTH))


def test_arrays_of_whole_numbers_are_told_from_others():
    """Each array must have the type that the code was compiled for."""
    steps = Plant(load_robot('two_link')).ready().names['steps_in_place']
    assert steps.kinds == 'ppn'
    with pytest.raises(TypeError, match='float64.*int64'):
        bind(steps, *np.zeros((3, 200)))


def test_the_number_of_arrays_is_looked_at(names):
    """One too many is as wrong as one too few."""
    for arrays in ((), (np.zeros(LENGTH), np.zeros(LENGTH))):
        with pytest.raises(ValueError, match='argument'):
            bind(names['one_evaluate'], *arrays)


def test_fit_arrays_need_not_be_ordinary(names):
    """Two dimensions, only to be read, of a copied type, empty."""
    x = np.arange(6.0).reshape(2, 3)
    x.flags.writeable = False
    y = pickle.loads(pickle.dumps(np.zeros(6)))  # its type is equal to float, not the same
    many(names, x, y)
    assert y.tolist() == (2.0 * x.ravel() + 1.0).tolist()
    many(names, np.empty(0), np.empty(0))


@pytest.mark.parametrize('short', [False, True])
def test_a_bound_call_works_in_its_arrays(short, names):
    """What stands there when it is called counts."""
    block = np.zeros(LENGTH)
    call = bind(names['one_evaluate'], block, short=short)
    for x in (1.0, -3.0):
        block[0] = x
        call()
        assert block[1] == 2.0 * x + 1.0
