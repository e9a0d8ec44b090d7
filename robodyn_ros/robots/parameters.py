# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Run-time parameters, such as the payload, as users give them: one way in, checked once."""
from __future__ import annotations

from typing import Iterable, Mapping, Sequence, Union

import numpy as np

from robodyn_ros.checks import LARGEST, number, refusal
from robodyn_ros.errors import SizeError, StateError, UnknownNameError
from robodyn_ros.mechanics.parameters import NAMES, Parameters
from robodyn_ros.robots.geometry import impossible_inertia
from robodyn_ros.tracing import Scalar

Given = Union[Parameters, Mapping[str, float], None]
"""How run-time parameters are given, to robots, plants and control laws alike."""


def named_values(given: Given) -> Mapping[str, float]:
    """Return run-time parameters by name, such as 'payload.mass'."""
    if given is None:
        return {}
    if isinstance(given, Parameters):
        return checked_parameters(given).named()  # type: ignore[return-value]
    if not isinstance(given, Mapping):
        raise refusal('parameters', given, "a mapping such as {'payload.mass': 2.0}, or "
                      'Parameters(payload_mass=2.0)')
    return given


def parameters_from(given: Given, own: Parameters) -> Parameters:
    """
    Return the parameters of a robot's dynamics.

    :param own: what those that are not named stay at
    """
    if given is None:
        return own
    if isinstance(given, Parameters):
        return Parameters.from_flat([
            number(name, value, error=StateError)
            for name, value in zip(NAMES, checked_parameters(given).flat())])
    values = own.named()
    for name, value in named_values(given).items():
        if name not in values:
            raise UnknownNameError('parameter', name, NAMES)
        values[name] = number(name, value, error=StateError)
    return checked_parameters(Parameters.from_flat(list(values.values())))


def checked_parameters(parameters: Parameters) -> Parameters:
    """Return the parameters; refuse those that no payload or friction can have."""
    sizes = tuple(len(part) if type(part) is tuple else np.size(part)  # type: ignore[arg-type]
                  for part in parameters[0:1] + parameters[2:4])
    if sizes != (3, 3, 6):
        raise SizeError('gravity, payload_centre and payload_inertia', (3, 3, 6), sizes)
    for name, value in zip(NAMES, parameters.flat()):
        if type(value) is float and -LARGEST <= value <= LARGEST:
            continue  # the usual case
        found = number(name, value, error=StateError)
        if abs(found) > LARGEST:
            raise refusal(name, value, f'a number of at most {LARGEST:g}', StateError)
    if parameters.payload_mass < 0.0 or parameters.friction_scale < 0.0:  # type: ignore[operator]
        raise StateError(f'payload.mass is {parameters.payload_mass} and friction_scale is '
                         f'{parameters.friction_scale}; neither may be negative')
    xx, yy, zz, xy, xz, yz = parameters.payload_inertia
    reason = impossible_inertia((xx, xy, xz, yy, yz, zz), allow_point=True)
    if reason:
        raise StateError(f'payload.inertia {reason}')
    return parameters


class ParameterTable:
    """Names such as 'payload.mass' with their place in a program's vector and their default."""

    def __init__(self, entries: Iterable[tuple[str, float]]):
        """Keep names in the given order."""
        entries = list(entries)
        self.names = [name for name, _ in entries]
        self.defaults = np.array([float(value) for _, value in entries])
        self._place = {name: k for k, name in enumerate(self.names)}

    def vector(self, changes: Mapping[str, float] | None = None) -> np.ndarray:
        """Defaults with some values changed; the error lists the names there are."""
        values = self.defaults.copy()
        for name, value in (changes or {}).items():
            if name not in self._place:
                raise UnknownNameError('parameter', name, self.names)
            values[self._place[name]] = number(name, value, error=StateError)
        return values

    def group(self, prefix: str, scalars: Sequence[Scalar]) -> dict[str, Scalar]:
        """Scalars of the parameters called prefix.NAME, by NAME."""
        start = prefix + '.'
        return {name[len(start):]: scalars[k] for name, k in self._place.items()
                if name.startswith(start)}
