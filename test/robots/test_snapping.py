# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Rounded right angles become exact where it is asked for, each is told, and no other angle."""

import math

import numpy as np
import pytest
from robodyn_ros.robots.robot import load_robot, read_robot
from robodyn_ros.robots.snapping import right_angle

RIGHT = math.pi / 2.0
ARM = """<robot name="arm"><link name="a"/>{}</robot>"""
JOINT = """<joint name="j{k}" type="revolute"><parent link="{p}"/><child link="l{k}"/>
<origin xyz="0.1 0 0.2" rpy="{rpy}"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2" velocity="5" effort="5"/></joint>
<link name="l{k}"><inertial><origin xyz="0.02 0.01 0.03"/><mass value="1"/>
<inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="0" izz="0.02"/></inertial></link>"""


@pytest.mark.parametrize('written, count', [
    (1.5708, 1), (1.57, 1), (-1.5707963, -1), (1.5707, 1), (3.14159, 2), (3.1416, 2), (-3.14, -2),
    (4.712, 3), (6.2832, 4), (1.570796326794, 1)])
def test_rounded_right_angles(written, count):
    """Rounded or cut, to any number of digits."""
    assert right_angle(written) == count * RIGHT


@pytest.mark.parametrize('angle', [
    0.0, 1e-6, 1.5714, 1.5698, 0.7854, 1.0, 3.1426, RIGHT, -math.pi])
def test_other_angles_stay(angle):
    """Calibrated, exact or none: to the last bit."""
    assert right_angle(angle) == angle


def arm(tmp_path, *angles):
    """Write an arm whose joints have the given rpy; returns its path."""
    path = tmp_path / 'arm.urdf'
    path.write_text(ARM.format(''.join(JOINT.format(k=k, p='a' if k == 0 else f'l{k - 1}', rpy=rpy)
                                       for k, rpy in enumerate(angles))))
    return path


def test_operations_fold_away_and_every_change_is_told(tmp_path):
    """Off by default; with it the equations are those of exact angles."""
    rounded = '1.5708 0 0', '0.3 0 0', '-1.5708 0 3.1416', '1.5708 0 -1.5708'
    exact = f'{RIGHT} 0 0', '0.3 0 0', f'{-RIGHT} 0 {math.pi}', f'{RIGHT} 0 {-RIGHT}'
    path = arm(tmp_path, *rounded)
    plain, snapped = load_robot(path), load_robot(path, snap_angles=True)
    right = load_robot(arm(tmp_path, *exact))
    sizes = [robot.compiled.program('forward_dynamics').operations['evaluate']
             for robot in (plain, snapped, right)]
    assert sizes[0] > 1.3 * sizes[1] and sizes[1] == sizes[2]
    assert not plain.remarks and len(snapped.remarks) == 3
    for joint, remark in zip(('j0', 'j2', 'j3'), snapped.remarks):
        assert repr(joint) in remark.sentence and 'snap_angles turns it by' in remark.sentence
    q = np.full(4, 0.3)
    far = np.abs(snapped.frame('l3', q).position - plain.frame('l3', q).position).max()
    assert 0.0 < far < 1e-5
    read_robot(path, strict=True, snap_angles=True)  # what is asked for is not refused
