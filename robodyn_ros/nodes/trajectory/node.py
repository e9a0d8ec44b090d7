# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The node `trajectory`: turns the scenario's motion into one JointTrajectory and sends it.

The path in space becomes joint positions, velocities and accelerations by second-order inverse
kinematics; the trajectory is stamped with its start and kept for controllers that come later.
Publishes controller/joint_trajectory and ~/path (nav_msgs/Path). Service ~/start starts it again.
"""
from __future__ import annotations

import sys
from typing import Any

from nav_msgs.msg import Path
from robodyn_ros.errors import ScenarioError
from robodyn_ros.nodes.common import messages
from robodyn_ros.nodes.common.base_node import BaseNode
from robodyn_ros.nodes.common.options import TrajectoryOptions
from robodyn_ros.nodes.common.parameters import scenario_of
from robodyn_ros.nodes.common.process import run_node
from robodyn_ros.nodes.common.qos import LATCHED
from robodyn_ros.nodes.common.wall_timer import wall_timer
from robodyn_ros.nodes.trajectory.schedule import Schedule
from robodyn_ros.robots.robot import load_robot
from robodyn_ros.ros_time import NANO
from robodyn_ros.scenario import wiring
from robodyn_ros.scenario.desired_motion import DesiredMotion
from robodyn_ros.scenario.schema import Scenario
from robodyn_ros.trajectories.return_to_start import closed
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory


class TrajectoryNode(BaseNode):
    """Computes the motion once; sends it when there is a clock and when a reader comes."""

    def __init__(self, scenario: Scenario | None = None,
                 options: TrajectoryOptions = TrajectoryOptions(), **node: Any):
        """
        Compute the reference before anything is sent.

        :param scenario: instead of the one the parameter 'scenario' names
        :param node: further arguments of rclpy's Node, such as parameter_overrides
        """
        super().__init__('trajectory', **node)
        scenario, self.options = scenario_of(self, 'trajectory', options, scenario)
        self.robot = load_robot(scenario.robot)
        self.reference = DesiredMotion(scenario.trajectory, scenario.folder).reference(
            self.robot, scenario.duration, scenario.controller.period,
            wiring.parameters_of(self.robot, scenario.controller.model))
        if self.reference is None:
            raise ScenarioError(f'trajectory.kind of scenario {scenario.name!r} is none; set '
                                'kind, or do not start this node')
        if self.options.repeat and not self.robot.loops:  # a way back could open a loop
            self.reference = closed(self.reference, self.robot.limits.velocity,
                                    scenario.controller.period)
        self.message = messages.joint_trajectory(0, self.robot.joints, self.reference)
        length, period, delay = (int(round(float(x) * NANO)) for x in (
            self.reference.t[-1], scenario.controller.period, self.options.start_delay))
        self.schedule = Schedule(length, period, delay, self.options.repeat)
        self.readers = 0
        self.trajectory = self.create_publisher(JointTrajectory, 'controller/joint_trajectory',
                                                LATCHED)
        self.path = self.create_publisher(Path, '~/path', LATCHED)
        self.path.publish(self._path(self.robot.tool_frame(scenario.trajectory.frame)))
        self.create_service(Trigger, '~/start', self._on_start)
        wall_timer(self, 0.05, self._on_look)
        self.get_logger().info(
            f'robot {self.robot.name}, {scenario.trajectory.kind}: {len(self.message.points)} '
            f'points, {scenario.duration:g} s, to controller/joint_trajectory')

    def _path(self, frame: str) -> Path:
        path = Path()
        path.header.frame_id = self.robot.base
        assert self.reference is not None
        every = max(1, len(self.reference.t) // 500)
        states = self.robot.frame(frame, self.reference.q[::every])
        for t, turn, at in zip(self.reference.t[::every], states.rotation, states.position):
            path.poses.append(messages.pose(int(t * NANO), self.robot.base, turn, at))
        return path

    def _on_look(self) -> None:
        readers = self.trajectory.get_subscription_count()
        now = self.get_clock().now().nanoseconds
        for start in self.schedule.look(now, readers > self.readers):
            self._send(start)
        self.readers = readers

    def _send(self, start: int) -> None:
        self.message.header.stamp = messages.time_message(start)
        self.trajectory.publish(self.message)

    def _on_start(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        now = self.get_clock().now().nanoseconds
        response.success = now > 0
        response.message = 'started' if now > 0 else 'there is no clock yet'
        if now > 0:
            self._send(self.schedule.begin(now))
        return response


def main(arguments: list[str] | None = None) -> int:
    """Run the node until a signal."""
    return run_node(TrajectoryNode, arguments)


if __name__ == '__main__':
    sys.exit(main())
