# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The same work in every engine, in turns.

Each result is compared with ours before it is timed; all engines of a case then take turns, and
what is reported is the ratio of the two times of each turn, its median and quartiles.
"""
from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from benchmarks.contender import CannotError, Contender
from benchmarks.plants import STEP
from benchmarks.progress import ProgressBars
from benchmarks.sizes import Sizes
from benchmarks.timing import summarise, take_turns, Task
from benchmarks.with_drake import Drake
from benchmarks.with_mujoco import Mujoco
from benchmarks.with_ours import Ours
from benchmarks.with_pinocchio import Pinocchio
from benchmarks.with_pybullet import PyBullet
from benchmarks.with_toolbox import Toolbox
from benchmarks.work import Case, CASES, difference, workload_of
from robodyn_ros import load_robot, Robot

WRONG_ANSWER = 'its answer differs from ours'
PEERS: tuple[type[Contender], ...] = (Mujoco, Pinocchio, Drake, PyBullet, Toolbox)


def measure(sizes: Sizes, bars: ProgressBars) -> list[dict[str, Any]]:
    """One entry per case; an engine that is missing or cannot is an entry that says so."""
    bars.begin('the same work in every engine', sum(
        sizes.many_repeats if case.many_runs else sizes.compare_repeats for case in CASES))
    built: dict[tuple[str, str], Contender | str] = {}
    return [compare(case, sizes, bars, built) for case in CASES]


def compare(case: Case, sizes: Sizes, bars: ProgressBars,
            built: dict[tuple[str, str], Contender | str]) -> dict[str, Any]:
    """Check every engine's result, then time those that agree in turns."""
    robot = load_robot(case.robot)
    ours = Ours(robot, STEP)
    tasks: dict[str, Task] = {}
    units: dict[str, int] = {}
    peers: dict[str, Any] = {}
    for kind in PEERS:
        key = (kind.name, case.robot)
        if key not in built:
            built[key] = build(kind, robot)
        peer = built[key]
        if isinstance(peer, str):
            peers[kind.name] = {'cannot': peer}
            continue
        workload = workload_of(robot, sizes, peer.fewer_rollouts)
        try:
            work = case.make(peer, workload)
            apart = difference(case, workload, case.make(ours, workload)(), work())
        except CannotError as error:
            peers[kind.name] = {'cannot': str(error)}
            continue
        except Exception as error:  # noqa: B902  whatever it is, the other engines go on
            peers[kind.name] = {'cannot': f'failed ({type(error).__name__}: {error})'}
            continue
        if not apart < (peer.run_tolerance if case.is_run else peer.tolerance):
            peers[kind.name] = {'cannot': f'{WRONG_ANSWER} by {apart:.2g}, so it is not timed'}
            continue
        peers[kind.name] = {'difference': apart, 'units': case.units(workload)}
        if case.is_run:
            peers[kind.name]['integrator'] = peer.integrator
        tasks[kind.name], units[kind.name] = work, case.units(workload)
    workload = workload_of(robot, sizes)
    tasks['ours'], units['ours'] = case.make(ours, workload), case.units(workload)
    repeats = sizes.many_repeats if case.many_runs else sizes.compare_repeats
    turns = take_turns(tasks, units, repeats, bars.tick)
    for name, times in turns.items():
        if name != 'ours':
            ratio = summarise(times / turns['ours'])
            peers[name].update(us=summarise(times).median, ratio=ratio.median,
                               ratio_quartiles=ratio.quartiles)
    mine = summarise(turns['ours'])
    return {'robot': case.robot, 'work': case.title, 'unit': case.unit, 'ours_us': mine.median,
            'ours_quartiles_us': mine.quartiles, 'repeats': mine.repeats, 'units': units['ours'],
            'peers': peers}


def build(kind: type[Contender], robot: Robot) -> Contender | str:
    """Put a robot into an engine; a sentence where that fails."""
    if find_spec(kind.module) is None:
        return 'not installed: pip install "robodyn_ros[bench]"'
    try:
        return kind(robot, STEP)  # type: ignore[call-arg]
    except Exception as error:  # noqa: B902  an older version, perhaps: the others go on
        return f'cannot be used ({type(error).__name__}: {error})'
