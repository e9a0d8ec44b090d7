# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Robots of other people: the files of the wheel example-robot-data."""
from __future__ import annotations

from importlib import metadata
from pathlib import Path


def public_urdfs():
    """Return all of its URDF files, none where it is not installed."""
    try:
        listed = metadata.files('example-robot-data') or []
    except metadata.PackageNotFoundError:
        return []
    return sorted(Path(file.locate()) for file in listed if file.suffix == '.urdf')


def public_urdf(name):
    """Return the file of a name, such as 'ur5_robot'."""
    return next(path for path in public_urdfs() if path.stem == name)
