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

from robodyn_ros.commands.options import check_name, check_port, needs_ros
from robodyn_ros.nodes.common.options import ViewerOptions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument('--port', type=int, default=ViewerOptions.port,
                        help='port of the page (default %(default)s; the next if it is taken)')
    parser.add_argument('--host', default=ViewerOptions.host,
                        help='address to listen on (default %(default)s: this machine only)')
    parser.add_argument('--namespace', default='', help='namespace of the robot to show')


def run(arguments: argparse.Namespace) -> int:
    """Run the viewer node until Ctrl-C."""
    check_port(arguments.port)
    space = arguments.namespace.strip('/')
    if space:
        check_name('--namespace', space, 'left_arm')
    with needs_ros():
        from robodyn_ros.nodes.viewer.node import show
    return show(ViewerOptions(host=arguments.host, port=arguments.port), space)
