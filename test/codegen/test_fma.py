# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The fused multiply-add of plain Python has the bits of the system's library."""

import ctypes
from ctypes.util import find_library
import itertools
import math
import sys

import numpy as np
import pytest
from robodyn_ros.codegen.arithmetic import _exact_fma, fma

LARGEST, TINIEST = sys.float_info.max, 5e-324
SPECIAL = [sign * x for sign in (1.0, -1.0) for x in (
    0.0, TINIEST, sys.float_info.min, 1e-200, 2.0 ** -537, 0.5, 1.0, math.nextafter(1.0, 2.0), 3.0,
    2.0 ** 512, 1e200, LARGEST / 2.0, math.nextafter(LARGEST, 0.0), LARGEST, math.inf, math.nan)]


@pytest.fixture(scope='module')
def library():
    """Return fma of the system's library."""
    found = ctypes.CDLL(find_library('m')).fma
    found.argtypes, found.restype = [ctypes.c_double] * 3, ctypes.c_double
    return found


def random_cases():
    """Yield sums of any size, sums that nearly cancel, and sums about to overflow or underflow."""
    rng = np.random.default_rng(51)
    for a, b, c in (rng.normal(size=(5000, 3)) * 2.0 ** rng.integers(-40, 40, (5000, 3))).tolist():
        yield a, b, c
        yield a, b, -a * b  # what rounding the product lost
        yield a, b, math.nextafter(-a * b, c)
    for a, b, c in rng.integers(0, 2 ** 64, (5000, 3), dtype=np.uint64).view(float).tolist():
        yield a, b, c  # any bits
        yield a, LARGEST / a if a else b, c
        yield a, TINIEST / a if a else b, c * TINIEST
    for a, sign in zip(rng.uniform(1.0, 2.0, 2000).tolist(), itertools.cycle((1.0, -1.0))):
        for size in (512, 513):  # the product overflows, the sum may not
            yield sign * a * 2.0 ** 511, a * 2.0 ** size, -sign * LARGEST
        for size in (-537, -538):  # halfway between the smallest numbers
            yield sign * a * 2.0 ** -537, 2.0 ** size, -sign * TINIEST


@pytest.mark.parametrize('ours', [fma, _exact_fma])
@pytest.mark.parametrize('cases', [lambda: itertools.product(SPECIAL, repeat=3), random_cases],
                         ids=['special', 'random'])
def test_every_bit_is_that_of_the_library(ours, cases, library):
    """Signs of zeros, overflow, subnormal and not finite numbers among them."""
    for a, b, c in cases():
        found, expected = ours(a, b, c), library(a, b, c)
        # repr tells 0.0 from -0.0 and calls every nan the same
        assert repr(found) == repr(expected), f'fma({a!r}, {b!r}, {c!r}) = {found!r}'


def test_only_the_sum_overflows():
    """A product beyond all numbers may leave a sum that is one (regression)."""
    assert fma(1e200, 1e200, -math.inf) == -math.inf
    assert fma(2.0, LARGEST, -LARGEST) == LARGEST
    assert fma(2.0, LARGEST, LARGEST) == math.inf
