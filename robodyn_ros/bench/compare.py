# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The same work in every engine: accelerations, constrained ones, steps, a second, many runs.

Each result is compared with ours before it is timed; all engines of a case then take turns, and
what is reported is the ratio of the two times of each turn, its median and quartiles.
"""
from __future__ import annotations

from importlib.util import find_spec
import time
from typing import Any, Callable, NamedTuple

import numpy as np

from robodyn_ros.assembly import assemble_start
from robodyn_ros.bench.contender import CannotError, Contender, Work
from robodyn_ros.bench.effort import Effort
from robodyn_ros.bench.plants import closed_plant, NEAR_CLOSED, STEP
from robodyn_ros.bench.timing import summarise, take_turns, Task
from robodyn_ros.bench.watch import Watch
from robodyn_ros.bench.with_drake import Drake
from robodyn_ros.bench.with_mujoco import Mujoco
from robodyn_ros.bench.with_ours import Ours
from robodyn_ros.bench.with_pinocchio import Pinocchio
from robodyn_ros.bench.with_pybullet import PyBullet
from robodyn_ros.bench.with_toolbox import Toolbox
from robodyn_ros.robots.robot import load_robot, Robot
from robodyn_ros.signals import State

DIFFERS = 'its answer differs from ours'
PEERS: tuple[type[Contender], ...] = (Mujoco, Pinocchio, Drake, PyBullet, Toolbox)


class Case(NamedTuple):
    """Work for every engine that can do it."""

    robot: str
    title: str
    unit: str
    make: Callable[[Contender, 'Sizes'], Work]
    units: Callable[['Sizes'], int]
    after_run: bool = False
    """The result is an integrated motion, so an integrator of lower order may differ more."""
    long: bool = False
    """A turn takes seconds, so there are fewer."""


class Sizes(NamedTuple):
    """The work of one turn of one engine, with the states it starts from."""

    q: np.ndarray
    v: np.ndarray
    steps: int
    starts: list[State]
    rollout_steps: int

    @property
    def first(self) -> State:
        """Where single runs start."""
        return self.starts[0]


CASES = [
    Case('scara_450', 'forward dynamics', 'state', lambda c, s: c.forward(s.q, s.v),
         lambda s: len(s.q)),
    Case('irb120', 'forward dynamics', 'state', lambda c, s: c.forward(s.q, s.v),
         lambda s: len(s.q)),
    Case('irb120', 'forward dynamics, one call a state', 'state',
         lambda c, s: c.forward_singly(s.q, s.v), lambda s: len(s.q)),
    Case('parallel_2dof', 'constrained forward dynamics', 'state',
         lambda c, s: c.constrained(s.q, s.v), lambda s: len(s.q)),
    Case('scara_450', 'RK4 step', 'step', lambda c, s: c.steps(s.first, s.steps),
         lambda s: s.steps, True),
    Case('irb120', 'RK4 step', 'step', lambda c, s: c.steps(s.first, s.steps),
         lambda s: s.steps, True),
    Case('parallel_2dof', 'constrained RK4 step', 'step', lambda c, s: c.steps(s.first, s.steps),
         lambda s: s.steps, True),
    Case('irb120', 'RK4 step, one call a step', 'step',
         lambda c, s: c.steps_singly(s.first, s.steps), lambda s: s.steps, True),
    Case('irb120', '1 s recorded every 1 ms', 'step', lambda c, s: c.record(s.first, s.steps),
         lambda s: s.steps, True),
    Case('scara_450', '1000 rollouts', 'step', lambda c, s: c.rollouts(s.starts, s.rollout_steps),
         lambda s: len(s.starts) * s.rollout_steps, True, long=True),
]


def measure(effort: Effort, watch: Watch) -> list[dict[str, Any]]:
    """One entry per case; an engine that is missing or cannot is an entry that says so."""
    watch.begin('the same work in every engine', sum(
        effort.rollout_repeats if case.long else effort.compare_repeats for case in CASES))
    built: dict[tuple[str, str], Contender | str] = {}
    return [compare(case, effort, watch, built) for case in CASES]


def compare(case: Case, effort: Effort, watch: Watch,
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
        sizes = sizes_of(robot, effort, peer.slower)
        try:
            work = case.make(peer, sizes)
        except CannotError as error:
            peers[kind.name] = {'cannot': str(error)}
            continue
        apart = difference(case.make(ours, sizes)(), work())
        same = peer.same_after_run if case.after_run else peer.same
        if not apart < same:
            peers[kind.name] = {'cannot': f'{DIFFERS} by {apart:.2g}, so it is not timed'}
            continue
        peers[kind.name] = {'difference': apart, 'integrator': peer.integrator}
        tasks[kind.name], units[kind.name] = work, case.units(sizes)
    sizes = sizes_of(robot, effort, 1)
    tasks['ours'], units['ours'] = case.make(ours, sizes), case.units(sizes)
    repeats = effort.rollout_repeats if case.long else effort.compare_repeats
    # many runs are on worker threads, even if only on one core
    clock = time.perf_counter if case.long else time.thread_time
    turns = take_turns(tasks, units, repeats, watch.tick, clock)
    for name, times in turns.items():
        if name != 'ours':
            ratio = summarise(times / turns['ours'])
            peers[name].update(us=summarise(times).median, ratio=ratio.median,
                               ratio_quartiles=ratio.quartiles)
    mine = summarise(turns['ours'])
    return {'robot': case.robot, 'work': case.title, 'unit': case.unit, 'ours_us': mine.median,
            'ours_quartiles_us': mine.quartiles, 'repeats': mine.repeats, 'peers': peers}


def build(kind: type[Contender], robot: Robot) -> Contender | str:
    """Put a robot into an engine; a sentence where that fails."""
    if find_spec(kind.module) is None:
        return 'not installed: pip install "robodyn_ros[peers]"'
    try:
        return kind(robot, STEP)  # type: ignore[call-arg]
    except ImportError as error:
        return f'cannot be imported ({error})'


def sizes_of(robot: Robot, effort: Effort, slower: int) -> Sizes:
    """Return the work of a turn; every state keeps the loops of the robot."""
    random = np.random.default_rng(0)
    states = max(2, effort.states // slower)
    if robot.loops:
        plant = closed_plant()
        first = assemble_start(plant, NEAR_CLOSED).state
        motion = plant.rollout(first, steps=effort.states)
        q, v = motion.q[:states], motion.v[:states]
        starts = [first]
    else:
        q, v = random.uniform(-1.0, 1.0, (2, effort.states, robot.n))
        starts = [State(0.0, *pair) for pair in zip(q, v)][:max(2, effort.rollouts // slower)]
        q, v = q[:states], v[:states]
    return Sizes(q, v, max(2, effort.compare_steps // slower), starts,
                 min(effort.compare_steps, effort.rollout_steps) if slower < 1000 else 2)


def difference(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Largest difference, relative to the largest of ours but at least to one [-]."""
    return float(np.abs(ours - theirs).max() / max(1.0, float(np.abs(ours).max())))
