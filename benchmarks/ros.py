# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The nodes' speed beside a bare ping-pong of the same messages between two rclpy processes.

    python -m benchmarks ros                lockstep, then 60 s free running at 1 kHz
    python -m benchmarks ros --turns 8 --seconds 10     shorter
    python -m benchmarks ros --soak 10      free running for 10 minutes, for the memory
    python -m benchmarks ros --points 50000    and a trajectory of so many points

Lockstep: states per second of dynamics, controller and trajectory in three processes. Free: from
a state to its command as a third process sees it, CPU and memory of each node. Long trajectories:
the longest time without an answer while one comes in. Runs on a DDS domain of its own.
"""
from __future__ import annotations

import argparse
import json
import signal
import statistics
import subprocess
import sys
import time
from typing import Any, NamedTuple, Sequence

from benchmarks import children
from benchmarks.progress import ProgressBars
from benchmarks.ros_processes import DOMAIN, Graph, on_domain
from benchmarks.timing import summarise
import numpy as np
from rich.console import Console
from rich.table import Table
from robodyn_ros import load_scenario, RobodynError

SCENARIO = 'scara_helix'
NODE, PING = 'robodyn_ros.nodes.{}.node', 'benchmarks.ros_ping'
"""Modules of the processes."""
LEAST_SPEED_RATIO = 0.7
"""Of the bare ping-pong's cycles per second, in lockstep."""
CYCLE_TIME = 1e-3
"""Simulated time of a cycle, of the ping-pong and of every scenario with a controller [s]."""
TURN_DURATION = 1.0
"""How long one runs while the other is stopped [s]."""
DISCOVERY_TIME = 3.0
"""Given to the stopwatch to find both graphs [s]."""
MOST_LATENCY_RATIO = 1.5
"""Times the bare ping-pong's p99 of the latency."""
POINTS = (20_001, 100_000, 1_000_000)
"""Of the long trajectories: 20 s at 1 kHz, and far more than anybody needs."""
LONGEST_SENDING = 300.0
"""Longest wait for one to be made, sent and watched [s]."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.add_argument('--json', action='store_true', help='print a JSON object')
    parser.add_argument('--turns', type=int, default=25, metavar='N',
                        help='turns of 1 s in lockstep, each (default %(default)s)')
    parser.add_argument('--seconds', type=float, default=60.0, metavar='S',
                        help='of free running, each (default %(default)s)')
    parser.add_argument('--soak', type=float, metavar='MINUTES',
                        help='free running for so long, to see the memory')
    parser.add_argument('--points', type=int, nargs='*', default=POINTS, metavar='N',
                        help='of long trajectories (default %(default)s); none: send none')


def run(arguments: argparse.Namespace) -> int:
    """Measure and print; returns the exit code."""
    rounds, free = arguments.turns, arguments.seconds
    if rounds < 1 or not free > 0.0 or any(count < 1 for count in arguments.points):
        raise RobodynError(f'--turns is {rounds}, --seconds {free:g} and --points '
                           f'{list(arguments.points)}; expected positive numbers')
    seconds = arguments.soak * 60.0 if arguments.soak else free
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # end the nodes we started, too
    with ProgressBars() as bars:
        bars.begin('lockstep, in turns with ping-pong', 2 * rounds)
        speeds = lockstep(our_graph('lockstep'), rounds, bars)
        bars.begin('free running at 1 kHz', 2)
        bare = free_running(bare_graph('--rate', '1000'), free, bars)
        ours = free_running(our_graph('free'), seconds, bars)
        bars.begin('long trajectories', len(arguments.points))
        long = [long_trajectory(count, bars) for count in arguments.points]
    facts = {'lockstep': speeds, 'free': {'ours': ours, 'bare': bare,
                                          'p99_ratio': ours['p99_us'] / bare['p99_us']},
             'long_trajectories': long}
    if arguments.json:
        print(json.dumps(facts, indent=1))
    else:
        _print(facts)
    return 0


class Turn(NamedTuple):
    """When a graph ran by the monotonic clock [ns], and what it used."""

    begin: int
    end: int
    cpu: float
    """Of all its processes [s]."""


def bare_graph(*arguments: str, domain: int = DOMAIN) -> Graph:
    """Return the two processes of the ping-pong."""
    return Graph(domain, pong=[PING, 'pong'], ping=[PING, 'ping', *arguments])


def our_graph(mode: str, scenario: str = SCENARIO) -> Graph:
    """Return the nodes of a scenario, whose motion begins again each time it ends."""
    common = ['--ros-args', '-p', f'scenario:={scenario}', '-p', 'use_sim_time:=true']
    nodes = {'dynamics': [NODE.format('dynamics'), *common, '-p', f'mode:={mode}']}
    if load_scenario(scenario).controller.kind != 'none':  # else the plant moves by itself
        nodes.update(controller=[NODE.format('controller'), *common],
                     trajectory=[NODE.format('trajectory'), *common, '-p', 'repeat:=true'])
    return Graph(DOMAIN, **nodes)


def lockstep(ours: Graph, rounds: int, bars: ProgressBars) -> dict[str, Any]:
    """
    Return cycles per second of a graph in lockstep and of the ping-pong.

    Both live all the time and take turns, one stopped while the other runs, so that a slow second
    of the machine meets both.
    """
    graphs = {'ours': ours, 'bare': bare_graph(domain=DOMAIN + 1)}
    turns: dict[str, list[Turn]] = {name: [] for name in graphs}
    with graphs['ours'], graphs['bare']:
        for graph in graphs.values():
            graph.watch('clock', 0.5)  # compiled and connected
        watches = {name: graph.watching('clock', DISCOVERY_TIME + 2 * rounds * TURN_DURATION)
                   for name, graph in graphs.items()}
        time.sleep(DISCOVERY_TIME)
        for graph in graphs.values():
            graph.pause(True)
        for _ in range(rounds):
            for name, graph in graphs.items():
                turns[name].append(take_turn(graph))
                bars.tick()
        try:
            seen = {name: json.loads(watch.communicate(timeout=60.0)[0])
                    for name, watch in watches.items()}
        except subprocess.TimeoutExpired:
            for watch in watches.values():
                watch.kill()
            raise RobodynError('the lockstep runs were not heard to their end; is the machine '
                               'busy?') from None
    found = {name: cycles(turns[name], seen[name]) for name in graphs}
    pairs = [a[0] / b[0] for a, b in zip(found['ours'], found['bare']) if a and b]
    if not pairs:
        raise RobodynError('no turn of the lockstep runs could be timed; is the machine busy?')
    ratio = summarise(np.array(pairs))
    result: dict[str, Any] = {'ratio': ratio.median, 'ratio_quartiles': ratio.quartiles,
                              'turns': len(pairs)}
    for name, values in found.items():
        speeds, costs = zip(*(value for value in values if value))
        result[f'{name}_cycles_per_second'] = statistics.median(speeds)
        result[f'{name}_cpu_us_per_cycle'] = 1e6 * statistics.median(costs)
    return result


def take_turn(graph: Graph) -> Turn:
    """Let a stopped graph run for a moment."""
    before = graph.cost()
    graph.pause(False)
    begin = time.monotonic_ns()
    time.sleep(TURN_DURATION)
    end = time.monotonic_ns()
    graph.pause(True)
    after = graph.cost()
    return Turn(begin, end, sum(after[name][0] - before[name][0] for name in after))


def cycles(turns: Sequence[Turn], clock: Sequence[tuple[int, int]]
           ) -> list[tuple[float, float] | None]:
    """Return cycles per second and CPU seconds per cycle of each turn; None if not seen."""
    result: list[tuple[float, float] | None] = []
    for turn in turns:
        inside = [pair for pair in clock if turn.begin < pair[1] < turn.end]
        if len(inside) < 5:
            result.append(None)
            continue
        simulated, real = (inside[-1][k] - inside[0][k] for k in (0, 1))  # both in ns
        speed = simulated / real / CYCLE_TIME
        result.append((speed, turn.cpu / (speed * TURN_DURATION)))
    return result


def free_running(graph: Graph, seconds: float, bars: ProgressBars) -> dict[str, Any]:
    """Return answers, latency, and CPU and memory of each process."""
    with graph:
        warm = graph.watch('latency', 2.0)  # compiled and connected
        before, start = graph.cost(), time.monotonic()
        seen = graph.watch('latency', seconds) if seconds > 2.0 else warm
        after, wall = graph.cost(), time.monotonic() - start
    bars.tick()
    nodes = {name: {'cpu_percent': 100.0 * (after[name][0] - before[name][0]) / wall,
                    'memory_mb': after[name][1],
                    'growth_mb': after[name][1] - before[name][1]} for name in after}
    return {**seen, 'seconds': seconds, 'nodes': nodes}


def long_trajectory(count: int, bars: ProgressBars) -> dict[str, Any]:
    """Return the longest time without an answer while a trajectory of many points comes in."""
    with our_graph('free'):
        found = json.loads(children.output_of(
            'benchmarks.ros_long_trajectory', str(count), env=on_domain(DOMAIN),
            timeout=LONGEST_SENDING))
    bars.tick()
    return found


def _print(facts: dict[str, Any]) -> None:
    speeds, free = facts['lockstep'], facts['free']
    ours, bare = free['ours'], free['bare']
    table = Table(title=f'{SCENARIO} as three processes, beside a bare ping-pong of two')
    for heading in ('quantity', 'ours', 'bare', 'ratio', 'wanted'):
        table.add_column(heading)
    rows: Sequence[tuple[str, ...]] = [
        ('lockstep [cycles/s]', f'{speeds["ours_cycles_per_second"]:.0f}',
         f'{speeds["bare_cycles_per_second"]:.0f}', f'{speeds["ratio"]:.2f}',
         f'at least {LEAST_SPEED_RATIO}'),
        ('lockstep: CPU per cycle [us]', f'{speeds["ours_cpu_us_per_cycle"]:.0f}',
         f'{speeds["bare_cpu_us_per_cycle"]:.0f}',
         f'{speeds["ours_cpu_us_per_cycle"] / speeds["bare_cpu_us_per_cycle"]:.2f}', ''),
        ('free: states answered', f'{ours["answered"]} of {ours["states"]}',
         f'{bare["answered"]} of {bare["states"]}', '', 'all'),
        ('free: latency p50 [us]', f'{ours["p50_us"]:.0f}', f'{bare["p50_us"]:.0f}',
         f'{ours["p50_us"] / bare["p50_us"]:.2f}', ''),
        ('free: latency p99 [us]', f'{ours["p99_us"]:.0f}', f'{bare["p99_us"]:.0f}',
         f'{free["p99_ratio"]:.2f}', f'at most {MOST_LATENCY_RATIO}')]
    for row in rows:
        table.add_row(*row)
    for sent in facts['long_trajectories']:
        table.add_row(f'longest time without an answer: {sent["points"]} points '
                      f'({sent["bytes"] / 1e6:.3g} MB) [ms]', f'{sent["longest_gap_ms"]:.3g}')
    for side in ('ours', 'bare'):
        for name, cost in free[side]['nodes'].items():
            text = (f'{cost["cpu_percent"]:.0f} % CPU, {cost["memory_mb"]:.0f} MB, '
                    f'{cost["growth_mb"]:+.1f} MB in {free[side]["seconds"]:g} s')
            table.add_row(name, *((text, '') if side == 'ours' else ('', text)))
    Console(file=sys.stdout).print(table)
