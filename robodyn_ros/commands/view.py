# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Show a robot in the browser: one that is running, a scenario, or a robot file.

    robodyn view                            a running one, beside `ros2 launch` or separate nodes
    robodyn view arm.urdf                   a robot file: it moves gently, over and over
    robodyn view scara_helix                a scenario, over and over

Without a name it needs a graph with joint_states and a robot_description that this package can
load; start it before or after the nodes, it joins late and stays when they are restarted. With a
name it simulates the robot as `robodyn run --view` does; a robot without masses is shown without
mechanics. The page shows the robot, the desired and the traced path and live plots; pause, step,
reset, speed, payload and gains act on the simulation. It listens on this machine only and has no
password.
"""
from __future__ import annotations

import argparse
import dataclasses
import logging
from typing import Any

import numpy as np

from robodyn_ros.commands.options import (add_xacro, check_name, check_port, needs_ros,
                                          quiet_stdout, xacro_arguments)
from robodyn_ros.errors import ArgumentError
from robodyn_ros.nodes.common.options import ViewerOptions
from robodyn_ros.robots.appearance import link_poses
from robodyn_ros.robots.mass_check import mass_report
from robodyn_ros.robots.robot import load_robot, Robot
from robodyn_ros.scenario.desired_motion import DesiredMotion
from robodyn_ros.scenario.drafting import DURATION
from robodyn_ros.scenario.loading import load_scenario, ROBOT_FILES
from robodyn_ros.scenario.simulation import Simulation

LOG = logging.getLogger('robodyn_ros')
PATH_POINTS = 200
"""Of the tool's path, where nothing is simulated."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument('scenario', nargs='?',
                        help='scenario (name or YAML file) or robot file to simulate; none: show '
                             'what is running')
    parser.add_argument('--port', type=int, default=ViewerOptions.port,
                        help='port of the page (default %(default)s; the next if it is taken)')
    parser.add_argument('--host', default=ViewerOptions.host,
                        help='address to listen on (default %(default)s: this machine only)')
    parser.add_argument('--namespace', default='', help='namespace of the robot to show')
    add_xacro(parser)


def run(arguments: argparse.Namespace) -> int:
    """Show until Ctrl-C."""
    check_port(arguments.port)
    space = arguments.namespace.strip('/')
    if space:
        check_name('--namespace', space, 'left_arm')
    if arguments.scenario is None:
        with needs_ros():
            from robodyn_ros.nodes.viewer.node import show
        return show(ViewerOptions(host=arguments.host, port=arguments.port), space)
    if space:
        raise ArgumentError(f'--namespace is {space!r}, which finds a running robot; leave it out '
                            f'to show {arguments.scenario}')
    if arguments.host != ViewerOptions.host:
        raise ArgumentError(f'--host is {arguments.host!r}, which is for a running robot: start '
                            f'it with robodyn run {arguments.scenario}, and beside it robodyn '
                            f'view --host {arguments.host}')
    given = xacro_arguments(arguments)
    if arguments.scenario.endswith(ROBOT_FILES):
        robot = load_robot(arguments.scenario, given)
        report = mass_report(robot)
        if robot.n == 0 or not report.sound:
            if robot.n:
                LOG.warning('%s; shown without mechanics', report.sentence(robot))
            return _show_file(robot, arguments)
    return _show_scenario(arguments, given)


def _show_scenario(arguments: argparse.Namespace, given: dict[str, str]) -> int:
    """Simulate a scenario over and over with a page."""
    with needs_ros():
        from robodyn_ros.nodes.single_process import run_composed
        import robodyn_ros.nodes.viewer.node  # noqa: F401  before the work, not after
    changes = {f'robot_arguments.{name}': value for name, value in given.items()}
    scenario = dataclasses.replace(load_scenario(arguments.scenario, changes), repeat=True)
    expected = Simulation(scenario).run()
    try:
        with quiet_stdout():
            run_composed(scenario, expected, expected.desired.in_space, 'free', 1.0,
                         lambda status: None, None, arguments.port)
    except KeyboardInterrupt:  # the way to end it
        pass
    return 0


def _show_file(robot: Robot, arguments: argparse.Namespace) -> int:
    """Show a robot that cannot be simulated; its joints move if it has any."""
    with needs_ros():
        from robodyn_ros.viewing.playback import play
        from robodyn_ros.viewing.viewer import Viewer
    motion = _motion_of(robot, arguments)
    viewer = Viewer(arguments.host, arguments.port, ViewerOptions.seconds)
    try:
        if motion is not None:
            poses = [link_poses(robot, [robot.tool_frame()], q)[0]
                     for q in motion.sample(np.linspace(0.0, DURATION, PATH_POINTS)).q]
            viewer.show_path(np.array([pose.position for pose in poses], dtype=float))
        for warning in viewer.show_robot(robot.urdf):
            LOG.warning('%s', warning)
        LOG.info('the page is %s', viewer.address)
        play(viewer, robot, lambda t: np.zeros(robot.n) if motion is None
             else motion.sample(np.array([t])).q[0], lambda: True)
    except KeyboardInterrupt:
        pass
    finally:
        viewer.close()
    return 0


def _motion_of(robot: Robot, arguments: argparse.Namespace) -> Any:
    """Return a joint motion for a robot that cannot be simulated; None: it stands still."""
    if not robot.n:
        return None
    scenario = load_scenario(arguments.scenario, {
        f'robot_arguments.{name}': value for name, value in xacro_arguments(arguments).items()})
    return DesiredMotion(scenario.trajectory).motion
