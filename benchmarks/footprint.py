# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
From nothing to a first state, and what it takes on disk: ours and theirs.

Ours: a fresh process that builds the SCARA's plant and takes a step, with an empty cache and from
it; with ROS, from starting the three nodes to the first joint state, again with an empty cache of
their own and from it. A peer: a fresh process that reads the same URDF and takes a step or
evaluates once. Size: the package and all it requires.
"""
from __future__ import annotations

from functools import partial
from importlib import metadata
from importlib.util import find_spec
import json
from pathlib import Path
import re
import subprocess
import sys
import tempfile
import time
from typing import Any, Callable

from benchmarks.children import keep_bytecode, ROOT
from benchmarks.compare import PEERS
from benchmarks.fresh_process import programs_in, run_fresh
from benchmarks.peers import bare_urdf
from benchmarks.progress import ProgressBars
from benchmarks.ros import our_graph
from benchmarks.ros_processes import STOP_TIMEOUT
from benchmarks.sizes import Sizes
from benchmarks.timing import summarise
import numpy as np
from robodyn_ros import load_robot, RobodynError

ROBOT = 'scara_450'
LONGEST_WAIT = 120.0
"""Longest wait for the nodes' first state [s]."""
FIRST_STATE: dict[str, str] = {
    'mujoco': 'import mujoco; m = mujoco.MjModel.from_xml_path(path); d = mujoco.MjData(m); '
              'mujoco.mj_step(m, d)',
    'pinocchio': 'import numpy, pinocchio; m = pinocchio.buildModelFromUrdf(path); '
                 'z = numpy.zeros(m.nv); pinocchio.aba(m, m.createData(), z, z, z)',
    'drake': 'from pydrake.multibody.plant import MultibodyPlant; '
             'from pydrake.multibody.parsing import Parser; p = MultibodyPlant(0.001); '
             'Parser(p).AddModels(path); '
             'p.WeldFrames(p.world_frame(), p.GetFrameByName("base_link")); p.Finalize(); '
             'from pydrake.systems.analysis import Simulator; Simulator(p).AdvanceTo(0.001)',
    'pybullet': 'import pybullet as b; b.connect(b.DIRECT); b.loadURDF(path, useFixedBase=True); '
                'b.stepSimulation()',
    'roboticstoolbox': 'import numpy, roboticstoolbox as r; a = r.Robot.URDF(path); '
                       'z = numpy.zeros(a.n); a.accel(z, z, z)',
}
"""What takes a peer from its import to the first state of the robot in the file at path."""


def measure(sizes: Sizes, bars: ProgressBars) -> dict[str, Any]:
    """Start-up and size of every engine."""
    peers = [kind for kind in PEERS if find_spec(kind.module)]
    with_ros = find_spec('rclpy') is not None
    bars.begin('start-up and size', (len(peers) + 1 + with_ros) * (1 + sizes.startups))
    keep_bytecode()
    with tempfile.TemporaryDirectory(prefix='robodyn_bench_') as folder:
        programs, path = Path(folder) / 'programs', Path(folder) / 'robot.urdf'
        path.write_text(bare_urdf(load_robot(ROBOT)), encoding='utf-8')
        starts: dict[str, Callable[[], float]] = {
            'ours': lambda: run_fresh('robot', ROBOT, str(programs))['process_s']}
        if with_ros:
            starts['ours, as ROS nodes'] = lambda: first_state(str(programs) + '_of_nodes')
        for kind in peers:
            starts[kind.name] = partial(life, f'path = {str(path)!r}; {FIRST_STATE[kind.name]}')
        times: dict[str, list[float]] = {name: [] for name in starts}
        for _ in range(1 + sizes.startups):  # in turns, so that a slow moment is one for all
            for name, start in starts.items():
                times[name].append(start())
                bars.tick()
    found: dict[str, Any] = {}
    for name, (first, *later) in times.items():
        warm = summarise(np.array(later))
        found[name] = {'cold_s': first, 'warm_s': warm.median, 'warm_quartiles_s': warm.quartiles}
    found['ours']['size_MB'] = installed_size('robodyn_ros')
    for kind in peers:
        found[kind.name]['size_MB'] = installed_size(kind.package)
    return found


def life(program: str) -> float:
    """Wall time of a fresh Python that runs a program [s]."""
    begin = time.perf_counter()
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)
    if done.returncode:
        raise RobodynError(f'a peer does not start: {done.stderr.strip().splitlines()[-1]}')
    return time.perf_counter() - begin


def first_state(programs: str) -> float:
    """From starting the three nodes to the first joint state that a listener gets [s]."""
    graph = our_graph('lockstep')
    listener = graph.watching('first', LONGEST_WAIT)
    assert listener.stdout is not None
    listener.stdout.readline()
    begin = time.monotonic_ns()
    with programs_in(programs), graph:
        text, _ = listener.communicate(timeout=LONGEST_WAIT + STOP_TIMEOUT)
    states = json.loads(text)
    if not states:
        raise RobodynError(f'the nodes of scara_helix published no state in {LONGEST_WAIT:g} s; '
                           'is ROS 2 importable, and the machine not too busy?')
    return (states[0][1] - begin) * 1e-9


def installed_size(package: str) -> float:
    """Size of the files of a package and of all it requires [MB]."""
    waiting, done, total = [package], set[str](), 0.0
    while waiting:
        name = re.sub('[-_.]+', '-', waiting.pop()).lower()  # as the package index compares them
        if name in done:
            continue
        done.add(name)
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # for another system, or of an extra
        if name == 'robodyn-ros':  # perhaps an editable install: its files lie elsewhere
            files = list((ROOT / 'robodyn_ros').rglob('*.py'))
        else:
            files = [Path(str(found.locate_file(file))) for file in found.files or []]
        total += sum(path.stat().st_size for path in files if path.is_file())
        waiting += [re.split(r'[^A-Za-z0-9._-]', line)[0] for line in found.requires or []
                    if 'extra ==' not in line]
    return total / 1e6
