# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The text of a URDF for readers elsewhere: RViz, the browser view, a recording.

They know the text only, not where it was read. So the address of each mesh becomes one that can be
followed without knowing that: package:// stays where the ament index has the package, everything
else becomes file:// with the whole path. An address of a file that is not found stays as it is.
"""
from __future__ import annotations

import os
from pathlib import Path
import re

from robodyn_ros.errors import RobotFileError
from robodyn_ros.robots.urdf.packages import resolved

ADDRESS = re.compile(r'(<(?:mesh|texture)\b[^<>]*?\bfilename\s*=\s*)(["\'])([^"\'<>]*)\2')
INDEX = 'share/ament_index/resource_index/packages'
ENTITIES = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;'}
"""Letters of an address that XML writes by name; xml.sax would import a web client for them."""
NAMED = re.compile('|'.join(ENTITIES.values()))
LETTERS = {name: letter for letter, name in ENTITIES.items()}
TO_NAMES = str.maketrans(ENTITIES)


def with_followable_addresses(text: str, near: str | Path) -> str:
    """
    Return the text of a URDF with addresses that others can follow.

    :param near: the file it was read from
    """
    def changed(found: re.Match[str]) -> str:
        before, quote, address = found.groups()
        plain = NAMED.sub(lambda name: LETTERS[name[0]], address)
        return f'{before}{quote}{followable_address(plain, near).translate(TO_NAMES)}{quote}'

    return ADDRESS.sub(changed, text)


def followable_address(address: str, near: str | Path) -> str:
    """Return an address that can be followed without knowing near; itself if there is no file."""
    if address.startswith('package://') and _in_ament_index(address):
        return address
    try:
        return resolved(address, near).resolve().as_uri()
    except (RobotFileError, OSError, ValueError):
        return address


def _in_ament_index(address: str) -> bool:
    """Tell whether ROS 2 finds the file of a package:// address by itself."""
    name, _, path = address.removeprefix('package://').partition('/')
    for prefix in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep):
        if prefix and name and os.path.exists(Path(prefix, INDEX, name)):
            return os.path.isfile(Path(prefix, 'share', name, path))
    return False
