# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The handle at the tool: dragged it asks for goals, not too many; else it goes with the tool."""

import asyncio
from types import SimpleNamespace

import numpy as np
import pytest
from robodyn_ros.mechanics.kinematics import Pose
from robodyn_ros.viewing import handle as handle_module
from robodyn_ros.viewing.handle import LET_GO, PAUSE, ToolHandle

PLACE = Pose(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), (0.3, 0.1, 0.4))
ELSEWHERE = PLACE._replace(position=(0.5, 0.0, 0.2))


class Server:
    """Stands for viser: one handle that visitors may move."""

    def __init__(self):
        """Keep what was asked for."""
        self.scene = self
        self.options = {}

    def add_transform_controls(self, name, **options):
        """Make the handle."""
        self.options = options
        self.node = SimpleNamespace(visible=options['visible'], position=np.zeros(3),
                                    wxyz=np.array([1.0, 0.0, 0.0, 0.0]),
                                    on_update=lambda callback: setattr(self, 'told', callback))
        return self.node

    def drag(self, place, phase='update', client='a visitor'):
        """Move it as a visitor does."""
        self.node.position = np.array(place)
        asyncio.run(self.told(SimpleNamespace(client=client, phase=phase)))


@pytest.fixture
def clock(monkeypatch):
    """Return a clock that stands still until it is moved."""
    now = SimpleNamespace(time=100.0)
    monkeypatch.setattr(handle_module, 'time', SimpleNamespace(monotonic=lambda: now.time))
    return now


def test_a_drag_becomes_goals_and_no_more_than_some_a_second(clock):
    """The newest place counts; the last one is never lost."""
    server = Server()
    handle = ToolHandle(server, 1.0)
    handle.show(True)
    assert handle.goal() is None
    asked = []
    for k in range(60):  # two seconds of thirty looks
        if k < 40:
            server.drag([0.3 + 0.01 * k, 0.0, 0.4])
        asked.append(handle.goal())
        clock.time += 1.0 / 30.0
    goals = [goal for goal in asked if goal is not None]
    assert 4 <= len(goals) <= 2.0 / PAUSE + 1
    assert goals[-1] == pytest.approx([0.3 + 0.39, 0.0, 0.4, 0.0, 0.0, 0.0, 1.0])


def test_it_goes_with_the_tool_unless_it_is_dragged(clock):
    """What the program moves is no goal; what is dragged stays in the visitor's hand."""
    server = Server()
    handle = ToolHandle(server, 1.0)
    handle.follow(PLACE)
    assert not np.any(server.node.position)  # nobody sees it
    handle.show(True)
    handle.follow(PLACE)
    assert server.node.position == pytest.approx(PLACE.position)
    server.drag([0.4, 0.1, 0.4], 'start')
    assert handle.goal() is not None
    clock.time += LET_GO + 0.1  # held still, the arm may be slow
    handle.follow(ELSEWHERE)
    assert server.node.position == pytest.approx([0.4, 0.1, 0.4])
    server.drag([0.4, 0.1, 0.4], 'end', client=None)  # he closed the page
    assert handle.goal() is None
    handle.follow(ELSEWHERE)
    assert server.node.position == pytest.approx([0.4, 0.1, 0.4])
    clock.time += LET_GO + 0.1
    handle.follow(ELSEWHERE)
    assert server.node.position == pytest.approx(ELSEWHERE.position)


def test_an_arm_of_few_joints_has_no_rings_to_turn():
    """It could not follow them."""
    for joints, disabled in ((4, True), (6, False), (7, False)):
        server = Server()
        ToolHandle(server, 1.0).lead(joints, (True, False, True))
        assert server.node.disable_rotations is disabled
        assert server.node.active_axes == (True, False, True)
