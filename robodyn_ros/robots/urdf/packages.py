# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Where the files lie that a robot's description speaks of: package://, file:// and relative.

A package is looked for where ROS 2 installed it (AMENT_PREFIX_PATH), where ROS 1 would look
(ROS_PACKAGE_PATH), and in the folders around the description itself, so that a vendor's repository
works as it was cloned, without ROS and without building it. No ROS package is imported.
"""
from __future__ import annotations

from functools import lru_cache
import os
from pathlib import Path
import re
from typing import Iterator
from urllib.parse import unquote

from robodyn_ros.errors import RobotFileError

LEVELS_UP = 8
"""Folders above a description that are looked at."""
LEVELS_DOWN = 4
"""Folders below an entry of ROS_PACKAGE_PATH that may hold a package."""
MOST_FOLDERS = 5000
"""Folders looked at below one entry: a path such as / ends soon."""
MANIFEST = 'package.xml'
LONGEST_MANIFEST = 1_000_000
NOT_PACKAGES = {'build', 'log', 'node_modules', '__pycache__'}


def package_folder(name: str, near: str | Path) -> Path | None:
    """
    Return the folder a package's files lie in (that of $(find name)); None if it is not found.

    :param near: the description's file or folder
    """
    if not name or '/' in name or name in ('.', '..'):
        return None
    for prefix in _entries('AMENT_PREFIX_PATH'):
        share = prefix / 'share' / name
        if os.path.isdir(share):
            return share
    for entry in _entries('ROS_PACKAGE_PATH'):
        found = _packages_below(str(entry)).get(name)
        if found:
            return Path(found)
    for folder in folders_around(near):
        if folder.name == name or _declared(folder) == name:
            return folder
        beside = folder / name
        if os.path.isdir(beside):
            return beside
        if folder != folder.parent and name in _packages_in(str(folder)):
            return Path(_packages_in(str(folder))[name])
    return None


def resolved(address: str, near: str | Path) -> Path:
    """
    Return the file that an address of a description means; RobotFileError says why there is none.

    :param address: package://name/path, model://name/path, file:///path, or a path that is taken
        from the description's folder
    :param near: the description's file or folder
    """
    scheme, separator, rest = address.strip().partition('://')
    if not separator:
        return _existing(_folder_of(near) / address.strip(), address, near)
    rest = rest.split('#')[0]
    if scheme == 'file':
        return _existing(_folder_of(near) / unquote(rest), address, near)
    if scheme not in ('package', 'model'):
        raise RobotFileError(f'{address!r} is not a file of this machine; use package://, '
                             'file:// or a path')
    name, _, path = unquote(rest).partition('/')
    folder = package_folder(name, near)
    if folder is not None and os.path.exists(folder / path):
        return folder / path
    # a repository cloned under another name, or a description copied out of its package
    for around in folders_around(near):
        if path and os.path.isfile(around / path):
            return around / path
    if folder is not None:
        return _existing(folder / path, address, near)
    raise RobotFileError(f'{address!r}: there is no package {name!r} in AMENT_PREFIX_PATH, '
                         f'ROS_PACKAGE_PATH or the folders around {near}; install it, or put it '
                         'beside the description')


def folders_around(near: str | Path) -> Iterator[Path]:
    """Yield the description's folder and those above it, nearest first."""
    folder = _folder_of(near).absolute()
    yield folder
    yield from list(folder.parents)[:LEVELS_UP]


def _folder_of(near: str | Path) -> Path:
    path = Path(near)
    return path if path.is_dir() else path.parent


def _existing(path: Path, address: str, near: str | Path) -> Path:
    try:
        if os.path.exists(path):
            return path
    except (OSError, ValueError):  # a name that is too long, or holds a null
        pass
    raise RobotFileError(f'{address!r} of {near} is not there (looked for {path}); put the file '
                         'there, or correct the address')


def _entries(variable: str) -> list[Path]:
    return [Path(entry) for entry in os.environ.get(variable, '').split(os.pathsep) if entry]


def _declared(folder: Path) -> str:
    """Return the name in a folder's package.xml; '' without one."""
    try:
        with open(folder / MANIFEST, encoding='utf-8', errors='replace') as file:
            found = re.search(r'<name>\s*([^<\s]+)\s*</name>', file.read(LONGEST_MANIFEST))
    except OSError:
        return ''
    return found.group(1) if found else ''


@lru_cache(maxsize=256)
def _packages_in(folder: str) -> dict[str, str]:
    """Return the packages one or two folders below, by name: a workspace's src, a repository."""
    return _search(folder, 2, MOST_FOLDERS // 10)


@lru_cache(maxsize=64)
def _packages_below(folder: str) -> dict[str, str]:
    return _search(folder, LEVELS_DOWN, MOST_FOLDERS)


def _search(top: str, levels: int, most: int) -> dict[str, str]:
    """Return the packages of a tree of folders; nothing is looked for inside of one."""
    found: dict[str, str] = {}
    waiting = [(Path(top), 0)]
    for place, (folder, level) in enumerate(waiting):
        name = _declared(folder)
        if name:
            found.setdefault(name, str(folder))
            if level:  # the top may be a repository whose own manifest stands above others
                continue
        if level == levels or place >= most or len(waiting) >= most:
            continue
        try:
            with os.scandir(folder) as entries:
                inside = sorted(entry.path for entry in entries
                                if not entry.name.startswith('.')
                                and entry.name not in NOT_PACKAGES and entry.is_dir())
        except OSError:
            continue
        waiting += [(Path(path), level + 1) for path in inside[:most]]
    return found
