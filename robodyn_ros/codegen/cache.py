# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Compiled programs on disk, found by the hash of everything that could change them.

One folder per program, named by the hash of its source, the compiler's versions and settings and
the processor. It is built under a private name and appears by one rename, so two processes may
compile the same program at once; they need not: whoever compiles holds a lock, and others wait for
it and look again. The lock ends with its process and the wait is bounded, so nobody depends on
either. A list of checksums is verified before anything is loaded, so a truncated file means
compiling again, never a crash. Programs that nobody used for long make room for new ones.

What is loaded is run, so the cache is trusted only as far as nobody else could have written it:
the folder has an absolute path, belongs to the user of this process and to nobody else (0700), and
so does every file in it. It is opened once and everything is done relative to that descriptor, and
each file is read once: the bytes that were hashed are the bytes that are loaded. Whoever may
rename a folder above can thus do no more than take the cache away. Where any of this does not
hold, or the folder cannot be written, programs are compiled in memory and a warning says so.
"""
from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import logging
import os
from pathlib import Path
import platform
import secrets
import shutil
import stat
import time
from typing import Callable, Iterator, Mapping

import llvmlite

from robodyn_ros.codegen import processor
from robodyn_ros.codegen.native import MachineCode
from robodyn_ros.errors import printable

LOG = logging.getLogger('robodyn_ros')
PROGRAM, ENTRIES, CHECKSUMS = 'program.py', 'entries.json', 'checksums.json'
_HERE = Path(__file__).parent
BACK_END = '\0'.join(path.read_text(encoding='utf-8') for path in (
    _HERE.parent / 'tolerances.py', *sorted(_HERE.rglob('*.py'))))
"""What a program's own text does not say about its machine code: loops and instructions."""
DIGITS = 32
"""Length of a program's name."""
BUILDING = '.building-'
"""What the name of a program begins with that is not complete."""
LOCK = '.lock'
"""What the name of the lock of a program ends with, which begins like one that is built."""
WAITING = 120.0
"""Time after which a program is compiled though another process still holds its lock [s]."""
LOOK = 0.05
"""Time between looks at a lock [s]."""
MOST_BYTES = 1 << 28
"""Size of one file of a program; no compiler writes such a one."""
DAY = 86400.0  # [s]
LEFT_BEHIND = 1.0 * DAY
"""Age from which a folder under construction has no process any more [s]."""
UNUSED = 90.0 * DAY
"""Age of the last use from which a program is removed [s]."""
_warned: set[str] = set()


def folder() -> Path:
    """Where programs are kept: ROBODYN_CACHE_DIR, else the user's cache folder."""
    chosen = os.environ.get('ROBODYN_CACHE_DIR')
    if chosen:
        return Path(chosen)
    base = os.environ.get('XDG_CACHE_HOME', '')
    if not os.path.isabs(base):  # to be ignored, says the standard
        base = os.path.join(os.path.expanduser('~'), '.cache')
    return Path(base) / 'robodyn_ros'


def digest(source: str) -> str:
    """Name of the program: source, back end, compiler, interpreter, processor."""
    facts = (source, BACK_END, llvmlite.__version__, platform.python_version(),
             *processor.identity(), repr(processor.asked()))
    return hashlib.sha256('\0'.join(facts).encode()).hexdigest()[:DIGITS]


def load(source: str, compiled: Callable[[], MachineCode]) -> MachineCode:
    """
    Return the machine code of a program, from the cache if it is there.

    :param compiled: compiles it; called only if it is not there
    """
    place, name = folder(), digest(source)
    with contextlib.ExitStack() as closing:
        try:
            top = closing.enter_context(_own_folder(place))
        except OSError as error:
            _tell(place, error)
            return compiled()
        code = _published(top, place / name, source)
        if code is None:
            closing.enter_context(_one_at_a_time(top, name))
            code = _published(top, place / name, source, discard=True)
        if code is None:
            code = compiled()
            try:
                _publish(top, place / name, source, code)
            except OSError as error:
                _tell(place, error)
        return code


@contextlib.contextmanager
def _one_at_a_time(top: int, name: str) -> Iterator[None]:
    """Let others compile this program first, where locks can be had and theirs ends in time."""
    file, until = f'{BUILDING}{name}{LOCK}', time.monotonic() + WAITING
    lock, told = None, False
    try:
        while lock is None and time.monotonic() < until:
            lock = _locked(top, file)
            if lock is None:
                if not told:
                    LOG.info('waiting for another process that makes the same program')
                told = True
                time.sleep(LOOK)
    except OSError:  # a folder that may only be read, a full disk, a file system without locks
        pass
    try:
        yield
    finally:
        if lock is not None:
            with contextlib.suppress(OSError):  # while it is ours: who waits for it looks anew
                os.unlink(file, dir_fd=top)
            os.close(lock)


def _locked(top: int, file: str) -> int | None:
    """Return the descriptor of a lock, None if another process has it."""
    lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600,
                   dir_fd=top)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(lock), os.stat(file, dir_fd=top, follow_symlinks=False)):
            return lock
    except (BlockingIOError, FileNotFoundError):  # held, or removed by who held it
        pass
    except BaseException:
        os.close(lock)
        raise
    os.close(lock)
    return None


def _tell(place: Path, error: OSError) -> None:
    _warn_once(f'compiled programs cannot be kept in {place} ({error.strerror or error}): '
               'compiling in memory, which every start repeats; make it a folder that you, and '
               'nobody else, own and can write (chmod 700), or set ROBODYN_CACHE_DIR to one')


@contextlib.contextmanager
def _own_folder(place: Path) -> Iterator[int]:
    """Open the folder, made if need be, as a descriptor; OSError if it is not ours alone."""
    if not place.is_absolute():
        raise _refused('the path is not absolute')
    try:
        link = os.lstat(place)
    except FileNotFoundError:
        place.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):  # another process may make it just now
            os.mkdir(place, 0o700)
        link = os.lstat(place)
    if stat.S_ISLNK(link.st_mode) and link.st_uid not in (0, os.geteuid()):
        raise _refused(f'it is a link of user {link.st_uid}')
    top = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    try:
        mode = stat.S_IMODE(_must_be_ours(os.fstat(top), 'it').st_mode)
        if mode & 0o077:  # others could read it, no more, as earlier versions made it
            if not all(map(_is_our_name, os.listdir(top))):  # / and /opt are root's, too
                raise _refused(f'it has the mode {mode:04o} and holds other things')
            os.fchmod(top, 0o700)
        yield top
    finally:
        os.close(top)


def _must_be_ours(found: os.stat_result, what: str) -> os.stat_result:
    """Refuse what another user owns, or could have written."""
    if found.st_uid != os.geteuid():
        raise _refused(f'{what} belongs to user {found.st_uid}, not to user {os.geteuid()}')
    if found.st_mode & 0o022:
        raise _refused(f'{what} can be written by others, mode {stat.S_IMODE(found.st_mode):04o}')
    return found


def _is_our_name(name: str) -> bool:
    """Tell whether a name is that of a program, or of one that is being built."""
    return name.startswith(BUILDING) or (
        len(name) == DIGITS and not set(name) - set('0123456789abcdef'))


def _refused(reason: str) -> OSError:
    return OSError(errno.EPERM, reason)


def _published(top: int, place: Path, source: str, discard: bool = False) -> MachineCode | None:
    """Return a program that is there; a damaged one is removed by who holds its lock."""
    try:
        return _read(top, place.name, source)
    except FileNotFoundError:
        return None
    except Exception as error:  # noqa: B902  any failure to load means: compile again
        if not discard:
            return None
        shutil.rmtree(place, ignore_errors=True)
        if not _exists(top, place.name):  # else _publish says what to do
            LOG.warning(printable(f'discarding the compiled program {place}: {error}'))
    return None


def _exists(top: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=top, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _read(top: int, name: str, source: str) -> MachineCode:
    """Read a program; FileNotFoundError if there is none, anything else if it is damaged."""
    place = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=top)
    try:
        _must_be_ours(os.fstat(place), 'its folder')
        files = {file: _bytes(place, file) for file in os.listdir(place)}
        expected = json.loads(files.pop(CHECKSUMS, b'null'))
        if expected != _checksums(files) or files.get(PROGRAM) != source.encode():
            raise ValueError('a file is damaged')
        symbols = tuple((str(entry), str(symbol)) for entry, symbol in json.loads(files[ENTRIES]))
        objects = tuple(files.pop(file) for file in _objects(len(files) - len((PROGRAM, ENTRIES))))
        if not symbols or set(files) != {PROGRAM, ENTRIES} or not all(
                symbol.endswith(f'.{entry}') and any(symbol.encode() in code for code in objects)
                for entry, symbol in symbols):
            raise ValueError(f'{ENTRIES} does not name its files')
        with contextlib.suppress(OSError):  # a disk that may only be read serves as well
            os.utime(place)
        return MachineCode(symbols, objects)
    finally:
        os.close(place)


def _objects(count: int) -> list[str]:
    """Return the names of so many object files."""
    return [f'{k}.o' for k in range(count)]


def _bytes(place: int, name: str) -> bytes:
    """Return a file of a program, one that nobody else can have written."""
    # not to wait for a pipe, not to follow a link
    handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=place)
    with open(handle, 'rb') as file:
        found = _must_be_ours(os.fstat(handle), name)
        if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
            raise ValueError(f'{name} is no file of its own')
        if found.st_size > MOST_BYTES:
            raise ValueError(f'{name} has {found.st_size} bytes')
        return file.read(MOST_BYTES)


def _publish(top: int, place: Path, source: str, code: MachineCode) -> None:
    _sweep(top, place.parent)
    private = BUILDING + secrets.token_hex(8)
    os.mkdir(private, 0o700, dir_fd=top)
    try:
        files = {PROGRAM: source.encode(), ENTRIES: json.dumps(code.symbols).encode(),
                 **dict(zip(_objects(len(code.objects)), code.objects))}
        files[CHECKSUMS] = json.dumps(_checksums(files)).encode()
        _write(top, private, files)
        try:
            os.rename(private, place.name, src_dir_fd=top, dst_dir_fd=top)
        except OSError:
            if not _exists(top, place.name):
                raise
            _look_at(top, place, source)
    finally:
        shutil.rmtree(place.parent / private, ignore_errors=True)


def _write(top: int, name: str, files: Mapping[str, bytes]) -> None:
    """Write the files of a folder, each for its owner alone."""
    place = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=top)
    try:
        for file, data in files.items():
            handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=place)
            with open(handle, 'wb') as target:
                target.write(data)
    finally:
        os.close(place)


def _look_at(top: int, place: Path, source: str) -> None:
    """Tell another process that was first with the same program from what cannot be removed."""
    try:
        _read(top, place.name, source)
    except Exception as error:  # noqa: B902  it would not load later either
        _warn_once(f'the compiled program {place} can neither be used ({error}) nor replaced: '
                   'compiling in memory, which every start repeats; remove it, or set '
                   'ROBODYN_CACHE_DIR to another folder')


def _checksums(files: Mapping[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}


def _sweep(top: int, parent: Path) -> None:
    """Remove what killed processes left half built, and programs that nobody used for long."""
    for name in os.listdir(top):
        # only what is surely ours: the user may have chosen a folder that holds other things
        if not _is_our_name(name):
            continue
        limit = LEFT_BEHIND
        if not name.startswith(BUILDING):
            limit = UNUSED
            if not _exists(top, f'{name}/{CHECKSUMS}'):
                continue
        with contextlib.suppress(FileNotFoundError):  # another process may remove it just now
            if time.time() - os.stat(name, dir_fd=top, follow_symlinks=False).st_mtime > limit:
                if name.endswith(LOCK):
                    os.unlink(name, dir_fd=top)
                else:
                    shutil.rmtree(parent / name, ignore_errors=True)


def _warn_once(sentence: str) -> None:
    if sentence not in _warned:
        _warned.add(sentence)
        LOG.warning(printable(sentence))
