# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""One table, one hash: for any workers, on Dask, after kills; nothing finished is lost."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from robodyn_ros import RobodynError, simulate, sweep
from robodyn_ros.sweeping import bundle as bundles, cluster, page, sweep as sweeps, workers
from robodyn_ros.sweeping.bundle import packed
from robodyn_ros.sweeping.copies import lock
from robodyn_ros.sweeping.replay import replay_command
from robodyn_ros.sweeping.study import make_study
from robodyn_ros.sweeping.sweep import chunks_of
from robodyn_ros.sweeping.table import facts_of, Journal, schema_of
import yaml

pytest.importorskip('pyarrow')
STUDY = {'scenario': 'scara_helix', 'duration': 0.1, 'metrics': ['error_max', 'energy'],
         'axes': {'dynamics.payload.mass': {'range': [0.5, 5.0], 'count': 40},
                  'dynamics.gravity.z': {'uniform': [-10.0, -9.0]}}, 'draws': 8}


@pytest.fixture(scope='module')
def alone(tmp_path_factory):
    """Sweep in one process."""
    return sweep(STUDY, tmp_path_factory.mktemp('alone') / 'a.parquet', workers=1)


def test_a_table_has_one_row_a_run(alone):
    """In order, with what made it in its metadata."""
    table = alone.table()
    assert table.column('run').to_pylist() == list(range(320)) and alone.failed == 0
    facts = facts_of(alone.path)
    assert facts['rows'] == alone.rows and facts['made_by']['numpy']
    assert facts['settings']['axes'] == STUDY['axes']
    assert not list(alone.path.parent.glob('*.unfinished'))
    k = 123
    result = simulate('scara_helix', 0.1, {
        'dynamics.payload.mass': table.column('dynamics.payload.mass')[k].as_py(),
        'dynamics.gravity': [0.0, 0.0, table.column('dynamics.gravity.z')[k].as_py()]})
    assert abs(result.error).max() == table.column('error_max')[k].as_py()


def test_fresh_workers_and_a_killed_one_change_nothing(alone, monkeypatch, tmp_path):
    """A worker that dies is replaced; its chunk is computed by another."""
    monkeypatch.setattr(workers, 'possible', lambda: False)
    monkeypatch.setattr(workers, 'copied', lambda *_: None)
    assert sweep(STUDY, tmp_path / 'b.parquet', workers=3).rows == alone.rows
    seen = []

    def kill(finished, _):
        if finished and not seen:
            seen.append(finished)
            children = subprocess.run(['pgrep', '-P', str(os.getpid()), '-f', workers.__name__],
                                      capture_output=True, text=True).stdout.split()
            os.kill(int(children[0]), signal.SIGKILL)

    assert sweep(STUDY, tmp_path / 'c.parquet', workers=2, progress=kill).rows == alone.rows
    assert seen


def test_ctrl_c_is_never_for_a_fresh_worker():
    """From its first instruction on: its Python, half started, would write a traceback."""
    worker = workers._fresh()
    try:
        os.kill(worker.process.pid, signal.SIGINT)
        worker.link.send(packed(make_study(STUDY)))
        worker.link.send((0, 0, 1))
        assert len(worker.link.recv()['error_max']) == 1
        worker.process.terminate()
        assert worker.process.wait(60.0) == -signal.SIGTERM
    finally:
        worker.end()


COPIES = """import json, multiprocessing, os, sys, threading
from robodyn_ros import sweep
from robodyn_ros.sweeping import workers

def fresh():
    assert not threaded.is_set()
    started.append(1)
    return original()

original, workers._fresh = workers._fresh, fresh
study, folder, found, killed = json.loads(sys.argv[1]), sys.argv[2], [], []
started, threaded = [], threading.Event()

def kill(finished, _):
    copies = multiprocessing.active_children()
    found.append(len(copies))
    if finished and not killed:
        killed.append(copies[0].pid)
        os.kill(copies[0].pid, 9)

rows = [sweep(study, f'{folder}/{count}.parquet', workers=count, progress=kill).rows
        for count in (2, 3)]
assert killed and found[0] == 2 and 3 in found and not started, (found, started)
assert not multiprocessing.active_children()
thread = threading.Thread(target=threaded.wait, daemon=True)
thread.start()
rows.append(sweep(study, f'{folder}/4.parquet', workers=2).rows)
threaded.set()
assert len(started) == 2
print(*rows)
"""


@pytest.mark.skipif(sys.platform != 'linux', reason='processes are copied on Linux only')
def test_workers_are_copies_where_no_thread_is_in_the_way(alone, tmp_path):
    """In a process of its own, without the threads of the test runner; one copy is killed."""
    done = subprocess.run([sys.executable, '-W', 'error', '-c', COPIES, json.dumps(STUDY),
                           str(tmp_path)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [alone.rows] * 3 and not done.stderr


HELD = """import os, sys, time
from robodyn_ros.sweeping.copies import copied, lock

file = open(sys.argv[1], 'w+b')
lock(file)
assert copied(time.sleep, 60.0) is not None
print(os.getpid(), flush=True)
time.sleep(60.0)
"""


@pytest.mark.skipif(sys.platform != 'linux', reason='processes are copied on Linux only')
def test_a_copy_does_not_hold_the_lock_of_a_journal(tmp_path):
    """A sweep that was killed can be gone on with while its workers are still there."""
    path = tmp_path / 'journal'
    holder = subprocess.Popen([sys.executable, '-c', HELD, str(path)], stdout=subprocess.PIPE,
                              text=True, start_new_session=True)
    try:
        assert holder.stdout.readline()
        with open(path, 'r+b') as file:
            with pytest.raises(OSError):
                lock(file)
            holder.kill()
            holder.wait()
            deadline = time.monotonic() + 30.0  # the copy lives 60 s, and may just have begun
            while True:
                try:
                    lock(file)
                    break
                except OSError:
                    assert time.monotonic() < deadline
                    time.sleep(0.01)
    finally:
        os.killpg(holder.pid, signal.SIGKILL)  # the copy, too


def test_a_killed_sweep_goes_on_where_it_was(alone, tmp_path):
    """Killed without a chance to say anything; what was finished is not run again."""
    path = tmp_path / 'study.yaml'
    path.write_text(yaml.safe_dump(STUDY, sort_keys=False))
    journal = tmp_path / 'd.parquet.unfinished'
    command = [sys.executable, '-m', 'robodyn_ros.commands.main', 'sweep', str(path), '--output',
               str(tmp_path / 'd.parquet'), '--workers', '2', '--quiet']
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120.0
    while running.poll() is None and time.monotonic() < deadline:
        if journal.exists() and journal.stat().st_size > 4000:
            break
        time.sleep(0.005)
    running.kill()
    running.wait()
    first = []
    if journal.exists():  # else it was faster than we
        with open(journal, 'ab') as file:
            file.write(b'\x07' * 33)  # a frame that was cut off
        found = sweep(STUDY, tmp_path / 'd.parquet', workers=1,
                      progress=lambda finished, failed: first.append(finished))
        assert first[0] > 0
        assert found.rows == alone.rows


def test_a_journal_keeps_whole_frames_only(tmp_path):
    """Of every place at which it may have been cut."""
    import pyarrow as pa
    schema = schema_of({'a': {float}}, ['error_max'])
    row = pa.record_batch([[1], [0.5], [0.1], [True], [1.0], ['']], schema=schema)
    path = tmp_path / 'j'
    journal = Journal(path, 'x', schema)
    for number in (5, 2):
        journal.add(number, row.serialize())
    journal.add(5, row.serialize())  # no row twice
    journal.close()
    whole = path.read_bytes()
    head = whole.index(b'\n', whole.index(b'\n') + 1) + 1
    for cut in range(len(whole) - 1, -1, -37):  # in its head, too
        path.write_bytes(whole[:cut])
        again = Journal(path, 'x', schema)
        assert set(again.places) <= {5, 2} and path.stat().st_size <= max(cut, head)
        assert all(again.batch(number).equals(row) for number in again.places)
        again.close()
    with pytest.raises(RobodynError, match='another study'):
        Journal(path, 'y', schema)


def test_a_table_of_another_study_is_kept(alone, tmp_path):
    """And one of the same is not computed again."""
    calls = []
    assert sweep(STUDY, alone.path, progress=lambda *_: calls.append(1)) == alone and not calls
    turned = {**STUDY, 'axes': dict(reversed(STUDY['axes'].items()))}  # other runs by number
    for other in ({**STUDY, 'draws': 9}, turned):
        with pytest.raises(RobodynError, match='another study'):
            sweep(other, alone.path)
    other = tmp_path / 'other.parquet'
    other.write_bytes(b'PAR1 nothing')
    with pytest.raises(RobodynError, match='no table'):
        sweep(STUDY, other)
    assert other.read_bytes() == b'PAR1 nothing'
    with pytest.raises(RobodynError, match='ends in .parquet'):
        sweep(STUDY, tmp_path / 'x.csv')


def test_rows_of_other_versions_are_told_apart(alone, monkeypatch, tmp_path):
    """Finished or not; what there is stays."""
    made_by = {**bundles.fingerprint(), 'numpy': '0.1'}
    monkeypatch.setattr(sweeps, 'fingerprint', lambda: made_by)
    with pytest.raises(RobodynError, match="other versions .numpy '.*' instead of '0.1'"):
        sweep(STUDY, alone.path)

    def cut(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep(STUDY, tmp_path / 'a.parquet', workers=1, progress=cut)
    monkeypatch.undo()
    with pytest.raises(RobodynError, match='other versions'):
        sweep(STUDY, tmp_path / 'a.parquet', workers=1)


def test_a_table_made_from_python_has_commands_too(alone):
    """Its study is in its metadata; a study file that has changed since is not taken for it."""
    found = page.read(alone.path)
    assert found.study is not None
    assert page.summary_of(found)['metrics']['energy']['worst'][0]['command'].startswith(
        'robodyn simulate scara_helix')
    (alone.path.parent / 'the study').write_text(yaml.safe_dump(
        {**STUDY, 'duration': 0.2}, sort_keys=False))
    assert page.read(alone.path).study.scenario.duration == 0.1


def test_two_sweeps_do_not_write_one_table(tmp_path):
    """The second is told."""
    schema = schema_of({'a': {float}}, ['error_max'])
    first = Journal(tmp_path / 'j', 'x', schema)
    with pytest.raises(RobodynError, match='another sweep'):
        Journal(tmp_path / 'j', 'x', schema)
    first.close()
    Journal(tmp_path / 'j', 'x', schema).close()


def test_a_full_disk_loses_nothing(alone, tmp_path):
    """It is said in one sentence; with room again the same sweep goes on."""
    path = tmp_path / 'study.yaml'
    path.write_text(yaml.safe_dump(STUDY, sort_keys=False))
    code = ('import resource, signal, sys\n'
            'from robodyn_ros.commands.main import main\n'
            'signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n'
            'resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))\n'
            'sys.exit(main(sys.argv[1:]))\n')
    done = subprocess.run([sys.executable, '-c', code, 'sweep', str(path), '--output',
                           str(tmp_path / 'f.parquet'), '--workers', '1', '--quiet'],
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 2 and 'cannot read or write' in done.stderr, done.stderr
    assert 'Traceback' not in done.stderr
    first = []
    found = sweep(STUDY, tmp_path / 'f.parquet', workers=1,
                  progress=lambda finished, failed: first.append(finished))
    assert first[0] > 0 and found.rows == alone.rows


DEADLY = """import os

from robodyn_ros import metric


@metric
def deadly(result):
    if result.scenario.dynamics.payload.mass == 2.0:
        os.kill(os.getpid(), 11)
    return result.q[-1, 0]
"""


def deadly_study(folder, masses):
    """Write a study whose run with 2 kg ends the process that makes it."""
    from robodyn_ros.share import share_folder
    (folder / 'arm.yaml').write_text((share_folder('config') / 'scara_helix.yaml').read_text())
    (folder / 'ends.py').write_text(DEADLY)
    return make_study({'scenario': 'arm.yaml', 'duration': 0.02, 'metrics': ['ends:deadly'],
                       'axes': {'dynamics.payload.mass': {'values': masses}}},
                      folder, str(folder / 'study.yaml'))


def test_a_run_that_kills_its_workers_is_a_row(tmp_path):
    """Its neighbours, of the same chunk, are as they would be without it."""
    found = sweep(deadly_study(tmp_path, [1.0, 2.0, 3.0]), tmp_path / 'h.parquet', workers=2)
    assert found.failed == 1 and found.table().column('finished').to_pylist() == [
        True, False, True]
    assert found.table().column('reason')[1].as_py() == '3 workers died of this run'


@pytest.mark.slow
def test_a_run_that_kills_workers_of_a_cluster_is_the_same_row(monkeypatch, tmp_path):
    """The scheduler starts other workers; the sweep ends."""
    pytest.importorskip('distributed')
    monkeypatch.setattr(cluster, 'WAITING', 300.0)
    found = sweep(deadly_study(tmp_path, [2.0]), tmp_path / 'h.parquet', workers=1,
                  cluster='local')
    assert found.failed == 1
    assert found.table().column('reason')[0].as_py() == '3 workers died of this run'


def test_workers_that_always_die_end_the_sweep(monkeypatch):
    """With a sentence, and no rows that would say that the runs failed."""
    study = make_study(STUDY)
    nothing = packed(study)
    object.__setattr__(nothing, 'files', {})  # a worker cannot even unpack it
    monkeypatch.setattr(workers, 'MOST_DEATHS', 5)
    with workers.Team(2) as team, pytest.raises(RobodynError, match='5 workers died'):
        list(team.rows(nothing, chunks_of(study)))


# --- Dask ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_cluster_gives_the_same_rows(alone, tmp_path):
    """With real worker processes, one of which is killed on the way."""
    pytest.importorskip('distributed')
    seen = []

    def kill(finished, _):
        if finished and not seen:
            seen.append(finished)
            found = subprocess.run(['pgrep', '-P', str(os.getpid())], capture_output=True,
                                   text=True).stdout.split()
            os.kill(int(found[-1]), signal.SIGKILL)

    found = sweep(STUDY, tmp_path / 'e.parquet', workers=2, cluster='local', progress=kill)
    assert found.rows == alone.rows and seen


@pytest.mark.slow
def test_ctrl_c_while_a_local_cluster_starts(tmp_path):
    """Its workers do not hear it, and it is not torn apart."""
    pytest.importorskip('distributed')
    (tmp_path / 'study.yaml').write_text(yaml.safe_dump(STUDY))
    process = subprocess.Popen(
        [sys.executable, '-m', 'robodyn_ros.commands.main', 'sweep', 'study.yaml', '--cluster',
         'local', '--workers', '2'], stderr=subprocess.PIPE, text=True, cwd=tmp_path,
        start_new_session=True)
    try:
        deadline = time.monotonic() + 120.0
        while subprocess.run(['pgrep', '-P', str(process.pid), '-f', 'spawn_main'],
                             stdout=subprocess.DEVNULL).returncode:
            assert time.monotonic() < deadline and process.poll() is None
        os.killpg(process.pid, signal.SIGINT)
        told = process.communicate(timeout=120)[1]
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130 and 'Traceback' not in told, told


@pytest.mark.slow
def test_a_worker_lost_with_rows_that_nobody_has_fetched(alone, monkeypatch, tmp_path):
    """They are computed once more, by another; the sweep does not wait for it for ever."""
    pytest.importorskip('distributed')
    monkeypatch.setattr(cluster, 'PATIENCE', 5.0)
    seen, answer = [], cluster.answer_of

    def late(future):
        if not seen:
            seen.append(1)
            for pid in subprocess.run(['pgrep', '-P', str(os.getpid()), '-f', 'spawn_main'],
                                      capture_output=True, text=True).stdout.split():
                os.kill(int(pid), signal.SIGKILL)
        return answer(future)

    monkeypatch.setattr(cluster, 'answer_of', late)
    found = sweep(STUDY, tmp_path / 'i.parquet', workers=2, cluster='local')
    assert found.rows == alone.rows and seen


@pytest.mark.slow
def test_a_scheduler_that_is_killed_ends_a_sweep_with_a_sentence(alone, tmp_path):
    """Nothing that was finished is lost, and nobody but we says anything."""
    pytest.importorskip('distributed')
    (tmp_path / 'study.yaml').write_text(yaml.safe_dump(
        {**STUDY, 'duration': 1.0}, sort_keys=False))
    place, journal = tmp_path / 'scheduler.json', tmp_path / 'k.parquet.unfinished'

    def dask(*words):
        return subprocess.Popen([sys.executable, '-m', 'dask', *words, '--scheduler-file',
                                 str(place), '--no-dashboard'], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, cwd=tmp_path)

    def until(happened):
        deadline = time.monotonic() + 120.0
        while not happened():
            assert time.monotonic() < deadline
            time.sleep(0.002)

    scheduler = dask('scheduler', '--port', '0', '--host', '127.0.0.1')
    others = [dask('worker', '--nthreads', '1', '--no-nanny')]
    try:
        until(lambda: place.exists() and place.read_text().endswith('}'))  # all of it
        sweeping = subprocess.Popen(
            [sys.executable, '-m', 'robodyn_ros.commands.main', 'sweep', 'study.yaml', '--output',
             'k.parquet', '--cluster', json.loads(place.read_text())['address'], '--quiet'],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
        others.append(sweeping)
        until(lambda: journal.exists() and journal.stat().st_size > 2000
              or sweeping.poll() is not None)
        scheduler.kill()
        told = sweeping.communicate(timeout=120)[1]
    finally:
        for process in (scheduler, *others):
            process.kill()
            process.wait()
    if (tmp_path / 'k.parquet').exists():
        pytest.skip('it was faster than we')
    assert 'the scheduler is gone; what is finished is kept' in told
    assert '\n' not in told.strip()
    first = []
    found = [sweep(tmp_path / 'study.yaml', tmp_path / f'{name}.parquet', workers=1,
                   progress=lambda finished, failed: first.append(finished)) for name in 'kl']
    assert found[0].rows == found[1].rows and first[0] > 0


def test_a_script_without_a_guard_is_told_so(tmp_path):
    """Its processes run it again; that ends, with what to do in the last line."""
    pytest.importorskip('distributed')
    script = tmp_path / 'script.py'
    script.write_text(f'from robodyn_ros import sweep\nsweep({STUDY!r}, "s.parquet", workers=1, '
                      'cluster="local")\n')
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True,
                          cwd=tmp_path, timeout=120)
    assert done.returncode == 1
    assert "if __name__ == '__main__': around" in done.stderr.strip().splitlines()[-1]


def test_a_cluster_that_is_not_there_or_not_ours(monkeypatch, tmp_path):
    """Is one sentence; workers of another version are left out."""
    pytest.importorskip('distributed')
    monkeypatch.setattr(cluster, 'PATIENCE', 0.5)
    with pytest.raises(RobodynError, match='no scheduler answers'):
        sweep(STUDY, tmp_path / 'f.parquet', cluster='tcp://127.0.0.1:9')
    monkeypatch.setattr(cluster, 'PATIENCE', 10.0)
    monkeypatch.setattr(cluster, 'fingerprint', bundles.fingerprint)
    other = {**bundles.fingerprint(), 'numpy': '0.1'}
    original = cluster.Cluster.__init__

    def ours(self, *arguments):
        original(self, *arguments)
        self.own = other

    monkeypatch.setattr(cluster.Cluster, '__init__', ours)
    with pytest.raises(RobodynError, match='none of its 1 workers'):
        sweep(STUDY, tmp_path / 'g.parquet', cluster='local', workers=1)


# --- the command -----------------------------------------------------------------------------


def robodyn(*words, folder):
    """Run the command; returns its exit code, output and errors."""
    done = subprocess.run([sys.executable, '-m', 'robodyn_ros.commands.main', *map(str, words)],
                          capture_output=True, text=True, cwd=folder, timeout=300)
    return done.returncode, done.stdout, done.stderr


def test_sweep_report_and_replay(tmp_path):
    """From the study to the page, and the worst run again to the bit."""
    (tmp_path / 'payload.yaml').write_text(yaml.safe_dump(STUDY, sort_keys=False))
    code, out, err = robodyn('sweep', 'payload.yaml', '--json', folder=tmp_path)
    assert code == 0, err
    facts = json.loads(out)
    assert facts['runs'] == 320
    code, out, err = robodyn('report', 'payload.parquet', '--json', folder=tmp_path)
    assert code == 0, err
    worst = json.loads(out)['metrics']['error_max']['worst'][0]
    assert worst['command'] == replay_command(make_study(STUDY), worst['run'])
    page = (tmp_path / 'payload_report' / 'index.html').read_text()
    assert 'robodyn simulate scara_helix' in page and page.count('<img') >= 4
    robodyn(*shlex.split(worst['command'])[1:], '--output', 'run.npz', folder=tmp_path)
    kept = np.load(tmp_path / 'run.npz')
    assert abs(kept['reference_q'] - kept['q']).max() == worst['value']
    code, out, err = robodyn('sweep', 'payload.yaml', '--replay', '320', folder=tmp_path)
    assert code == 2 and 'expected 0 to 319' in err
    code, out, err = robodyn('sweep', 'payload.yaml', '--plan', folder=tmp_path)
    assert code == 0 and '320 runs' in out
