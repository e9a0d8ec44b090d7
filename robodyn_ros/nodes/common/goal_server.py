# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
An action server whose goals are led to their end by the node's own callbacks.

rclpy runs an execute callback as a task of the executor. One that waits would block every other
callback, and a coroutine cannot wait in an EventsExecutor before rclpy 7.1.11. So nothing is run
when a goal begins: a short, plain function is when it has ended, which hands over the result.
"""
from __future__ import annotations

from typing import Any, Callable

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node

SUCCEEDED, ABORTED, CANCELED = 'succeeded', 'aborted', 'canceled'
KEPT = 60
"""Time for which the result of a goal can be asked for, in the node's time [s]."""


class GoalServer(ActionServer):
    """
    Takes every goal; who handles it calls end() once, now or later.

    :param begin: gets the handle of each new goal
    :param cancel: gets that of one that is to be cancelled; returns whether it will be
    """

    def __init__(self, node: Node, kind: Any, name: str,
                 begin: Callable[[ServerGoalHandle], None],
                 cancel: Callable[[ServerGoalHandle], bool]):
        """Offer the action."""
        super().__init__(
            node, kind, name, execute_callback=lambda goal: kind.Result(),
            goal_callback=lambda goal: GoalResponse.ACCEPT,
            handle_accepted_callback=lambda goal: self._begin(goal, begin),
            cancel_callback=lambda goal: CancelResponse.ACCEPT if cancel(goal)
            else CancelResponse.REJECT, result_timeout=KEPT)

    def _begin(self, goal: ServerGoalHandle, begin: Callable[[ServerGoalHandle], None]) -> None:
        goal.execute()
        begin(goal)

    def notify_execute(self, goal_handle: ServerGoalHandle,
                       execute_callback: Callable[[ServerGoalHandle], Any] | None) -> None:
        """Run nothing for a goal that only begins; rclpy calls this from execute()."""
        if execute_callback is not None:
            super().notify_execute(goal_handle, execute_callback)

    def end(self, goal: ServerGoalHandle, how: str, result: Any) -> None:
        """
        End a goal, as soon as this callback has returned.

        :param how: SUCCEEDED, ABORTED or CANCELED
        :param result: message for the client
        """
        def ended(goal: ServerGoalHandle) -> Any:
            if how == SUCCEEDED:
                goal.succeed()
            elif how == CANCELED and goal.is_cancel_requested:
                goal.canceled()
            else:
                goal.abort()
            return result

        self.notify_execute(goal, ended)
