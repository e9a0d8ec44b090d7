# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium of the system, with WebGL drawn in software."""
from __future__ import annotations

import contextlib
import os
import shutil

CHROMIUM = next(filter(None, map(shutil.which, ('chromium', 'chromium-browser',
                                                'google-chrome'))), None)
OPTIONS = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
           '--disable-background-networking', '--disable-component-update', '--disable-sync']
OF_THE_WHEELS = ('LD_LIBRARY_PATH', '_ROS_WHEELS_BOOTSTRAP_COMPLETE')
"""What the ROS wheels leave in the environment; it must not reach other programs."""


@contextlib.contextmanager
def open_page(address, patience, width=900, height=500):
    """
    Show an address; yields playwright's page.

    :param patience: longest wait for anything the page is asked for [s]
    :param width: of the window, small, as software draws it; :param height: [pixels]
    """
    from playwright.sync_api import sync_playwright
    kept = {name: os.environ.pop(name) for name in OF_THE_WHEELS if name in os.environ}
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
            # half the dots each way: software takes long to draw them on a busy machine
            page = browser.new_page(viewport={'width': width, 'height': height},
                                    device_scale_factor=0.5)
            page.set_default_timeout(1000.0 * patience)
            os.environ.update(kept)  # the nodes that a test starts meanwhile need them
            page.goto(address)
            yield page
            browser.close()
    finally:
        os.environ.update(kept)
