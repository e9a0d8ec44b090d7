# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The tool's handle in a real Chromium, dragged with the mouse: the tool goes where it is left."""

import io
import itertools

from geometry_msgs.msg import PoseStamped
import numpy as np
import pytest
from robodyn_ros import load_robot
from system.browser import CHROMIUM, open_page
from system.graph import heard_graph, PATIENCE, start
from system.test_view import address

Image = pytest.importorskip('PIL.Image', reason='needs Pillow, which comes with the extra "view"')
pytestmark = [pytest.mark.dds, pytest.mark.skipif(
    CHROMIUM is None, reason='no Chromium on this machine (Debian: apt install chromium)')]
WIDTH, PANEL = 900, 400
"""Of the window, and of the panel on its right [pixels]."""
STEPS = 6
"""In which the mouse is moved; a hand moves it in more."""


def dots(page, colour):
    """Return where the picture has a colour of the handle (k, 2) [pixels]."""
    image = Image.open(io.BytesIO(page.screenshot())).convert('RGB')
    red, green, blue = np.moveaxis(np.asarray(image, dtype=int)[:, :(WIDTH - PANEL) // 2], -1, 0)
    return 2.0 * np.argwhere({  # a dot of the picture is two pixels wide, see open_page
        'red': (red > 225) & (green < 110) & (blue > 80) & (blue < 150),
        'green': (green > 190) & (red < 150) & (blue > 100) & (blue < 180) & (green > blue + 30),
        'yellow': (red > 200) & (green > 200) & (blue < 150)}[colour])[:, ::-1]


def seen(page, listener, colour, least):
    """Wait until the handle shows so many dots of a colour, and return them."""
    found = []

    def enough():
        found[:] = dots(page, colour).tolist()
        return len(found) >= least

    listener.wait(enough)
    return np.array(found)


def grab(page, listener):
    """Put the mouse on the red arrow, x of the tool; return its tip, its way and its middle."""
    page.get_by_role('button', name='Back to the scenario').wait_for()  # with it comes the handle
    red = seen(page, listener, 'red', 15)  # the arrow, and perhaps a square beside its root
    away = [red - seen(page, listener, 'green', 15).mean(axis=0), red - red.mean(axis=0)]
    ends = [red[np.linalg.norm(out, axis=1).argmax()] for out in away]
    places = itertools.cycle([end + 0.15 * (red.mean(axis=0) - end) for end in ends])
    arrow = []

    def hovered():
        page.mouse.move(*next(places))
        page.screenshot()  # a picture later it is yellow what the mouse is on
        yellow = dots(page, 'yellow')
        if len(yellow) < 10 or len(dots(page, 'red')) > 0.8 * len(red):
            return False
        arrow[:] = yellow.tolist()
        long, wide, *_ = np.linalg.svd(yellow - yellow.mean(axis=0), compute_uv=False)
        return long > 3.0 * wide  # not the square

    listener.wait(hovered)
    middle = np.mean(arrow, axis=0)
    axes = np.linalg.svd(arrow - middle)[2]
    way, (along, across) = axes[0], axes @ (arrow - middle).T
    if np.ptp(across[along > 0.0]) < np.ptp(across[along < 0.0]):  # the tip is the broad end
        way, along = -way, -along
    tip = middle + way * (along.max() - 8.0)
    page.mouse.move(*tip)
    return tip, way, seen(page, listener, 'yellow', 10).mean(axis=0)


def positions(robot, state):
    """Return the joints' positions of a state, in the robot's order (n,)."""
    known = dict(zip(state.name, state.position))
    return np.array([known[name] for name in robot.joints])


@pytest.mark.parametrize('scenario, name, pixels', [
    ('scara_helix', 'scara_450', -40.0), ('parallel_line', 'parallel_2dof', -18.0)])
def test_the_tool_goes_where_the_mouse_lets_go(listener, scenario, name, pixels):
    """Along the arrow, inside limits, loops closed; a click leads back to the scenario."""
    robot, goals = load_robot(name), []
    listener.node.create_subscription(PoseStamped, 'trajectory/goal_pose', goals.append, 100)
    short = {'duration': 2.0}
    with heard_graph(listener, scenario, dynamics=short, controller=short,
                     trajectory=short) as processes:
        listener.wait_for_report('holding at the end of the trajectory')
        q = positions(robot, listener.states[-1])
        before = robot.frame('tool0', q)
        processes.append(start(scenario, 'viewer', port=0, rate=10.0))
        with open_page(address(processes[-1], listener), PATIENCE, WIDTH) as page:
            page.add_style_tag(content='.mantine-Notification-root { display: none !important }')
            place, way, begin = grab(page, listener)
            first = len(listener.states)
            page.mouse.down()
            for k in range(1, STEPS + 1):
                page.mouse.move(*(place + way * pixels * k / STEPS))
                count = len(goals)
                listener.wait(lambda: len(goals) > count)  # noqa: B023
            # software may draw it some pictures later
            listener.wait(lambda: np.abs(seen(page, listener, 'yellow', 10).mean(axis=0)
                                         - begin - pixels * way).max() < 8.0)
            page.mouse.up()

            def there():
                goal = goals[-1].pose.position
                tool = robot.positions('tool0', positions(robot, listener.states[-1]))
                return np.abs(tool - [goal.x, goal.y, goal.z]).max() < 1e-4 and \
                    max(map(abs, listener.states[-1].velocity)) < 1e-3

            listener.wait(there)
            moved = robot.positions('tool0', positions(robot, listener.states[-1])) \
                - before.position
            along = float(moved @ before.rotation[:, 0])
            assert along * pixels > 0.0 and abs(along) > 0.02
            assert np.linalg.norm(moved - along * before.rotation[:, 0]) < 1e-3
            for state in listener.states[first::20]:
                q = positions(robot, state)
                assert (q >= robot.limits.lower).all() and (q <= robot.limits.upper).all()
                for loop in robot.loops:
                    apart = robot.positions(loop.frame_a, q) - robot.positions(loop.frame_b, q)
                    assert np.abs(apart[:2]).max() < 1e-6

            button = page.get_by_role('button', name='Back to the scenario').bounding_box()
            page.mouse.click(button['x'] + button['width'] / 2, button['y'] + button['height'] / 2)
            listener.wait(lambda: np.abs(positions(robot, listener.states[-1]) - q).max() > 0.02)
            listener.wait(lambda: np.abs(robot.positions('tool0', positions(
                robot, listener.states[-1])) - before.position).max() < 5e-3)
