# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Compiled programs on disk, found by the hash of everything that could change them.

One folder per program, named by the hash of its source, the compiler's versions and settings and
the processor. It is built under a private name and appears by one rename, so two processes may
compile the same program at once; a list of checksums is verified before anything is loaded, so a
truncated file means compiling again, never a crash. Where the folder cannot be written, programs
are compiled in memory and a warning says so. Programs that nobody used for long make room for new
ones.
"""
from __future__ import annotations

import contextlib
import hashlib
from importlib import metadata
import json
import logging
import os
from pathlib import Path
import platform
import shutil
import tempfile
import time
from typing import Callable, Sequence

import llvmlite
from llvmlite import binding

from robodyn_ros.codegen.native import MachineCode

LOG = logging.getLogger('robodyn_ros')
PROGRAM, ENTRIES, CHECKSUMS = 'program.py', 'entries.json', 'checksums.json'
_HERE = Path(__file__).parent
BACK_END = '\0'.join(path.read_text(encoding='utf-8') for path in (
    _HERE.parent / 'tolerances.py', *sorted(_HERE.rglob('*.py'))))
"""What a program's own text does not say about its machine code: loops and instructions."""
NO_CODE = ('NUMBA_CACHE_DIR', 'NUMBA_NUM_THREADS')
"""Settings of numba that leave the machine code as it is."""
DIGITS = 32
"""Length of a program's name."""
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
    base = os.environ.get('XDG_CACHE_HOME') or os.path.join(os.path.expanduser('~'), '.cache')
    return Path(base) / 'robodyn_ros'


def digest(source: str) -> str:
    """Name of the program: source, back end, compiler, its settings, interpreter, processor."""
    chosen = sorted(f'{name}={value}' for name, value in os.environ.items()
                    if name.startswith('NUMBA_') and name not in NO_CODE)
    facts = (source, BACK_END, metadata.version('numba'), llvmlite.__version__,
             platform.python_version(), binding.get_host_cpu_name(),
             binding.get_host_cpu_features().flatten(), *chosen)
    return hashlib.sha256('\0'.join(facts).encode()).hexdigest()[:DIGITS]


def load(source: str, compiled: Callable[[], list[MachineCode]]) -> list[MachineCode]:
    """
    Return the machine code of a program, from the cache if it is there.

    :param compiled: compiles it; called only if it is not there
    """
    place = folder() / digest(source)
    parts = _published(place, source)
    if parts is None:
        parts = compiled()
        try:
            _publish(place, source, parts)
        except OSError as error:
            _warn_once(f'compiled programs cannot be kept in {place.parent} '
                       f'({error.strerror or error}): compiling in memory, which every start '
                       'repeats; make the folder writable or set ROBODYN_CACHE_DIR to one that is')
    return parts


def _published(place: Path, source: str) -> list[MachineCode] | None:
    if not place.is_dir():
        return None
    try:
        return _read(place, source)
    except Exception as error:  # noqa: B902  any failure to load means: compile again
        shutil.rmtree(place, ignore_errors=True)
        if not place.exists():  # else _publish says what to do
            LOG.warning('discarding the compiled program %s: %s', place, error)
    return None


def _read(place: Path, source: str) -> list[MachineCode]:
    expected = json.loads((place / CHECKSUMS).read_text(encoding='utf-8'))
    kept = (place / PROGRAM).read_text(encoding='utf-8')
    if expected != _checksums(place) or kept != source:
        raise ValueError('a file is damaged')
    entries = json.loads((place / ENTRIES).read_text(encoding='utf-8'))
    with contextlib.suppress(OSError):  # a folder that may only be read serves as well
        os.utime(place)
    return [MachineCode(name, symbol, (place / f'{name}.o').read_bytes())
            for name, symbol in entries]


def _publish(place: Path, source: str, parts: Sequence[MachineCode]) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    _sweep(place.parent)
    private = Path(tempfile.mkdtemp(prefix='.building-', dir=place.parent))
    try:
        (private / PROGRAM).write_text(source, encoding='utf-8')
        for part in parts:
            (private / f'{part.name}.o').write_bytes(part.code)
        (private / ENTRIES).write_text(json.dumps([part[:2] for part in parts]), encoding='utf-8')
        (private / CHECKSUMS).write_text(json.dumps(_checksums(private)), encoding='utf-8')
        try:
            os.rename(private, place)
        except OSError:
            if not os.path.lexists(place):
                raise
            _look_at(place, source)
    finally:
        shutil.rmtree(private, ignore_errors=True)


def _look_at(place: Path, source: str) -> None:
    """Tell another process that was first with the same program from what cannot be removed."""
    try:
        _read(place, source)
    except Exception as error:  # noqa: B902  it would not load later either
        _warn_once(f'the compiled program {place} can neither be used ({error}) nor replaced: '
                   'compiling in memory, which every start repeats; remove it, or set '
                   'ROBODYN_CACHE_DIR to another folder')


def _checksums(place: Path) -> dict[str, str]:
    files = (f for f in sorted(place.rglob('*')) if f.is_file() and f.name != CHECKSUMS)
    return {str(f.relative_to(place)): hashlib.sha256(f.read_bytes()).hexdigest() for f in files}


def _sweep(parent: Path) -> None:
    """Remove what killed processes left half built, and programs that nobody used for long."""
    half_built = ((left, LEFT_BEHIND) for left in parent.glob('.building-*'))
    # only what is surely ours: the user may have chosen a folder that holds other things as well
    programs = ((left, UNUSED) for left in parent.glob('[0-9a-f]' * DIGITS)
                if (left / CHECKSUMS).is_file())
    for left, limit in (*half_built, *programs):
        with contextlib.suppress(FileNotFoundError):  # another process may remove it just now
            if time.time() - left.stat().st_mtime > limit:
                shutil.rmtree(left, ignore_errors=True)


def _warn_once(sentence: str) -> None:
    if sentence not in _warned:
        _warned.add(sentence)
        LOG.warning(sentence)
