# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The node `trajectory`: turns the scenario's motion into one JointTrajectory and sends it.

The path in space becomes joint positions, velocities and accelerations by second-order inverse
kinematics; the trajectory is stamped with its start and kept for controllers that come later.
Publishes controller/joint_trajectory and ~/path (nav_msgs/Path). Service ~/start starts it again.
"""
from __future__ import annotations

from dataclasses import dataclass
import sys
from typing import Any

from nav_msgs.msg import Path
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from robodyn_ros import build
from robodyn_ros.errors import ScenarioError
from robodyn_ros.nodes import messages
from robodyn_ros.nodes.parameters import scenario_of
from robodyn_ros.nodes.process import run_node
from robodyn_ros.nodes.quality import LATCHED
from robodyn_ros.robots.robot import load_robot
from robodyn_ros.scenario import Scenario
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory


@dataclass(frozen=True)
class TrajectoryOptions:
    """What only the node has."""

    start_delay: float = 0.3
    """Lead of the trajectory's start before a running clock; none where the clock waits [s]."""
    repeat: bool = False
    """Send the motion again each time it ends."""


class TrajectoryNode(Node):
    """Computes the motion once; sends it when there is a clock and when a reader comes."""

    def __init__(self, scenario: Scenario | None = None,
                 options: TrajectoryOptions = TrajectoryOptions(), **node: Any):
        """
        Compute the reference before anything is sent.

        :param scenario: instead of the one the parameter 'scenario' names
        :param node: further arguments of rclpy's Node, such as parameter_overrides
        """
        super().__init__('trajectory', enable_logger_service=True, **node)
        scenario, self.options = scenario_of(self, 'trajectory', options, (),
                                             given=scenario)
        self.robot = load_robot(scenario.robot)
        self.period = int(round(scenario.controller.period * messages.NANO))
        self.reference = build.reference_of(self.robot, scenario.trajectory, scenario.duration,
                                            scenario.controller.period)
        if self.reference is None:
            raise ScenarioError(f'trajectory.kind of scenario {scenario.name!r} is none; set '
                                'kind, or do not start this node')
        self.message = messages.joint_trajectory(0, self.robot.joints, self.reference)
        self.start, self.readers, self.seen = 0, 0, 0
        self.trajectory = self.create_publisher(JointTrajectory, 'controller/joint_trajectory',
                                                LATCHED)
        self.path = self.create_publisher(Path, '~/path', LATCHED)
        self.path.publish(self._path(scenario.trajectory.frame))
        self.create_service(Trigger, '~/start', self._on_start)
        self.create_timer(0.05, self._on_look, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self.get_logger().info(
            f'robot {self.robot.name}, {scenario.trajectory.kind}: {len(self.message.points)} '
            f'points, {scenario.duration:g} s, to controller/joint_trajectory')

    def _path(self, frame: str) -> Path:
        path = Path()
        path.header.frame_id = 'base_link'
        assert self.reference is not None
        if frame in self.robot.frames:
            every = max(1, len(self.reference.t) // 500)
            states = self.robot.frame(frame, self.reference.q[::every])
            for t, turn, at in zip(self.reference.t[::every], states.rotation, states.position):
                path.poses.append(messages.pose(int(t * messages.NANO), turn, at))
        return path

    def _on_look(self) -> None:
        """Send when the clock runs, when a reader comes, and again at the end if asked."""
        now = self.get_clock().now().nanoseconds
        if now == 0:
            return  # simulated time has not begun
        if not self.start:
            # in lockstep the clock stands still until a controller follows this trajectory
            if self.seen:
                self._send(now, moving=now != self.seen)
            self.seen = now
            return
        if self.start > now + int(self.options.start_delay * messages.NANO):
            self._send(now)  # the plant and its clock began anew
        readers = self.trajectory.get_subscription_count()
        if readers > self.readers:
            self.trajectory.publish(self.message)
        self.readers = readers
        length = int(round(float(self.reference.t[-1]) * messages.NANO))  # type: ignore
        if self.options.repeat and now >= self.start + length - self.period:
            self._stamp(self.start + length)
            self.trajectory.publish(self.message)

    def _send(self, now: int, moving: bool = True) -> None:
        delay = int(self.options.start_delay * messages.NANO) if moving else 0
        self._stamp(-(-(now + delay) // self.period) * self.period)  # on a control instant
        self.trajectory.publish(self.message)

    def _stamp(self, start: int) -> None:
        self.start = start
        self.message.header.stamp = messages.stamp_of(start)

    def _on_start(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        now = self.get_clock().now().nanoseconds
        response.success = now > 0
        response.message = 'started' if now > 0 else 'there is no clock yet'
        if now > 0:
            self._send(now)
        return response


def main(arguments: list[str] | None = None) -> int:
    """Run the node until a signal."""
    return run_node(TrajectoryNode, arguments)


if __name__ == '__main__':
    sys.exit(main())
