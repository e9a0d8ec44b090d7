# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The browser view in a real Chromium: it shows the robot, and its buttons act on the plant."""

import re
import signal

import pytest
from rcl_interfaces.srv import GetParameters
from system.browser import CHROMIUM, open_page
from system.graph import heard_graph, PATIENCE, start, stop, written

pytestmark = [pytest.mark.dds, pytest.mark.skipif(
    CHROMIUM is None, reason='no Chromium on this machine (Debian: apt install chromium)')]
PICTURE = {'x': 50, 'y': 50, 'width': 400, 'height': 400}
"""The part of the window where the robot is [pixels]."""


def address(viewer, listener):
    """Return where the page is, from the log of the node."""
    found = []

    def told():
        found[:] = re.findall(r'the page is (http://\S+)', written(viewer))
        return found

    listener.wait(told)
    return found[0]


def simulated(page):
    """Return the simulated time the page shows [s]."""
    return float(re.search(r'([\d.]+) s simulated', page.inner_text('body')).group(1))


def picture(page):
    """Return the picture of the robot."""
    return page.screenshot(clip=PICTURE)


def standing(page, listener):
    """Wait until the picture no longer changes and return it: drawing comes after the text."""
    seen = [picture(page)]

    def unchanged():
        listener.next_value('paused')
        seen.append(picture(page))
        # bytes of a picture are no reading: only the truth of this goes into a failure
        return seen[-2] == seen[-1]

    listener.wait(unchanged)
    return seen[-1]


def test_the_page_shows_the_robot_and_talks_back(listener, tmp_path):
    """Pause, payload, reset, the saved page, and a plant that is killed and started again."""
    # the motion must not be over when a slow machine shows the page at last
    with heard_graph(listener, 'scara_helix', dynamics={'realtime_factor': 0.5},
                     trajectory={'repeat': True}) as processes:
        begin = listener.states[0].position
        listener.wait(lambda: listener.states[-1].position != begin)
        viewer = start('scara_helix', 'viewer', port=0, rate=10.0)  # late
        processes.append(viewer)
        with open_page(address(viewer, listener), PATIENCE) as page:
            page.get_by_text('s simulated').wait_for()
            page.get_by_text('natural_frequency').wait_for()
            speed = page.get_by_text('Speed', exact=True).locator(
                'xpath=following::input[@type="text"][1]')
            listener.wait(lambda: speed.input_value() == '0.5')
            moving = picture(page)
            listener.wait(lambda: picture(page) != moving)

            page.get_by_role('button', name='Pause').click()
            stamp = listener.wait_for_standstill()
            page.get_by_role('button', name='Resume').wait_for()
            listener.wait(lambda: abs(simulated(page) - stamp * 1e-9) < 0.01)
            still = standing(page, listener)
            assert listener.wait_for_standstill() == stamp

            page.get_by_role('button', name='Step').click()
            listener.wait(lambda: listener.now == stamp + 1_000_000)

            payload = page.get_by_text('Payload [kg]', exact=True).locator(
                'xpath=following::input[@type="text"][1]')
            payload.fill('2')
            payload.press('Enter')
            listener.wait(lambda: listener.call(
                GetParameters, '/dynamics/get_parameters',
                names=['payload.mass']).values[0].double_value == 2.0)

            page.get_by_role('button', name='Reset').click()
            listener.wait(lambda: listener.states[-1].position == begin)
            listener.wait(lambda: picture(page) != still)
            assert listener.now > stamp  # the clock goes on

            with page.expect_download() as download:
                page.get_by_role('button', name='Save last seconds').click()
            saved = tmp_path / 'saved.html'
            download.value.save_as(saved)
            assert saved.stat().st_size > 100_000

            page.get_by_role('button', name='Resume').click()
            listener.wait(lambda now=listener.now: listener.now > now + 100_000_000)
            assert stop(processes.pop(0), signal.SIGKILL)[0] == -signal.SIGKILL
            before = simulated(page)
            processes.append(start('scara_helix', 'dynamics'))
            listener.wait(lambda: simulated(page) < before)

        with open_page(saved.as_uri(), PATIENCE) as page:
            page.locator('canvas').first.wait_for()
            first = picture(page)
            listener.wait(lambda: picture(page) != first)  # it plays by itself
