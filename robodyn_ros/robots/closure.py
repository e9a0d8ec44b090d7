# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What is missing for two frames of a closed chain to coincide."""
from __future__ import annotations

from typing import Sequence

from robodyn_ros.mechanics.kinematics import Pose
from robodyn_ros.mechanics.vector import product, transpose
from robodyn_ros.robots.orientation import angles_of
from robodyn_ros.robots.urdf.robodyn_tag import AXES
from robodyn_ros.tracing import Number

ANGLES = AXES[3:]


def closure_errors(a: Pose, b: Pose, axes: Sequence[str]) -> list[Number]:
    """
    Return one number per axis, zero where the chain is closed.

    x y z: difference of the origins in the base frame [m]; roll pitch yaw: angles of b seen from a
    [rad].
    """
    values: dict[str, Number] = {
        axis: x - y for axis, x, y in zip('xyz', a.position, b.position)}
    if set(axes) & set(ANGLES):
        values.update(zip(ANGLES, angles_of(product(transpose(a.rotation), b.rotation))))
    return [values[axis] for axis in axes]
