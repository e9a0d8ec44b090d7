# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Simulate a scenario: plant, controller and trajectory nodes, with the robot's frames and RViz.

    ros2 launch robodyn_ros simulation.launch.py scenario:=scara_helix launch_rviz:=true
    ros2 launch robodyn_ros simulation.launch.py --show-args
"""
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node, SetParameter
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

from robodyn_ros.robots.robot import load_robot
from robodyn_ros.scenario import load_scenario, scenario_names

ARGUMENTS = [
    DeclareLaunchArgument(
        'scenario', default_value='scara_helix',
        description='Scenario of the package (' + ', '.join(scenario_names())
                    + ') or path of a scenario file.'),
    DeclareLaunchArgument(
        'mode', default_value='free', choices=['free', 'lockstep'],
        description='free: paced by the wall clock; lockstep: paced by the commands, repeatable '
                    'to the last bit.'),
    DeclareLaunchArgument(
        'realtime_factor', default_value='1.0',
        description='Simulated seconds per wall second in free mode.'),
    DeclareLaunchArgument(
        'use_sim_time', default_value='true', choices=['true', 'false'],
        description='Let every node follow the simulated clock.'),
    DeclareLaunchArgument(
        'namespace', default_value='', description='Namespace of all nodes.'),
    DeclareLaunchArgument(
        'launch_rviz', default_value='false', choices=['true', 'false'],
        description='Show the robot in RViz.'),
    DeclareLaunchArgument(
        'rviz_config_file',
        default_value=PathJoinSubstitution(
            [FindPackageShare('robodyn_ros'), 'rviz', 'robodyn.rviz']),
        description='Configuration of RViz.'),
    DeclareLaunchArgument(
        'log_level', default_value='info', choices=['debug', 'info', 'warn', 'error'],
        description='Least severity of log messages of our nodes.'),
]


def nodes_of(context):
    """Return the nodes this scenario needs: without a controller there is none to start."""
    scenario = load_scenario(LaunchConfiguration('scenario').perform(context))
    common = {'namespace': LaunchConfiguration('namespace'), 'package': 'robodyn_ros',
              'output': 'screen',
              'ros_arguments': ['--log-level', LaunchConfiguration('log_level')]}
    shared = {'scenario': LaunchConfiguration('scenario')}
    nodes = [Node(executable='dynamics_node', name='dynamics', **common, parameters=[
        shared, {'mode': LaunchConfiguration('mode'),
                 'realtime_factor': LaunchConfiguration('realtime_factor')}])]
    if scenario.trajectory.kind != 'none':
        nodes.append(Node(executable='trajectory_node', name='trajectory', parameters=[shared],
                          **common))
    if scenario.controller.kind != 'none':
        nodes.append(Node(executable='controller_node', name='controller', parameters=[shared],
                          **common))
    nodes.append(Node(
        package='robot_state_publisher', executable='robot_state_publisher', output='screen',
        namespace=LaunchConfiguration('namespace'),
        # a string as it is: launch would read the text of the URDF as YAML otherwise
        parameters=[{'robot_description': ParameterValue(load_robot(scenario.robot).urdf,
                                                         value_type=str),
                     'publish_frequency': 50.0}]))
    return nodes


def generate_launch_description():
    """Return the arguments, the nodes and, if asked, RViz."""
    return LaunchDescription([
        *ARGUMENTS,
        SetParameter('use_sim_time', LaunchConfiguration('use_sim_time')),
        OpaqueFunction(function=nodes_of),
        Node(package='rviz2', executable='rviz2', output='screen',
             namespace=LaunchConfiguration('namespace'),
             arguments=['-d', LaunchConfiguration('rviz_config_file')],
             condition=IfCondition(LaunchConfiguration('launch_rviz'))),
    ])
