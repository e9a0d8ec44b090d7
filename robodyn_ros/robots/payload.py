# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Which payload, gravity and friction scale there can be."""
from __future__ import annotations

from numbers import Real

import numpy as np

from robodyn_ros.errors import SizeError, StateError
from robodyn_ros.mechanics.parameters import NAMES, Parameters
from robodyn_ros.robots.geometry import impossible_inertia


def checked_parameters(parameters: Parameters) -> Parameters:
    """Return the parameters; refuse those that no payload or friction can have."""
    sizes = tuple(np.size(part)  # type: ignore[arg-type]
                  for part in parameters[0:1] + parameters[2:4])
    if sizes != (3, 3, 6):
        raise SizeError('gravity, payload_centre and payload_inertia', (3, 3, 6), sizes)
    for name, value in zip(NAMES, parameters.flat()):
        if not isinstance(value, Real) or not np.isfinite(value):
            raise StateError(f'{name} is {value!r}; expected a finite number')
    if parameters.payload_mass < 0.0 or parameters.friction_scale < 0.0:  # type: ignore[operator]
        raise StateError(f'payload.mass is {parameters.payload_mass} and friction_scale is '
                         f'{parameters.friction_scale}; neither may be negative')
    xx, yy, zz, xy, xz, yz = parameters.payload_inertia
    reason = impossible_inertia((xx, xy, xz, yy, yz, zz), allow_point=True)
    if reason:
        raise StateError(f'payload.inertia {reason}')
    return parameters
