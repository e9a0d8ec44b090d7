# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What every node of the package has: parameters it was given, a voice, an eye on its partners."""
from __future__ import annotations

from typing import Any, Callable

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.publisher import Publisher
from rclpy.qos import ReliabilityPolicy
from rclpy.subscription import Subscription
from robodyn_ros.errors import RobodynError
from robodyn_ros.nodes.common import messages
from robodyn_ros.nodes.common.qos import OVERRIDABLE, stream
from robodyn_ros.nodes.common.reasons import Reasons
from robodyn_ros.nodes.common.wall_timer import wall_timer

QUALITY = 'qos_overrides.'
OF_OTHERS = ('use_sim_time', 'start_type_description_service', QUALITY, 'diagnostic_updater.')
"""Beginnings of parameters that rclpy and others declare."""
PATIENCE = 10
"""Looks, one a second, after which it is told that no time comes; a plant may compile first."""


class BaseNode(Node):
    """A node whose log level can be set, and that knows which parameters it was given."""

    def __init__(self, name: str, **node: Any):
        """
        Join the graph.

        :param node: further arguments of rclpy's Node, such as parameter_overrides
        """
        super().__init__(name, enable_logger_service=True, **node)
        self.reasons = Reasons()
        # asked of rcl: rclpy declares what was given by itself only if no list of it is empty
        with self.handle:
            given = dict(self.handle.get_parameters(Parameter))
        given.update({parameter.name: parameter for parameter in node.get(
            'parameter_overrides') or ()})
        self.given = {name: parameter.value for name, parameter in given.items()
                      if not name.startswith(OF_OTHERS)}
        """Parameters from files, the command line and launch, by name; None: an empty list."""
        self._looks = 0
        self._waiting_for_time = wall_timer(self, 1.0, self._look_for_time)

    def _look_for_time(self) -> None:
        """Say once that simulated time does not begin."""
        self._looks += 1
        if self.get_clock().now().nanoseconds:
            self._waiting_for_time.cancel()
        elif self._looks == PATIENCE:
            self.tell('use_sim_time is true, but nobody publishes /clock: time stands still; '
                      'start what publishes it, or leave use_sim_time out')
            self._waiting_for_time.cancel()

    def publisher(self, kind: Any, topic: str) -> Publisher:
        """Publish a stream whose quality the parameters qos_overrides may change."""
        return self._with_quality(topic, lambda: self.create_publisher(
            kind, topic, stream(), qos_overriding_options=OVERRIDABLE))

    def subscription(self, kind: Any, topic: str, callback: Callable[..., None]) -> Subscription:
        """Hear a stream with a quality that the parameters qos_overrides may change."""
        return self._with_quality(topic, lambda: self.create_subscription(
            kind, topic, callback, stream(), qos_overriding_options=OVERRIDABLE))

    def _with_quality(self, topic: str, create: Callable[[], Any]) -> Any:
        try:
            return create()
        except (RuntimeError, ValueError, TypeError) as error:
            if not self.context.ok():  # a signal has ended ROS meanwhile
                raise
            told = str(error).split(', at ')[0].splitlines()[0]
            raise RobodynError(
                f'the parameters {QUALITY}{self.resolve_topic_name(topic)} of node '
                f'{self.get_name()} do not work: {told}; expected a depth from 1 to 100000, '
                'reliability reliable or best_effort, history keep_last or keep_all') from None

    def partners(self, subscription: Subscription) -> list[str]:
        """
        Return the full names of the nodes that publish what a subscription is for.

        Those whose messages it cannot get, for they offer them with best effort only, are told.
        """
        names = []
        reliable = subscription.qos_profile.reliability == ReliabilityPolicy.RELIABLE
        for info in self.get_publishers_info_by_topic(subscription.topic_name):
            name = f'{info.node_namespace.rstrip("/")}/{info.node_name}'
            names.append(name)
            if reliable and info.qos_profile.reliability == ReliabilityPolicy.BEST_EFFORT:
                self.tell(f'{name} publishes {subscription.topic_name} with best effort, which '
                          'this reliable subscription does not get; set '
                          f'{QUALITY}{subscription.topic_name}.subscription.reliability to '
                          'best_effort')
        return names

    def tell(self, reason: str) -> None:
        """Log why something was refused, unless that was said lately; an empty text is nothing."""
        if reason and self.reasons.add(reason):
            self.get_logger().warning(reason)

    def report(self, time: int, task: str, robot: str, level: str, text: str,
               values: dict[str, object]) -> DiagnosticArray:
        """
        Return one status for /diagnostics, whose names tell this node and robot from others.

        :param time: of the status [ns]
        :param task: what the node does, such as 'plant'
        :param level: OK, WARN or ERROR
        """
        return messages.diagnostics(time, *self.status_names(task, robot), level, text, values)

    def status_names(self, task: str, robot: str) -> tuple[str, str]:
        """Return name and hardware_id of a status of this node: what it does, for which robot."""
        space = self.get_namespace()
        return status_name(space, self.get_name(), task), under(space, robot)


def under(namespace: str, name: str) -> str:
    """Return a name with its namespace, such as 'left/scara_450'; without a leading slash."""
    return f'{namespace}/{name}'.strip('/')


def status_name(namespace: str, node: str, task: str) -> str:
    """Return the name of a diagnostic status, such as 'left/dynamics: plant'."""
    return f'{under(namespace, node)}: {task}'
