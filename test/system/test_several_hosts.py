# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Three nodes, and a sweep, on three hosts of a network of their own, whose links are cut."""

import contextlib
import json
import os
from pathlib import Path
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import pytest
from system.graph import PATIENCE
from system.test_lockstep import digest, lockstep_run
import yaml

ROOT = os.getuid() == 0 and shutil.which('ip') is not None
pytestmark = [pytest.mark.dds, pytest.mark.skipif(
    not ROOT, reason='network namespaces need root and ip (Debian: apt install iproute2)')]
SECOND = 1_000_000_000


def ip(*words):
    """Run ip; a namespace that the machine does not allow skips the test."""
    done = subprocess.run(['ip', *words], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f'network namespaces cannot be made here: {done.stderr.strip()}')


class Hosts:
    """Three hosts at 10.77.0.1 to 3, each with a link to a bridge."""

    def __init__(self):
        """Make them."""
        self.name = f'rd{os.getpid()}'
        ip('netns', 'add', f'{self.name}hub')
        self._hub('link', 'add', 'bridge', 'type', 'bridge', 'mcast_snooping', '0')
        self._hub('link', 'set', 'bridge', 'up')
        for k in (1, 2, 3):
            host = f'{self.name}h{k}'
            ip('netns', 'add', host)
            ip('-n', host, 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', f'port{k}',
               'netns', f'{self.name}hub')
            ip('-n', host, 'addr', 'add', f'10.77.0.{k}/24', 'dev', 'eth0')
            for link in ('lo', 'eth0'):
                ip('-n', host, 'link', 'set', link, 'up')
            ip('-n', host, 'route', 'add', 'default', 'dev', 'eth0')
            self._hub('link', 'set', f'port{k}', 'master', 'bridge')
            self._hub('link', 'set', f'port{k}', 'up')
        self.processes = []

    def _hub(self, *words):
        ip('-n', f'{self.name}hub', *words)

    def start(self, host, *words, **options):
        """Start a program on a host."""
        log = tempfile.TemporaryFile('w+')
        path = os.pathsep.join([str(Path(__file__).resolve().parents[1]),
                                os.environ.get('PYTHONPATH', '')]).rstrip(os.pathsep)
        process = subprocess.Popen(
            ['ip', 'netns', 'exec', f'{self.name}h{host}', *words], stderr=log, text=True,
            env={**os.environ, 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SUBNET', 'PYTHONPATH': path,
                 **options.pop('environment', {})}, **options)
        process.log = log
        self.processes.append(process)
        return process

    def check(self):
        """Fail as soon as a program has ended, with what it said."""
        for process in self.processes:
            if process.poll() is not None:
                process.log.seek(0)
                pytest.fail(f'{process.args[4:]} ended: {process.log.read()[-2000:]}')

    def node(self, host, name, *parameters):
        """Start a node of the SCARA on the helix."""
        words = [word for item in ('scenario:=scara_helix', 'use_sim_time:=true', *parameters)
                 for word in ('-p', item)]
        return self.start(host, sys.executable, '-m', f'robodyn_ros.nodes.{name}.node',
                          '--ros-args', *words)

    @contextlib.contextmanager
    def cut(self, host):
        """Take the link of a host down, for as long as the block."""
        self._hub('link', 'set', f'port{host}', 'down')
        try:
            yield
        finally:
            self._hub('link', 'set', f'port{host}', 'up')

    def close(self):
        """End every process, and take the network away."""
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
        for process in self.processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(20.0)
            process.kill()
            process.wait()
        for name in ('hub', 'h1', 'h2', 'h3'):
            subprocess.run(['ip', 'netns', 'del', f'{self.name}{name}'], capture_output=True)


@pytest.fixture
def hosts():
    """Three hosts."""
    made = Hosts()
    yield made
    made.close()


class Heard:
    """What a listener on a host tells."""

    def __init__(self, hosts, host):
        """Start it."""
        self.hosts = hosts
        self.process = hosts.start(host, sys.executable, '-m', 'system.host_listener',
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last = {'now': 0, 'commands': 0, 'reports': [], 'position': []}
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.last = {**self.last, **json.loads(line)}

    def wait(self, condition):
        """Wait until what is heard meets a condition; returns it."""
        deadline = time.monotonic() + PATIENCE
        while not condition(self.last):
            assert time.monotonic() < deadline, self.last
            self.hosts.check()
            time.sleep(0.05)
        return self.last

    def digest(self):
        """End the listener, and return the digest of the first states."""
        self.process.stdin.close()
        deadline = time.monotonic() + PATIENCE
        while 'digest' not in self.last and time.monotonic() < deadline:
            time.sleep(0.05)
        return self.last['digest']


@pytest.mark.parametrize('cut', [False, True], ids=['whole', 'cut'])
def test_lockstep_on_three_hosts_has_the_bits_of_one(hosts, cut):
    """With a link that is down for three seconds, too: plant and controller wait, and go on."""
    heard = Heard(hosts, 1)
    hosts.node(1, 'dynamics', 'mode:=lockstep')
    hosts.node(2, 'controller')
    heard.wait(lambda last: last['now'] > 0)
    hosts.node(3, 'trajectory')
    start = heard.wait(lambda last: last['now'] > SECOND + 20_000_000)['now']
    if cut:
        with hosts.cut(2):
            time.sleep(3.0)
            stood = heard.last['now']
        heard.wait(lambda last: last['now'] > stood)
    heard.wait(lambda last: last['now'] > start + SECOND // 2)
    assert heard.digest() == digest(lockstep_run('scara_helix')[0])


def test_an_arm_in_free_mode_is_held_while_its_controller_is_cut_off(hosts):
    """Within its time-out; commands come again when the link does, and nothing jumps."""
    heard = Heard(hosts, 1)
    hosts.node(1, 'dynamics')
    hosts.node(2, 'controller')
    heard.wait(lambda last: last['now'] > 0)
    hosts.node(3, 'trajectory', 'repeat:=true')
    begin = heard.wait(lambda last: last['commands'] > 100)['position']
    heard.wait(lambda last: max(abs(a - b) for a, b in zip(last['position'], begin)) > 1e-3)
    with hosts.cut(2):
        # what moves is braked; then it stands
        heard.wait(lambda last: 'hold' in json.dumps(last['reports']))
        count = heard.last['commands']
        first = heard.wait(lambda last, now=heard.last['now']: last['now'] > now + SECOND)
        last = heard.wait(lambda last: last['now'] > first['now'] + SECOND // 2)
        assert max(abs(a - b) for a, b in zip(first['position'], last['position'])) < 1e-3
        assert heard.last['commands'] <= count + 50  # none but those on their way
    after = heard.wait(lambda last, n=heard.last['commands']: last['commands'] > n + 100)
    assert max(abs(a - b) for a, b in zip(after['position'], last['position'])) < 0.05


def test_a_sweep_goes_on_without_a_host_that_is_cut_off(hosts, tmp_path):
    """And its rows are those of one host."""
    pytest.importorskip('distributed')
    from robodyn_ros import sweep
    study = {'scenario': 'scara_helix', 'duration': 2.0, 'metrics': ['error_max'], 'axes': {
        'dynamics.payload.mass': {'range': [0.5, 5.0], 'count': 3000}}}
    path = tmp_path / 'study.yaml'
    path.write_text(yaml.safe_dump(study, sort_keys=False))
    soon = {'DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL': '6 seconds',
            'DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP': '12 seconds'}
    dask = [sys.executable, '-m', 'distributed.cli.dask_scheduler', '--host', '10.77.0.1',
            '--port', '8786', '--no-dashboard']
    hosts.start(1, *dask, environment=soon)
    for host in (2, 3):
        hosts.start(host, sys.executable, '-m', 'distributed.cli.dask_worker',
                    'tcp://10.77.0.1:8786', '--nthreads', '1', '--no-dashboard', environment=soon)
    table = tmp_path / 'a.parquet'
    journal = tmp_path / 'a.parquet.unfinished'
    client = hosts.start(1, sys.executable, '-m', 'robodyn_ros.commands.main', 'sweep', str(path),
                         '--output', str(table), '--cluster', 'tcp://10.77.0.1:8786', '--json',
                         environment=soon, stdout=subprocess.PIPE)
    deadline = time.monotonic() + PATIENCE
    while not (journal.exists() and journal.stat().st_size > 2000) and client.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    with hosts.cut(3):
        out = client.communicate(timeout=PATIENCE)[0]
    client.log.seek(0)
    assert client.returncode == 0, client.log.read()[-2000:]
    assert json.loads(out)['rows'] == sweep(study, tmp_path / 'b.parquet').rows
