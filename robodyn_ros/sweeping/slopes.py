# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Derivatives of metrics by the motion they are measured of: q, v and tau of every sample.

With e the error of a joint, or the distance of the tool, at I control instants:

    rms of e      e / (count rms)   at every instant
    largest of e  its sign          at the one instant and joint where it is largest

The largest is smooth wherever one instant has it alone, which is nearly everywhere.
"""
from __future__ import annotations

from typing import Callable

import numpy as np

from robodyn_ros.scenario.simulation import Simulation
from robodyn_ros.types import Rollout

Slope = Callable[[Simulation, Rollout], tuple[str, np.ndarray]]
"""Returns which of q, v, tau is meant, and the derivative by it at all control instants (i, n)."""


def _apart(one: Simulation, motion: Rollout) -> np.ndarray:
    """Return the errors of the joints (i, n)."""
    assert one.reference is not None
    return motion.q - one.reference.q


def _distance(one: Simulation, motion: Rollout) -> tuple[np.ndarray, np.ndarray]:
    """Return the way of the tool from where it should be (i, 3), and its slopes (i, 3, n)."""
    assert one.reference is not None
    frame = one.robot.tool_frame(one.scenario.trajectory.frame)
    found = one.robot.frame(frame, motion.q)
    return (found.position - one.desired.positions(one.robot, frame, one.reference),
            found.jacobian[:, :3])


def _rms(values: np.ndarray, count: int) -> np.ndarray:
    size = float(np.sqrt(np.sum(values * values) / count))
    return values / (count * size) if size > 0.0 else np.zeros(values.shape)


def _largest(values: np.ndarray) -> np.ndarray:
    found, at = np.zeros(values.shape), int(np.argmax(np.abs(values)))
    found.flat[at] = np.sign(values.flat[at])
    return found


def _error_max(one: Simulation, motion: Rollout) -> tuple[str, np.ndarray]:
    return 'q', _largest(_apart(one, motion))


def _error_rms(one: Simulation, motion: Rollout) -> tuple[str, np.ndarray]:
    errors = _apart(one, motion)
    return 'q', _rms(errors, errors.size)


def _tool_error_rms(one: Simulation, motion: Rollout) -> tuple[str, np.ndarray]:
    way, slopes = _distance(one, motion)
    return 'q', np.einsum('ik,ikn->in', _rms(way, len(way)), slopes)


def _tool_error_max(one: Simulation, motion: Rollout) -> tuple[str, np.ndarray]:
    way, slopes = _distance(one, motion)
    length = np.sqrt((way * way).sum(axis=1))
    unit = way / np.maximum(length, np.finfo(float).tiny)[:, None]
    return 'q', np.einsum('ik,ikn->in', unit * _largest(length)[:, None], slopes)


def _effort_max(one: Simulation, motion: Rollout) -> tuple[str, np.ndarray]:
    return 'tau', _largest(motion.tau)


def _effort_share(one: Simulation, motion: Rollout) -> tuple[str, np.ndarray]:
    limits = one.robot.limits.effort
    with np.errstate(divide='ignore', invalid='ignore'):
        shares = np.where(np.isfinite(limits), motion.tau / limits, 0.0)
        # a joint without a motor may have a limit of zero, and no share of it
        return 'tau', np.nan_to_num(_largest(np.nan_to_num(shares)) / limits)


SLOPES: dict[str, Slope] = {
    'error_max': _error_max, 'error_rms': _error_rms, 'tool_error_max': _tool_error_max,
    'tool_error_rms': _tool_error_rms, 'effort_max': _effort_max,
    'effort_share': _effort_share}
"""Metrics that have a gradient."""


def slopes_of(metric: str, one: Simulation, motion: Rollout) -> np.ndarray:
    """
    Return the derivative of a metric by q, v, tau of every sample (steps + 1, 3 n).

    :param motion: with a sample of every step, of which control instants are measured
    """
    at, n = slice(None, None, one.period), one.robot.n
    kind, found = SLOPES[metric](one, Rollout(*(part[at] for part in motion)))
    first = ('q', 'v', 'tau').index(kind) * n
    slopes = np.zeros((len(motion.t), 3 * n))
    slopes[at, first:first + n] = found
    return slopes
