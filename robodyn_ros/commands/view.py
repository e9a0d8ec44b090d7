# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Show a running robot in the browser.

It needs a graph with joint_states and a robot_description that this package can load.
Start it before or after the nodes; it joins late and stays when they are restarted. The page shows
the robot, the desired and the traced path and live plots; pause, step, reset, speed, payload and
gains act on the simulation. It listens on this machine only and has no password.

    robodyn run scara_helix --view          one command for both
    robodyn view                            beside `ros2 launch` or separate nodes
"""
from __future__ import annotations

import argparse

from robodyn_ros.commands.graph_names import check_name
from robodyn_ros.errors import RobodynError
from robodyn_ros.nodes.common.options import ViewerOptions

PORT = 8080


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument('--port', type=int, default=PORT,
                        help='port of the page (default %(default)s; the next if it is taken)')
    parser.add_argument('--host', default='127.0.0.1',
                        help='address to listen on (default %(default)s: this machine only)')
    parser.add_argument('--namespace', default='', help='namespace of the robot to show')


def run(arguments: argparse.Namespace) -> int:
    """Run the viewer node until Ctrl-C."""
    check_port(arguments.port, '--port')
    space = arguments.namespace.strip('/')
    if space:
        check_name('--namespace', space, 'left_arm')
    show = importable_viewer()
    return show(ViewerOptions(host=arguments.host, port=arguments.port), space)


def check_port(port: int, option: str) -> None:
    """Refuse what is no port; the option is the one that named it."""
    if not 0 <= port <= 65535:
        raise RobodynError(f'{option} is {port}; expected 0 (any free one) to 65535')


def importable_viewer():  # type: ignore[no-untyped-def]
    """Return what runs the viewer node; one sentence says what is missing."""
    try:
        from robodyn_ros.nodes.viewer.node import show
    except ImportError as error:
        if error.name in ('viser', 'trimesh'):
            raise RobodynError(f'the browser view needs {error.name}; install it: pip install '
                               '"robodyn_ros[view]"') from None
        raise RobodynError(f'ROS 2 cannot be imported ({error}); source a ROS 2, or install its '
                           'wheels: pip install "robodyn_ros[ros]"') from None
    return show
