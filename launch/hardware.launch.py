# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Drive a robot: everything but the plant, whose place a driver takes (docs/hardware.md).

    ros2 launch robodyn_ros hardware.launch.py scenario:=scara_helix \
        command_topic:=/effort_controller/commands command_format:=float64_multi_array
"""
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration
from robodyn_ros.launching import one_robot, shared_arguments, switch
from robodyn_ros.nodes.common.options import FORMATS


def generate_launch_description():
    """Return the arguments and the nodes, connected with the driver's topics."""
    return LaunchDescription([
        *shared_arguments(),
        switch('use_sim_time', False, 'Follow a simulated clock; the driver then must as well.'),
        DeclareLaunchArgument(
            'state_topic', default_value='joint_states',
            description="The driver's JointState topic."),
        DeclareLaunchArgument(
            'command_topic', default_value='joint_commands',
            description='Topic on which the driver takes efforts.'),
        DeclareLaunchArgument(
            'command_format', default_value=FORMATS[0], choices=list(FORMATS),
            description='joint_state: names and efforts; float64_multi_array: efforts in the '
                        "order of the URDF, for ros2_control's effort controllers."),
        switch('autostart', False, 'Send the motion at once; false: nothing moves until '
               '/trajectory/start is called.'),
        one_robot(remaps={'joint_states': LaunchConfiguration('state_topic'),
                          'joint_commands': LaunchConfiguration('command_topic')},
                  control={'command_format': LaunchConfiguration('command_format')}),
    ])
