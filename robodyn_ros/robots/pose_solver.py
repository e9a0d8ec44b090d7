# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Inverse kinematics of a pose: where the joints are when a frame is there.

Rows: position of the frame minus the target's, along x y z of the base [m], and the turn that is
missing, about x y z of the target's own axes [rad] (mechanics/rotation.py), then the robot's loops
and a user's constraints. Their zero is searched inside the joint limits by compiled code
(codegen/loops/search.py). A row of weight zero is free.
"""
from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
import math
import os
from typing import Any, Callable, Iterable, NamedTuple, Sequence

import numpy as np

from robodyn_ros.checks import expect, number, numbers, refusal, whole_number
from robodyn_ros.codegen.loops.search import Search
from robodyn_ros.codegen.program import Program
from robodyn_ros.codegen.routines import Kernel
from robodyn_ros.errors import ArgumentError, SizeError, UnknownNameError
from robodyn_ros.mechanics.kinematics import frame_pose, frame_quaternion
from robodyn_ros.mechanics.rotation import difference
from robodyn_ros.mechanics.tree import ancestors
from robodyn_ros.robots.closure import closure_errors
from robodyn_ros.robots.geometry import quaternion
from robodyn_ros.robots.limits import Limits, middle_of
from robodyn_ros.robots.pose_in_place import FLOAT, plain_target, PoseInPlace, within
from robodyn_ros.tracing import Graph, inputs, jacobian, Number, Scalar

AXES = ('x', 'y', 'z', 'rx', 'ry', 'rz')
"""What may be free: position along the base's axes, turns about the target's own."""
NONE: tuple[()] = ()
"""What options are by default; Python keeps one of it."""
ALL_AXES, PLACE = [True] * 6, [True] * 3 + [False] * 3
TOLERANCE = 1e-9
"""Error at which a pose counts as reached [m], [rad]."""
TRIES, STEPS = 200, 48
"""Starts at most, and steps of each; the bound of an answer's time."""
PULL = 1e-2
"""How strongly the posture is sought at first, beside the rows [-]."""
AT_LIMIT = 1e-6
"""Distance from its limit at which a joint counts as standing there [rad] or [m]."""
STUCK = 1e-2
"""Share of a joint's motion that leads straight to the target, from which on its limit counts."""
LARGEST = 1e6
"""Number from which on it is no pose of a robot [m], [-]."""
MOST_TRIES, MOST_WORKERS = 10_000, 256
ROWS = 'functions of robot, q and t, such as constraints of a plant'
POSE = ('x y z; x y z and a quaternion qx qy qz qw; a matrix (4, 4); or what Robot.frame returns; '
        'many of them with a leading axis')


class Solution(NamedTuple):
    """Joint positions for a pose, or how near they come; for k poses with a leading axis."""

    q: np.ndarray
    """(n,) [rad] or [m]"""
    reached: Any
    """Whether every row is met."""
    position_error: Any
    """Distance of the frame from the target, along the axes that count [m]."""
    rotation_error: Any
    """Angle of the frame from the target, about the axes that count [rad]."""
    steps: Any
    """Steps of the search."""
    tries: Any
    """Starts it took."""
    reason: Any
    """What stands in the way, one sentence; '' where it was reached. For many poses a list."""


class PoseSolver:
    """Compiled search for the poses of one frame of a robot."""

    def __init__(self, robot: Any, frame: str, constraints: Sequence[Callable] = ()):
        """
        Trace the rows; they are compiled on first use.

        :param robot: a Robot
        :param constraints: functions of robot, q and t whose rows shall be zero, at t = 0
        """
        self.robot, self.frame, self.constraints = robot, frame, tuple(constraints)
        n, graph = robot.n, Graph()
        q, target = inputs(graph, 'q', n), inputs(graph, 't', 7)
        p = inputs(graph, 'p', 1)
        rows = _rows(robot, frame, q, target, self.constraints)
        self.m = len(rows)
        flat = [x for row in jacobian(rows, q) for x in row]
        self._search = Search(n, self.m, 7)
        self._program = Program(f'inverse kinematics of {frame} of {robot.name}',
                                [Kernel('rows', [*q, *target], [*rows, *flat])], p, self._search)
        chain = ancestors(robot.tree, robot.find_frame(frame).body)
        if not chain:
            raise ArgumentError(f'frame {frame!r} of {robot.name} is fixed to the base; no joint '
                                'moves it: choose another frame')
        shifts = [robot.tree.bodies[k].translation for k in chain]
        shifts.append(robot.tree.frames[frame].translation)
        self.length = max(1e-3, 0.5 * sum(math.dist((0.0, 0.0, 0.0), shift) for shift in shifts))
        """Length that counts as much as a radian [m]."""
        self._settings: tuple[Any, np.ndarray] = None, np.zeros(0)  # of the last call
        # of the last single call; one waiting for each thread that calls at a time
        self._spare: tuple[Any, list[PoseInPlace]] = None, []

    def prepare(self) -> None:
        """Compile the search, or load it."""
        self._program.functions()

    def solve(self, targets: np.ndarray, start: np.ndarray, lower: np.ndarray, upper: np.ndarray,
              counted: np.ndarray, tolerance: float, posture: np.ndarray | None,
              tries: int, workers: int) -> tuple[np.ndarray, np.ndarray]:
        """
        Search for many targets (k, 7), each from its start (k, n).

        :param counted: which of the six axes count (6,), bool
        :returns: found joint positions (k, n) and rows, error, steps, tries (k, m + 3)
        """
        n, count = self.robot.n, len(targets)
        key = (lower.tobytes(), upper.tobytes(), counted.tobytes(), tolerance,
               None if posture is None else posture.tobytes())
        known, settings = self._settings
        if known != key:  # poses one by one mostly come with the same
            settings = self._settings_of(lower, upper, counted, tolerance, posture)
            self._settings = key, settings
        search, w = self._program.functions()['search'], self._program.prepared([0.0])
        # rows that are no numbers anywhere are never written
        found = np.full((count, self._search.found), math.nan)

        def part(block: slice) -> None:
            pieces = start[block], targets[block]
            search(len(pieces[0]), tries, STEPS, *map(np.ascontiguousarray, pieces), w, settings,
                   np.zeros(self._search.scratch), found[block])

        size = max(1, min(64, -(-count // workers)))
        blocks = [slice(k, k + size) for k in range(0, count, size)]
        if workers == 1 or len(blocks) == 1:
            for block in blocks:
                part(block)
        else:
            with ThreadPoolExecutor(workers) as pool:
                list(pool.map(part, blocks))
        return found[:, :n], found[:, n:]

    def solve_plain(self, target: list[float], start: np.ndarray, limits: Limits, turned: bool,
                    tolerance: float, posture: np.ndarray | None, tries: int
                    ) -> tuple[list[float], list[float]]:
        """
        Search for one target inside the limits, all axes or the position alone.

        :returns: q, rows, error, steps and tries; where it began, at the limits if beyond
        """
        lower, upper = limits.lower, limits.upper
        key = (lower.tobytes(), upper.tobytes(), turned, tolerance, tries,
               None if posture is None else posture.tobytes())
        known, spare = self._spare
        if known != key:
            spare = []
            self._spare = key, spare
        try:
            search = spare.pop()
        except IndexError:
            search = self._in_place(lower, upper, turned, tolerance, posture, tries)
        begin = np.minimum(np.maximum(start, lower, out=search.start), upper, out=search.start)
        near = begin.tolist()
        found = search(target)
        spare.append(search)
        return found, near

    def _in_place(self, lower: np.ndarray, upper: np.ndarray, turned: bool, tolerance: float,
                  posture: np.ndarray | None, tries: int) -> PoseInPlace:
        """Return a search with arrays of its own."""
        counted = np.array([turned or k < 3 for k in range(6)])
        entry = self._program.functions()['search']
        return PoseInPlace(partial(entry.bind, 1, tries, STEPS), self._program.prepared([0.0]),
                           self._settings_of(lower, upper, counted, tolerance, posture),
                           self.robot.n, self._search.scratch, self._search.found)

    def _settings_of(self, lower: np.ndarray, upper: np.ndarray, counted: np.ndarray,
                     tolerance: float, posture: np.ndarray | None) -> np.ndarray:
        """Return the settings of the search, as codegen/loops/search.py lists them."""
        room = np.array([2.0 * self.length if unit == 'm' else math.pi
                         for unit in self.robot.units])
        middle = middle_of(lower, upper)
        low = np.where(np.isfinite(lower), lower, middle - room)
        high = np.where(np.isfinite(upper), upper, middle + room)
        weight, allowed = np.ones(self.m), np.full(self.m, tolerance / math.sqrt(3.0))
        weight[:3] = self.length ** -2
        weight[:6][~counted], allowed[:6][~counted] = 0.0, math.inf
        return np.concatenate([
            weight, allowed, lower, upper, low, high,
            np.zeros(self.robot.n) if posture is None else posture,
            [0.0 if posture is None else PULL]])


def _rows(robot: Any, frame: str, q: Sequence[Scalar], target: Sequence[Scalar],
          constraints: Sequence[Callable]) -> list[Number]:
    tree, place = robot.tree, robot.find_frame(frame)
    position = frame_pose(tree, place, q).position
    turn = frame_quaternion(tree, place, q)
    rows: list[Number] = [here - there for here, there in zip(position, target)]
    rows += difference(tuple(target[3:]), turn)  # type: ignore[arg-type]
    for item in robot.loops:
        rows += closure_errors(robot.pose(item.frame_a, q), robot.pose(item.frame_b, q), item.axes)
    for item in constraints:
        more = item(robot, q, 0.0, **dict(getattr(item, 'parameters', {})))
        rows += list(more) if isinstance(more, (list, tuple)) else [more]
    return rows


def targets_of(pose: Any) -> tuple[np.ndarray, bool, bool]:
    """
    Return poses as x y z qx qy qz qw (k, 7), whether it is one alone, and whether they are turned.

    :param pose: see POSE
    """
    if hasattr(pose, 'rotation') and hasattr(pose, 'position'):
        position = numbers('position of the pose', pose.position, 'three numbers')
        matrix = numbers('rotation of the pose', pose.rotation, 'a matrix (3, 3)')
        whole = np.zeros((*position.shape[:-1], 4, 4))
        if matrix.shape[-2:] != (3, 3) or position.shape[-1:] != (3,) or \
                matrix.shape[:-2] != position.shape[:-1]:
            raise refusal('pose', pose, POSE, ArgumentError)
        whole[..., :3, :3], whole[..., :3, 3], whole[..., 3, 3] = matrix, position, 1.0
        given = whole
    else:
        given = numbers('pose', pose, POSE)
    if not (np.abs(given) < LARGEST).all():  # a NaN is not, either
        raise refusal('pose', pose, f'{POSE}; finite numbers below {LARGEST:g}', ArgumentError)
    if given.shape[-2:] == (4, 4) and given.ndim in (2, 3):
        alone, given = given.ndim == 2, given.reshape(-1, 4, 4)
        turn = given[:, :3, :3]
        off = np.abs(turn @ turn.transpose(0, 2, 1) - np.eye(3)).max(initial=0.0)
        if off > 1e-3 or (np.linalg.det(turn) < 0.0).any():
            raise ArgumentError(f'the rotation of the pose is off by {off:.3g} from a rotation '
                                'matrix; give one with orthogonal columns of length one')
        return np.column_stack([given[:, :3, 3], [quaternion(r) for r in turn]]), alone, True
    if given.ndim not in (1, 2) or given.shape[-1] not in (3, 7):
        raise SizeError('pose', '(3,), (7,), (4, 4) or many of them', given.shape, POSE)
    alone, given = given.ndim == 1, given.reshape(-1, given.shape[-1])
    whole = np.zeros((len(given), 7))
    whole[:, :3] = given[:, :3]
    if given.shape[-1] == 3:
        whole[:, 6] = 1.0
        return whole, alone, False
    length = np.sqrt((given[:, 3:] ** 2).sum(axis=1, keepdims=True))
    if not (length > 1e-6).all():
        raise ArgumentError('the quaternion of the pose is zero; give qx qy qz qw of length one')
    np.divide(given[:, 3:], length, out=whole[:, 3:])
    return whole, alone, True


def solve(robot: Any, frame: str, pose: Any, *, start: Any = None, posture: Any = None,
          free: str | Iterable[str] = (), locked: Iterable[str] = (),
          constraints: Sequence[Callable] = (), tolerance: float = TOLERANCE,
          ignore_limits: bool = False, tries: int = TRIES, workers: int = 0) -> Solution:
    """Search the joint positions of a pose; see Robot.solve."""
    if free is NONE and locked is NONE and constraints is NONE and ignore_limits is False:
        quick = _quick(robot, frame, pose, start, posture, tolerance, tries, workers)
        if quick is not None:
            return quick
    targets, alone, turned = targets_of(pose)
    count, n, limits = len(targets), robot.n, robot.limits
    unled = _free(free)
    counted = np.array([name not in unled and (turned or k < 3) for k, name in enumerate(AXES)])
    if not counted.any():
        raise ArgumentError(f'free of solve is {free!r}: nothing is left to be reached; leave an '
                            'axis out')
    lower, upper = (np.full(n, -math.inf), np.full(n, math.inf)) if ignore_limits else (
        limits.lower, limits.upper)
    wanted = None if posture is None else robot.array('posture', posture)
    if wanted is not None and wanted.ndim != 1:
        raise SizeError('posture of solve', f'({n},)', wanted.shape, 'it is one for all poses')
    begin = robot.array('start', start if start is not None else
                        limits.middle if wanted is None else wanted)
    if begin.ndim == 2 and len(begin) != count:
        raise SizeError('start of solve', f'({n},) or ({count}, {n})', begin.shape)
    held = [robot.joint_index(name) for name in _names('locked', locked, 'names of joints')]
    if held and begin.ndim == 2:
        raise ArgumentError('joints are locked at one start; give one start for all poses')
    if held:
        lower, upper = lower.copy(), upper.copy()
        lower[held] = upper[held] = begin[held]
    begin = np.minimum(np.maximum(begin, lower), upper)
    if begin.ndim == 1:
        begin = begin[None] if alone else np.broadcast_to(begin, (count, n))
    for item in () if constraints == () else expect(  # typing's check takes its time
            Iterable, 'constraints of solve', constraints, ROWS, ArgumentError):  # type: ignore
        if not callable(item):
            raise refusal('a constraint of solve', item, ROWS, ArgumentError)
    solver = robot.pose_solver(frame, constraints)
    q, rest = solver.solve(
        targets, np.ascontiguousarray(begin), lower, upper, counted,
        number('tolerance of solve', tolerance, 'a positive number', above=0.0), wanted,
        whole_number('tries of solve', tries, f'1 to {MOST_TRIES}', 1, MOST_TRIES),
        whole_number('workers of solve', workers, f'0 (all cores) to {MOST_WORKERS}', 0,
                     MOST_WORKERS)
        or (os.cpu_count() or 1 if count > 1 else 1))
    if not constraints:  # their rows may count whole turns
        q = _unwound(robot, q, begin if wanted is None else wanted, lower, upper)
    if alone and (met := _met(rest[0].tolist(), counted.tolist(), solver.m, tolerance)):
        return Solution(q[0], True, *met, '')  # plain floats: quicker than arrays of one row
    rows, weighed = rest[:, :solver.m], np.where(counted, 1.0, 0.0)
    position = np.linalg.norm(rows[:, :3] * weighed[:3], axis=1)
    # the rows are 4 tan(theta/4)
    rotation = 4.0 * np.arctan(np.linalg.norm(rows[:, 3:6] * weighed[3:], axis=1) / 4.0)
    others = np.abs(rows[:, 6:]).max(axis=1, initial=0.0)
    reached = (position <= tolerance) & (rotation <= tolerance) & (others <= tolerance)
    reasons = ['' if ok else _reason(solver, q[k], rows[k], counted, lower, upper, held)
               for k, ok in enumerate(reached)]
    found = (q, reached, position, rotation, *np.nan_to_num(rest[:, -2:]).astype(int).T,
             reasons)
    if not alone:
        return Solution(*found)
    whole = Solution(q[0], bool(reached[0]), float(position[0]), float(rotation[0]),
                     int(found[4][0]), int(found[5][0]), reasons[0])
    if whole.reached or constraints:
        return whole
    others_given: dict[str, Any] = {'start': whole.q, 'locked': locked, 'tolerance': tolerance,
                                    'tries': tries}
    if not ignore_limits:
        wide = solve(robot, frame, pose, free=free, ignore_limits=True, **others_given)
        if not wide.reached:  # whatever the limits are
            whole = whole._replace(reason=f'{whole.reason.split(": ")[0]}: '
                                   f'{wide.reason.split(": ")[1].split(";")[0]}')
    if turned and counted[3:].any():
        places = [axis for axis in unled if axis in AXES[:3]]
        only = solve(robot, frame, targets[0, :3], free=places, ignore_limits=ignore_limits,
                     **others_given)
        if only.reached:
            whole = whole._replace(reason=whole.reason + '; the position alone can be reached: '
                                   'ease the orientation')
    return whole


def _quick(robot: Any, frame: str, pose: Any, start: Any, posture: Any, tolerance: Any,
           tries: Any, workers: Any) -> Solution | None:
    """Return the solution of one pose of plain numbers; None: see solve, or it is not reached."""
    plain = plain_target(pose, LARGEST)
    limits, wanted = robot.limits, None if posture is None else _plain_joints(robot, posture)
    begin = _plain_joints(robot, start) if start is not None else \
        limits.middle if posture is None else wanted
    if plain is None or begin is None or (posture is not None and wanted is None) \
            or type(tolerance) is not float or not 0.0 < tolerance < math.inf \
            or type(tries) is not int or not 1 <= tries <= MOST_TRIES \
            or type(workers) is not int or not 0 <= workers <= MOST_WORKERS:
        return None
    target, turned = plain
    solver, n = robot.pose_solver(frame), robot.n
    found, near = solver.solve_plain(target, begin, limits, turned, tolerance, wanted, tries)
    met = _met(found[n:], ALL_AXES if turned else PLACE, solver.m, tolerance)
    if met is None:
        return None
    q = np.array(found[:n])
    if wanted is not None:
        near = wanted.tolist()
    if not within(found, near, math.pi):
        q = _unwound(robot, q[None], np.array(near), limits.lower, limits.upper)[0]
    return Solution(q, True, *met, '')


def _plain_joints(robot: Any, given: Any) -> np.ndarray | None:
    """Return joint positions if they are an array of finite floats (n,)."""
    if type(given) is np.ndarray and given.dtype is FLOAT and given.shape == (robot.n,) \
            and math.isfinite(sum(given.tolist())):
        return given
    return None


def _met(found: list[float], counted: list[bool], m: int, tolerance: float
         ) -> tuple[float, float, int, int] | None:
    """Return errors, steps and tries of one pose that was reached; None for any other."""
    errors = [x if led else 0.0 for x, led in zip(found, counted)]
    position = math.hypot(*errors[:3])
    rotation = 4.0 * math.atan(math.hypot(*errors[3:]) / 4.0)
    if position <= tolerance and rotation <= tolerance and all(
            abs(x) <= tolerance for x in found[6:m]):
        return position, rotation, int(found[-2]), int(found[-1])
    return None


def _unwound(robot: Any, q: np.ndarray, near: np.ndarray, lower: np.ndarray,
             upper: np.ndarray) -> np.ndarray:
    """Return joint positions (k, n) with whole turns taken off that lead away from near."""
    if np.abs(near - q).max(initial=0.0) <= math.pi:
        return q
    followed = {mimic.drive.joint for mimic in robot.mimics}  # by others, maybe not one to one
    turns = np.array([unit == 'rad' and k not in followed for k, unit in enumerate(robot.units)])
    shift = np.where(turns, 2.0 * math.pi * np.round((near - q) / (2.0 * math.pi)), 0.0)
    moved = q + shift
    return np.where((moved >= lower) & (moved <= upper), moved, q)


def _names(option: str, given: str | Iterable[str], expected: str) -> tuple[str, ...]:
    """Return names that were given one by one, or as a text with spaces between."""
    if isinstance(given, str) or given == ():
        return tuple(given.split()) if given else ()  # type: ignore[union-attr]
    return tuple(expect(Iterable, f'{option} of solve', given,  # type: ignore[type-abstract]
                        expected, ArgumentError))


def _free(given: str | Iterable[str]) -> tuple[str, ...]:
    names = _names('free', given, f'some of {" ".join(AXES)}')
    for name in names:
        if name not in AXES:
            raise UnknownNameError('axis', name, AXES, 'free of solve')
    return names


def _reason(solver: PoseSolver, q: np.ndarray, rows: np.ndarray, counted: np.ndarray,
            lower: np.ndarray, upper: np.ndarray, held: Sequence[int]) -> str:
    """Say how near a frame comes and what keeps it there."""
    robot = solver.robot
    if not np.isfinite(rows).all():
        return (f'{solver.frame} of {robot.name}: its constraints are no finite numbers wherever '
                'they were tried; correct their functions')
    errors = rows[:6] * counted
    text = (f'{solver.frame} of {robot.name} comes no nearer than '
            f'{np.linalg.norm(errors[:3]):.3g} m')
    if counted[3:].any():
        text += f' and {4.0 * math.atan(np.linalg.norm(errors[3:]) / 4.0):.3g} rad'
    if np.abs(rows[6:]).max(initial=0.0) > TOLERANCE:
        text += f' while its loops and constraints are off by {np.abs(rows[6:]).max():.3g}'
    at = []
    slope = _slope(solver, q, errors)
    for k, (joint, unit) in enumerate(zip(robot.joints, robot.units)):
        for bound, word, outwards in ((lower[k], 'lower', slope[k]), (upper[k], 'upper',
                                                                      -slope[k])):
            if k not in held and abs(q[k] - bound) < AT_LIMIT and outwards > STUCK:
                at.append(f'{joint} stands at its {word} limit {bound:.4g} {unit}')
    if held:
        at.append(f'{", ".join(robot.joints[k] for k in held)} locked')
    beyond = np.linalg.norm(errors[:3])
    out = 'the pose is out of its reach' if beyond > TOLERANCE else \
        'no configuration has this orientation there'
    return f'{text}: {", ".join(at) if at else out}'


def _slope(solver: PoseSolver, q: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Return how much each joint moves the frame away from its target, in a direction (n,)."""
    state = solver.robot.frame(solver.frame, q)
    # the missing turn has the same coordinates in the frame's own axes as in the target's
    away = np.concatenate([errors[:3] / solver.length ** 2, state.rotation @ errors[3:]])
    return state.jacobian.T @ (away / max(np.linalg.norm(away), 1e-300))
