# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Public arms put their tools where they shall be, and lead them there: make robots."""

from benchmarks.ik_arms import iiwa14
import numpy as np
import pytest
from robodyn_ros import load_robot
from robots.public import public_urdfs
from robots.test_pose_solver import configurations, expect_reached
from scenario.reach import DOWN, expect_on_path, tool_down_places, tool_motion

pytestmark = pytest.mark.every_robot
ARMS = {'irb120': 'tool0', 'panda': 'panda_link8', 'ur5_robot': 'tool0', 'ur10_robot': 'tool0',
        'kinova': 'j2s6s200_end_effector', 'xarm7': 'link_eef', 'baxter': 'left_gripper',
        'iiwa14': 'tool0'}
"""Files, and the frame that is led."""


def arm(name):
    """Return a robot of the package, of the benchmark, or a public one."""
    if name == 'iiwa14':
        return iiwa14()
    found = [path for path in public_urdfs() if path.stem == name]
    if not found and name != 'irb120':
        pytest.skip(f'needs {name}.urdf of the PyPI package example-robot-data')
    return load_robot(found[0] if found else name)


@pytest.mark.parametrize('name', ARMS)
def test_it_reaches_and_follows(name):
    """Random poses; tools that point down; a line on which the tool turns, two circles."""
    robot, frame = arm(name), ARMS[name]
    wanted = robot.frame(frame, configurations(robot, 300, 3))
    expect_reached(robot, frame, wanted, robot.solve(frame, wanted))
    places, reach = tool_down_places(robot, frame)
    size = 0.08 * reach
    for kind, changes in (
            ('line', {'end': places[0] + [0.0, size, 0.0],
                      'end_orientation': [DOWN[0] - 0.3, 0.2, 0.5]}),
            ('circle', {'centre': places[0] + [0.5 * size, 0.0, 0.0], 'turns': 2.0})):
        parameters = {key: value.tolist() if isinstance(value, np.ndarray) else value
                      for key, value in changes.items()}
        desired, reference = tool_motion(
            robot, kind, 8.0, 0.004, {'start': places[0].tolist(), 'orientation': DOWN,
                                      **parameters}, frame=frame)
        expect_on_path(robot, desired, reference)
    far = {'start': places[0].tolist(), 'end': (places[0] * [9.0, 9.0, 1.0]).tolist(),
           'orientation': DOWN}
    with pytest.raises(Exception, match=f'{frame} of {robot.name} cannot follow the path'):
        tool_motion(robot, 'line', 8.0, 0.004, far, frame=frame)
