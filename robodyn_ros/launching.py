# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What the launch files have in common: their arguments, and the nodes around one robot.

Only launch files import this: it needs launch and launch_ros, of which there is no wheel.
"""
from __future__ import annotations

from pathlib import Path
from typing import Any

from launch.action import Action
from launch.actions import DeclareLaunchArgument, GroupAction, OpaqueFunction, Shutdown
from launch.conditions import IfCondition
from launch.launch_context import LaunchContext
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node, PushRosNamespace, SetParameter, SetRemap
from launch_ros.parameter_descriptions import Parameter, ParameterValue
from robodyn_ros.errors import ScenarioError
from robodyn_ros.robots.robot import load_robot
from robodyn_ros.scenario.loading import load_scenario, scenario_names
from robodyn_ros.share import share_folder


def switch(name: str, default: bool, description: str) -> DeclareLaunchArgument:
    """Declare an argument that is true or false."""
    return _argument(name, str(default).lower(), description, ['true', 'false'])


def _argument(name: str, default: str, description: str,
              choices: list[str] | None = None) -> DeclareLaunchArgument:
    return DeclareLaunchArgument(name, default_value=default, description=description,
                                 choices=choices)


def shared_arguments() -> list[DeclareLaunchArgument]:
    """Declare what every launch file takes."""
    return [
        _argument('scenario', 'scara_helix', 'Scenario of the package ('
                  + ', '.join(scenario_names()) + ') or path of a scenario file.'),
        _argument('controller', '', 'Control law; empty: the one of the scenario.',
                  ['', 'none', 'computed_torque', 'robust', 'constraint_following']),
        _argument('params_file', '', 'ROS parameter file whose values go over those of the '
                  'scenario and of these arguments; empty: none.'),
        _argument('namespace', '', 'Namespace of all nodes, and of their clock and frames: robots '
                  'in different ones run side by side.'),
        switch('repeat', False, 'Append the motion to itself, for ever.'),
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
        SetParameter('use_sim_time', LaunchConfiguration('use_sim_time')),
        *(SetRemap(source, target) for source, target in topics.items()),
        OpaqueFunction(function=_nodes, args=[control, plant]),
        _node('recorder', 'record', file=LaunchConfiguration('record_file')),
        _node('viewer', 'viewer', port=LaunchConfiguration('viewer_port')),
        Node(package='rviz2', executable='rviz2', output='screen',
             arguments=['-d', LaunchConfiguration('rviz_config_file')],
             condition=IfCondition(LaunchConfiguration('launch_rviz'))),
    ])


def _nodes(context: LaunchContext, control: dict[str, Any],
           plant: dict[str, Any] | None) -> list[Action]:
    """Return the nodes this scenario needs: without a controller there is none to start."""
    name = LaunchConfiguration('scenario')
    scenario = load_scenario(name.perform(context))
    chosen = LaunchConfiguration('controller').perform(context)
    file = LaunchConfiguration('params_file').perform(context)
    if file and not Path(file).is_file():  # launch would only warn
        raise ScenarioError(f'params_file: there is no file {file}')
    files = [file] if file else []
    nodes = []
    if plant is not None:
        nodes.append(_node('dynamics', files=files, on_exit=Shutdown(), scenario=name, **plant))
    if scenario.trajectory.kind != 'none':
        nodes.append(_node('trajectory', files=files, scenario=name,
                           repeat=LaunchConfiguration('repeat')))
    if (chosen or scenario.controller.kind) != 'none':
        law = {'kind': chosen} if chosen else {}
        nodes.append(_node('controller', files=files, scenario=name, **law, **control))
    nodes.append(Node(
        package='robot_state_publisher', executable='robot_state_publisher', output='screen',
        # a string as it is: launch would read the text of the URDF as YAML otherwise
        parameters=[{'robot_description': ParameterValue(load_robot(scenario.robot).urdf,
                                                         value_type=str),
                     'publish_frequency': 50.0}],
        condition=IfCondition(LaunchConfiguration('publish_frames'))))
    return nodes


def _node(name: str, condition: str | None = None, files: list[str] | None = None,
          on_exit: Action | None = None, **parameters: Any) -> Node:
    """
    Return a node of the package.

    :param condition: argument that says whether it starts
    :param files: parameter files, whose values go over the parameters
    """
    return Node(
        package='robodyn_ros', executable=f'{name}_node', name=name, output='screen',
        # one by one: in a namespace, launch writes a dict for this very node, and then a file's
        # section /** would lose against it
        parameters=[*(Parameter(key, value) for key, value in parameters.items()), *(files or [])],
        ros_arguments=['--log-level', LaunchConfiguration('log_level')],
        condition=IfCondition(LaunchConfiguration(condition)) if condition else None,
        on_exit=on_exit)
