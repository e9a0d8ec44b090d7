# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The manifest is one that ROS tools take, and every URDF is a tree with one root."""

import ast
from collections import Counter
import sys
from xml.etree import ElementTree

from house import PACKAGE, ROOT
import pytest

BROUGHT_BY = {'llvmlite': 'python3-numba', 'cycler': 'python3-matplotlib',
              'PIL': 'python3-matplotlib'}
NOT_IN_ROSDEP = {'distributed', 'imageio_ffmpeg', 'lz4', 'mcap', 'pinocchio', 'pyarrow', 'rosbags',
                 'trimesh', 'viser', 'zstandard'}
"""Extras from PyPI, imported where somebody asks for what they do."""


def test_manifest():
    """The parser of catkin_pkg, which colcon uses too, has neither error nor warning."""
    parser = pytest.importorskip('catkin_pkg.package', reason='catkin_pkg is not installed')
    warnings = []
    package = parser.parse_package(str(ROOT / 'package.xml'), warnings=warnings)
    package.validate(warnings=warnings)
    assert warnings == []
    assert package.package_format == 3
    assert package.get_build_type() == 'ament_python'


def test_every_import_is_a_dependency():
    """What the package imports, package.xml names: by its own name or by its rosdep key."""
    manifest = ElementTree.parse(ROOT / 'package.xml')
    named = {element.text for tag in ('depend', 'exec_depend') for element in manifest.iter(tag)}
    imported = {name.partition('.')[0] for path in PACKAGE.rglob('*.py')
                for node in ast.walk(ast.parse(path.read_text()))
                for name in ([alias.name for alias in node.names] if isinstance(node, ast.Import)
                             else [node.module] if isinstance(node, ast.ImportFrom)
                             and not node.level else [])}
    ours = set(sys.stdlib_module_names) | {PACKAGE.name} | NOT_IN_ROSDEP
    missing = {name for name in imported - ours
               if not {name, f'python3-{name}', BROUGHT_BY.get(name)} & named}
    assert missing == set()


def broken(text):
    """Say what is wrong with the tree of links in a URDF; an empty list if nothing is."""
    try:
        robot = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        return [f'not well-formed: {error}']
    if robot.tag != 'robot' or not robot.get('name'):
        return ['the root element is not a <robot> with a name']
    links = [link.get('name') for link in robot.findall('link')]
    joints = [joint.get('name') for joint in robot.findall('joint')]
    parent_of = {}
    wrong = [f'{name} is there {count} times'
             for name, count in Counter(links + joints).items() if count > 1]
    for joint in robot.findall('joint'):
        ends = [end.get('link') if (end := joint.find(tag)) is not None else None
                for tag in ('parent', 'child')]
        wrong += [f'{joint.get("name")}: no link {end}' for end in ends if end not in links]
        if ends[1] in parent_of:
            wrong.append(f'{ends[1]} hangs on two joints')
        parent_of[ends[1]] = ends[0]
    roots = [link for link in links if link not in parent_of]
    if len(roots) != 1:
        wrong.append(f'roots: {roots}')
    for link in links:
        seen = {link}
        while (link := parent_of.get(link)) is not None and link not in seen:
            seen.add(link)
        if link is not None:
            wrong.append(f'{link} hangs on itself')
    return wrong


@pytest.mark.parametrize('path', sorted((ROOT / 'urdf').glob('*')), ids=lambda path: path.name)
def test_urdf(path):
    """Well-formed, names used once, one root, no loop."""
    assert broken(path.read_text()) == []


LINKS = '<link name="a"/><link name="b"/>'
JOINT = '<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>'


@pytest.mark.parametrize('body, complaint', [
    (LINKS + JOINT, None),
    (LINKS, "roots: ['a', 'b']"),
    (LINKS + '<link name="a"/>' + JOINT, 'a is there 2 times'),
    (LINKS + JOINT + JOINT, 'b hangs on two joints'),
    (LINKS + JOINT.replace('"b"', '"c"'), 'no link c'),
    (LINKS + JOINT.replace('<child link="b"/>', ''), 'no link None'),
    (LINKS + JOINT + '<joint name="k"><parent link="b"/><child link="a"/></joint>', 'on itself'),
    (LINKS + '<joint>', 'not well-formed'),
])
def test_a_breach_is_found(body, complaint):
    """A broken URDF is told from a good one."""
    wrong = broken(f'<robot name="r">{body}</robot>')
    assert (complaint in ' '.join(wrong)) if complaint else wrong == []
