# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Expand xacro, in a process of its own: bounded in time and memory, and nothing of it stays here.

$(find package) is resolved as package:// is (packages.py), so ROS need not be installed.
"""
from __future__ import annotations

import copy
import json
from pathlib import Path
import re
import signal
import subprocess
import sys
from typing import Any, Mapping, NamedTuple
from xml.etree.ElementTree import Element

from robodyn_ros.errors import RobotFileError
from robodyn_ros.robots.urdf.remarks import listed, Remark

LONGEST, MOST_WORK = 60.0, 8
"""Wall time and time of computing for one description [s]; a vendor's largest takes two."""
WITHOUT_END = 'look for a macro or an include that calls itself, or others many times'
CHILD = Path(__file__).with_name('xacro_process.py')
NAME = re.compile(r'[A-Za-z_][\w.-]*')
MARKS = ('${', '$(')
PREFIX = 'xacro:'
DIRECTIVES = tuple(PREFIX + name for name in (
    'include', 'macro', 'property', 'arg', 'if', 'unless', 'call', 'element', 'attribute',
    'insert_block', 'eval'))
"""Elements that xacro itself knows; every other is the call of a macro."""


def has_macros(root: Element) -> bool:
    """
    Tell a description that xacro must expand from one that only declares the namespace.

    Marks outside of links and joints, for a plugin perhaps, are nobody's business here.
    """
    return any(element.tag.startswith(PREFIX) for element in root.iter()) or any(
        mark in value for part in root if part.tag in ('link', 'joint')
        for element in part.iter() for value in element.attrib.values() for mark in MARKS)


def without_leftovers(root: Element) -> tuple[Element, list[str]]:
    """
    Return a URDF without calls that an older xacro left in it, and the names of these macros.

    They are leftovers in a file that neither defines nor includes anything, so that no macro can
    be known, and that has links and nothing else to expand; ROS does not see them, either.
    """
    tags = list(dict.fromkeys(element.tag for element in root.iter()
                              if element.tag.startswith(PREFIX)))
    if not tags or root.find('link') is None or any(tag in DIRECTIVES for tag in tags):
        return root, []
    cleaned = copy.deepcopy(root)
    for parent in cleaned.iter():
        for child in [child for child in parent if child.tag.startswith(PREFIX)]:
            parent.remove(child)
    return (root, []) if has_macros(cleaned) else (cleaned, tags)


class Expanded(NamedTuple):
    """A file after xacro."""

    text: str
    """The URDF."""
    remarks: tuple[Remark, ...]


def expanded(path: str | Path, arguments: Mapping[str, Any] | None = None) -> Expanded:
    """
    Return the URDF that xacro makes of a file; RobotFileError says what it stumbled over.

    :param arguments: of <xacro:arg>, by name
    """
    said = {name: argument_text(name, value) for name, value in (arguments or {}).items()}
    request = {'path': str(Path(path).absolute()), 'arguments': said, 'modules': sys.path,
               'seconds': MOST_WORK}
    try:
        done = subprocess.run([sys.executable, '-X', 'utf8', str(CHILD)],
                              input=json.dumps(request), capture_output=True, text=True,
                              encoding='utf-8', timeout=LONGEST, check=False)
        answer = json.loads(done.stdout) if done.stdout else {}
    except subprocess.TimeoutExpired:
        raise RobotFileError(f'{path}: xacro did not finish within {LONGEST:g} s; '
                             f'{WITHOUT_END}') from None
    except ValueError:
        answer = {}
    if done.returncode == -getattr(signal, 'SIGXCPU', 0) != 0:
        raise RobotFileError(f'{path}: xacro did not finish in {MOST_WORK} s of computing; '
                             f'{WITHOUT_END}')
    if 'missing' in answer:
        raise RobotFileError(f'{path}: is a xacro file, and xacro is not installed: pip install '
                             'xacro, or apt install ros-$ROS_DISTRO-xacro')
    if 'text' not in answer:
        reason = answer.get('error') or 'it ended without a word'
        raise RobotFileError(f'{path}: xacro cannot expand it: {reason}')
    unused, asked = sorted(set(said) - set(answer['asked'])), answer['asked']
    return Expanded(str(answer['text']), (Remark(
        f'no <xacro:arg> asks for {listed(unused)}', 'what is given for it changes nothing',
        f'its arguments are {listed(asked)}' if asked else 'it has no arguments',
        mended=False),) if unused else ())


def argument_text(name: str, value: Any) -> str:
    """Return the value of an argument as xacro takes it; a list or a mapping is none."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise RobotFileError(f'the xacro argument {name!r} is no name; expected letters, digits '
                             'and _, such as prefix')
    if isinstance(value, bool):
        return 'true' if value else 'false'
    if not isinstance(value, (str, int, float)):
        raise RobotFileError(f'the xacro argument {name!r} is {value!r}; expected a text, a '
                             'number or true or false')
    return str(value)
