# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The long attacks: a million damaged inputs, and every node under storms; one table at the end.

    make soak                       ten minutes of nodes, about as long for the inputs
    make soak SOAK_MINUTES=60

While the nodes run, messages of wrong names, sizes and numbers, storms of services and parameters
and requests of strangers to the page come in bursts. Memory, descriptors and threads of each node
are sampled; they must not grow, the plant must still move at the end, and each node must end with
exit code 0. The exit code is 0 if everything held.
"""
from __future__ import annotations

import argparse
from contextlib import ExitStack
import os
import random
import re
import signal
import socket
import sys
import tempfile
import time
from typing import Any, Callable, Iterator, NamedTuple

from hostile import fuzz
from hostile.health import grown, growth, Sample, sample
from rich.console import Console
from rich.table import Table
from rich.text import Text

SHARES = {'message': 0.60, 'URDF': 0.20, 'YAML': 0.05, 'CSV': 0.04, 'MCAP': 0.03, 'NPZ': 0.02,
          'study': 0.02, 'measured.csv': 0.01, 'measured.mcap': 0.01, 'stl': 0.01, 'obj': 0.005,
          'dae': 0.005}
"""Parts of the inputs: what is read faster gets more."""
SCENARIO = 'scara_helix'
NODES: dict[str, dict[str, object]] = {
    'dynamics': {}, 'controller': {}, 'trajectory': {'repeat': True}, 'viewer': {'port': 0},
    'recorder': {}}
EVERY = 2.0
"""Time between two looks at the nodes [s]."""
WARM_UP, LEAST_WARM_UP, MOST_WARM_UP = 0.2, 30.0, 0.5
"""Part of the time that the nodes may grow in (caches, first messages, first visits, queues), at
least so many seconds, at most such a part."""
BURST = 200
"""Attacks between two looks."""
BAD = (float('nan'), float('inf'), -1e308, 1e308, 5e-324, 1e20)


class Row(NamedTuple):
    """A line of the report."""

    what: str
    tried: str
    found: str
    failures: list[str]


def main(arguments: list[str] | None = None) -> int:
    """Run everything; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--minutes', type=float, default=10.0, help='of the nodes')
    parser.add_argument('--inputs', type=int, default=1_000_000, help='damaged ones, of all kinds')
    parser.add_argument('--bound', type=float, default=1200.0, help='seconds for all inputs')
    chosen = parser.parse_args(arguments)
    rows = [*inputs(chosen.inputs, chosen.bound), *nodes(60.0 * chosen.minutes)]
    report(rows)
    return 1 if any(row.failures for row in rows) else 0


def inputs(count: int, bound: float) -> Iterator[Row]:
    """Try damaged inputs of every kind; each kind has its share of the time as well."""
    for kind, share in SHARES.items():
        say(f'{int(share * count)} damaged inputs of {kind}')
        found = fuzz.attack(kind, int(share * count), bound / len(SHARES))
        yield Row(f'damaged {kind}', f'{found.inputs}',
                  f'{found.inputs - found.read} refused, slowest {1e3 * found.slowest:.0f} ms',
                  found.failures)


def nodes(seconds: float) -> Iterator[Row]:
    """Run every node under storms."""
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    with ExitStack() as closing:
        if 'ROS_DOMAIN_ID' not in os.environ:
            from domain_coordinator import domain_id
            os.environ['ROS_DOMAIN_ID'] = str(closing.enter_context(domain_id()))
        from system.graph import Listener, start, stop, written
        folder = closing.enter_context(tempfile.TemporaryDirectory())
        listener = Listener()
        closing.callback(listener.close)
        say(f'{len(NODES)} nodes for {seconds:g} s')
        NODES['recorder']['file'] = os.path.join(folder, 'soak.mcap')
        processes = {name: start(SCENARIO, name, **given) for name, given in NODES.items()}
        try:
            listener.wait(lambda: listener.states)
            listener.wait(lambda: 'the page is' in written(processes['viewer']))
            address = re.search(r'the page is http://[\d.]+:(\d+)', written(processes['viewer']))
            assert address is not None
            storm = Storm(listener, int(address.group(1)))
            samples, lost = watched(processes, listener, storm, seconds)
            moved = moves(listener)
        finally:
            ends = {name: stop(process, signal.SIGINT) for name, process in processes.items()}
    for name in NODES:
        own = samples[name]
        code, last = ends[name]
        failures = [f'{name}: {what} grew' for what in grown(own)] if own else [f'{name}: gone']
        failures += [f'{name}: ended during the run'] if name in lost else []
        failures += [f'{name}: exit code {code}: {last[-300:]}'] if code != 0 else []
        failures += [f'{name}: a traceback: {last[-500:]}'] if 'Traceback' in last else []
        held = ', '.join(f'{what} {first:.0f} to {end:.0f}'
                         for what, (first, end) in growth(own).items()) if own else ''
        yield Row(f'node {name}', f'{len(own)} looks', held, failures)
    yield Row('storms', ', '.join(f'{count} {what}' for what, count in storm.done.items()),
              'the plant moves' if moved else 'the plant stands still',
              [] if moved else ['the plant does not move after the storms'])


def watched(processes: dict[str, Any], listener: Any, storm: 'Storm', seconds: float
            ) -> tuple[dict[str, list[Sample]], set[str]]:
    """Look at the nodes now and then, and storm in between; returns samples and who is gone."""
    samples: dict[str, list[Sample]] = {name: [] for name in processes}
    lost: set[str] = set()
    begin = time.monotonic()
    warm = min(max(WARM_UP * seconds, LEAST_WARM_UP), MOST_WARM_UP * seconds)
    while (now := time.monotonic() - begin) < seconds:
        storm.burst()
        until = begin + now + EVERY
        while time.monotonic() < until:
            listener.executor.spin_once(timeout_sec=0.05)
        listener.states[:-1], listener.commands[:], listener.reports[:] = [], [], []
        for name, process in processes.items():
            found = sample(process.pid) if process.poll() is None else None
            if found is None:
                lost.add(name)
            elif now >= warm:
                samples[name].append(found)
    return samples, lost


def moves(listener: Any) -> bool:
    """Reset the plant and tell whether its clock goes on."""
    from std_srvs.srv import SetBool, Trigger
    try:
        listener.call(SetBool, '/dynamics/set_pause', data=False)
        listener.call(Trigger, '/dynamics/reset')
        before = listener.now
        listener.wait(lambda: listener.now > before + 10 ** 9)
    except AssertionError:
        return False
    return True


class Storm:
    """Attacks over topics, services, parameters and the page, with a fixed seed."""

    def __init__(self, listener: Any, port: int):
        """Make publishers and clients."""
        from rcl_interfaces.srv import SetParameters
        from robodyn_ros.nodes.common.qos import LATCHED
        from sensor_msgs.msg import JointState
        from std_srvs.srv import SetBool, Trigger
        from trajectory_msgs.msg import JointTrajectory
        self.rng, self.port, self.node = random.Random(7), port, listener.node
        self.done = {'messages': 0, 'services': 0, 'parameters': 0, 'visits': 0}
        self.commands = self.node.create_publisher(JointState, 'joint_commands', 10)
        self.plans = self.node.create_publisher(
            JointTrajectory, 'controller/joint_trajectory', LATCHED)
        self.calls = [
            (self.node.create_client(kind, name), kind) for kind, name in (
                (Trigger, '/dynamics/reset'), (Trigger, '/dynamics/step'),
                (SetBool, '/dynamics/set_pause'), (Trigger, '/controller/stop'),
                (Trigger, '/trajectory/start'))]
        self.setters = [self.node.create_client(SetParameters, f'/{name}/set_parameters')
                        for name in NODES]
        self.request = SetParameters.Request

    def burst(self) -> None:
        """Attack some hundred times, each time in another way; then let the plant go on."""
        for _ in range(BURST):
            attack: Callable[[], None] = self.rng.choice(
                (self.message, self.message, self.message, self.service, self.parameter,
                 self.visit))
            attack()
        client, kind = self.calls[2]
        client.call_async(kind.Request(data=False))

    def message(self) -> None:
        """Send a command or a trajectory that nobody should follow."""
        from sensor_msgs.msg import JointState
        from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
        rng = self.rng
        names = rng.choice(([], ['x'] * 4, [f'joint_{k}' for k in range(1, 5)], ['\x1b[2J'],
                            ['joint_1'] * 1000, [r'$\frac{$', '[/b]']))
        values = [rng.choice(BAD) for _ in range(rng.choice((0, 1, 4, 1000)))]
        if rng.random() < 0.5:
            made = JointState(name=names, effort=values, position=values[:2])
            made.header.stamp.sec = rng.choice((0, 1, -2 ** 31, 2 ** 31 - 1))
            self.commands.publish(made)
        else:
            point = JointTrajectoryPoint(positions=values, velocities=values[:3])
            point.time_from_start.sec = rng.choice((0, -1, 2 ** 31 - 1))
            self.plans.publish(JointTrajectory(
                joint_names=names, points=[point] * rng.choice((0, 1, 3, 200))))
        self.done['messages'] += 1

    def service(self) -> None:
        """Call a service without waiting for its answer."""
        client, kind = self.rng.choice(self.calls)
        if client.service_is_ready():
            request = kind.Request()
            if hasattr(request, 'data'):
                request.data = self.rng.random() < 0.5
            client.remove_pending_request(client.call_async(request))
            self.done['services'] += 1

    def parameter(self) -> None:
        """Set a parameter to what it must not be."""
        from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
        client, rng = self.rng.choice(self.setters), self.rng
        name = rng.choice(('payload.mass', 'natural_frequency', 'realtime_factor', 'nothing', '',
                           'robot', 'command_timeout', 'payload.inertia', 'kind', '[/b]'))
        value = rng.choice((
            ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=rng.choice(BAD)),
            ParameterValue(type=ParameterType.PARAMETER_STRING, string_value='subprocess:Popen'),
            ParameterValue(type=ParameterType.PARAMETER_DOUBLE_ARRAY,
                           double_array_value=[rng.choice(BAD)] * rng.choice((0, 1, 6, 500))),
            ParameterValue(type=ParameterType.PARAMETER_NOT_SET),
            ParameterValue(type=200)))
        if client.service_is_ready():
            request = self.request(parameters=[Parameter(name=name, value=value)])
            client.remove_pending_request(client.call_async(request))
            self.done['parameters'] += 1

    def visit(self) -> None:
        """Ask the page as a stranger would."""
        rng = self.rng
        head = rng.choice((
            b'GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n',
            bytes(rng.randrange(256) for _ in range(99)),
            b'GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n'
            b'Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n', b'', b'G',
            b'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', b'GET /' + b'x' * 30000))
        try:
            with socket.create_connection(('127.0.0.1', self.port), 1.0) as visitor:
                visitor.settimeout(0.05)
                visitor.sendall(head)
                visitor.recv(1000)
        except OSError:
            pass
        self.done['visits'] += 1


def say(text: str) -> None:
    """Tell what goes on."""
    print(f'soak: {text}', file=sys.stderr, flush=True)


def report(rows: list[Row]) -> None:
    """Print the table, and below it what did not hold."""
    table = Table('what', 'tried', 'found', 'held', title='soak')
    for row in rows:
        table.add_row(*map(Text, row[:3]), Text('NO' if row.failures else 'yes',
                                                'red' if row.failures else 'green'))
    console = Console(width=max(120, Console().width))
    console.print(table)
    for row in rows:
        for failure in row.failures[:10]:
            console.print(Text(failure))


if __name__ == '__main__':
    sys.exit(main())
