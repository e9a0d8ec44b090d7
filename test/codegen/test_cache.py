# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Compiled programs on disk: found again, never trusted when damaged, optional when forbidden."""

from concurrent.futures import ThreadPoolExecutor
import errno
import logging
import os
import shutil
import threading
import time

import numpy as np
import pytest
from robodyn_ros.codegen import cache
from robodyn_ros.codegen.native import link
from robodyn_ros.tracing import sin
from tracing.recording import program


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Keep compiled programs in a folder of this test's own."""
    folder = tmp_path / 'programs'
    monkeypatch.setenv('ROBODYN_CACHE_DIR', str(folder))
    monkeypatch.setattr(cache, '_warned', set())
    return folder


def small(constant=0.25):
    """Return a small program: sin(x) + constant."""
    return program(lambda x: [sin(x) + constant], 1)


def load(made):
    """Load a program; returns its value at x = 0 and how often it was compiled."""
    told = []

    def compiled():
        told.append(1)
        return made.machine_code()

    functions = link(cache.load(made.source, compiled), made.signatures)
    y = np.empty(1)
    functions['many_evaluate'](1, np.zeros(1), np.zeros(1), y)
    return y[0], len(told)


def test_second_load_compiles_nothing(kept):
    """The first load announces a compilation, the second finds it on disk."""
    made = small()
    assert load(made) == (0.25, 1)
    before = sorted((f, f.stat().st_mtime_ns) for f in kept.glob('*/*'))
    assert before
    assert load(made) == (0.25, 0)
    assert sorted((f, f.stat().st_mtime_ns) for f in kept.glob('*/*')) == before


def test_programs_are_found_by_their_content(kept):
    """One folder per program, named by its hash; another one has another folder."""
    one, other = small(0.25), small(0.5)
    names = [cache.digest(made.source) for made in (one, other)]
    assert names[0] == cache.digest(small(0.25).source) != names[1]
    assert (load(one), load(other)) == ((0.25, 1), (0.5, 1))
    assert {f.name for f in kept.iterdir()} == set(names)


@pytest.mark.parametrize('name, value', [
    ('ROBODYN_CPU_NAME', 'generic'), ('ROBODYN_CPU_FEATURES', ''),
    ('ROBODYN_CPU_FEATURES', '+fma'),
])
def test_another_processor_has_programs_of_its_own(name, value, monkeypatch):
    """Code for one that was asked for is nothing that later runs would load."""
    monkeypatch.delenv(name, raising=False)
    before = cache.digest('a program')
    monkeypatch.setenv(name, value)
    assert cache.digest('a program') != before


def truncate(file):
    """Keep the first half of a file."""
    data = file.read_bytes()
    file.write_bytes(data[:len(data) // 2])


def spoil(file):
    """Change one bit in the middle of a file."""
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 4
    file.write_bytes(bytes(data))


DAMAGE = {
    'truncated machine code': lambda at: [truncate(f) for f in at.rglob('*.o')],
    'one bit of machine code': lambda at: [spoil(f) for f in at.rglob('*.o')],
    'truncated checksums': lambda at: truncate(at / cache.CHECKSUMS),
    'garbage checksums': lambda at: (at / cache.CHECKSUMS).write_bytes(b'\xff\x00 not json'),
    'checksums of another kind': lambda at: (at / cache.CHECKSUMS).write_text('[1, 2]'),
    'no checksums': lambda at: (at / cache.CHECKSUMS).unlink(),
    'truncated source': lambda at: truncate(at / cache.PROGRAM),
}


def test_a_damaged_program_is_compiled_again(kept, caplog):
    """Whatever is cut, changed or missing: a warning names the folder, the numbers are right."""
    made = small()
    place = kept / cache.digest(made.source)
    assert load(made) == (0.25, 1)
    for name, damage in DAMAGE.items():
        damage(place)
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            assert load(made) == (0.25, 1), name
        assert str(place) in caplog.text, name
        assert load(made) == (0.25, 0), f'{name}: was not repaired'


def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path, monkeypatch, caplog):
    """One warning names the folder and the remedy; the program works without it."""
    blocker = tmp_path / 'file'
    blocker.write_text('not a folder')
    folder = blocker / 'programs'  # not even root can write here
    monkeypatch.setenv('ROBODYN_CACHE_DIR', str(folder))
    monkeypatch.setattr(cache, '_warned', set())
    with caplog.at_level(logging.WARNING):
        assert load(small(0.25)) == (0.25, 1)
        assert load(small(0.5)) == (0.5, 1)
    warnings = [r.getMessage() for r in caplog.records if r.name == 'robodyn_ros']
    assert len(warnings) == 1, warnings
    for word in (str(folder), 'chmod 700', 'ROBODYN_CACHE_DIR'):
        assert word in warnings[0]


def stay(monkeypatch, place):
    """Let a program be one that cannot be removed, such as another user's."""
    remove = shutil.rmtree
    monkeypatch.setattr(cache.shutil, 'rmtree', lambda path, **options: None
                        if path == place else remove(path, **options))


@pytest.mark.parametrize('damage', ['truncated machine code', 'no checksums'])
def test_a_damaged_program_that_cannot_be_removed_is_named(damage, kept, monkeypatch, caplog):
    """One sentence names the folder and the remedies, once; the numbers are right."""
    made = small()
    place = kept / cache.digest(made.source)
    load(made)
    DAMAGE[damage](place)
    stay(monkeypatch, place)
    with caplog.at_level(logging.WARNING):
        assert [load(made), load(made)] == [(0.25, 1), (0.25, 1)]
    warnings = [r.getMessage() for r in caplog.records if r.name == 'robodyn_ros']
    assert len(warnings) == 1, warnings
    for word in (str(place), 'remove', 'ROBODYN_CACHE_DIR'):
        assert word in warnings[0]
    assert list(kept.iterdir()) == [place]


def test_a_file_in_the_place_of_a_program_is_named(kept, caplog):
    """What is no folder cannot be replaced either."""
    place = kept / cache.digest(small().source)
    kept.mkdir()
    place.write_text('not a folder')
    with caplog.at_level(logging.WARNING):
        assert load(small()) == (0.25, 1)
    assert f'{place} can neither' in caplog.text and 'remove it' in caplog.text


def test_another_process_that_was_first_is_no_reason_to_warn(kept, monkeypatch, caplog):
    """The program that is there serves as well as the one just built."""
    made = small()
    load(made)
    monkeypatch.setattr(cache, '_published', lambda *_, **__: None)  # it was not there yet
    with caplog.at_level(logging.WARNING):
        assert load(made) == (0.25, 1)
    assert not caplog.records and [f.name for f in kept.iterdir()] == [cache.digest(made.source)]


def test_a_folder_that_becomes_full_leaves_nothing_behind(kept, monkeypatch):
    """An error while writing ends in a program in memory and no half-built folder."""
    def no_space(*_):
        raise OSError(28, 'No space left on device')
    monkeypatch.setattr(cache, '_checksums', no_space)
    assert load(small()) == (0.25, 1)
    assert list(kept.iterdir()) == []


def test_who_waits_for_a_program_does_not_compile_it(kept):
    """Threads that are sent off at once, each as if it were a process: one compiles."""
    made, begun, told = small(), threading.Event(), []

    def compiled():
        told.append(1)
        begun.wait(60.0)  # the others had time to come
        return made.machine_code()

    with ThreadPoolExecutor(4) as pool:
        found = [pool.submit(cache.load, made.source, compiled) for _ in range(4)]
        while not list(kept.glob('*.lock')):
            time.sleep(0.001)
        begun.set()
        codes = [one.result(60.0) for one in found]
    assert told == [1] and all(code == codes[0] for code in codes)
    assert [folder.name for folder in kept.iterdir()] == [cache.digest(made.source)]


def no_locks(*_):
    """Be a file system without them."""
    raise OSError(errno.ENOLCK, 'No locks available')


def always_held(*_):
    """Be a process that was stopped when it compiled."""
    raise BlockingIOError(errno.EWOULDBLOCK, 'held')


@pytest.mark.parametrize('flock', [no_locks, always_held])
def test_without_its_lock_a_program_is_compiled_all_the_same(flock, kept, monkeypatch, caplog):
    """A file system without locks, or a process that was stopped, costs time and no more."""
    monkeypatch.setattr(cache.fcntl, 'flock', flock)
    monkeypatch.setattr(cache, 'WAITING', 0.2)
    with caplog.at_level(logging.WARNING):
        assert [load(small()), load(small())] == [(0.25, 1), (0.25, 0)]
    assert not caplog.records


@pytest.mark.parametrize('make', [os.mkdir, os.mkfifo, lambda path: os.symlink('/dev/full', path),
                                  lambda path: path.write_text('left by a killed process')])
def test_whatever_lies_where_the_lock_belongs(make, kept):
    """It is neither followed nor waited for, and the program is kept."""
    kept.mkdir(mode=0o700)
    make(kept / f'{cache.BUILDING}{cache.digest(small().source)}{cache.LOCK}')
    assert [load(small()), load(small())] == [(0.25, 1), (0.25, 0)]


def grow_old(folder, days):
    """Let a folder have been changed so long ago."""
    then = folder.stat().st_mtime - days * cache.DAY
    os.utime(folder, (then, then))


def test_folders_of_killed_builds_are_swept_after_a_day(kept):
    """What a killed process left is removed by the next build; young folders may be in use."""
    for name, days in (('.building-old', 2.0), ('.building-young', 0.001)):
        (kept / name).mkdir(parents=True)
        grow_old(kept / name, days)
    lock = kept / '.building-one.lock'
    lock.touch()
    grow_old(lock, 2.0)
    load(small())
    assert sorted(f.name for f in kept.glob('.building-*')) == ['.building-young']


def test_programs_that_nobody_used_for_long_are_swept(kept):
    """A new program removes those not used for 90 days; using one, or not being one, saves."""
    unused, used = small(0.25), small(0.5)
    foreign = kept / ('0' * cache.DIGITS)
    foreign.mkdir(parents=True)  # the user's own, with a name like ours
    for made in (unused, used):
        load(made)
    for folder in kept.iterdir():
        grow_old(folder, 91.0)
    assert load(used) == (0.5, 0)
    load(small(0.75))
    assert {f.name for f in kept.iterdir()} == {
        foreign.name, cache.digest(used.source), cache.digest(small(0.75).source)}


@pytest.mark.parametrize('chosen, expected', [
    ({'ROBODYN_CACHE_DIR': '/a/b'}, '/a/b'),
    ({'XDG_CACHE_HOME': '/x'}, '/x/robodyn_ros'),
    ({'HOME': '/h'}, '/h/.cache/robodyn_ros'),
])
def test_the_folder_is_where_the_user_says(chosen, expected, monkeypatch):
    """ROBODYN_CACHE_DIR first, then XDG_CACHE_HOME, then ~/.cache."""
    for name in ('ROBODYN_CACHE_DIR', 'XDG_CACHE_HOME', 'HOME'):
        monkeypatch.delenv(name, raising=False)
    for name, value in chosen.items():
        monkeypatch.setenv(name, value)
    assert str(cache.folder()) == expected
