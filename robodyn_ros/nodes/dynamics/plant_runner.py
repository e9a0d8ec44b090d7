# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The plant behind the dynamics node: motion, holding, faults, reset; no ROS.

The motion counts control periods from its own zero, and integrates exactly as simulate() does (the
same compiled loop, the same clock arithmetic), so a lockstep run repeats it bit for bit. Until the
first command, after a time-out, a fault or while a joint is beyond its limit the arm is held. A
plant that moves by itself, on a path, stops at the path's end or begins it anew.
"""
from __future__ import annotations

from typing import Callable, Mapping, Sequence

import numpy as np

from robodyn_ros.codegen.loops.delay import delay_torque
from robodyn_ros.errors import RobodynError
from robodyn_ros.plant.plant import Plant
from robodyn_ros.types import Rollout, State

WAITING, MOVING, HOLDING, FAULT = 'waiting', 'moving', 'holding', 'fault'
FINISHED = 'finished'
DAMPING = 5.0
"""Rate at which the reaction 'damping' lets speeds die away [1/s]."""


def refusal_of(stamp: int, now: int, timeout: float | None, reset: int = 0) -> str | None:
    """
    Say why a command of this stamp is not taken; None if it is.

    :param now: stamp of the present state [ns]
    :param timeout: oldest age of a stamped command [s]; None for lockstep
    :param reset: stamp of the first state after the last reset [ns]
    """
    if 0 < stamp < reset:
        return ''  # it answers a state of the motion before: that was never asked again
    if timeout is None:
        # an earlier stamp is the answer to a state that was sent twice: no complaint
        return None if stamp == now else '' if 0 < stamp < now else (
            'joint_commands lacks the stamp of the state it answers; lockstep needs it')
    age = (now - stamp) / 1e9
    if stamp and age > timeout:
        return f'joint_commands answers a state of {age:.3f} s ago; it is ignored'
    return None


class PlantRunner:
    """
    A plant that moves one control period at a time.

    :param start: state at the motion's zero
    :param wait: hold the start until the first command arrives
    :param delay: commands that come between one and its effect
    :param keep_limits: hold the arm when a joint is beyond its limits
    :param limit_efforts: motors give no more than the effort limits
    :param lap: control periods of a path that the plant follows by itself; 0: it follows none
    :param repeat: begin the path anew at its end, instead of stopping there
    """

    def __init__(self, plant: Plant, start: State, period_steps: int,
                 parameters: Mapping[str, float], wait: bool = True, delay: int = 0,
                 keep_limits: bool = True, limit_efforts: bool = True, lap: int = 0,
                 repeat: bool = False):
        """Compile the plant; the motion is at its zero."""
        self.plant, self.period_steps, self.wait = plant, period_steps, wait
        self._start, self._delay = start, delay
        self._queue = np.zeros(delay * plant.robot.n)  # torques on their way
        self._parameters = dict(parameters)
        self._stepper = plant.in_place(start, period_steps, self._parameters)
        self._limits, self._keep_limits = plant.robot.limits, keep_limits
        self._limit_efforts, self._lap, self._repeat = limit_efforts, lap, repeat
        self.q, self.v, self.tau = self._stepper.q, self._stepper.v, self._stepper.tau
        """Positions, velocities (zero under the brake) and the torque that acts (n,) each."""
        self.pushed: Callable[[], np.ndarray | None] = lambda: None
        """Efforts from outside that act in the next period, beside the motors' (n,)."""
        self.mode, self.reason, self.periods = WAITING, '', 0
        self.reset()

    @property
    def n(self) -> int:
        """Return the number of joints."""
        return self.plant.robot.n

    def reset(self) -> None:
        """Return to the start of the motion."""
        self._stepper.reset(self._start._replace(t=0.0))
        self.periods, self.reason = 0, ''
        self._queue[:] = 0.0
        self.mode = WAITING if self.wait else MOVING

    def command(self, tau: np.ndarray) -> str:
        """
        Accept a torque (n,), limited to what the motors can do; ends waiting and holding.

        :returns: which joint was limited, or nothing
        """
        if self.mode in (FAULT, FINISHED):
            return ''
        if self._delay:
            tau = tau.copy()
            delay_torque(self._queue, tau, 0, self.n, self._delay)
        self.mode, self.reason = MOVING, ''
        if self._limit_efforts:
            return self._limits.limit_efforts(tau, self.tau)
        self.tau[:] = tau
        return ''

    def change(self, parameters: Mapping[str, float]) -> Callable[[], None]:
        """Check new run-time parameters such as payload.mass; returns what applies them."""
        changed = {**self._parameters, **parameters}
        ready = self.plant.ready(changed)

        def apply() -> None:
            self._parameters = changed
            self._stepper.use(changed, ready)

        return apply

    def command_lost(self, reaction: str) -> None:
        """React to a command that is too old: hold, damping or zero torque."""
        if self.mode != MOVING:
            return
        self.reason = f'no command in time: {reaction}'
        if reaction == 'hold':
            self._brake(HOLDING)
        elif reaction == 'zero':
            self.tau[:] = 0.0
        else:  # damping: oppose the motion, and carry the arm's weight
            self.tau[:] = self._damping()

    def prepare(self, reaction: str) -> None:
        """Compile now what a reaction or a payload needs, not in the middle of a motion."""
        self.plant.program(parametric=True).functions()
        if reaction == 'damping':
            self._damping()

    def _damping(self) -> np.ndarray:
        """Return the torque that brakes each joint as if alone, and carries the weight (n,)."""
        robot = self.plant.robot
        mass, _ = robot.dynamics(self.q, self.v)
        carried = robot.bias(self.q, np.zeros(self.n)).gravity
        limit = robot.limits.effort
        return np.clip(carried - DAMPING * np.diag(mass) * self.v, -limit, limit)

    def advance(self) -> None:
        """Move one control period on, or stay if held; never leaves the finite numbers."""
        if self.mode != MOVING:
            return
        push = self.pushed()
        self.periods += 1
        motors = self.tau.copy() if push is not None else None
        try:
            if push is not None:
                self.tau[:] += push
            self._stepper.step()
        except RobodynError as error:
            self.reason = str(error)
            self._brake(FAULT)
        if motors is not None and self.mode != FAULT:
            self.tau[:] = motors
        self._watch_limits()
        if self._lap and self.periods >= self._lap and self.mode == MOVING:
            self._end_of_path()

    def _end_of_path(self) -> None:
        """Rest, or let the path's time begin anew where the arm is."""
        if not self._repeat:
            self._brake(FINISHED)
            return
        tau = self.tau.copy()
        self._stepper.reset(State(0.0, self.q.copy(), self.v.copy()))
        self.tau[:], self.periods = tau, 0

    def _watch_limits(self) -> None:
        if self.mode != MOVING or not self._keep_limits:
            return
        beyond = self._limits.position_beyond(self.q)
        if beyond:
            self.reason = f'{beyond}: held; call ~/reset'
            self._brake(FAULT)

    def _brake(self, mode: str) -> None:
        self.mode = mode
        self.v[:] = 0.0
        self.tau[:] = 0.0

    def condition(self, reasons: Sequence[str]) -> tuple[str, str]:
        """Return level (OK, WARN, ERROR) and text for diagnostics, given what was refused."""
        level = 'ERROR' if self.mode == FAULT else 'WARN' if self.reason or reasons else 'OK'
        state = 'held until the first command' if self.mode == WAITING else self.mode
        return level, '; '.join(dict.fromkeys([self.reason or state, *reasons]))

    def observe(self) -> Rollout:
        """Return constraint force, multipliers and errors at this moment (one sample)."""
        time = self.periods * self.period_steps * self.plant.step_size
        return self.plant.observe(State(time, self.q.copy(), self.v.copy()), self.tau.copy(),
                                  self._parameters)
