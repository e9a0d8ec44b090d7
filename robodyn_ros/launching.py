# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What the launch files have in common: their arguments, and the nodes around one robot.

Only launch files import this: it needs launch and launch_ros, of which there is no wheel.
"""
from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable

from ament_index_python.packages import get_package_prefix, PackageNotFoundError
from launch.action import Action
from launch.actions import DeclareLaunchArgument, GroupAction, OpaqueFunction, Shutdown
from launch.conditions import IfCondition
from launch.events.process import ProcessExited
from launch.launch_context import LaunchContext
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node, PushRosNamespace, SetParameter, SetRemap
from launch_ros.parameter_descriptions import Parameter, ParameterValue
from robodyn_ros.errors import RobodynError, ScenarioError
from robodyn_ros.scenario.loading import load_scenario, scenario_names
from robodyn_ros.scenario.wiring import CONTROLLERS, robot_of
from robodyn_ros.share import share_folder


TRUE_OR_FALSE = ('true', 'false', 'True', 'False', '1', '0')
"""Words that switch something on or off, as launch's own conditions take them."""


def switch(name: str, default: bool, description: str) -> DeclareLaunchArgument:
    """Declare an argument that is true or false."""
    return _argument(name, str(default).lower(), description, list(TRUE_OR_FALSE))


def _argument(name: str, default: str, description: str,
              choices: list[str] | None = None) -> DeclareLaunchArgument:
    return DeclareLaunchArgument(name, default_value=default, description=description,
                                 choices=choices)


def shared_arguments() -> list[DeclareLaunchArgument]:
    """Declare what every launch file takes."""
    return [
        _argument('scenario', 'scara_helix', 'Scenario of the package ('
                  + ', '.join(scenario_names()) + ') or path of a scenario, URDF or xacro file.'),
        _argument('controller', '', 'Control law; empty: the one of the scenario.',
                  ['', *CONTROLLERS]),
        _argument('params_file', '', 'ROS parameter file whose values go over those of the '
                  'scenario and of these arguments; empty: none.'),
        _argument('namespace', '', 'Namespace of all nodes, and of their clock and frames: robots '
                  'in different ones run side by side.'),
        switch('repeat', False, 'Begin the motion anew at its end, for ever; one that ends '
               'elsewhere goes back the same way.'),
        switch('publish_frames', True, 'Start robot_state_publisher, which RViz needs.'),
        switch('launch_rviz', False, 'Show the robot in RViz.'),
        _argument('rviz_config_file', str(share_folder('rviz') / 'robodyn.rviz'),
                  'Configuration of RViz.'),
        switch('viewer', False, 'Show the robot in a browser.'),
        _argument('viewer_port', '8080', "Port of the browser view's server."),
        switch('record', False, 'Record the run.'),
        _argument('record_file', '', 'MCAP file of the recording, which must not exist yet; '
                  'empty: a name with the time.'),
        _argument('log_level', 'info', "Least severity of our nodes' log messages.",
                  ['debug', 'info', 'warn', 'error', 'fatal']),
    ]


def one_robot(remaps: dict[str, Any], control: dict[str, Any],
              plant: dict[str, Any] | None = None) -> GroupAction:
    """
    Return the nodes around one robot in the namespace that was asked for.

    :param remaps: topics of all nodes, beside those that ROS knows by absolute names
    :param control: parameters of the controller
    :param plant: parameters of the simulated plant; None: there is a driver
    """
    # /clock, /tf and /tf_static are absolute names: made relative, two robots do not share them
    topics = {**{f'/{name}': name for name in ('clock', 'tf', 'tf_static')}, **remaps}
    return GroupAction([
        PushRosNamespace(LaunchConfiguration('namespace')),
        *(SetRemap(source, target) for source, target in topics.items()),
        OpaqueFunction(function=_nodes, args=[control, plant]),
    ])


def _nodes(context: LaunchContext, control: dict[str, Any],
           plant: dict[str, Any] | None) -> list[Action]:
    """
    Return the nodes that the scenario and the arguments ask for.

    All of them are looked for before the first is started: a launch that fails in the middle
    leaves processes behind, which mix with those of the next one.
    """
    def text(name: str) -> str:
        return str(LaunchConfiguration(name).perform(context))

    def on(name: str) -> bool:
        return bool(IfCondition(LaunchConfiguration(name)).evaluate(context))

    name = text('scenario')
    scenario = load_scenario(name)
    chosen, file = text('controller'), text('params_file')
    if file and not os.path.isfile(file):  # launch would only warn
        raise ScenarioError(f'params_file: there is no file {file}')
    files = [file] if file else []
    frames = on('publish_frames')
    nodes = []
    if plant is not None:
        nodes.append(_node('dynamics', files, scenario=name, start_paused=on('start_paused'),
                           repeat=on('repeat'),
                           publish_description=not frames, **plant))
    if scenario.trajectory.kind != 'none':
        nodes.append(_node('trajectory', files, scenario=name, repeat=on('repeat'),
                           autostart=on('autostart')))
    if (chosen or scenario.controller.kind) != 'none':
        law = {'kind': chosen} if chosen else {}
        nodes.append(_node('controller', files, scenario=name, **law, **control))
    if on('record'):
        nodes.append(_node('recorder', file=text('record_file')))
    if on('viewer'):
        nodes.append(_node('viewer', port=LaunchConfiguration('viewer_port')))
    if frames:
        urdf = robot_of(scenario).urdf
        nodes.append(_others_node(
            'robot_state_publisher', 'publish_frames:=false',
            # a string as it is: launch would read the text of the URDF as YAML otherwise
            parameters=[{'robot_description': ParameterValue(urdf, value_type=str),
                         'publish_frequency': 50.0}]))
    if on('launch_rviz'):
        nodes.append(_others_node('rviz2', 'launch_rviz:=false', arguments=[
            '-d', LaunchConfiguration('rviz_config_file')]))
    return [SetParameter('use_sim_time', on('use_sim_time')), *nodes]


def _node(name: str, files: list[str] | None = None, **parameters: Any) -> Node:
    """
    Return a node of the package; the launch ends when it does.

    :param files: parameter files, whose values go over the parameters
    """
    executable = f'{name}_node'
    _look_for('robodyn_ros', executable, 'build the workspace with colcon and source it')
    return Node(
        package='robodyn_ros', executable=executable, name=name, output='screen',
        # one by one: in a namespace, launch writes a dict for this very node, and then a file's
        # section /** would lose against it; a text as it is, since launch takes 7 for a number
        parameters=[*(Parameter(key, value, value_type=str if isinstance(value, str) else None)
                      for key, value in parameters.items()), *(files or [])],
        ros_arguments=['--log-level', LaunchConfiguration('log_level')],
        on_exit=_end_with(name))


def _others_node(package: str, without: str, **settings: Any) -> Node:
    """
    Return the node of another package that has its name.

    :param without: argument that does without it
    """
    apt = f'ros-{os.environ.get("ROS_DISTRO", "<distribution>")}-{package.replace("_", "-")}'
    _look_for(package, package, f'install it (apt install {apt}) or do without it ({without})')
    return Node(package=package, executable=package, output='screen', **settings)


def _look_for(package: str, executable: str, remedy: str) -> None:
    """Refuse to start anything if an executable is missing."""
    try:
        place = Path(get_package_prefix(package)) / 'lib' / package / executable
    except PackageNotFoundError:
        raise RobodynError(f'the package {package} is not installed, and nothing was started; '
                           f'{remedy}') from None
    if not os.access(place, os.X_OK):
        raise RobodynError(f'the package {package} has no executable {place}, and nothing was '
                           f'started; {remedy}')


def _end_with(name: str) -> Callable[[ProcessExited, LaunchContext], Action | None]:
    """Return what launch does when a node ends: the others are of no use without it."""
    def on_exit(event: ProcessExited, context: LaunchContext) -> Action | None:
        if context.is_shutdown:  # it ends because the launch does
            return None
        return Shutdown(reason=f'the node {name} has ended with exit code {event.returncode}')

    return on_exit
