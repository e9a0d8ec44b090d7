# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
From nothing to a first state, and what it takes on disk: ours and theirs.

Ours: a fresh process that builds the SCARA's plant and takes a step, with an empty cache and from
it; with ROS, from starting the three nodes to the first message. A peer: a fresh process that
reads the same URDF and takes a step or evaluates once. Size: the package and all it requires.
"""
from __future__ import annotations

from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
import re
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

from robodyn_ros.bench.compare import PEERS
from robodyn_ros.bench.effort import Effort
from robodyn_ros.bench.fresh import programs_in, run_fresh
from robodyn_ros.bench.peers import bare_urdf
from robodyn_ros.bench.processes import DOMAIN, Graph
from robodyn_ros.bench.watch import Watch
from robodyn_ros.errors import RobodynError
from robodyn_ros.robots.robot import load_robot

ROBOT = 'scara_450'
FIRST: dict[str, str] = {
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


def measure(effort: Effort, watch: Watch) -> dict[str, Any]:
    """Start-up and size of every engine."""
    peers = [kind for kind in PEERS if find_spec(kind.module)]
    with_ros = find_spec('rclpy') is not None
    watch.begin('start-up and size', len(peers) + 1 + with_ros)
    with tempfile.TemporaryDirectory(prefix='robodyn_bench_') as folder:
        cold = run_fresh('robot', ROBOT, folder)['process_s']
        warm = statistics.median(run_fresh('robot', ROBOT, folder)['process_s']
                                 for _ in range(effort.startups))
        found: dict[str, Any] = {'ours': {'cold_s': cold, 'warm_s': warm,
                                          'size_MB': installed_size('robodyn_ros')}}
        watch.tick()
        if with_ros:
            with programs_in(folder):
                found['ours, as ROS nodes'] = {'cold_s': first_message(),
                                               'warm_s': first_message()}
            watch.tick()
        path = Path(folder) / 'robot.urdf'
        path.write_text(bare_urdf(load_robot(ROBOT)), encoding='utf-8')
        for kind in peers:
            lives = [life(f'path = {str(path)!r}; {FIRST[kind.name]}')
                     for _ in range(1 + effort.startups)]
            found[kind.name] = {'cold_s': lives[0], 'warm_s': statistics.median(lives[1:]),
                                'size_MB': installed_size(kind.package)}
            watch.tick()
    return found


def life(program: str) -> float:
    """Wall time of a fresh Python that runs a program [s]."""
    begin = time.perf_counter()
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)
    if done.returncode:
        raise RobodynError(f'a peer does not start: {done.stderr.strip().splitlines()[-1]}')
    return time.perf_counter() - begin


def first_message() -> float:
    """From starting the three nodes to the first message of the running plant [s]."""
    common = ['--ros-args', '-p', 'scenario:=scara_helix', '-p', 'use_sim_time:=true']
    graph = Graph(DOMAIN, dynamics=['dynamics_node', *common, '-p', 'mode:=lockstep'],
                  controller=['controller_node', *common],
                  trajectory=['trajectory_node', *common])
    begin = time.monotonic_ns()
    with graph:
        seen: Any = graph.watch('clock', 0.2)
    return (seen[0][1] - begin) * 1e-9


def installed_size(package: str) -> float:
    """Size of the files of a package and of all it requires [MB]."""
    waiting, done, total = [package], set[str](), 0.0
    while waiting:
        name = waiting.pop()
        if name in done:
            continue
        done.add(name)
        if name == 'robodyn_ros':  # perhaps an editable install: its files lie elsewhere
            folder = Path(__file__).resolve().parents[1]
            total += sum(file.stat().st_size for file in folder.rglob('*.py'))
            waiting += ['numba', 'numpy', 'pyyaml', 'rich', 'scipy']
            continue
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # for another system, or of an extra
        for file in found.files or []:
            path = Path(str(found.locate_file(file)))
            total += path.stat().st_size if path.is_file() else 0.0
        for line in found.requires or []:
            if 'extra ==' not in line:
                waiting.append(re.split(r'[^A-Za-z0-9._-]', line)[0].lower())
    return total / 1e6
