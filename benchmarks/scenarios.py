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
import time
from typing import Any, Callable

from benchmarks.children import output_of
from benchmarks.progress import ProgressBars
from benchmarks.ros import CYCLE_TIME, lockstep, our_graph
from benchmarks.ros_processes import DOMAIN, on_domain
from benchmarks.sizes import Sizes
from benchmarks.timing import interleave, summarise, Timing
import numpy as np
from robodyn_ros import load_scenario, RobodynError, scenario_names, Simulation

LONGEST_LIFE = 240.0
"""Longest life of a measured process [s]."""


def measure(sizes: Sizes, bars: ProgressBars) -> dict[str, Any]:
    """One entry per scenario."""
    names = scenario_names()[:sizes.scenarios]
    with_ros = importlib.util.find_spec('rclpy') is not None
    driven = sum(map(is_driven, names))
    bars.begin('closed loops', len(names) * (1 + 2 * with_ros)
               + 2 * driven * sizes.loop_turns * with_ros)
    return {'scenarios': [entry(name, with_ros, sizes, bars) for name in names]}


def is_driven(name: str) -> bool:
    """Return whether a scenario has a controller."""
    return load_scenario(name).controller.kind != 'none'


def entry(name: str, with_ros: bool, sizes: Sizes, bars: ProgressBars) -> dict[str, Any]:
    """Measure one scenario; a way that fails is None and said."""
    found: dict[str, Any] = {'scenario': name, 'driven': is_driven(name),
                             'without_ros': _both(without_ros(name, sizes.loop_samples))}
    bars.tick()
    ways: dict[str, Callable[[], Any]] = {
        'one_process': lambda: _both(one_process(name, sizes)),
        'processes': lambda: processes(name, sizes, bars)}
    for key, way in ways.items() if with_ros else ():
        try:
            found[key] = way()
        except (RobodynError, subprocess.SubprocessError, ValueError, LookupError) as error:
            bars.say(f'{name}, {key}: {error}')
            found[key] = None
        bars.tick()
    return found


def _both(speeds: Timing) -> dict[str, Any]:
    return {'speed': speeds.median, 'quartiles': speeds.quartiles}


def without_ros(name: str, samples: int) -> Timing:
    """Return simulated seconds per second in one compiled call."""
    simulation = Simulation(load_scenario(name))
    times = interleave({name: simulation.run}, {name: 1}, samples, clock=time.perf_counter)[name]
    speeds = [1e6 * simulation.duration / value for value in (times.median, *times.quartiles)]
    return Timing(speeds[0], speeds[2], speeds[1], samples)


def one_process(name: str, sizes: Sizes) -> Timing:
    """Return simulated seconds per second of the nodes in one process, in lockstep."""
    speeds = []
    for duration in (0.1, *[sizes.loop_seconds] * sizes.loop_samples):  # the first compiles
        facts = json.loads(output_of(
            'robodyn_ros.commands.main', '--quiet', 'run', name, '--fast', '--json', '--duration',
            str(duration), env=on_domain(DOMAIN), timeout=LONGEST_LIFE))
        speeds.append(facts['simulated_s'] / facts['wall_s'])
    return summarise(np.array(speeds[1:]))


def processes(name: str, sizes: Sizes, bars: ProgressBars) -> dict[str, Any]:
    """Return simulated seconds per second of the nodes as processes, in lockstep."""
    if is_driven(name):
        found = lockstep(our_graph('lockstep', name), sizes.loop_turns, bars)
        return {'speed': CYCLE_TIME * found['ours_cycles_per_second'],
                'bare': CYCLE_TIME * found['bare_cycles_per_second'], 'ratio': found['ratio'],
                'ratio_quartiles': found['ratio_quartiles']}
    with our_graph('lockstep', name) as graph:
        graph.watch('clock', 0.5)  # compiled and connected
        seen: Any = graph.watch('clock', sizes.loop_seconds)
    (first, begin), (last, end) = seen[0], seen[-1]
    return {'speed': (last - first) / (end - begin)}
