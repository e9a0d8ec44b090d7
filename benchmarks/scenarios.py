# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Closed loops: simulated seconds per second of the six scenarios, in four ways.

Without ROS in one compiled call; as ROS 2 nodes in one process (robodyn run --fast); as three
processes in lockstep, in turns with a bare ping-pong of the same messages between two rclpy
processes. A plant that its constraints alone move is one process then. All by the wall clock.
"""
from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import time
from typing import Any, Callable

import numpy as np

from benchmarks.processes import DOMAIN, environment
from benchmarks.progress import Watch
from benchmarks.ros import CYCLE, lockstep, our_graph
from benchmarks.sizes import Effort
from benchmarks.timing import interleave, summarise, Timing
from robodyn_ros.errors import RobodynError
from robodyn_ros.scenario.loading import load_scenario, scenario_names
from robodyn_ros.scenario.simulation import Simulation

PATIENCE = 240.0
"""Longest life of a measured process [s]."""


def measure(effort: Effort, watch: Watch) -> dict[str, Any]:
    """One entry per scenario."""
    names = scenario_names()[:effort.scenarios]
    with_ros = importlib.util.find_spec('rclpy') is not None
    driven = sum(map(is_driven, names))
    watch.begin('closed loops', len(names) * (1 + 2 * with_ros)
                + 2 * driven * effort.loop_turns * with_ros)
    return {'scenarios': [entry(name, with_ros, effort, watch) for name in names]}


def is_driven(name: str) -> bool:
    """Return whether a scenario has a controller."""
    return load_scenario(name).controller.kind != 'none'


def entry(name: str, with_ros: bool, effort: Effort, watch: Watch) -> dict[str, Any]:
    """Measure one scenario; a way that fails is None and said."""
    found: dict[str, Any] = {'scenario': name, 'driven': is_driven(name),
                             'without_ros': _both(without_ros(name, effort.loop_samples))}
    watch.tick()
    ways: dict[str, Callable[[], Any]] = {
        'one_process': lambda: _both(one_process(name, effort)),
        'processes': lambda: processes(name, effort, watch)}
    for key, way in ways.items() if with_ros else ():
        try:
            found[key] = way()
        except (RobodynError, subprocess.SubprocessError, ValueError, LookupError) as error:
            watch.say(f'{name}, {key}: {error}')
            found[key] = None
        watch.tick()
    return found


def _both(speeds: Timing) -> dict[str, Any]:
    return {'speed': speeds.median, 'quartiles': speeds.quartiles}


def without_ros(name: str, samples: int) -> Timing:
    """Return simulated seconds per second in one compiled call."""
    simulation = Simulation(load_scenario(name))
    times = interleave({name: simulation.run}, {name: 1}, samples, clock=time.perf_counter)[name]
    speeds = [1e6 * simulation.duration / value for value in (times.median, *times.quartiles)]
    return Timing(speeds[0], speeds[2], speeds[1], samples)


def one_process(name: str, effort: Effort) -> Timing:
    """Return simulated seconds per second of the nodes in one process, in lockstep."""
    speeds = []
    for duration in (0.1, *[effort.loop_seconds] * effort.loop_samples):  # the first compiles
        done = subprocess.run([sys.executable, '-m', 'robodyn_ros.commands.main', '--quiet', 'run', name,
                               '--fast', '--json', '--duration', str(duration)],
                              env=environment(DOMAIN), capture_output=True, text=True,
                              timeout=PATIENCE)
        facts = json.loads(done.stdout)
        speeds.append(facts['simulated_s'] / facts['wall_s'])
    return summarise(np.array(speeds[1:]))


def processes(name: str, effort: Effort, watch: Watch) -> dict[str, Any]:
    """Return simulated seconds per second of the nodes as processes, in lockstep."""
    if is_driven(name):
        found = lockstep(our_graph('lockstep', name), effort.loop_turns, watch)
        return {'speed': CYCLE * found['ours_cycles_per_second'],
                'bare': CYCLE * found['bare_cycles_per_second'], 'ratio': found['ratio'],
                'ratio_quartiles': found['ratio_quartiles']}
    with our_graph('lockstep', name) as graph:
        graph.watch('clock', 0.5)  # compiled and connected
        seen: Any = graph.watch('clock', effort.loop_seconds)
    (first, begin), (last, end) = seen[0], seen[-1]
    return {'speed': (last - first) / (end - begin)}
