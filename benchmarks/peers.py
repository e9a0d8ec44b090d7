# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What all peers share: finding them, the robot they read, and the checks before any time counts.

Each peer has a file of its own, with_<name>.py, and is used there as its documentation
recommends. All are optional; what is missing is said in one sentence.
"""
from __future__ import annotations

from importlib import import_module
import re
from typing import Any

import numpy as np
from robodyn_ros import RobodynError, Robot

MUJOCO, PINOCCHIO = 'mujoco', 'pinocchio'
ACCELERATION_TOLERANCE = 1e-9
"""Largest relative difference of accelerations between two models of one robot [-]."""


def find(name: str) -> Any:
    """Return the module of a peer, or None where it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        return None


def missing(name: str) -> str:
    """Return what to say about a peer that is not installed."""
    return (f'{name} is not installed, its rows are left out: '
            'pip install "robodyn_ros[bench]" brings it')


def bare_urdf(robot: Robot) -> str:
    """URDF without shapes and friction, which every engine reads to the same equations."""
    text = re.sub(r'<(visual|collision)\b.*?</\1>', '', robot.urdf, flags=re.DOTALL)
    return re.sub(r'<(dynamics|friction)\b[^>]*/>', '', text)


def require_joints(engine: str, names: tuple[str, ...], robot: Robot) -> None:
    """Stop when a peer reads other joints, or the same in another order."""
    if names != robot.joints:
        raise RobodynError(f'{engine} reads the joints {names} from {robot.path}, we read '
                           f'{robot.joints}; the comparison would not be of one robot')


def require_same(name: str, ours: np.ndarray, theirs: np.ndarray) -> None:
    """Stop when a peer's model is not the same robot: its time would mean nothing."""
    scale = max(1.0, float(np.abs(ours).max()))
    if not np.abs(ours - theirs).max() < ACCELERATION_TOLERANCE * scale:
        raise RobodynError(f'the accelerations of {name} are {theirs.tolist()} by the peer and '
                           f'{ours.tolist()} by us; the models differ, so no time is compared')
