# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The controller behind the controller node: from a measured state to a torque; no ROS.

The law is the same compiled code as in simulate(), and the trajectory the same JointPlan. What it
keeps is the trajectory in force and the law's memory, which moves on once per control instant, so
answering a repeated state gives the same torque; it starts anew with the first motion after a
reset. What is sent as a trajectory begins where the arm is; what would make it jump is refused.
Where states are missing or jump, or the arm is farther from the trajectory than its tolerance, it
is held where it is found, until another trajectory comes: nothing is caught up with.

Speed scaling lets the trajectory's time pass slower than the arm's: at the factor f its velocities
are f times, its accelerations f^2 times as large, plus f' times the velocity while f changes.
"""
from __future__ import annotations

from math import inf, isfinite
from typing import Any, Callable, Mapping, NamedTuple, Sequence

import numpy as np

from robodyn_ros.checks import shown
from robodyn_ros.errors import MessageRefused
from robodyn_ros.nodes.common.controller_status import Fate, FOLLOWED, REFUSED, WAITING
from robodyn_ros.nodes.intake.judge import Judge
from robodyn_ros.plant.control_law import CompiledLaw
from robodyn_ros.robots.limits import TOLERANCE
from robodyn_ros.robots.robot import Robot
from robodyn_ros.ros_time import NANO
from robodyn_ros.scenario.schema import ControllerSettings
from robodyn_ros.scenario.wiring import check_start
from robodyn_ros.trajectories.joint_plan import (check_approach, JointPlan, Points, scheduled,
                                                 stop)
from robodyn_ros.types import Control

STOP_TIME = 0.25
"""Time in which ~/stop, or a speed factor of 0, brakes an arm that moves [s]."""
SLOWEST = 0.05
"""Speed factor below which the arm's velocity is no measure of the trajectory's [-]."""
JUMP = 0.05
"""Way beyond what its speed explains, from one state to the next, that is no motion [rad, m]."""
SHORT_GAP = 0.03
"""Time without states after which the trajectory is joined anew from where the arm is [s]."""
ABRUPT = 0.05
"""Speed from which no arm stands still with the next state by itself [rad/s, m/s]."""
STEADY = 10
"""States in a row of an arm that moves, after which one that stands still tells something: not
where each position comes twice."""


class Rules(NamedTuple):
    """What the controller takes, and what it refuses."""

    settings: ControllerSettings = ControllerSettings()
    """For start_tolerance and blend_time."""
    allow_moving_end: bool = False
    allow_partial: bool = False
    """A trajectory may leave joints out."""
    limit_tolerance: float | None = TOLERANCE
    """Room at the robot's limits [rad], [m], or per s; None: limits are ignored."""
    longest_gap: float = 0.5
    """Time between two states, by their stamps, after which the arm counts as lost [s]."""
    path_tolerance: Sequence[float] = ()
    """Distance from the trajectory that holds the arm, one per joint; 0 or none: any [rad, m]."""
    simulated: bool = False
    """Time is simulated, so it may begin anew, and the plant with it."""
    needs_trajectory: bool = True
    """A law that reads no reference waits for a trajectory, too; its time begins there."""


class PathTolerance(NamedTuple):
    """Distance of a joint from one trajectory that holds the arm; 0: any."""

    position: float = 0.0
    """[rad] or [m]"""
    velocity: float = 0.0
    """[rad/s] or [m/s]"""


class ControlClock(NamedTuple):
    """Time since a motion's beginning as the compiled loop of simulate() computes it."""

    period: int = 0
    """[ns]"""
    steps: int = 1
    """Integration steps of a period."""
    step: float = 0.0
    """[s]"""

    def seconds(self, since: int) -> float:
        """Return the time of a control instant [s]; between instants, as the stamp says it."""
        instants, rest = divmod(since, self.period) if self.period else (0, 1)
        return since / NANO if rest else instants * self.steps * self.step


class Answer(NamedTuple):
    """What the controller says to a state."""

    tau: np.ndarray
    """(n,) [N m] or [N]"""
    desired: np.ndarray
    """Desired q, v, a side by side (3 n,)."""
    measured: np.ndarray
    """Positions of the state (n,) [rad] or [m]."""

    @property
    def error(self) -> np.ndarray:
        """Return desired minus measured positions (n,) [rad] or [m]."""
        return self.desired[:len(self.measured)] - self.measured


class Measured(NamedTuple):
    """A state as it came."""

    now: int
    """[ns]"""
    q: np.ndarray
    v: np.ndarray

    @property
    def state(self) -> np.ndarray:
        """Return q, v and an acceleration of zero, which nobody measures (3 n,)."""
        return np.concatenate([self.q, self.v, np.zeros_like(self.q)])


class ControllerRunner:
    """Follows the trajectory in force with a control law."""

    def __init__(self, robot: Robot, control: Control, rules: Rules = Rules(),
                 clock: ControlClock = ControlClock()):
        """Trace the law; it is compiled on first use."""
        self.robot, self.control, self.rules, self.clock = robot, control, rules, clock
        self._law = CompiledLaw(robot.name, robot.n, control)
        self._values: dict[str, float] = {}
        self.plan: JointPlan | None = None
        """What is followed."""
        self.next_plan: JointPlan | None = None
        """What replaces it at its start."""
        self.accepted = 0
        """Number of the newest trajectory that was taken, counted from 1."""
        self.broken, self.off_path = '', False
        """Why it is not followed to its end; and whether it is for a path tolerance."""
        self.speed, self.wanted_speed = 1.0, 1.0
        """Part of its speed with which the trajectory is followed, now and soon [-]."""
        self._rate = 0.0  # of the speed factor [1/s]
        self._tolerance: Sequence[PathTolerance] = ()  # of the trajectory in force, if its own
        self._next_tolerance: Sequence[PathTolerance] = ()
        self.stopped = False
        self.held = ''
        """Why the arm is held though a trajectory led it; empty when another one leads it."""
        self.fate = Fate()
        self._taken: Fate | None = None  # of the last one that was taken, whatever came after it
        self.notices: list[str] = []
        """Sentences for the log; whoever reads them takes them out."""
        self._led = False  # the plan in force was sent; otherwise it is a stop of our own
        self._hold = False  # to be held where the next state finds it
        self._received: JointPlan | None = None
        self._newest: Points | None = None  # with their schedule
        self._dropped_end = 0  # when the trajectory would have ended that was stopped or lost [ns]
        self._last: Measured | None = None  # the last state answered
        self._moving = 0  # states in a row with which the arm moved
        self._steps = [inf] * robot.n  # the smallest ones of each position, an encoder's at least
        self._braked = False  # something else stopped the arm, and it stands still since
        self._zero = 0  # when a law that follows nothing began [ns]
        self._unstamped = False  # a trajectory that starts with the first state
        self._fresh = True  # no trajectory was followed yet: the memory starts with the first

    def change(self, parameters: Mapping[str, float]) -> Callable[[], None]:
        """Check new gains or model parameters; returns what applies them."""
        values = {**self._values, **parameters}
        prepared = self._law.prepared(values)

        def apply() -> None:
            self._values = values
            self._law.use(prepared)

        return apply

    # --- trajectories -----------------------------------------------------------------------

    def checked(self, names: Sequence[str], times: Sequence[int] | np.ndarray,
                fields: Mapping[str, Any]) -> Points:
        """Check a message by itself."""
        return self.scheduled(self.judge.points(names, times, fields))

    @property
    def judge(self) -> Judge:
        """Return what messages are checked by."""
        rules = self.rules
        return Judge(self.robot.limits, rules.limit_tolerance, rules.allow_moving_end,
                     rules.allow_partial)

    def scheduled(self, points: Points) -> Points:
        """
        Return the points with what the law reads beside them; made once for all laps.

        May be called from another thread.
        """
        here, last = self._last, self._newest
        if last is None or not last.same(points):
            last = self._newest = scheduled(points, self.control.schedule, np.zeros(
                self.robot.n) if here is None else here.q)
        return last

    def accept(self, start: int, points: Points, now: int | None,
               tolerance: Sequence[PathTolerance] = ()) -> str:
        """
        Take a trajectory; it replaces the one in force when it starts.

        :param start: its stamp [ns], 0 for now
        :param points: from checked()
        :param now: time of the last state [ns], None before the first
        :param tolerance: of its path, one per joint, instead of that of the rules
        :returns: a sentence for the log, or nothing for one that was sent again to newcomers
        """
        if start and self._received is not None and self._received.same(start, points):
            return ''
        if start and start == self._dropped_end and (self.stopped or self.held):
            self.refuse(start, 'it goes on from a trajectory that was stopped')
            raise MessageRefused(self.fate.reason)
        begin = start or (0 if now is None else now)
        length = int(points.times[-1])
        plan = JointPlan(begin, self.scheduled(points))
        try:
            if now is not None and start and start + length < now:
                raise MessageRefused(f'the trajectory ended {(now - start - length) / NANO:.3f} s '
                                     'ago; send one that is not past')
            if self._last is not None:  # what would be refused when it starts is refused now
                at = max(begin, self._last.now)
                self._begun(plan, at, self._state(at, self._last))
        except MessageRefused as error:
            self.refuse(start, str(error), missed=True)
            raise
        self.next_plan = self._received = plan
        self.accepted, self.broken, self.off_path = self.accepted + 1, '', False
        self._next_tolerance = tolerance
        self._unstamped = not start and now is None
        self.stopped, self.held = False, ''
        self.fate = self._taken = Fate(start, WAITING)
        return (f'trajectory of {len(points.times)} points, {length / NANO:.3f} s, '
                f'starts at {begin / NANO:.3f} s')

    def refuse(self, stamp: int, reason: str, missed: bool = False) -> None:
        """Take note of a trajectory that is not taken; what was followed goes on."""
        self.fate = Fate(stamp, REFUSED, missed, reason)

    def _state(self, at: int, measured: Measured) -> np.ndarray:
        """Return where a trajectory begins: the desired state, or the arm's if none is."""
        if self._led and self.plan is not None:
            return self.plan.sample(at)
        return self._in_plan_time(self._wanted(at, measured))

    def _in_plan_time(self, state: np.ndarray) -> np.ndarray:
        """Return q, v, a (3 n,) as a trajectory has them that is led at the speed factor."""
        if self.speed == 1.0:
            return state
        q, v, a = np.split(state, 3)
        return np.concatenate([q, v / self.speed, a]) if self.speed > SLOWEST else \
            np.concatenate([q, 0.0 * v, 0.0 * a])

    def _wanted(self, at: int, measured: Measured) -> np.ndarray:
        """Return the desired state at a time (3 n,); the arm's own if none is desired."""
        if self.plan is None:
            return measured.state
        desired = self.plan.sample(at)
        if not self._led or self.speed == 1.0 and not self._rate:
            return desired
        q, v, a = np.split(desired, 3)
        return np.concatenate([q, self.speed * v, self.speed ** 2 * a + self._rate * v])

    def scale(self, factor: float) -> None:
        """Follow the trajectory with a part of its speed, from soon on; 0 stands still."""
        if not 0.0 <= factor <= 1.0:
            raise MessageRefused(f'a speed factor of {factor:g} is not taken; expected 0 .. 1: '
                                 'a trajectory is checked for its own speed, not for a higher one')
        self.wanted_speed = factor

    def _pass_time(self, last: Measured, here: Measured) -> None:
        """Let the trajectory's time pass at the speed factor: the rest of it starts later."""
        before, since = self.speed, (here.now - last.now) / NANO
        change = since / STOP_TIME
        self.speed = min(max(self.wanted_speed, before - change), before + change)
        self._rate = (self.speed - before) / since
        if self._led and self.plan is not None and self.control.reference_size:
            self.plan.start += round((1.0 - (before + self.speed) / 2.0) * (here.now - last.now))

    def _begun(self, plan: JointPlan, now: int, state: np.ndarray) -> JointPlan:
        """Return the plan begun at a state, unless it would jump or rush there."""
        if not self.control.reference_size:
            return plan
        settings, tolerance = self.rules.settings, self.rules.limit_tolerance
        begun = plan.begun(now, state, settings.blend_time, self.robot.limits.turning)
        check_start(begun, self.robot, settings)
        if tolerance is not None:
            check_approach(begun, self.robot.limits, tolerance)
        return begun

    def stop(self, reason: str = 'stopped by ~/stop') -> None:
        """Brake, and hold where the arm comes to rest."""
        self._drop(reason, False)
        self.next_plan, self._hold, self.stopped, self.held = None, True, True, ''

    def _drop(self, reason: str, missed: bool) -> None:
        """Take note that what was sent is not followed to its end."""
        self.broken = reason
        if self._led and self.plan is not None:
            self._dropped_end = self.plan.end
        self._received = None
        if self._taken is not None:
            self.refuse(self._taken.stamp, reason, missed and self._taken.outcome == WAITING)
        self._taken = None

    def lose(self, reason: str, now: int | None = None) -> None:
        """
        Drop the trajectory, and hold the arm where the next state finds it.

        :param now: keep one that is to start at this time or later [ns]; None: keep none
        """
        kept = self.next_plan if now is not None and self.next_plan is not None \
            and self.next_plan.start >= now else None
        led = self.plan is not None or self.next_plan is not kept
        if kept is None:
            self._drop(reason, True)
        self.plan, self.next_plan, self._led = None, kept, False
        self._hold, self._zero = self._hold or led, 0
        if led and kept is None:
            self.held = reason
            self.notices.append(f'{reason}: the trajectory is dropped, the arm is held until '
                                'another one comes')

    def reset(self, now: int) -> None:
        """
        Forget what was before a time [ns]: the plant was put back to its start.

        An arm that was led is held from there on, until another trajectory comes.
        """
        self.held = ''
        if self.next_plan is not None and self.next_plan.start < now:
            self.next_plan, self.broken = None, 'the plant was put back to its start'
        if self.plan is not None and self.plan.start < now:
            if self.next_plan is None:
                self.broken = 'the plant was put back to its start'
            self.plan, self._led, self._hold = None, False, True
        if self._received is not self.next_plan:
            self._received = None
        self.stopped, self._zero, self._fresh = False, 0, True
        self._law.reset()

    @property
    def told(self) -> dict[str, np.ndarray]:
        """Return what the law tells of its memory (n,), by topic."""
        n = self.robot.n
        return {name: self._law.memory[at:at + n].copy() for name, at in self.control.told.items()}

    @property
    def measured(self) -> Measured | None:
        """Return the last state that was answered; None before the first."""
        return self._last

    @property
    def led(self) -> bool:
        """Return whether the plan in force was sent; otherwise it is a stop, or there is none."""
        return self._led

    @property
    def doing(self) -> str:
        """Return what goes on, in a word or two."""
        seen = self._last.now if self._last is not None else 0
        if self.stopped:
            return 'stopped: holding' if self.control.reference_size else 'stopped'
        if self.next_plan is not None and not self._led:
            return 'waiting for the start'
        if self.held:
            return f'holding: {self.held}'
        if self.plan is None:
            free = not self.control.reference_size and not self.rules.needs_trajectory
            return 'running' if free else 'no trajectory'
        if not self._led:
            return 'holding'
        ended = seen > self.plan.end and self.control.reference_size
        return 'holding at the end of the trajectory' if ended else 'following'

    # --- states -----------------------------------------------------------------------------

    def answer(self, now: int, q: np.ndarray, v: np.ndarray) -> Answer | None:
        """
        Torque for a state; None while there is nothing to follow yet.

        :param now: the state's stamp [ns]
        """
        here, last = Measured(now, q, v), self._last
        again = last is not None and now == last.now
        if last is not None and not again and not self._continues(last, here):
            return None
        self._last = here
        if last is not None and here.now > last.now and (
                self.speed != 1.0 or self.wanted_speed != 1.0 or self._rate):
            self._pass_time(last, here)
        if self._unstamped and self.next_plan is not None:
            self.next_plan.start, self._unstamped = now, False
        if self._hold and self.control.reference_size:
            self._brake(here, self._wanted(now, here))
        self._hold = False
        if self.next_plan is not None and self.next_plan.start <= now:
            self._take_over(here)
        if self._led and not again:
            self._keep_to_path(here)
        if self.plan is None:
            if self.next_plan is not None and again and self.control.reference_size:
                # a plant in lockstep asks again and would wait for ever: hold until the start
                self._brake(here, here.state)
            elif self.control.reference_size or self.rules.needs_trajectory:
                return None
        if self.stopped and not self.control.reference_size:
            return None
        return self._computed(here, again)

    def _computed(self, here: Measured, again: bool) -> Answer:
        if self.plan is not None:
            begin, desired = self.plan.start, self._wanted(here.now, here)
        else:
            self._zero = self._zero or here.now
            begin, desired = self._zero, np.concatenate([here.q, np.zeros(2 * self.robot.n)])
        read = desired if self.plan is None or self.control.schedule is None else \
            np.concatenate([desired, self.plan.scheduled(here.now)])
        tau = self._law(self.clock.seconds(here.now - begin), here.q, here.v, read, again)
        for what, found in (('gave', tau), ('would remember', self._law.memory)):
            # sums of plain floats, as in _continues; large ones may overflow
            if not isfinite(sum(found.tolist())) and not np.isfinite(found).all():
                self._law.keep()  # what is not finite once would be so for ever
                raise MessageRefused(f'the control law {what} {shown(found.tolist())} at t = '
                                     f'{here.now / NANO:.6f} s; no command is sent')
        return Answer(tau, desired, here.q)

    def _brake(self, here: Measured, state: np.ndarray) -> None:
        """Lead the arm to rest from a state."""
        self.plan = stop(here.now, state, STOP_TIME, self.robot.limits, self.control.schedule)
        self._led = False

    def _take_over(self, here: Measured) -> None:
        """Replace the plan in force by the next one, unless it would jump: then it goes on."""
        assert self.next_plan is not None
        plan, self.next_plan = self.next_plan, None
        try:
            self.plan = self._begun(plan, here.now, self._state(here.now, here))
        except MessageRefused as error:
            self._drop(str(error), True)
            self.notices.append(f'trajectory refused: {error}')
            return
        assert self._taken is not None
        self._tolerance = self._next_tolerance
        self._led, self.held = True, ''
        self.fate = self._taken = self._taken._replace(outcome=FOLLOWED)
        if self._fresh:
            self._law.reset()
            self._fresh = False

    def _rooms(self, inside: bool) -> list[PathTolerance]:
        """
        Return how far each joint may be from its trajectory.

        :param inside: the trajectory has not ended yet; after that the arm only has to stay near
        """
        usual = [PathTolerance(room) for room in self.rules.path_tolerance]
        if not self._tolerance or inside:
            return list(self._tolerance) or usual
        return [PathTolerance(max(own.position, rule.position)
                              if own.position and rule.position else 0.0)
                for own, rule in zip(self._tolerance, usual)]

    def _keep_to_path(self, here: Measured) -> None:
        """Hold an arm that is farther from its trajectory than the tolerance of a joint."""
        if not (self._tolerance or any(self.rules.path_tolerance)) \
                or not self.control.reference_size:
            return
        assert self.plan is not None
        source = 'path_tolerance of the goal' if self._tolerance else ''
        # plain floats, as in _continues
        wanted, n = self._wanted(here.now, here).tolist(), self.robot.n
        for joint, unit, room, q, v, at, rate in zip(
                self.robot.joints, self.robot.limits.units,
                self._rooms(here.now <= self.plan.end), wanted, wanted[n:], here.q.tolist(),
                here.v.tolist()):
            if 0.0 < room.position < abs(q - at):
                reason = f'{abs(q - at):.4g} {unit} from the trajectory, more than {room[0]:g}'
            elif 0.0 < room.velocity < abs(v - rate):
                reason = (f'{abs(v - rate):.4g} {unit}/s from the velocity of the trajectory, '
                          f'more than {room[1]:g}')
            else:
                continue
            source = source or f'constraints.{joint}.trajectory'
            self.lose(f'joint {joint!r} is {reason} ({source})')
            self.off_path = True
            self._brake(here, here.state)
            self._hold = False
            return

    def _join_anew(self, here: Measured) -> None:
        """Go on with the trajectory from where the arm is, as after a short silence or a brake."""
        assert self.plan is not None
        try:
            if not self.rules.settings.blend_time > 0.0:
                raise MessageRefused('without a blend_time it would be jumped to')
            self.plan = self._begun(self.plan, here.now, self._in_plan_time(here.state))
        except MessageRefused as error:
            what = 'the arm was braked' if self._braked else 'joint_states came late'
            self.lose(f'{what} ({error})')

    def _begin_anew(self) -> None:
        """Know nothing of what was: a simulated plant began anew, which holds by itself."""
        if self.plan is not None or self.next_plan is not None:
            self.notices.append('simulated time began anew: the trajectory is dropped')
        self._drop('simulated time began anew', False)
        self.plan = self.next_plan = None
        self._led = self._hold = self.stopped = False
        self.held, self._zero, self._dropped_end, self._fresh = '', 0, 0, True

    def _continues(self, last: Measured, here: Measured) -> bool:
        """Look for states that were lost, or that are of another motion; tell if this counts."""
        since = (here.now - last.now) / NANO
        if -self.rules.longest_gap < since < 0.0:
            return False  # overtaken on its way
        reason = ''
        if abs(since) > self.rules.longest_gap:
            reason = f'joint_states lack {abs(since):.3g} s'
        else:
            # plain floats: for a few joints numpy's functions cost ten times more
            for joint, before, after, *rates in zip(self.robot.joints, last.q.tolist(),
                                                    here.q.tolist(), last.v.tolist(),
                                                    here.v.tolist()):
                if abs(after - before) > JUMP + 2.0 * since * max(map(abs, rates)):
                    reason = (f'joint_states jump: {joint} from {before:.4g} to {after:.4g} '
                              f'within {since:.3g} s')
                    break
        if since < 0.0 and self.rules.simulated:
            self._begin_anew()
        elif reason:
            self.lose(reason, here.now if since > 0.0 else None)
        else:
            self._look_for_brake(last, here, since)
            if self._led and (self._braked or since > max(SHORT_GAP,
                                                          5 * self.clock.period / NANO)):
                self._join_anew(here)
        return True

    def _look_for_brake(self, last: Measured, here: Measured, since: float) -> None:
        """
        See whether something else stopped the arm: a driver, or a plant that missed commands.

        Between the steps of a coarse encoder an arm seems to stand still, too, but never after it
        moved by more than one of them.
        """
        # plain floats, as in _continues
        before, after = last.q.tolist(), here.q.tolist()
        if after != before or any(here.v.tolist()):
            self._moving, self._braked = self._moving + 1, False
            self._steps = [min(step, abs(b - a) or inf)
                           for step, a, b in zip(self._steps, before, after)]
            return
        self._braked = self._braked or self._moving >= STEADY and any(
            abs(rate) > ABRUPT and abs(rate) * since > 2.0 * step
            for rate, step in zip(last.v.tolist(), self._steps))
        self._moving = 0
