# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Look at a robot: it moves as its scenario says, over and over, in RViz or in a browser.

    ros2 launch robodyn_ros view.launch.py scenario:=irb120_sine
    ros2 launch robodyn_ros view.launch.py scenario:=irb120_sine launch_rviz:=false viewer:=true
"""
from pathlib import Path

from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from robodyn_ros.launching import switch


def generate_launch_description():
    """Return the simulation with other defaults; its other arguments are taken too."""
    return LaunchDescription([
        switch('launch_rviz', True, 'Show the robot in RViz.'),
        switch('repeat', True, 'Begin the motion anew at its end, for ever; one that ends '
               'elsewhere goes back the same way.'),
        IncludeLaunchDescription(PythonLaunchDescriptionSource(
            str(Path(__file__).with_name('simulation.launch.py')))),
    ])
