# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What may change while a simulation runs: inputs of the compiled code, never constants."""
from __future__ import annotations

from typing import NamedTuple, Sequence, Tuple

from robodyn_ros.mechanics.tree import Inertia
from robodyn_ros.mechanics.vector import cross, IDENTITY, scale, Vector
from robodyn_ros.tracing import Number


class Parameters(NamedTuple):
    """
    Run-time inputs of a robot's dynamics.

    The payload is a rigid body fixed to the robot's payload frame: its centre is given in that
    frame, its inertia about its own centre of mass along the frame's axes.
    """

    gravity: Tuple[Number, Number, Number] = (0.0, 0.0, -9.81)
    """In the base frame [m/s^2]."""
    payload_mass: Number = 0.0
    """[kg]"""
    payload_centre: Tuple[Number, Number, Number] = (0.0, 0.0, 0.0)
    """[m]"""
    payload_inertia: Tuple[Number, ...] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    """ixx, iyy, izz, ixy, ixz, iyz [kg m^2]."""
    friction_scale: Number = 1.0
    """Factor on all joint friction; 0 switches it off [-]."""

    def flat(self) -> list[Number]:
        """Return all numbers in a fixed order (see NAMES)."""
        return [*self.gravity, self.payload_mass, *self.payload_centre, *self.payload_inertia,
                self.friction_scale]

    def named(self) -> dict[str, Number]:
        """Return all numbers by their names, such as 'payload.mass'."""
        return dict(zip(NAMES, self.flat()))

    @classmethod
    def from_flat(cls, values: Sequence[Number]) -> 'Parameters':
        """Rebuild from the order of flat()."""
        return cls(tuple(values[0:3]), values[3], tuple(values[4:7]),  # type: ignore[arg-type]
                   tuple(values[7:13]), values[13])


NAMES = ('gravity.x', 'gravity.y', 'gravity.z', 'payload.mass', 'payload.centre.x',
         'payload.centre.y', 'payload.centre.z', 'payload.inertia.xx', 'payload.inertia.yy',
         'payload.inertia.zz', 'payload.inertia.xy', 'payload.inertia.xz', 'payload.inertia.yz',
         'friction_scale')


def payload_inertia(parameters: Parameters) -> Inertia:
    """Inertial parameters of the payload about the origin of the payload frame."""
    mass, centre = parameters.payload_mass, parameters.payload_centre
    xx, yy, zz, xy, xz, yz = parameters.payload_inertia
    moment = scale(centre, mass)
    # parallel axes: I_origin = I_centre - m [c]x [c]x, column by column -(m c) x (c x e_k) ...
    columns = [scale(cross(moment, cross(centre, e)), -1.0) for e in IDENTITY]
    own: Tuple[Vector, Vector, Vector] = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    tensor = tuple(tuple(own[i][j] + columns[j][i] for j in range(3)) for i in range(3))
    return Inertia(mass, moment, tensor)  # type: ignore[arg-type]
