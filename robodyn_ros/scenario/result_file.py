# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The NPZ file of a simulation: there whole, or as it was before.

The arrays go to a private name beside the file, which takes the file's place when it is complete.
An earlier result outlives a run that fails, and an interrupted run leaves nothing behind.
"""
from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np

from robodyn_ros.errors import StateError
from robodyn_ros.scenario.result import Result
from robodyn_ros.scenario.simulation import Simulation
from robodyn_ros.types import Reference, Rollout

KIND = '.npz'


class ResultFile:
    """Where `robodyn simulate --output` writes to."""

    def __init__(self, path: str):
        """Complain before the work, not after it, about a file that cannot be written."""
        self.path = path
        if os.path.splitext(path)[1].lower() != KIND:
            raise StateError(f'--output is {path!r}; arrays are written as NPZ and nothing else: '
                             f'give a name that ends in {KIND}')
        try:
            if os.path.isdir(path):
                raise IsADirectoryError(21, 'Is a directory')
            if os.path.exists(path) and not os.access(path, os.W_OK):
                raise PermissionError(13, 'Permission denied')
            with tempfile.TemporaryFile(dir=os.path.dirname(os.path.realpath(path))):
                pass
        except OSError as error:
            raise StateError(f'--output {path!r} cannot be written ({error.strerror}); give a '
                             'path in a folder that exists') from None

    def keep(self, simulation: Simulation, motion: Rollout) -> None:
        """Write a motion that was simulated to its end."""
        _replace(self.path, _arrays(simulation, motion))

    def keep_broken_off(self, simulation: Simulation, motion: Rollout) -> str:
        """Write what a failed run got to, never over an earlier file; returns its name."""
        path = self.path
        if os.path.lexists(path):
            path = f'{os.path.splitext(path)[0]}_broken_off{KIND}'
        _replace(path, _arrays(simulation, motion))
        return path


def _arrays(simulation: Simulation, motion: Rollout) -> dict[str, Any]:
    """Return the arrays of a motion, and what a report needs to know beside them."""
    scenario, reference = simulation.scenario, simulation.reference
    if reference is not None:  # a motion that failed is shorter than what was wanted
        reference = Reference(*(part[:len(motion.t)] for part in reference))
    result = Result(scenario, simulation.robot, motion, reference, simulation.plant.row_names,
                    simulation.assembly)
    arrays: dict[str, Any] = {
        **motion._asdict(), 'scenario': scenario.name, 'urdf': simulation.robot.urdf,
        'frame': result.frame, 'row_names': np.array(simulation.plant.row_names, dtype=str)}
    if reference is not None:
        arrays |= {'reference_q': reference.q, 'tool_reference': result.tool_reference}
    return arrays


def _replace(path: str, arrays: dict[str, Any]) -> None:
    """Write beside the file, then rename: whoever looks sees the old one or the new one."""
    place = os.path.realpath(path)  # a link stays a link
    folder, name = os.path.split(place)
    private = os.path.join(folder, f'.{name}.{os.getpid()}')
    try:
        with open(private, 'wb') as file:  # by hand: savez would append .npz to this name
            np.savez(file, **arrays)
        os.replace(private, place)
    except BaseException:
        if os.path.exists(private):
            os.unlink(private)
        raise
