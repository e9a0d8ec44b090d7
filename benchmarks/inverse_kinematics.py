# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Inverse kinematics of one pose beside other solvers: the field's test, as TRAC-IK's table has it.

    python -m benchmarks ik                     10,000 poses of each of four arms
    python -m benchmarks ik --poses 500         fewer
    python -m benchmarks ik --json              numbers on stdout, nothing else

Poses of random configurations inside the limits, which can all be reached therefore; every search
starts in the middle of the limits. A pose counts as solved where the frame of our forward
kinematics is within 1e-5 m and rad of it along and about each axis of any frame, with every joint
inside its limits; what a solver says of itself does not count.
"""
from __future__ import annotations

import argparse
import json
import math
from typing import Any, Callable, Mapping, Sequence

from benchmarks.engine import positive
from benchmarks.ik_arms import Arm, ARMS
from benchmarks.ik_solvers import Ours, Solver, SOLVERS, TOLERANCE
from benchmarks.markdown import number, table
from benchmarks.progress import ProgressBars
from benchmarks.sizes import Sizes
from benchmarks.timing import take_turns
import numpy as np
from robodyn_ros import RobodynError

SAME_ARM = 1e-9
"""Largest difference of forward kinematics between two models of one arm [m]."""
AT_LIMIT = 1e-6
"""How far a joint may pass its limit: TRAC-IK keeps limits in single precision [rad]."""
BLOCK = 100
"""Poses of a turn."""
REPEATS = 5
"""Turns of all poses in one call."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.add_argument('--json', action='store_true', help='print JSON')
    parser.add_argument('--poses', type=positive, default=Sizes().ik_poses,
                        help='random configurations of each arm')


def run(arguments: argparse.Namespace) -> int:
    """Measure and print; returns the exit code."""
    with ProgressBars() as bars:
        found = measure(Sizes(ik_poses=arguments.poses), bars)
    print(json.dumps(found, indent=2) if arguments.json else '\n'.join(rows_of(found)))
    return 0


def measure(sizes: Sizes, bars: ProgressBars) -> list[dict[str, Any]]:
    """Measure every arm with every solver that is there."""
    bars.begin('inverse kinematics', len(ARMS) * -(-sizes.ik_poses // BLOCK))
    return [measure_arm(name, make(), sizes.ik_poses, bars.tick) for name, make in ARMS.items()]


def measure_arm(name: str, arm: Arm, poses: int, tick: Callable[[], None],
                kinds: tuple[type[Solver], ...] = SOLVERS) -> dict[str, Any]:
    """Let the solvers take turns, a block of poses each."""
    states = arm.robot.frame(arm.frame, arm.configurations(poses))
    solvers: list[Solver] = []
    found: dict[str, dict[str, Any]] = {}
    for kind in kinds:
        if kind.is_there():
            solver = kind(arm, states.rotation, states.position)
            require_same_arm(solver)
            solver.solve(0)  # warm
            solvers.append(solver)
        else:
            found[kind.name] = {'cannot': f'{kind.package} is not installed'}
    seconds: dict[str, list[float]] = {solver.name: [] for solver in solvers}
    solved: dict[str, list[bool]] = {solver.name: [] for solver in solvers}
    for begin in range(0, poses, BLOCK):
        for solver in solvers:
            chosen = [k for k in range(begin, min(begin + BLOCK, poses)) if k % solver.part == 0]
            answers = []
            for k in chosen:
                start = solver.clock()
                answers.append(solver.solve(k))
                seconds[solver.name].append(solver.clock() - start)
            solved[solver.name] += judge(solver, chosen, np.array(answers)).tolist()
        tick()
    for solver in solvers:
        times = 1e6 * np.array(seconds[solver.name])
        found[solver.name] = {
            'poses': len(times), 'solved_percent': 100.0 * float(np.mean(solved[solver.name])),
            'mean_us': float(times.mean()), 'p99_us': float(np.quantile(times, 0.99))}
        if isinstance(solver, Ours):
            whole = judge(solver, range(poses), solver.solve_all())
            turns = take_turns({'all': solver.solve_all}, {'all': poses}, REPEATS)['all']
            found[solver.name].update(many_solved_percent=100.0 * float(whole.mean()),
                                      many_us=float(np.median(turns)))
    return {'arm': name, 'joints': arm.robot.n, 'poses': poses,
            'solvers': {kind.name: found[kind.name] for kind in kinds}}


def require_same_arm(solver: Solver) -> None:
    """Stop where a solver has another arm in mind: its answers would mean nothing."""
    robot, frame = solver.arm.robot, solver.arm.frame
    for q in solver.arm.configurations(5):
        apart = float(np.abs(solver.forward(q) - robot.positions(frame, q)).max())
        if not apart < SAME_ARM:
            raise RobodynError(f'{solver.name} has the tool of {robot.name} {apart:.3g} m '
                               'elsewhere; the models differ, so nothing is compared')


def judge(solver: Solver, poses: Any, answers: np.ndarray) -> np.ndarray:
    """Tell which answers (k, n) reach their poses within the limits."""
    poses = list(poses)
    if not poses:
        return np.zeros(0, bool)
    here = solver.arm.robot.frame(solver.arm.frame, answers)
    off = np.linalg.norm(here.position - solver.position[poses], axis=1)
    turn = here.rotation.transpose(0, 2, 1) @ solver.rotation[poses]
    # for small angles the turn's vector is what is left of its skew part
    skew = np.linalg.norm([turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0],
                           turn[:, 1, 0] - turn[:, 0, 1]], axis=0) / 2.0
    allowed = math.sqrt(3.0) * TOLERANCE  # along each axis, of whatever frame a solver takes
    inside = (answers >= solver.lower - AT_LIMIT) & (answers <= solver.upper + AT_LIMIT)
    return (off < allowed) & (skew < allowed) & (np.trace(turn, axis1=1, axis2=2) > 2.0) \
        & inside.all(axis=1)


def rows_of(found: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the table of the page."""
    rows = []
    for entry in found:
        for name, solver in entry['solvers'].items():
            if 'cannot' in solver:
                rows.append([entry['arm'], name, solver['cannot'], '–', '–', '–'])
                continue
            if 'many_us' in solver:
                rows.append([entry['arm'], f'{name}, all in one call', str(entry['poses']),
                             f'{solver["many_solved_percent"]:.2f} %',
                             f'{number(solver["many_us"])} us', '–'])
            rows.append([entry['arm'], name, str(solver['poses']),
                         f'{solver["solved_percent"]:.2f} %', f'{number(solver["mean_us"])} us',
                         f'{number(solver["p99_us"])} us'])
    return table(['arm', 'solver', 'poses', 'solved', 'mean', '99 % within'], rows)
