# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What is kept of a run that nobody wants to see whole: extremes and sums, sample by sample.

A run of a study leaves some dozen numbers (layout.py, measure) instead of its samples: no memory
is filled that would only be read once, and the equations are not evaluated again for what a
recording shows beside the state.
"""
from __future__ import annotations

from typing import Any, Callable, Mapping

from robodyn_ros.codegen.backend import Backend
from robodyn_ros.codegen.layout import Layout

(INSTANTS, ERROR_MAX, ERROR_SQUARES, OUTSIDE, WORK, VIOLATION, DISTANCE_MAX,
 DISTANCE_SQUARES) = range(8)
"""Places of the scalars of a measure."""


def make_measure(backend: Backend, layout: Layout, targets: int, copies: int,
                 kernels: Mapping[str, Callable]) -> Callable:
    """
    Make the function that measures a sample of every run.

    :param targets: numbers of a target: 0, n, or n + 3 with the desired position of a frame, whose
        position the kernel 'frame' computes
    :param copies: targets side by side
    """
    lanes, n, m = layout.lanes, layout.n, layout.m
    tau, phi = layout.tau, 2 * layout.n + layout.m
    lowest, highest = layout.scalars * lanes, (layout.scalars + n) * lanes
    fastest, strongest = (layout.scalars + 2 * n) * lanes, (layout.scalars + 3 * n) * lanes
    observe, with_frame = kernels['observe'], targets > n
    frame = kernels['frame'] if with_frame else observe

    @backend.function
    def measure(x: Any, w: Any, y: Any, rows: Any, instant: Any, wanted: Any, tolerance: Any,
                seconds: Any) -> Any:
        """
        Measure the sample of an instant.

        :param rows: measures, numbers of all runs side by side
        :param wanted: targets of all instants
        :param tolerance: of errors of joints, for the last time outside it [rad] or [m]
        :param seconds: until the next sample [s]
        """
        for lane in range(lanes):
            rows[INSTANTS * lanes + lane] += 1.0
        for k in range(n):
            for lane in range(lanes):
                at = k * lanes + lane
                q, v, u = x[lanes + at], x[(1 + n) * lanes + at], x[tau * lanes + at]
                rows[lowest + at] = min(rows[lowest + at], q)
                rows[highest + at] = max(rows[highest + at], q)
                rows[fastest + at] = max(rows[fastest + at], abs(v))
                rows[strongest + at] = max(rows[strongest + at], abs(u))
                rows[WORK * lanes + lane] += abs(u * v) * seconds
        if targets > 0:
            first = instant * targets * copies
            for k in range(n):
                for lane in range(lanes):
                    error = abs(wanted[first + k * copies + lane % copies]
                                - x[lanes + k * lanes + lane])
                    rows[ERROR_MAX * lanes + lane] = max(rows[ERROR_MAX * lanes + lane], error)
                    rows[ERROR_SQUARES * lanes + lane] += error * error
                    if error > tolerance:
                        rows[OUTSIDE * lanes + lane] = x[lane]
        if m > 0:
            observe(x, 0, w, y, 0)
            for k in range(m):
                for lane in range(lanes):
                    rows[VIOLATION * lanes + lane] = max(rows[VIOLATION * lanes + lane],
                                                         abs(y[(phi + k) * lanes + lane]))
        if with_frame:
            frame(x, 0, w, y, 0)
            first = (instant * targets + n) * copies
            for lane in range(lanes):
                square = 0.0
                for k in range(3):
                    apart = wanted[first + k * copies + lane % copies] - y[k * lanes + lane]
                    square += apart * apart
                rows[DISTANCE_SQUARES * lanes + lane] += square
                rows[DISTANCE_MAX * lanes + lane] = max(rows[DISTANCE_MAX * lanes + lane], square)

    return measure
