# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Files, folders and modules that the documentation names are there."""

import re

from house import PACKAGE, ROOT
import pytest

PAGES = [ROOT / 'README.md', ROOT / 'CONTRIBUTING.md', *sorted((ROOT / 'docs').glob('*.md'))]
NAMED = re.compile(r'`([\w./]+\.py|[a-z_]\w*/[\w./]*/?)`')
MODULE = re.compile(r'robodyn_ros(?:\.[a-z]\w+)+')
ELSEWHERE = re.compile(r'src/|bin/|my_\w+\.py|\w+_(msgs|srvs|interfaces)/\w+'
                       r'|(lib|share)/robodyn_ros|(dynamics|controller|trajectory)/\w+'
                       r'|\w+/[A-Z]\w+|examples/\w+\.c')
"""Folders of a workspace, files of a reader, types of messages and plug-ins, topics, exports."""


def missing(text):
    """List the paths and modules of a text that do not exist."""
    found = []
    for name in NAMED.findall(text):
        if not ELSEWHERE.fullmatch(name) and not any(
                (base / name).exists() for base in (ROOT, PACKAGE, ROOT / 'docs', ROOT / 'test')) \
                and ('/' in name or not [*PACKAGE.rglob(name), *ROOT.glob(f'launch/{name}')]):
            found.append(name)
    for name in MODULE.findall(text):
        place = ROOT.joinpath(*name.split('.'))
        if not place.is_dir() and not place.with_suffix('.py').is_file():
            found.append(name)
    return found


@pytest.mark.parametrize('page', PAGES, ids=lambda page: page.name)
def test_what_a_page_names_is_there(page):
    """A module that moved takes its mentions along."""
    assert missing(page.read_text()) == []


def test_a_stale_name_is_found():
    """A file, a folder and a module that are gone; one that is there."""
    text = '`runtime/`, `plant/plan.py`, `walls.py`, robodyn_ros.signals, `plant/plant.py`'
    assert missing(text) == ['runtime/', 'plant/plan.py', 'walls.py', 'robodyn_ros.signals']
