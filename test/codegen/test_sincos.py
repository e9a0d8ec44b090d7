# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The emitted sine and cosine against the library's, from the smallest angles to the largest."""

import math

import numpy as np
import pytest
from robodyn_ros.codegen.trigonometry import sincos
from robodyn_ros.tracing import cos, sin
from tracing.recording import program, run

EXACT_UP_TO = 8e5  # [rad], promised by trigonometry.py; robots turn far less
ULP = 2.0 ** -53   # half the spacing of numbers just below 1


@pytest.fixture(scope='module')
def compiled():
    """One program with the sine and the cosine of its input."""
    return program(lambda x: [sin(x), cos(x)], 1)


def errors(compiled, angles):
    """Return |ours - library's| (k, 2) for finite angles."""
    library = np.array([(math.sin(x), math.cos(x)) for x in angles.tolist()])
    return np.abs(run(compiled, angles[:, None]) - library)


def near_quadrant_borders(rng, largest):
    """Return the floats around multiples of pi/4, where the quadrant changes and sine vanishes."""
    k = np.concatenate([np.arange(-64, 65), rng.integers(-largest, largest, 3000)])
    border = k * (math.pi / 4.0)
    steps = [border]
    for _ in range(2):
        steps = [np.nextafter(steps[0], -np.inf), *steps, np.nextafter(steps[-1], np.inf)]
    return np.concatenate(steps)


def test_error_is_below_one_ulp_of_unity(compiled):
    """Within the promised range both are good to 2 x 2^-53, and tiny angles to their own ulp."""
    rng = np.random.default_rng(21)
    angles = np.concatenate([rng.uniform(-10.0, 10.0, 20000), rng.uniform(-8e5, 8e5, 20000),
                             near_quadrant_borders(rng, int(EXACT_UP_TO / math.pi * 4.0))])
    error = errors(compiled, angles)
    worst = int(np.argmax(error.max(axis=1)))
    assert error.max() <= 2.0 * ULP, f'sincos({angles[worst]!r}) is off by {error[worst]}'


def test_small_sines_are_relatively_exact(compiled):
    """Near multiples of pi the sine is small and still good to 2 ulp of itself."""
    rng = np.random.default_rng(22)
    angles = np.concatenate([10.0 ** rng.uniform(-300.0, 0.0, 5000),
                             np.arange(-2000, 2000) * math.pi])
    library = np.array([math.sin(x) for x in angles.tolist()])
    error = np.abs(run(compiled, angles[:, None])[:, 0] - library)
    # near k pi the reduced angle keeps 2^-85 of k: far below the sine's own ulp only up to here
    allowed = 4.0 * ULP * np.abs(library) + np.abs(angles) * 2.0 ** -85
    worst = int(np.argmax(error - allowed))
    assert (error <= allowed).all(), f'sin({angles[worst]!r}) is off by {error[worst]}'


def test_error_of_large_angles_is_below_their_own_spacing(compiled):
    """Beyond the range the error is less than what one ulp of the angle means."""
    rng = np.random.default_rng(23)
    angles = 10.0 ** rng.uniform(5.0, 15.0, 20000) * rng.choice([-1.0, 1.0], 20000)
    error = errors(compiled, angles).max(axis=1)
    allowed = np.maximum(2.0 * ULP, np.spacing(np.abs(angles)))
    worst = int(np.argmax(error / allowed))
    assert (error <= allowed).all(), f'sincos({angles[worst]!r}) is off by {error[worst]}'


def test_no_input_crashes_and_not_finite_stays_not_finite(compiled):
    """Any bit pattern may arrive while an integration diverges."""
    special = [math.nan, math.inf, -math.inf, 1e16, 1e19, -1e19, 1e100, 1.7e308, 5e-324, -0.0]
    found = run(compiled, np.array(special)[:, None])
    assert not np.isfinite(found[:3]).any(), found[:3]
    assert np.isfinite(found[-2:]).all()


def test_the_same_text_runs_in_plain_python():
    """Interpreted by Python, sincos gives the library's numbers too."""
    rng = np.random.default_rng(24)
    for x in rng.uniform(-1e3, 1e3, 500).tolist():
        s, c = sincos(x)
        assert abs(s - math.sin(x)) <= 2.0 * ULP and abs(c - math.cos(x)) <= 2.0 * ULP, x
