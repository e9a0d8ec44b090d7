# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Settings that only the node `dynamics` has, beside those of the scenario."""
from __future__ import annotations

from dataclasses import dataclass

from robodyn_ros.errors import ScenarioError
from robodyn_ros.runtime.plant_runner import TIMEOUT_REACTIONS


@dataclass(frozen=True)
class DynamicsOptions:
    """What only the node has."""

    mode: str = 'free'
    """free (paced by the wall clock) or lockstep (paced by the commands)."""
    realtime_factor: float = 1.0
    """Simulated seconds per wall second in free mode [-]."""
    command_timeout: float = 0.1
    """Age of the last command, in simulated time, at which on_timeout applies [s]."""
    on_timeout: str = 'hold'
    """hold (brake), damping (oppose motion, carry the weight) or zero (no torque)."""
    watch_rate: float = 50.0
    """Rate of topics that people watch, in simulated time [Hz]."""


def check_options(options: DynamicsOptions) -> None:
    """Refuse unknown words and numbers that are not positive."""
    for key, known in (('mode', ('free', 'lockstep')), ('on_timeout', TIMEOUT_REACTIONS)):
        if getattr(options, key) not in known:
            raise ScenarioError(f'{key} of node dynamics is {getattr(options, key)!r}; use one of '
                                f'{", ".join(known)}')
    for key in ('realtime_factor', 'command_timeout', 'watch_rate'):
        if not getattr(options, key) > 0.0:
            raise ScenarioError(f'{key} of node dynamics is {getattr(options, key)}; expected a '
                                'positive number')
