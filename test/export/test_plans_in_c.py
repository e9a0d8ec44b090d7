# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Exported interpolation of any trajectory is the controller node's JointPlan, to the last bit."""

import ctypes
import shutil
import subprocess

from export.compilers import BITS, WARNINGS
import numpy as np
import pytest
from robodyn_ros import robot_from_text
from robodyn_ros.codegen.c_text import prelude
from robodyn_ros.export.part import Part
from robodyn_ros.export.trajectory import add_trajectory
from robodyn_ros.ros_time import NANO
from robodyn_ros.share import share_folder
from robodyn_ros.trajectories.joint_plan import JointPlan, Points

pytestmark = pytest.mark.skipif(shutil.which('gcc') is None, reason='there is no gcc')
MANY = """
void many(const p_points *points, int64_t now, const double *state, int64_t blend, int count,
          const int64_t *at, double *desired);
void many(const p_points *points, int64_t now, const double *state, int64_t blend, int count,
          const int64_t *at, double *desired)
{
    p_plan plan;
    int k;
    p_begin(&plan, points, now, state, blend);
    for (k = 0; k < count; ++k)
        p_sample(&plan, at[k], desired + k * P_DESIRED);
}
"""
GAPS = (1, 2, 3, 1000, 10_000_000, 333_333_333, 2 * NANO)
BLENDS = (0, 1, 2, 1000, 100_000_000, 3 * NANO)
"""Between points, and of what a plan begins apart from the arm [ns]."""


class PointsInC(ctypes.Structure):
    """The struct of the header."""

    _fields_ = [('start', ctypes.c_int64), ('count', ctypes.c_int),
                *((name, ctypes.c_void_p) for name in ('times', 'q', 'v', 'a'))]


@pytest.fixture(scope='module')
def robot():
    """Return an arm with three joints that turn without limits and one that does not turn."""
    text = share_folder('urdf').joinpath('scara_450.urdf').read_text()
    return robot_from_text(text.replace('type="revolute"', 'type="continuous"'), 'turning')


@pytest.fixture(scope='module')
def library(robot, tmp_path_factory):
    """Return the functions of its plans in C."""
    folder, part = tmp_path_factory.mktemp('c'), Part()
    add_trajectory(part, 'p', robot, None)
    (folder / 'p.c').write_text('\n'.join(
        ['#include <stdint.h>', *part.header, prelude(), *part.source, MANY]))
    subprocess.run(['gcc', '-std=c99', '-O2', *BITS, *WARNINGS, '-shared', '-fPIC', 'p.c', '-o',
                    'p.so'], cwd=folder, check=True)
    return ctypes.CDLL(str(folder / 'p.so'))


def address(array):
    """Return where an array lies; 0 if there is none."""
    return ctypes.c_void_p(array.ctypes.data if array.size else None)


def numbers(rng, *shape):
    """Return numbers of several sizes, zeros of both signs among them."""
    zero = rng.random(shape) < 0.15
    return np.where(zero, rng.choice([0.0, -0.0], shape),
                    rng.uniform(-1.0, 1.0, shape) * rng.choice([1.0, 1e-3, 20.0]))


@pytest.mark.parametrize('seed', range(4))
def test_any_trajectory_from_any_state_at_any_time(robot, library, seed):
    """Fields left out, one point or more, begun before, within and after, sampled at the edges."""
    rng, n = np.random.default_rng(seed), robot.n
    turning = np.isinf(robot.limits.upper) & (np.array(robot.limits.units) == 'rad')
    assert turning.sum() == 3 and n == 4
    for _ in range(150):
        times = np.cumsum(rng.choice(GAPS, rng.choice([1, 2, 3, 7])), dtype=np.int64)
        times -= rng.choice([0, times[0]])
        last, order = int(times[-1]), int(rng.integers(3))
        q, v, a = (numbers(rng, len(times) if k <= order else 0, n) for k in range(3))
        state = numbers(rng, 3 * n)
        state[:n] += rng.choice([0.0, 0.0, 6.3, -40.0], n)
        if rng.random() < 0.3:
            state[:n] = q[0]
        start = int(rng.choice([0, -5, 17 * 10 ** 17]))
        now = start + int(rng.choice([0, -NANO, times[0] - 1, times[0], last // 2, last - 1, last,
                                      last + NANO]))
        blend = int(rng.choice(BLENDS))
        plan = JointPlan(start, Points(times, q, v, a, None)).begun(
            now, state, blend / NANO, turning)
        at = np.concatenate([*(start + times + k for k in (-1, 0, 1)), now + np.array(
            [-1, 0, 1, blend // 2, blend - 1, blend]), start + last - np.array(
            [blend, blend // 2]), start + rng.integers(-NANO, last + NANO, 10)])
        rng.shuffle(at)
        expected = np.array([plan.sample(instant) for instant in at.tolist()])
        found, wanted = np.zeros_like(expected), PointsInC(
            start, len(times), *(address(part) for part in (times, q, v, a)))
        library.many(ctypes.byref(wanted), ctypes.c_int64(now), address(state),
                     ctypes.c_int64(blend), len(at), address(at), address(found))
        assert found.tobytes() == expected.tobytes(), (times, q, v, a, state, now - start, blend)
