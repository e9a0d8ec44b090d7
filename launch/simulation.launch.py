# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Simulate a scenario: plant, controller and trajectory nodes, the robot's frames, and views of it.

    ros2 launch robodyn_ros simulation.launch.py scenario:=scara_helix launch_rviz:=true
    ros2 launch robodyn_ros simulation.launch.py --show-args
"""
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration
from robodyn_ros.launching import one_robot, shared_arguments, switch


def generate_launch_description():
    """Return the arguments and the nodes, the plant among them."""
    return LaunchDescription([
        *shared_arguments(),
        switch('use_sim_time', True, 'Let every node follow the simulated clock.'),
        DeclareLaunchArgument(
            'mode', default_value='free', choices=['free', 'lockstep'],
            description='free: paced by the wall clock; lockstep: paced by the commands, '
                        'repeatable to the last bit.'),
        DeclareLaunchArgument(
            'realtime_factor', default_value='1.0',
            description='Simulated seconds per wall second in free mode.'),
        switch('start_paused', False, 'Stand still until /dynamics/set_pause says false.'),
        switch('autostart', True, 'Send the motion at once; false: when /trajectory/start is '
               'called.'),
        one_robot(remaps={}, control={}, plant={
            'mode': LaunchConfiguration('mode'),
            'realtime_factor': LaunchConfiguration('realtime_factor')}),
    ])
