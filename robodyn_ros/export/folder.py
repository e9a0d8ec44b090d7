# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The folder of an exported library: looked at before anything takes long, written as a whole."""
from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Mapping

from robodyn_ros.errors import ArgumentError


def check_folder(given: str) -> Path:
    """Return the folder that files may go to, which need not be there; refuse any other."""
    if not given.strip():
        raise ArgumentError('--output is empty; give a folder, . for this one')
    folder = Path(given)
    if folder.exists() and not folder.is_dir():
        raise ArgumentError(f'--output is {given!r}, which is a file; give a folder')
    nearest = next(place for place in (folder, *folder.absolute().parents)
                   if os.path.lexists(place))
    if not nearest.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(nearest))
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(nearest))
    return folder


def write(folder: Path, files: Mapping[str, str], force: bool) -> None:
    """
    Write texts by their names below the folder; either all of them, or none.

    :param force: in place of files that are there; what a link leads to is replaced, not the link
    """
    there = [folder / name for name in files if os.path.lexists(folder / name)]
    for path in there:
        if not force:
            raise ArgumentError(f'{path} is there already; give another --output, or --force to '
                                'write over it')
        if path.is_dir():
            raise ArgumentError(f'{path} is a folder, where a file is to be written; give another '
                                '--output, or move it')
    places = {Path(os.path.realpath(folder / name)): text for name, text in files.items()}
    private = {place: place.with_name(f'.{place.name}.{os.getpid()}') for place in places}
    try:
        for place, text in places.items():
            place.parent.mkdir(parents=True, exist_ok=True)
            private[place].write_text(text, encoding='utf-8')
        for place, path in private.items():
            os.replace(path, place)
    finally:
        for path in private.values():
            if os.path.lexists(path):
                path.unlink()
