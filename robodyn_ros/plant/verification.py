# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""An adaptive integration of a plant to the last digits (scipy's DOP853): slow, for comparison."""
from __future__ import annotations


import numpy as np

from robodyn_ros.errors import SimulationError
from robodyn_ros.plant.plant import Plant
from robodyn_ros.robots.parameters import Given
from robodyn_ros.types import State
from scipy.integrate import solve_ivp


def integrate_accurately(plant: Plant, state: State, times: np.ndarray, *, tau: object = None,
                         parameters: Given = None, rtol: float = 1e-11,
                         atol: float = 1e-13) -> tuple[np.ndarray, np.ndarray]:
    """
    Positions and velocities (k, n) at the given times (k,) [s].

    The constraints are those of the plant with its stabilisation, except projection, which is no
    part of the differential equation.
    """
    n = plant.robot.n

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        return np.concatenate(plant.derivative(State(t, x[:n], x[n:]), tau, parameters))

    start = np.concatenate([state.q, state.v]).astype(float)
    result = solve_ivp(rates, (state.t, float(times[-1])), start, method='DOP853', t_eval=times,
                       rtol=rtol, atol=atol)
    if not result.success:
        raise SimulationError(f'the reference integration of {plant.robot.name} stopped at t = '
                              f'{result.t[-1] if result.t.size else state.t:g} s: '
                              f'{result.message}')
    return result.y[:n].T, result.y[n:].T
