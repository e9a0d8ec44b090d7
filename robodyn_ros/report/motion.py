# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A motion and what was desired, from a result of `robodyn simulate` (NPZ) or a recording (MCAP).

A recording's states, commands, trajectory and constraints are put together: time counts from the
start of the first trajectory; where nobody commands, the plant's constraints move it and time
counts from the plant's own zero. States before the motion and after its end are left out.
"""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
import os
from tokenize import TokenError
from typing import Any, Callable, Mapping, Sequence
from zipfile import BadZipFile, ZipFile
import zlib

import numpy as np

from robodyn_ros.errors import MessageRefused, RecordingError, RobodynError
from robodyn_ros.recording.reader import (LEAST_UNPACKED, MOST_RATIO, read_recording,
                                          Recording)
from robodyn_ros.robots.joint_order import places_of
from robodyn_ros.robots.robot import Robot, robot_from_text
from robodyn_ros.ros_time import NANO, nanoseconds
from robodyn_ros.scenario.schema import ControllerSettings
from robodyn_ros.trajectories.joint_plan import checked_points, JointPlan

SIMULATED_ZERO = NANO
"""Stamp of the first state of a simulated plant [ns]."""
LONGEST_SIMULATED = 10 ** 9 * NANO
"""Stamps beyond this (the year 2001) are the wall clock's [ns]."""
STATES, COMMANDS = 'joint_states', 'joint_commands'
TRAJECTORY, CONSTRAINTS = 'controller/joint_trajectory', 'dynamics/constraints'
DESCRIPTION = 'robot_description'
KEPT = ('t', 'q', 'v', 'tau', 'phi', 'reference_q', 'tool_reference', 'row_names', 'scenario',
        'urdf', 'frame')
"""Arrays of a result that a report reads."""
UNREADABLE = (OSError, ValueError, BadZipFile, EOFError, AttributeError, MemoryError, TypeError,
              LookupError, RuntimeError, OverflowError, SyntaxError, TokenError,
              zlib.error)
"""What numpy and zipfile say of a file that is damaged, or made to hurt."""
Progress = Callable[[float], None]


@dataclass(frozen=True)
class Motion:
    """
    A recorded motion of k samples and n joints, under the names of scenario.result.Result.

    NaN where something was not recorded: a recording has what was sent, not all of a Rollout.
    """

    source: str
    """File it was read from."""
    scenario: str
    """Empty if not known."""
    robot: Robot
    frame: str
    """Name of the frame that follows the trajectory."""
    t: np.ndarray
    """Since the motion began (k,) [s]."""
    q: np.ndarray
    """(k, n) [rad] or [m]"""
    v: np.ndarray
    """(k, n) [rad/s] or [m/s]"""
    tau: np.ndarray
    """Torque commanded (k, n) [N m] or [N]."""
    reference_q: np.ndarray
    """Desired positions (k, n) [rad] or [m]."""
    tool_reference: np.ndarray
    """Where the frame should be (k, 3) [m]."""
    row_names: tuple[str, ...]
    """Names of the constraint rows."""
    watched: np.ndarray
    """Times at which the constraints were recorded (j,) [s]."""
    violation: np.ndarray
    """Largest error of the rows at those times (j,) [m] or [rad]."""
    complete: bool = True
    """False if the end of the file is missing."""

    @property
    def followed(self) -> bool:
        """Tell whether a trajectory was to be followed."""
        return bool(np.isfinite(self.reference_q).any())

    @cached_property
    def tool(self) -> np.ndarray:
        """Position of the frame (k, 3) [m]."""
        return self.robot.positions(self.frame, self.q)

    @property
    def error(self) -> np.ndarray:
        """Tracking error desired - actual (k, n) [rad] or [m]."""
        return self.reference_q - self.q

    @property
    def tool_error(self) -> np.ndarray:
        """Distance of the frame from where it should be (k,) [m]."""
        return np.linalg.norm(self.tool - self.tool_reference, axis=1)


def read_motion(path: str | os.PathLike, robot: Robot | None = None,
                progress: Progress = lambda part: None) -> Motion:
    """
    Read a result or a recording, whichever the file is.

    :param robot: where the file lacks it, or in its place if it is the same arm
    :param progress: called with the part that is read, 0 .. 1
    """
    with open(path, 'rb') as file:
        zipped = file.read(2) == b'PK'
    if zipped or os.fspath(path).endswith('.npz'):
        return motion_of_result(path, robot)
    return motion_of_recording(path, robot, progress)


def motion_of_result(path: str | os.PathLike, robot: Robot | None = None) -> Motion:
    """Read the arrays that `robodyn simulate --output` writes; see read_motion."""
    name = os.fspath(path)
    try:
        _check_size(path)
        with np.load(path, allow_pickle=False) as file:
            found: dict[str, Any] = {key: file[key] for key in file.files if key in KEPT}
    except UNREADABLE as error:
        raise RecordingError(f'{name}: cannot be read as NPZ ({error}); give a result of robodyn '
                             'simulate --output') from None
    for key in ('t', 'q', 'v', 'tau', 'phi'):
        if key not in found:
            raise RecordingError(f'{name}: has no array {key!r}; give a result of robodyn '
                                 'simulate --output')
    robot = _robot_of(name, robot, str(found['urdf']) if 'urdf' in found else None, name,
                      'does not tell its robot; run robodyn simulate --output again, or name the '
                      'robot with --robot')
    if not found['t'].size:
        raise RecordingError(f'{name}: is empty; simulate for longer')
    k, n = len(np.atleast_1d(found['t'])), robot.n
    t, q = _shaped(name, found, 't', (k,)), _shaped(name, found, 'q', (k, n))
    rows = found['phi'].shape[-1] if found['phi'].ndim == 2 else 0
    phi = _shaped(name, found, 'phi', (k, rows))
    if not (np.isfinite(t).all() and (np.diff(t) >= 0.0).all() and np.isfinite(q).all()):
        raise RecordingError(f'{name}: its times go back, or times or positions are no numbers; '
                             'give a result of robodyn simulate --output')
    found.setdefault('reference_q', np.full((k, n), np.nan))
    found.setdefault('tool_reference', np.full((k, 3), np.nan))
    found.setdefault('row_names', np.arange(rows))
    if found['row_names'].shape != (rows,):
        raise RecordingError(f'{name}: row_names has the shape {found["row_names"].shape}; '
                             f'expected {(rows,)}')
    return Motion(
        source=name, scenario=str(found.get('scenario', '')), robot=robot,
        frame=robot.tool_frame(str(found.get('frame', ''))), t=t, q=q,
        v=_shaped(name, found, 'v', (k, n)), tau=_shaped(name, found, 'tau', (k, n)),
        reference_q=_shaped(name, found, 'reference_q', (k, n)),
        tool_reference=_shaped(name, found, 'tool_reference', (k, 3)),
        row_names=tuple(map(str, found['row_names'])),
        watched=t if phi.shape[1] else t[:0],
        violation=np.abs(phi).max(axis=1) if phi.shape[1] else t[:0])


def _check_size(path: str | os.PathLike) -> None:
    """Refuse a file that becomes much larger when it is unpacked; ValueError says so."""
    with ZipFile(path) as file:
        unpacked = sum(item.file_size for item in file.infolist())
    if unpacked > max(LEAST_UNPACKED, MOST_RATIO * os.path.getsize(path)):
        raise ValueError(f'it would unpack to {unpacked} bytes')


def _shaped(name: str, found: Mapping[str, np.ndarray], key: str,
            shape: tuple[int, ...]) -> np.ndarray:
    """Return an array of numbers, if it has the shape that the others call for."""
    array = found[key]
    if array.shape != shape or array.dtype.kind not in 'fiu':
        raise RecordingError(f'{name}: the array {key!r} has the shape {array.shape} of '
                             f'{array.dtype}; expected {shape} of numbers, as t and the robot '
                             'tell: give a result of robodyn simulate --output')
    return array.astype(float, copy=False)


def _robot_of(source: str, given: Robot | None, text: str | None, what: str,
              missing: str) -> Robot:
    """
    Return the robot given or that of a file; another than the file's would have other joints.

    :param given: as of --robot
    :param text: URDF in the file; one that cannot be read counts as none beside a robot given
    :param what: names the text in errors
    :param missing: what to say if there is neither
    """
    if given is None:
        if text is None:
            raise RecordingError(f'{source}: {missing}')
        return robot_from_text(text, what)
    try:
        own = robot_from_text(text, what) if text is not None else given
    except RobodynError:
        return given
    if (own.name, own.joints) != (given.name, given.joints):
        raise RecordingError(
            f'{source}: is of the robot {own.name} ({", ".join(own.joints)}), but --robot is '
            f'{given.name} ({", ".join(given.joints)}); leave --robot out')
    return given


def motion_of_recording(path: str | os.PathLike, robot: Robot | None = None,
                        progress: Progress = lambda part: None) -> Motion:
    """Read a recording; see read_motion."""
    name = os.fspath(path)
    found = read_recording(path, (STATES, COMMANDS, TRAJECTORY, CONSTRAINTS, DESCRIPTION),
                           progress)
    if not found.messages[STATES]:
        topics = ', '.join(topic for topic, heard in found.messages.items() if heard) or 'nothing'
        raise RecordingError(f'{name}: has no joint_states (it has {topics}); record while the '
                             'robot runs')
    described = found.messages[DESCRIPTION]
    try:
        robot = _robot_of(name, robot, described[-1][1]['data'] if described else None,
                          f'robot_description in {name}',
                          'has no robot_description; name the robot with --robot')
        return _Recorded(name, found, robot).motion()
    except (LookupError, TypeError, ValueError, OverflowError) as error:
        raise RecordingError(f'{name}: its messages are not what their topics are for '
                             f'({type(error).__name__}: {error}); record again') from None


class _Recorded:
    """Puts the messages of a recording together."""

    def __init__(self, name: str, found: Recording, robot: Robot):
        self.name, self.found, self.robot = name, found, robot
        self.stamps, self.states = self._by_time(STATES, 'position')
        if not self.states:
            raise RecordingError(f'{name}: its joint_states have no positions; record a robot '
                                 'that tells them')
        self.plans, self.zero = self._plans()

    def motion(self) -> Motion:
        kept = self._under_way()
        stamps, n = self.stamps[kept], self.robot.n
        desired, tool = np.full((len(stamps), n), np.nan), np.full((len(stamps), 3), np.nan)
        frame = self.robot.tool_frame(self.found.facts.get('frame', ''))
        if self.plans:
            desired = self._desired(stamps)
            tool = self.robot.positions(frame, desired)
        seen = [(stamp, m) for stamp, m in self.found.messages[CONSTRAINTS]
                if stamps[0] <= stamp <= stamps[-1]]
        return Motion(
            source=self.name, scenario=self.found.facts.get('scenario', ''), robot=self.robot,
            frame=frame, t=(stamps - self.zero) / NANO,
            q=self._rows(self.states, 'position')[kept],
            v=self._rows(self.states, 'velocity')[kept], tau=self._torques(kept),
            reference_q=desired, tool_reference=tool,
            row_names=tuple(seen[0][1]['name']) if seen else (),
            watched=(np.array([stamp for stamp, _ in seen], dtype=np.int64) - self.zero) / NANO,
            violation=np.array([np.abs(m['position']).max(initial=0.0) for _, m in seen]),
            complete=self.found.complete)

    def _by_time(self, topic: str, needed: str) -> tuple[np.ndarray, list[dict[str, Any]]]:
        """Return times [ns] and messages in order; of one time the last: lockstep repeats."""
        last = {stamp: m for stamp, m in self.found.messages[topic] if len(m.get(needed, ()))}
        stamps = sorted(last)
        return np.array(stamps, dtype=np.int64), [last[stamp] for stamp in stamps]

    def _rows(self, messages: Sequence[dict[str, Any]], field: str) -> np.ndarray:
        """Values of a field in the robot's joint order (k, n); NaN where there is none."""
        rows = np.full((len(messages), self.robot.n), np.nan)
        names: list[str] = []
        places: list[int] = []
        for row, message in zip(rows, messages):
            if message['name'] != names:
                names = message['name']
                places = places_of(
                    self.robot.joints, names, f'{self.name}: joint_states', strangers=True,
                    error=RecordingError,
                    remedy=f'it has {", ".join(names)}: name the right robot instead of '
                           f'{self.robot.name} with --robot')
            if len(message[field]) == len(names):
                row[:] = message[field][places]
        return rows

    def _plans(self) -> tuple[list[JointPlan], int]:
        """Return the trajectories that were followed, and the time the motion began at [ns]."""
        plans: list[JointPlan] = []
        for stamp, message in self.found.messages[TRAJECTORY]:
            points = message['points']
            times = [nanoseconds(p['time_from_start']['sec'], p['time_from_start']['nanosec'])
                     for p in points]
            try:
                checked = checked_points(
                    self.robot.joints, message['joint_names'], times,
                    {field: [p[field] for p in points] for field in (
                        'positions', 'velocities', 'accelerations')}, True)
            except MessageRefused:
                continue  # the controller refused it too
            if not plans or not plans[-1].same(stamp, checked):
                plans.append(JointPlan(stamp, checked))
        if self.found.messages[COMMANDS] and plans:
            return self._begun(plans), plans[0].start
        first = int(self.stamps[0])
        zero = min(SIMULATED_ZERO, first) if first < LONGEST_SIMULATED else first
        return [JointPlan(zero, plan.points) for plan in plans[:1]], zero

    def _begun(self, plans: list[JointPlan]) -> list[JointPlan]:
        """Return the plans as a controller followed them: from the arm, or the plan before."""
        begun: list[JointPlan] = []
        for plan in plans:
            k = min(int(np.searchsorted(self.stamps, plan.start)), len(self.stamps) - 1)
            now = max(plan.start, int(self.stamps[k]))
            if begun:
                state = begun[-1].sample(now)
            else:
                parts = [self._rows(self.states[k:k + 1], field)[0]
                         for field in ('position', 'velocity')]
                state = np.nan_to_num(np.concatenate([*parts, np.zeros(self.robot.n)]))
            begun.append(plan.begun(now, state, ControllerSettings.blend_time,
                                    self.robot.limits.turning))
        return begun

    def _under_way(self) -> np.ndarray:
        """Tell which states belong to the motion (k,): all, where no trajectory says so."""
        end = max((plan.end for plan in self.plans), default=-1)
        kept = (self.stamps >= self.zero) & (self.stamps <= end)
        return kept if kept.any() else np.ones(len(kept), bool)

    def _desired(self, stamps: np.ndarray) -> np.ndarray:
        """Positions of the trajectory in force at each time (k, n)."""
        rows = np.empty((len(stamps), self.robot.n))
        for plan in self.plans:  # a later one replaces those before, from its start on
            chosen = (stamps >= plan.start) | (plan is self.plans[0])
            rows[chosen] = plan.samples(stamps[chosen])[:, :self.robot.n]
        return rows

    def _torques(self, kept: np.ndarray) -> np.ndarray:
        """Torques commanded, each held until the next (k, n); else those of the states."""
        n = self.robot.n
        times, commands = self._by_time(COMMANDS, 'effort')
        if commands:
            given = self._rows(commands, 'effort')
        else:
            times, commands = self._by_time(COMMANDS, 'data')  # Float64MultiArray, in joint order
            given = np.array([m['data'] if len(m['data']) == n else np.full(n, np.nan)
                              for m in commands])
        if not commands:
            return self._rows(self.states, 'effort')[kept]
        last = np.searchsorted(times, self.stamps[kept], side='right') - 1
        return np.where(last[:, None] >= 0, given[np.maximum(last, 0)], np.nan)
