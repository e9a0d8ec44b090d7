# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Machine code is loaded only from where nobody else can have put it."""

import hashlib
import json
import logging
import os
import threading
import time

import numpy as np
import pytest
from robodyn_ros.codegen import cache
from robodyn_ros.codegen.native import link
from robodyn_ros.codegen.program import Program
from robodyn_ros.tracing import sin
from tracing.recording import program

STRANGER = 65533
"""A user who is not us."""
as_root = pytest.mark.skipif(os.geteuid() != 0, reason='needs root, to give files to others')


def small(constant=0.25):
    """Return a small program: sin(x) + constant."""
    return program(lambda x: [sin(x) + constant], 1)


def value(made):
    """Load a program; returns its value at x = 0 and how often it was compiled."""
    told = []

    def compiled():
        told.append(1)
        return made.machine_code()

    functions = link(cache.load(made.source, compiled), made.signatures)
    y = np.empty(1)
    functions['many_evaluate'](1, np.zeros(1), np.zeros(1), y)
    return y[0], len(told)


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Keep compiled programs in a folder of this test's own."""
    folder = tmp_path / 'programs'
    monkeypatch.setenv('ROBODYN_CACHE_DIR', str(folder))
    monkeypatch.setattr(cache, '_warned', set())
    return folder


def plant_evil(folder, made):
    """Put machine code that answers 666 in a program's place, with checksums that fit."""
    evil = small(666.0).machine_code()
    place = folder / cache.digest(made.source)
    place.mkdir(parents=True, exist_ok=True)
    for file in place.iterdir():
        file.unlink()
    files = {cache.PROGRAM: made.source.encode(), cache.ENTRIES: json.dumps(evil.symbols).encode(),
             **{f'{k}.o': code for k, code in enumerate(evil.objects)}}
    files[cache.CHECKSUMS] = json.dumps(
        {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}).encode()
    for name, data in files.items():
        (place / name).write_bytes(data)
    return place


def give_away(path):
    """Let another user own a file or folder with all that is in it."""
    for one in [path, *path.rglob('*')]:
        os.chown(one, STRANGER, STRANGER, follow_symlinks=False)


def told(caplog):
    """Return the warnings of this package."""
    return [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]


def test_the_plot_itself_works(kept):
    """Planted in our own folder by ourselves it is loaded: the tests below can fail."""
    kept.mkdir(mode=0o700)
    plant_evil(kept, small())
    assert value(small()) == (666.0, 0)


OPEN_TO_OTHERS = {
    'mode 777': lambda folder: folder.chmod(0o777),
    'mode 770': lambda folder: folder.chmod(0o770),
    'mode 1777, as /tmp': lambda folder: folder.chmod(0o1777),
    "another user's": give_away,
    "another user's, read only": lambda folder: (give_away(folder), folder.chmod(0o555)),
}


@as_root
@pytest.mark.parametrize('how', OPEN_TO_OTHERS)
def test_a_folder_that_others_can_write_is_not_used(how, kept, caplog):
    """Compiled in memory, said once, and nothing is written there."""
    kept.mkdir()
    plant_evil(kept, small())
    OPEN_TO_OTHERS[how](kept)
    before = sorted(kept.rglob('*'))
    with caplog.at_level(logging.WARNING):
        assert [value(small()), value(small())] == [(0.25, 1)] * 2
    assert len(told(caplog)) == 1 and str(kept) in told(caplog)[0], told(caplog)
    assert 'in memory' in told(caplog)[0] and 'ROBODYN_CACHE_DIR' in told(caplog)[0]
    assert sorted(kept.rglob('*')) == before


@as_root
def test_links_of_others_are_not_followed(kept, tmp_path, caplog):
    """Neither to their folders, nor to ours."""
    theirs = tmp_path / 'theirs'
    plant_evil(theirs, small())
    theirs.chmod(0o700)
    kept.symlink_to(theirs)
    os.chown(kept, STRANGER, STRANGER, follow_symlinks=False)
    assert value(small()) == (0.25, 1) and 'a link of user' in caplog.text
    cache._warned.clear()
    kept.unlink()
    kept.symlink_to(theirs)
    give_away(theirs)
    caplog.clear()
    assert value(small()) == (0.25, 1) and f'belongs to user {STRANGER}' in caplog.text


def test_our_own_link_may_lead_to_another_disk(kept, tmp_path):
    """What counts is the folder at its end."""
    (tmp_path / 'disk').mkdir(mode=0o700)
    kept.symlink_to(tmp_path / 'disk')
    assert [value(small()), value(small())] == [(0.25, 1), (0.25, 0)]


def hard_link(place):
    """Let a file have another name, through which somebody else may write."""
    os.link(place / cache.PROGRAM, place.parent.parent / 'other_name')


def replaced(place, make):
    """Put something else in the place of an object file."""
    file = next(place.glob('*.o'))
    file.unlink()
    make(file)


PLANTED = {
    'the program of another user': give_away,
    'a file of another user': lambda place: give_away(next(place.glob('*.o'))),
    'a program others can write': lambda place: place.chmod(0o777),
    'a file others can write': lambda place: next(place.glob('*.o')).chmod(0o666),
    'a hard link': hard_link,
    'a link': lambda place: replaced(place, lambda file: file.symlink_to('/dev/zero')),
    'a pipe that nobody fills': lambda place: replaced(place, os.mkfifo),
    'a folder': lambda place: replaced(place, os.mkdir),
    'a file of a terabyte': lambda place: os.truncate(next(place.glob('*.o')), 1 << 40),
}


@as_root
@pytest.mark.parametrize('what', PLANTED)
def test_what_others_may_have_planted_in_our_folder_is_compiled_anew(what, kept, caplog):
    """A folder that was open once may still hold what came in then."""
    kept.mkdir(mode=0o700)
    PLANTED[what](plant_evil(kept, small()))
    assert value(small()) == (0.25, 1), what
    assert 'discarding' in caplog.text and value(small()) == (0.25, 0)


def test_a_folder_others_could_read_becomes_ours_alone(kept):
    """As earlier versions made it; a new one is private from its first moment."""
    value(small())
    assert kept.stat().st_mode & 0o777 == 0o700
    kept.chmod(0o755)
    assert value(small()) == (0.25, 0) and kept.stat().st_mode & 0o777 == 0o700
    assert all(not file.stat().st_mode & 0o077 for file in kept.rglob('*'))


def test_a_folder_that_serves_for_other_things_keeps_its_mode(kept, caplog):
    """Nobody wants / or /opt to be closed because a variable named it."""
    kept.mkdir()
    kept.chmod(0o755)
    (kept / 'etc').mkdir()
    assert value(small()) == (0.25, 1) and 'holds other things' in caplog.text
    assert kept.stat().st_mode & 0o777 == 0o755 and len(list(kept.iterdir())) == 1
    kept.chmod(0o700)
    assert [value(small()), value(small())] == [(0.25, 1), (0.25, 0)]


@pytest.mark.parametrize('name', [
    'relative', '', 'x' * 300, '/'.join(['x' * 200] * 40), 'new\nline\x1b[31m', '\udcff', '~'])
def test_any_path_is_a_folder_or_a_sentence(name, tmp_path, monkeypatch, caplog):
    """Relative to nothing, overlong, of letters that no terminal shows: no traceback."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cache, '_warned', set())
    for variable in ('HOME', 'XDG_CACHE_HOME'):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(os.path, 'expanduser', lambda path: path)  # nobody knows this user
    relative = name in ('relative', '', '~')
    monkeypatch.setenv('ROBODYN_CACHE_DIR', name if relative else f'{tmp_path}/{name}')
    assert value(small()) == (0.25, 1)
    for sentence in told(caplog):
        assert sentence.isprintable() and 'in memory' in sentence
    if relative:
        assert 'not absolute' in caplog.text and not list(tmp_path.iterdir())


@as_root
def test_a_folder_that_cannot_be_searched_costs_only_time(kept, tmp_path, caplog):
    """As another user sees a folder of root."""
    kept.mkdir(mode=0o700)
    made = small()
    code = made.machine_code()
    (tmp_path / 'closed').mkdir(mode=0o700)
    os.environ['ROBODYN_CACHE_DIR'] = str(tmp_path / 'closed' / 'programs')  # kept puts it back
    os.seteuid(STRANGER)
    try:
        assert cache.load(made.source, lambda: code) == code
    finally:
        os.seteuid(0)
    assert 'in memory' in caplog.text and 'Permission denied' in caplog.text


def test_the_bytes_that_were_hashed_are_the_bytes_that_are_loaded(kept, monkeypatch):
    """Files that change after they were looked at do not matter: nobody looks twice."""
    value(small())
    place = kept / cache.digest(small().source)
    checksums = cache._checksums

    def late(files):
        found = checksums(files)
        plant_evil(kept, small())
        return found

    monkeypatch.setattr(cache, '_checksums', late)
    assert value(small()) == (0.25, 0)
    assert place.is_dir()


def test_entries_that_lie_are_compiled_anew(kept):
    """Names and symbols that do not fit the files, with checksums that do."""
    for entries in ('{}', '[["../../x", "y"]]', '[1]', '[[1, 2]]', '7', '[["many_evaluate"]]'):
        place = plant_evil(kept, small()) if kept.mkdir(0o700, exist_ok=True) is None else None
        (place / cache.ENTRIES).write_text(entries)
        files = {f.name: f.read_bytes() for f in place.iterdir() if f.name != cache.CHECKSUMS}
        (place / cache.CHECKSUMS).write_text(json.dumps(
            {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}))
        assert value(small()) == (0.25, 1), entries


def test_a_fork_waits_for_the_compiler_of_another_thread(kept, monkeypatch):
    """A child that was born in the middle of it would wait for its lock for ever."""
    compiling, code = threading.Event(), {}

    def slow(made):
        compiling.set()
        time.sleep(0.3)  # as long as a compilation
        return code[made.source]

    made = [small(0.125), small(0.375)]
    for one in made:
        code[one.source] = one.machine_code()
    monkeypatch.setattr(Program, 'machine_code', slow)
    thread = threading.Thread(target=made[0].functions)
    thread.start()
    assert compiling.wait(10.0)
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if made[1].evaluate('evaluate', np.zeros(1), np.zeros(1))[0] == 0.375
                     else 3)
        finally:
            os._exit(4)
    thread.join()
    deadline = time.monotonic() + 30.0
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    pytest.fail('the child waits for a lock that nobody will open')
