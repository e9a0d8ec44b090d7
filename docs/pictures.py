# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Make the pictures of the README anew: `make pictures`.

docs/images/scara_helix.gif is the animation of a report; docs/images/view.png is the browser view
of the closed chain in a headless Chromium, where there is one.
"""
import os
from pathlib import Path
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

IMAGES = Path(__file__).parent / 'images'
PATIENCE = 120.0
"""Longest wait for the page [s]."""


def robodyn(*arguments, **options):
    """Start a robodyn command."""
    return subprocess.Popen([sys.executable, '-m', 'robodyn_ros.commands.main', *arguments],
                            **options)


def make_animation():
    """Simulate the helix, and let the report draw it."""
    with tempfile.TemporaryDirectory() as folder:
        result, report = f'{folder}/helix.npz', f'{folder}/report'
        for command in (['simulate', 'scara_helix', '--output', result],
                        ['report', result, '--output', report, '--animate', 'gif']):
            if robodyn(*command).wait():
                sys.exit('no animation was made')
        shutil.copy(f'{report}/animation.gif', IMAGES / 'scara_helix.gif')


def make_view(chromium):
    """Run the closed chain with its page, again and again, and photograph the page."""
    with tempfile.NamedTemporaryFile('w+') as log:
        # software that draws leaves a small machine no time for all of a second in a second
        run = robodyn('run', 'parallel_line', '--view', '--port', '0', '--rate', '0.5', '--set',
                      'repeat=true', stderr=log)
        try:
            photograph(chromium, address_in(Path(log.name)))
        finally:
            run.send_signal(signal.SIGINT)
            run.wait()


def address_in(log):
    """Wait until the log says where the page is."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = re.search(r'the page is (http://\S+)', log.read_text())
        if found:
            return found.group(1)
        time.sleep(0.2)
    sys.exit('no page was opened')


def photograph(chromium, address):
    """Save a picture of a page after some seconds of motion."""
    from playwright.sync_api import sync_playwright
    for name in ('LD_LIBRARY_PATH', '_ROS_WHEELS_BOOTSTRAP_COMPLETE'):
        os.environ.pop(name, None)  # of the ROS wheels; not for a browser
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=[
            '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'])
        page = browser.new_page(viewport={'width': 1200, 'height': 800})
        page.set_default_timeout(1000.0 * PATIENCE)  # software draws slowly
        page.goto(address)
        # what Chromium says about software drawing is no part of the picture
        page.add_style_tag(content='.mantine-Notification-root { display: none !important }')
        page.get_by_text('constraint error').first.wait_for()
        page.get_by_role('button', name='Back to the scenario').wait_for()  # and the handle
        page.wait_for_timeout(25000)  # of motion; software takes long to fade the scene in
        page.screenshot(path=IMAGES / 'view.png')
        browser.close()


if __name__ == '__main__':
    make_animation()
    found_chromium = shutil.which('chromium') or shutil.which('google-chrome')
    if found_chromium:
        make_view(found_chromium)
    else:
        print('no Chromium: docs/images/view.png stays as it is')
