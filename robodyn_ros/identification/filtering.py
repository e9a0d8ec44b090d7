# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
From what was measured to states: even times, a zero-phase filter, velocities, accelerations.

Stamps of a real robot jitter, positions have noise, and their second derivative has it a thousand
times. So everything is put on even times, filtered forward and backward (a Butterworth filter,
which then has no phase), and differentiated by central differences, as the field does it (Gautier,
Dynamic identification of robots with power model, 1997). The torque goes through the same filter
again together with the columns of the regressor (`decimated`): what is filtered on both sides of a
linear equation leaves it true, and friction that changes its sign stays the friction it was.
"""
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Sequence

import numpy as np

from robodyn_ros.errors import RecordingError

ORDER = 4
"""Of the Butterworth filter, each way."""
GAP = 0.05
"""Step of time beyond which a recording is cut in two, where it is also 20 usual steps [s]."""
SHORTEST = 0.5
"""Piece of a recording that is worth filtering [s]."""
PERIODS = 5.0
"""Of the cut-off frequency that a piece must last: the filters need nearly four of them."""
OVERSAMPLING = 10.0
"""Samples per period of the cut-off frequency at which states are kept."""
LOWEST = 8.0
"""Cut-off frequency below which friction that changes its sign would be lost [Hz]."""
SLOW_ROBOT = 20.0
"""Frequency above which no arm is moved on purpose [Hz]."""
FEWEST = 50
"""Samples of a recording."""
LATEST = 0.05
"""By what velocities can be late [s]."""


@dataclass(frozen=True)
class Measured:
    """One recording: k samples of n joints, in the robot's order."""

    source: str
    t: np.ndarray
    """(k,) [s], increasing."""
    q: np.ndarray
    """(k, n) [rad] or [m]"""
    tau: np.ndarray
    """Efforts (k, n) [N m] or [N]; NaN at joints without a motor."""
    v: np.ndarray | None = None
    """Measured velocities (k, n), if there are any."""
    a: np.ndarray | None = None
    """Accelerations (k, n), if they are exact, as a simulation's are."""
    remarks: tuple[str, ...] = ()

    def part(self, chosen: slice | np.ndarray) -> 'Measured':
        """Return some of the samples, in their order."""
        cut: Any = {key: None if (x := getattr(self, key)) is None else x[chosen]
                    for key in ('t', 'q', 'tau', 'v', 'a')}
        return replace(self, **cut)

    @property
    def duration(self) -> float:
        """Return its length [s]."""
        return float(self.t[-1] - self.t[0])


@dataclass(frozen=True)
class States:
    """States and torques at even times, ready for the regressor."""

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    tau: np.ndarray
    cutoff: float | None
    """Of the filter they went through; None: they were exact [Hz]."""
    projection: np.ndarray | None = None
    """Z (k, n, n) of a closed chain (closed_chain.py)."""

    def felt(self, values: np.ndarray) -> np.ndarray:
        """Return what the motors feel, Z^T values, of values (k, n, ...) along the joints."""
        if self.projection is None:
            return values
        return np.einsum('kja,kj...->ka...', self.projection, values)

    @property
    def rate(self) -> float:
        """Return the samples per second."""
        return (len(self.t) - 1) / float(self.t[-1] - self.t[0])


def segments(measured: Measured) -> list[Measured]:
    """Cut a recording where samples are missing; pieces too short to be filtered are left out."""
    steps = np.diff(measured.t)
    wide = max(GAP, 20.0 * float(np.median(steps)))
    ends = [0, *(np.flatnonzero(steps > wide) + 1), len(measured.t)]
    found = [measured.part(slice(a, b)) for a, b in zip(ends, ends[1:])]
    return [piece for piece in found if len(piece.t) >= FEWEST and piece.duration >= SHORTEST]


def long_enough(pieces: Sequence[Measured], cutoff: float | None) -> list[Measured]:
    """Return the pieces of which something is left when the filters have taken the ends."""
    return [piece for piece in pieces if cutoff is None or piece.duration * cutoff >= PERIODS]


def usual_rate(measured: Measured) -> float:
    """Return the samples per second that are usual in a recording."""
    return 1.0 / float(np.median(np.diff(measured.t)))


def states_of(measured: Measured, cutoff: float | None) -> States:
    """
    Return the states of one piece of a recording.

    :param cutoff: of the filter [Hz]; None where accelerations are known exactly
    """
    if measured.a is not None and measured.v is not None and cutoff is None:
        return States(measured.t, measured.q, measured.v, measured.a, measured.tau, None)
    assert cutoff is not None
    t, q = _evenly(measured)
    count = len(t)
    rate = (count - 1) / measured.duration
    tau = _resampled(t, measured.t, measured.tau)
    q, tau = low_pass(q, cutoff, rate), low_pass(despiked(tau), cutoff, rate)
    h = 1.0 / rate
    v = np.gradient(q, h, axis=0, edge_order=2)
    if measured.v is not None:
        told = low_pass(_resampled(t, measured.t, measured.v), cutoff, rate)
        v = np.where(np.isfinite(told).all(axis=0), told, v)
    a = np.gradient(v, h, axis=0, edge_order=2)
    every = max(1, int(rate / (OVERSAMPLING * cutoff)))
    # filters and differences need both sides: the ends are left out
    edge = int(np.ceil(rate / cutoff))
    kept = slice(edge, max(edge + 1, count - edge), every)
    return States(t[kept], q[kept], v[kept], a[kept], tau[kept], cutoff)


def in_step(measured: Measured, cutoff: float) -> tuple[Measured, float]:
    """
    Return one piece with its velocities moved onto its positions, and by how much [s].

    Many robots filter the velocities they tell, so that these come late, and accelerations made
    of them, too. v(t) = dq/dt(t - delay) is solved by Gauss-Newton, all joints together, each
    over the size of its velocity.
    """
    if measured.v is None or len(measured.t) < FEWEST:
        return measured, 0.0
    t, q = _evenly(measured)
    rate = (len(t) - 1) / measured.duration
    v = np.gradient(low_pass(q, cutoff, rate), 1.0 / rate, axis=0)
    a = np.gradient(v, 1.0 / rate, axis=0)
    told = np.isfinite(measured.v).all(axis=0) & (np.ptp(q, axis=0) > 1e-3)
    edge = int(np.ceil(rate / cutoff))
    inner = slice(edge, max(edge, len(t) - edge))
    size = np.sum(v[inner] ** 2, axis=0)
    told &= size > 0.0
    if not told.any() or not a[inner, told].any():
        return measured, 0.0
    slope, delay = a[inner, told] / size[told], 0.0
    for _ in range(4):
        late = low_pass(_resampled(t + delay, measured.t, measured.v[:, told]), cutoff, rate)
        delay -= float(np.sum((late - v[:, told])[inner] * slope)
                       / np.sum(slope * a[inner, told]))
        if not abs(delay) < LATEST:  # not late, but something else
            return measured, 0.0
    if abs(delay) < 0.1 / rate:
        return measured, 0.0
    return replace(measured, v=_resampled(measured.t + delay, measured.t, measured.v)), delay


def _evenly(measured: Measured) -> tuple[np.ndarray, np.ndarray]:
    """Return even times and the positions then."""
    count = max(2, int(round(measured.duration * usual_rate(measured))) + 1)
    t = np.linspace(measured.t[0], measured.t[-1], count)
    return t, _resampled(t, measured.t, measured.q)


def _resampled(t: np.ndarray, times: np.ndarray, values: np.ndarray) -> np.ndarray:
    if len(t) == len(times) and np.allclose(t, times, rtol=0.0, atol=1e-6 * (t[1] - t[0])):
        return values
    return np.column_stack([np.interp(t, times, column) for column in values.T])


def low_pass(values: np.ndarray, cutoff: float, rate: float) -> np.ndarray:
    """
    Filter columns (k, ...) forward and backward; what is not finite stays so.

    :param cutoff: at which the two passes together take half of the amplitude [Hz]
    :param rate: samples per second
    """
    if cutoff >= 0.45 * rate:
        return values
    from scipy.signal import butter, sosfiltfilt  # a third of a second, only where needed
    # two passes of order n halve the amplitude where one takes it to 1 / sqrt 2
    corner = butter(ORDER, cutoff, fs=rate, output='sos')
    pad = min(len(values) - 1, int(3 * rate / cutoff))
    return sosfiltfilt(corner, values, axis=0, padlen=pad)


def despiked(values: np.ndarray) -> np.ndarray:
    """
    Replace single samples (k, n) that are far from their neighbours by the neighbours' median.

    A filter would smear them over everything near (Hampel's identifier over seven samples, ten
    times the usual difference).
    """
    if len(values) < 7:
        return values
    near = np.stack([np.roll(values, shift, axis=0) for shift in range(-3, 4)])
    middle = np.median(near, axis=0)
    away = np.abs(values - middle)
    usual = np.maximum(1.4826 * np.median(np.abs(near - middle), axis=0), np.mean(away, axis=0))
    wrong = away > 10.0 * usual
    wrong[:3] = wrong[-3:] = False
    return np.where(wrong, middle, values)


def decimated(values: np.ndarray, states: States, rows: int) -> np.ndarray:
    """
    Filter and thin columns (k, ...) of a linear equation, alike on both of its sides.

    Two samples remain per period of the cut-off: errors of samples no nearer are independent.

    :param rows: how many samples of the ends to leave out, at the rate of the states
    """
    if states.cutoff is None:
        return values
    every = max(1, int(states.rate / (2.5 * states.cutoff)))
    return low_pass(values, states.cutoff, states.rate)[rows:len(values) - rows:every]


def found_cutoff(pieces: Sequence[Measured]) -> float:
    """
    Return a cut-off frequency for recordings: five times where the motion's power ends [Hz].

    Torques have content above the motion's own frequencies, up to a few times them (Gautier takes
    five to ten); beyond is noise. The motion's power ends where 99 % of the velocity's lies below.
    """
    grid = np.linspace(0.0, SLOW_ROBOT, 401)
    power = np.zeros((len(grid), pieces[0].q.shape[1]))
    for piece in pieces:
        t, q = _evenly(piece)
        rate = (len(t) - 1) / piece.duration
        v = np.diff(q, axis=0) * rate
        spectrum = np.abs(np.fft.rfft((v - v.mean(axis=0)) * np.hanning(len(v))[:, None],
                                      axis=0)) ** 2
        # all pieces together: in a short one a joint may hardly move, and noise have the power
        sums = np.cumsum(spectrum, axis=0) / len(v) / rate
        frequency = np.fft.rfftfreq(len(v), 1.0 / rate)
        power += np.column_stack([np.interp(grid, frequency, column) for column in sums.T])
    moving = np.max([np.ptp(piece.q, axis=0) for piece in pieces], axis=0) > 1e-3
    highest = max((float(grid[np.argmax(column > 0.99 * column[-1])])
                   for column in power.T[moving]), default=0.0)
    rate = min(usual_rate(piece) for piece in pieces)
    return float(np.clip(5.0 * highest, LOWEST, 0.2 * rate))


def refuse_short(measured: Measured) -> None:
    """Refuse a recording that no filter can work on."""
    if len(measured.t) < FEWEST or measured.duration < SHORTEST:
        raise RecordingError(
            f'{measured.source}: has {len(measured.t)} samples in {measured.duration:.3g} s; '
            f'expected at least {FEWEST} in {SHORTEST:g} s: record longer, such as the whole '
            'motion of robodyn excite')
