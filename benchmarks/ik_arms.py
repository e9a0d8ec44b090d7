# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The arms of the field's test of inverse kinematics, and its poses."""
from __future__ import annotations

from importlib import metadata
import math
from pathlib import Path
from typing import Callable, NamedTuple, Sequence
from xml.etree import ElementTree

from benchmarks.peers import bare_urdf
import numpy as np
from robodyn_ros import load_robot, RobodynError, Robot
from robodyn_ros.mechanics.tree import ancestors
from robodyn_ros.robots.robot import robot_from_text

IIWA14 = ((0.1575, 170.0), (0.2025, 120.0), (0.2045, 170.0), (0.2155, 120.0), (0.1845, 170.0),
          (0.2155, 120.0), (0.081, 175.0))
"""Way along the last joint's axis [m] and limit [deg] of each joint: KUKA's data sheet."""
IRB120 = ((-165.0, 165.0), (-110.0, 110.0), (-110.0, 70.0), (-160.0, 160.0), (-120.0, 120.0),
          (-400.0, 400.0))
"""Limits of ABB's product specification [deg]; those of our file are wider."""
FLANGE = 0.045
"""From the last axis to the flange of the LBR iiwa 14 R820 [m]."""


class Arm(NamedTuple):
    """An arm, a chain of revolute joints, and the frame at its end."""

    robot: Robot
    frame: str

    @property
    def bodies(self) -> list[int]:
        """Bodies of the tree that move the frame, from the base on."""
        return sorted(ancestors(self.robot.tree, self.robot.find_frame(self.frame).body))

    @property
    def middle(self) -> np.ndarray:
        """Middle of the limits (n,)."""
        return 0.5 * (self.robot.limits.lower + self.robot.limits.upper)

    def configurations(self, count: int) -> np.ndarray:
        """Return random joint positions inside the limits (count, n), always the same."""
        limits = self.robot.limits
        return np.random.default_rng(14).uniform(limits.lower, limits.upper,
                                                 (count, self.robot.n))


def iiwa14() -> Robot:
    """LBR iiwa 14 R820 as its data sheet has it: seven axes that turn by a quarter each."""
    links = ['<link name="link_0"/>']
    joints = []
    for k, (way, limit) in enumerate(IIWA14):
        # every axis stands across the last one: a quarter about x, forth and back
        turn = 0.0 if k == 0 else math.pi / 2.0 * (1.0 if k % 2 else -1.0)
        along = (0.0, way, 0.0) if k and k % 2 == 0 else (0.0, 0.0, way)
        links.append(_link(f'link_{k + 1}'))
        joints.append(_joint(f'joint_{k + 1}', f'link_{k}', f'link_{k + 1}', along, turn,
                             math.radians(limit)))
    links.append('<link name="tool0"/>')
    joints.append(f'<joint name="flange" type="fixed"><parent link="link_7"/><child link="tool0"/>'
                  f'<origin xyz="0 0 {FLANGE}"/></joint>')
    return robot_from_text(f'<robot name="iiwa14">{"".join(links + joints)}</robot>', 'iiwa14')


def _link(name: str) -> str:
    return (f'<link name="{name}"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" '
            'izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>')


def _joint(name: str, parent: str, child: str, along: tuple[float, ...], turn: float,
           limit: float) -> str:
    return (f'<joint name="{name}" type="revolute"><parent link="{parent}"/>'
            f'<child link="{child}"/><origin xyz="{" ".join(map(repr, along))}" '
            f'rpy="{turn!r} 0 0"/><axis xyz="0 0 1"/><limit lower="{-limit!r}" '
            f'upper="{limit!r}" velocity="1.5" effort="100"/></joint>')


def _public(name: str) -> Robot:
    """Return a robot of the package example-robot-data."""
    try:
        listed = metadata.files('example-robot-data') or []
    except metadata.PackageNotFoundError:
        listed = []
    found = [Path(str(entry.locate())) for entry in listed if entry.name == name]
    if not found:
        raise RobodynError(f'{name} of the package example-robot-data is not there; '
                           'pip install example-robot-data brings it')
    return load_robot(found[0].resolve())


def _chain(robot: Robot, frame: str, degrees: Sequence[tuple[float, float]] = ()) -> Arm:
    """
    Return the links from the base to a frame and nothing else, maybe with other limits.

    The base has no inertia, which KDL would complain about.
    """
    root = ElementTree.fromstring(bare_urdf(robot))
    joints = {joint.find('child').get('link'): joint  # type: ignore[union-attr]
              for joint in root.findall('joint')}
    kept, link = {frame}, frame
    while link in joints:
        kept.add(joints[link].get('name', ''))
        link = joints[link].find('parent').get('link', '')  # type: ignore[union-attr]
        kept.add(link)
    for part in [*root]:
        if part.tag not in ('link', 'joint') or part.get('name') not in kept:
            root.remove(part)
        elif part.get('name') == link:
            part.clear()
            part.set('name', link)
    for joint in root.findall('joint'):  # its soft limits are the same, or are misread
        for part in joint.findall('safety_controller'):
            joint.remove(part)
    moving = [joint for joint in root.findall('joint') if joint.get('type') != 'fixed']
    for joint, (lower, upper) in zip(moving, degrees):
        limit = joint.find('limit')
        assert limit is not None
        limit.set('lower', repr(math.radians(lower)))
        limit.set('upper', repr(math.radians(upper)))
    return Arm(robot_from_text(ElementTree.tostring(root, encoding='unicode'), robot.name), frame)


ARMS: dict[str, Callable[[], Arm]] = {
    'IRB 120': lambda: _chain(load_robot('irb120'), 'tool0', IRB120),
    'Panda': lambda: _chain(_public('panda.urdf'), 'panda_link8'),
    'iiwa14': lambda: Arm(iiwa14(), 'tool0'),
    'UR5': lambda: _chain(_public('ur5_robot.urdf'), 'tool0', [(-360.0, 360.0)] * 6)}
"""By the name of the test's table, with the limits it was made with."""
