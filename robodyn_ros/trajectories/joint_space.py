# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Motions given joint by joint: sine, way-points, and a table read from a file.

Each has sample(times) -> Trajectory. A sine goes on for ever; way-points and tables rest at their
first position before they start and at their last after they end.
"""
from __future__ import annotations

import csv
from dataclasses import dataclass
import math
import os
from pathlib import Path
import stat
from typing import TYPE_CHECKING

import numpy as np

from robodyn_ros.checks import shown
from robodyn_ros.errors import StateError
from robodyn_ros.types import Trajectory

if TYPE_CHECKING:
    from scipy.interpolate import PPoly

LARGEST_TABLE = 1 << 26
"""Bytes of a table; ten minutes of an arm at a kilohertz."""


@dataclass(frozen=True)
class JointSine:
    """q_i(t) = centre_i + amplitude_i sin(rate t) (paper 003)."""

    amplitude: tuple[float, ...]
    """[rad] or [m]"""
    rate: float = 2.0 * math.pi
    """[rad/s]"""
    centre: tuple[float, ...] = ()
    """[rad] or [m], zero by default"""

    def sample(self, times: np.ndarray) -> Trajectory:
        """Evaluate at times (k,)."""
        t = np.asarray(times, dtype=float)
        size, centre = np.array(self.amplitude), np.array(self.centre or (0.0,))
        if centre.size not in (1, size.size):
            raise StateError(f'joint sine has {size.size} amplitudes and {centre.size} centres; '
                             'expected the same number')
        s, c = np.sin(self.rate * t)[:, None], np.cos(self.rate * t)[:, None]
        return Trajectory(t, centre + s * size, c * size * self.rate, -s * size * self.rate ** 2)


@dataclass(frozen=True)
class JointWaypoints:
    """Quintic pieces through way-points; velocity and acceleration are zero where not given."""

    times: tuple[float, ...]
    """[s]"""
    positions: tuple[tuple[float, ...], ...]
    """(k, n) [rad] or [m]"""
    velocities: tuple[tuple[float, ...], ...] = ()
    accelerations: tuple[tuple[float, ...], ...] = ()

    def sample(self, times: np.ndarray) -> Trajectory:
        """Evaluate at times (k,)."""
        knots, position = np.array(self.times), np.array(self.positions, dtype=float)
        _check_knots(knots, position, 'way-points')
        zero = np.zeros_like(position)
        velocity = np.array(self.velocities) if self.velocities else zero
        acceleration = np.array(self.accelerations) if self.accelerations else zero
        if not position.ndim == 2 or not position.shape == velocity.shape == acceleration.shape:
            raise StateError(f'way-points: positions {position.shape}, velocities '
                             f'{velocity.shape} and accelerations {acceleration.shape} differ; '
                             'expected one row per time and one column per joint')
        stacked = np.stack([position, velocity, acceleration], axis=1)
        from scipy.interpolate import BPoly, PPoly  # a quarter of a second, only where needed
        piece = PPoly.from_bernstein_basis(BPoly.from_derivatives(knots, stacked))
        return _resting_outside(piece, knots, np.asarray(times, dtype=float))


@dataclass(frozen=True)
class Table:
    """A motion in a CSV file: a column t [s] and one column per joint, named; cubic between."""

    path: str

    def read(self) -> tuple[list[str], np.ndarray, np.ndarray]:
        """Joint names, times (k,) and positions (k, n)."""
        try:
            about = os.stat(self.path)
            if not stat.S_ISREG(about.st_mode) or about.st_size > LARGEST_TABLE:
                raise csv.Error(f'it is no file of at most {LARGEST_TABLE} bytes')
            with open(self.path, newline='', encoding='utf-8') as file:
                reader = csv.reader(file)
                numbered = [(reader.line_num, line) for line in reader if line]
        except (OSError, ValueError, csv.Error) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise StateError(f'{self.path}: cannot be read ({reason}); give a CSV file '
                             'with a column t and one column per joint') from None
        head = numbered[0][1] if numbered else []
        if len(head) < 2 or head[0].strip() != 't':
            found = shown(head) if head else 'missing'
            raise StateError(f'{self.path}: the first line is {found}; expected t and the names '
                             'of joints')
        for number, line in numbered[1:]:
            if len(line) != len(head) or not all(map(_is_number, line)):
                raise StateError(f'{self.path}: line {number} is {shown(",".join(line))}; '
                                 f'expected {len(head)} finite numbers')
        data = np.array([[float(x) for x in line] for _, line in numbered[1:]]).reshape(
            -1, len(head))
        _check_knots(data[:, 0], data[:, 1:], Path(self.path).name)
        return [name.strip() for name in head[1:]], data[:, 0], data[:, 1:]

    def sample(self, times: np.ndarray) -> Trajectory:
        """Evaluate at times (k,); the spline starts and ends at rest."""
        _, knots, position = self.read()
        from scipy.interpolate import CubicSpline  # a quarter of a second, only where needed
        spline = CubicSpline(knots, position, bc_type='clamped')
        return _resting_outside(spline, knots, np.asarray(times, dtype=float))


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _check_knots(knots: np.ndarray, values: np.ndarray, what: str) -> None:
    if knots.size < 2 or len(values) != knots.size:
        raise StateError(f'{what}: {knots.size} times and {len(values)} positions; expected the '
                         'same number, two or more')
    if not np.all(np.diff(knots) > 0.0):
        late = int(np.argmin(np.diff(knots) > 0.0))
        raise StateError(f'{what}: time {knots[late + 1]} follows {knots[late]}; times must '
                         'increase')


def _resting_outside(piece: PPoly, knots: np.ndarray, t: np.ndarray) -> Trajectory:
    inside = ((t >= knots[0]) & (t <= knots[-1]))[:, None]
    at = np.clip(t, knots[0], knots[-1])
    return Trajectory(t, piece(at), np.where(inside, piece(at, 1), 0.0),
                      np.where(inside, piece(at, 2), 0.0))
