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

from robodyn_ros.errors import ArgumentError
from robodyn_ros.scenario.result import Result

KIND = '.npz'


class ResultFile:
    """Where `robodyn simulate --output` writes to."""

    def __init__(self, path: str):
        """Complain before the work, not after it, about a file that cannot be written."""
        self.path = path
        if os.path.splitext(path)[1].lower() != KIND:
            raise ArgumentError(f'--output is {path!r}; arrays are written as NPZ and nothing '
                                f'else: give a name that ends in {KIND}')
        try:
            if os.path.isdir(path):
                raise IsADirectoryError(21, 'Is a directory')
            if os.path.exists(path) and not os.access(path, os.W_OK):
                raise PermissionError(13, 'Permission denied')
            with tempfile.TemporaryFile(dir=os.path.dirname(os.path.realpath(path))):
                pass
        except OSError as error:
            raise ArgumentError(f'--output {path!r} cannot be written ({error.strerror}); give a '
                                'path in a folder that exists') from None

    def keep(self, result: Result) -> None:
        """Write a motion that was simulated to its end."""
        _replace(self.path, _arrays(result))

    def keep_broken_off(self, result: Result) -> str:
        """Write what a failed run got to, never over an earlier file; returns its name."""
        path = self.path
        if os.path.lexists(path):
            path = f'{os.path.splitext(path)[0]}_broken_off{KIND}'
        _replace(path, _arrays(result))
        return path


def _arrays(result: Result) -> dict[str, Any]:
    """Return the arrays of a motion, and what a report needs to know beside them."""
    arrays: dict[str, Any] = {
        **result.motion._asdict(), 'scenario': result.scenario.name, 'urdf': result.robot.urdf,
        'frame': result.frame, 'row_names': np.array(result.row_names, dtype=str)}
    if result.reference is not None:
        arrays |= {'reference_q': result.reference.q, 'tool_reference': result.tool_reference}
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
