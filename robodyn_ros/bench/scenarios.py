# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Closed loops: simulated seconds per second of the six scenarios, in four ways.

Without ROS in one compiled call; as ROS 2 nodes in one process (robodyn run --fast); as three
processes in lockstep; and a bare ping-pong of the same messages between two rclpy processes.
"""
from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import time
from typing import Any

from robodyn_ros.bench.effort import Effort
from robodyn_ros.bench.processes import DOMAIN, environment, Graph
from robodyn_ros.bench.ros import bare_graph
from robodyn_ros.bench.watch import Watch
from robodyn_ros.errors import RobodynError
from robodyn_ros.scenario import load_scenario, scenario_names
from robodyn_ros.simulation import Simulation

PATIENCE = 240.0
"""Longest life of a measured process [s]."""


def measure(effort: Effort, watch: Watch) -> dict[str, Any]:
    """One entry per scenario, and the ping-pong."""
    names = scenario_names()[:effort.scenarios]
    with_ros = importlib.util.find_spec('rclpy') is not None
    watch.begin('closed loops', len(names) * (1 + 2 * with_ros) + with_ros)
    entries = []
    for name in names:
        entry: dict[str, Any] = {'scenario': name, 'without_ros': without_ros(name)}
        watch.tick()
        if with_ros:
            for key, way in (('one_process', one_process), ('three_processes', three_processes)):
                try:
                    entry[key] = way(name, effort.loop_seconds)
                except (RobodynError, subprocess.SubprocessError, ValueError) as error:
                    watch.say(f'{name}, {key}: {error}')
                    entry[key] = None
                watch.tick()
        entries.append(entry)
    result: dict[str, Any] = {'scenarios': entries}
    if with_ros:
        with bare_graph() as graph:
            result['bare_ping_pong'] = speed_of(graph, effort.loop_seconds)
        watch.tick()
    return result


def without_ros(name: str) -> float:
    """Return simulated seconds per second of thread time, in one compiled call."""
    simulation = Simulation(load_scenario(name))
    simulation.run()
    begin, runs = time.thread_time(), 0
    while runs < 3 or time.thread_time() - begin < 0.1:
        simulation.run()
        runs += 1
    return runs * simulation.duration / (time.thread_time() - begin)


def one_process(name: str, seconds: float) -> float:
    """Return simulated seconds per second of the three nodes in one process, in lockstep."""
    for duration in (0.1, seconds):  # the first compiles
        done = subprocess.run([sys.executable, '-m', 'robodyn_ros.cli', '--quiet', 'run', name,
                               '--fast', '--json', '--duration', str(duration)],
                              env=environment(DOMAIN), capture_output=True, text=True,
                              timeout=PATIENCE)
    facts = json.loads(done.stdout)
    return facts['simulated_s'] / facts['wall_s']


def three_processes(name: str, seconds: float) -> float:
    """Return simulated seconds per second of the three nodes as processes, in lockstep."""
    common = ['--ros-args', '-p', f'scenario:={name}', '-p', 'use_sim_time:=true']
    nodes = {'dynamics': ['dynamics_node', *common, '-p', 'mode:=lockstep']}
    if load_scenario(name).controller.kind != 'none':  # else the plant moves by itself
        nodes.update(controller=['controller_node', *common],
                     trajectory=['trajectory_node', *common])
    with Graph(DOMAIN, **nodes) as graph:
        return speed_of(graph, seconds)


def speed_of(graph: Graph, seconds: float) -> float:
    """Return simulated seconds per second, seen on /clock."""
    graph.watch('clock', 0.5)  # compiled and connected
    seen: Any = graph.watch('clock', seconds)
    (first, begin), (last, end) = seen[0], seen[-1]
    return (last - first) / (end - begin)
