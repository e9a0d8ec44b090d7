# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The node `viewer`: a page in the browser that shows a running robot and talks back to it.

Hears robot_description, joint_states, controller/error, dynamics/constraints, trajectory/path and
/diagnostics; calls the services of the other nodes and sets their parameters. Publishes
trajectory/goal_pose where a visitor drags the tool's handle, tells what trajectory/goal_status
answers, and dynamics/external_wrench where a visitor pushes. It may come late, and the others may
be restarted under it.
"""
from __future__ import annotations

import sys
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped, WrenchStamped
from nav_msgs.msg import Path
import numpy as np
from rclpy.serialization import deserialize_message
from robodyn_ros.errors import RobodynError
from robodyn_ros.nodes.common import messages
from robodyn_ros.nodes.common.base_node import BaseNode, status_name
from robodyn_ros.nodes.common.options import CHANGEABLE, ViewerOptions
from robodyn_ros.nodes.common.parameters import options_of
from robodyn_ros.nodes.common.process import run_node
from robodyn_ros.nodes.common.qos import LATCHED, NEWEST, STREAM
from robodyn_ros.nodes.common.service_queue import ServiceQueue
from robodyn_ros.nodes.common.wall_timer import wall_timer
from robodyn_ros.ros_time import NANO
from robodyn_ros.viewing.status import LawReport, PlantReport, status_line
from robodyn_ros.viewing.viewer import Viewer
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger

GAINS = ['natural_frequency', 'kp', 'kd', 'damping', 'rho']
SETTINGS = {'realtime_factor': 'speed', 'payload.mass': 'payload'}
"""Parameters of the plant that the page has sliders for."""


class ViewerNode(BaseNode):
    """Keeps the newest messages; hands them to the Viewer some times a second."""

    def __init__(self, options: ViewerOptions = ViewerOptions(), **node: Any):
        """
        Open the page.

        :param node: further arguments of rclpy's Node, such as parameter_overrides
        """
        super().__init__('viewer', **node)
        self.options = options_of(self, options, CHANGEABLE['viewer'])
        self.viewer = Viewer(self.options.host, self.options.port, self.options.seconds)
        self.others = ServiceQueue(self, self.tell)
        self.newest: dict[str, bytes] = {}
        self.gains: dict[str, Any] = {}
        self.plant: PlantReport | None = None
        self.law: LawReport | None = None
        space = self.get_namespace()  # other robots report on the same topic
        self.plant_name = status_name(space, 'dynamics', 'plant')
        self.law_name = status_name(space, 'controller', 'law')
        for topic in ('joint_states', 'controller/error', 'dynamics/constraints'):
            self._keep(topic)
        self.create_subscription(String, 'robot_description', self._on_robot, LATCHED)
        self.create_subscription(Path, 'trajectory/path', self._on_path, LATCHED)
        self.create_subscription(DiagnosticArray, '/diagnostics', self._on_report, 10)
        self.create_subscription(String, 'trajectory/goal_status', self._on_goal_status, LATCHED)
        self.goal = self.create_publisher(PoseStamped, 'trajectory/goal_pose', STREAM)
        self.push = self.create_publisher(WrenchStamped, 'dynamics/external_wrench', STREAM)
        self.answer = ''  # why the last goal was refused
        wall_timer(self, 1.0 / self.options.rate, self._refresh)
        self.get_logger().info(f'the page is {self.viewer.address}')

    def _keep(self, topic: str) -> None:
        # bytes only: unpacking a thousand messages a second would cost more than drawing
        def keep(data: bytes) -> None:
            self.newest[topic] = data

        self.create_subscription(JointState, topic, keep, NEWEST, raw=True)

    def _on_robot(self, message: String) -> None:
        try:
            for warning in self.viewer.show_robot(message.data):
                self.tell(warning)
        except RobodynError as error:
            self.tell(str(error))
        self.others.get_parameters('controller', GAINS, self._on_gains)
        self.others.get_parameters('trajectory', ['frame'], self._on_frame)

    def _on_gains(self, values: dict[str, Any]) -> None:
        self.gains = {name: np.atleast_1d(value).tolist() for name, value in values.items()}
        self.viewer.show_gains(self.gains)

    def _on_settings(self, values: dict[str, Any]) -> None:
        self.viewer.show_settings({SETTINGS[name]: float(value)
                                   for name, value in values.items()})

    def _on_frame(self, values: dict[str, Any]) -> None:
        self.viewer.follow(str(values.get('frame', '')))

    def _on_path(self, message: Path) -> None:
        points = [pose.pose.position for pose in message.poses]
        self.viewer.show_path(np.array([[p.x, p.y, p.z] for p in points]).reshape(-1, 3))

    def _on_report(self, message: DiagnosticArray) -> None:
        now = time.monotonic()
        for status in message.status:
            if status.name == self.plant_name:
                if self.plant is None:
                    self.others.get_parameters('dynamics', list(SETTINGS), self._on_settings)
                values = {pair.key: pair.value for pair in status.values}
                self.plant = PlantReport(values.get('mode', ''), values.get('paused') == 'True',
                                         status.message, now)
            elif status.name == self.law_name:
                self.law = LawReport(status.message, now)

    def _on_goal_status(self, message: String) -> None:
        # a handle that is let go says where it is once more
        told = message.data.startswith('refused') and not message.data.endswith('already')
        self.answer = f'goal {message.data}' if told else ''

    def _refresh(self) -> None:
        self.viewer.offer_goals(self.goal.get_subscription_count() > 0)
        for request, value in self.viewer.requests():
            self._carry_out(request, value)
        said = status_line(self.plant, self.law, time.monotonic())
        self.viewer.show_plant(self.plant is not None and self.plant.paused,
                               '; '.join(filter(None, (said, self.answer))))
        data = self.newest.get('joint_states')
        if data is None or self.viewer.robot is None:
            return
        state = deserialize_message(data, JointState)
        stamp = messages.time_of(state.header.stamp) / NANO
        self.viewer.show_state(stamp, state.name, state.position, state.effort,
                               self._largest('controller/error'),
                               self._largest('dynamics/constraints'), time.monotonic())

    def _largest(self, topic: str) -> float:
        """Return the largest position of the newest message of a topic; nan without one."""
        if topic not in self.newest:
            return float('nan')
        values = deserialize_message(self.newest[topic], JointState).position
        return max(map(abs, values), default=float('nan'))

    def _carry_out(self, request: str, value: Any) -> None:
        others = self.others
        if request == 'pause':
            others.call(SetBool, 'dynamics/set_pause', data=value)
            if self.plant is not None:  # at once; the next report may say otherwise
                self.plant = self.plant._replace(paused=value)
        elif request == 'step':
            others.call(Trigger, 'dynamics/step')
        elif request == 'speed':
            others.set_parameter('dynamics', 'realtime_factor', float(value))
        elif request == 'payload':
            others.set_parameter('dynamics', 'payload.mass', float(value))
        elif request == 'gain':
            name, factor = value
            scaled = [factor * x for x in self.gains[name]]
            others.set_parameter('controller', name,
                                 scaled[0] if name in ('damping', 'rho') else scaled)
        elif request == 'goal' and self.viewer.robot is not None:
            self.goal.publish(messages.pose_message(self.viewer.robot.base, value))
        elif request == 'push' and self.viewer.scene is not None:
            self.push.publish(messages.force_message(self.viewer.scene.frame,
                                                     self.viewer.in_tool_axes(value)))
        elif request == 'scenario':
            self.answer = ''
            others.call(Trigger, 'trajectory/start')
        elif request == 'reset':
            self._reset()

    def _reset(self) -> None:
        """Bring the whole graph back to its start; a pause stays a pause."""
        self.others.call(Trigger, 'dynamics/reset')
        self.viewer.forget()

    def destroy_node(self) -> None:
        """Close the page, too."""
        if hasattr(self, 'viewer'):  # a node that could not be made is destroyed, too
            self.viewer.close()
        super().destroy_node()


def show(options: ViewerOptions, namespace: str = '') -> int:
    """Run the node in a namespace until a signal: what `robodyn view` does."""
    space = ['--ros-args', '-r', f'__ns:=/{namespace}'] if namespace else []
    return run_node(lambda: ViewerNode(options), space)


def main(arguments: list[str] | None = None) -> int:
    """Run the node until a signal."""
    return run_node(ViewerNode, arguments)


if __name__ == '__main__':
    sys.exit(main())
