# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What joint_trajectory_controller offers beside ~/joint_trajectory, where control_msgs is there.

The action ~/follow_joint_trajectory, so that MoveIt and others can send motions and learn what
became of them; the topics ~/controller_state and ~/speed_scaling_input; the service ~/query_state.
"""
from __future__ import annotations

from typing import Any

from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTrajectoryControllerState
from control_msgs.srv import QueryTrajectoryState
import numpy as np
from rclpy.action.server import ServerGoalHandle
from robodyn_ros.errors import MessageRefused
from robodyn_ros.nodes.common import messages
from robodyn_ros.nodes.common.goal_server import ABORTED, CANCELED, GoalServer, SUCCEEDED
from robodyn_ros.nodes.common.qos import LATCHED, STREAM
from robodyn_ros.nodes.controller.controller_runner import Answer, ControllerRunner
from robodyn_ros.nodes.controller.goal import (
    checked_goal, Following, GoalRefused, INVALID_GOAL, JointTolerance, Outcome, SUCCESSFUL,
    Tolerances)
from robodyn_ros.ros_time import NANO, seconds_and_rest
from trajectory_msgs.msg import JointTrajectoryPoint

try:
    from control_msgs.msg import SpeedScalingFactor
except ImportError:  # before control_msgs 5.4: the parameter only
    SpeedScalingFactor = None

COMPONENTS = ('component_path_tolerance', 'component_goal_tolerance')
"""Of joints with several degrees of freedom; an older control_msgs has none."""


class ControlInterfaces:
    """Converts between these messages and the ControllerRunner."""

    def __init__(self, node: Any, runner: ControllerRunner):
        """
        Offer them.

        :param node: the ControllerNode
        """
        self.node, self.runner, self.names = node, runner, list(runner.robot.joints)
        self.goal: ServerGoalHandle | None = None
        self.following: Following | None = None
        self.state = node.create_publisher(JointTrajectoryControllerState, '~/controller_state',
                                           STREAM)
        node.create_service(QueryTrajectoryState, '~/query_state', self._on_query)
        if SpeedScalingFactor is not None:
            node.create_subscription(SpeedScalingFactor, '~/speed_scaling_input', self._on_speed,
                                     LATCHED)
        self.server = GoalServer(node, FollowJointTrajectory, '~/follow_joint_trajectory',
                                 self._on_goal, self._on_cancel)

    def close(self) -> None:
        """Take the action back, before the node goes."""
        self.server.destroy()

    # --- goals ------------------------------------------------------------------------------

    def _on_goal(self, goal: ServerGoalHandle) -> None:
        try:
            following = self._taken(goal.request)
        except GoalRefused as error:
            self._end(goal, error.outcome)
        except MessageRefused as error:
            self._end(goal, Outcome(INVALID_GOAL, str(error)))
        else:
            self._drop(Outcome(INVALID_GOAL, 'preempted by a new goal'))
            self.goal, self.following = goal, following

    def _taken(self, request: FollowJointTrajectory.Goal) -> Following:
        """Hand a goal's trajectory to the runner."""
        node, runner, trajectory = self.node, self.runner, request.trajectory
        several = request.multi_dof_trajectory
        for field, given in (('multi_dof_trajectory', several.joint_names or several.points),
                             *((name, getattr(request, name, ())) for name in COMPONENTS)):
            if given:
                raise GoalRefused(INVALID_GOAL, f'{field} is given, but every joint of '
                                  f'{runner.robot.name} has one degree of freedom; leave it empty')
        start, names, times, fields = messages.trajectory_parts(trajectory)
        points = checked_goal(runner, node.last_state, start, names, times, fields)
        path, goal = ([JointTolerance(one.name, one.position, one.velocity, one.acceleration)
                       for one in given]
                      for given in (request.path_tolerance, request.goal_tolerance))
        tolerances = Tolerances.of(self.names, node.options).changed(
            self.names, path, goal, messages.time_of(request.goal_time_tolerance) / NANO)
        text = runner.accept(start, points, node.last_state, tolerances.path)
        node.get_logger().info(f'goal: {text or "the trajectory that is followed"}')
        return Following(runner, tolerances)

    def _on_cancel(self, goal: ServerGoalHandle) -> bool:
        if self.goal is None or goal.goal_id != self.goal.goal_id:
            return False  # it has ended, and its result is on its way
        self.node.stop('the goal was cancelled')
        self._drop(Outcome(SUCCESSFUL, 'cancelled: the arm is braked, and held where it comes to '
                                       'rest'), CANCELED)
        return True

    def _drop(self, outcome: Outcome, how: str = '') -> None:
        """End the goal under way, if there is one."""
        goal, self.goal, self.following = self.goal, None, None
        if goal is not None:
            self._end(goal, outcome, how)

    def _end(self, goal: ServerGoalHandle, outcome: Outcome, how: str = '') -> None:
        how = how or (SUCCEEDED if outcome.code == SUCCESSFUL else ABORTED)
        if how == ABORTED:
            self.node.tell(f'goal aborted: {outcome.text}')
        else:
            self.node.get_logger().info(f'goal {outcome.text}')
        self.server.end(goal, how, FollowJointTrajectory.Result(
            error_code=outcome.code, error_string=outcome.text))

    def look(self) -> None:
        """See what has become of the goal, by states or without them."""
        if self.following is None:
            return
        outcome = self.following.outcome()
        if outcome is None and self.node.silence > self.node.options.state_timeout:
            outcome = Outcome(INVALID_GOAL, f'no joint_states for {self.node.silence:.1f} s: '
                                            'the arm cannot be led')
            self.runner.lose(outcome.text)
        if outcome is not None:
            self._drop(outcome)

    # --- states -----------------------------------------------------------------------------

    def tell(self, now: int, answer: Answer) -> None:
        """Publish where the arm should be and where it is, also as feedback of the goal."""
        measured, plan, n = self.runner.measured, self.runner.plan, len(self.names)
        if measured is None:
            return
        begin = plan.start if plan is not None else now
        q, v, a = (answer.desired[k * n:(k + 1) * n] for k in range(3))
        wanted = point(now - begin, q, v, a)
        found = point(now - begin, measured.q, measured.v)
        apart = point(now - begin, q - measured.q, v - measured.v)
        stamp = messages.time_message(now)
        message = JointTrajectoryControllerState(
            joint_names=self.names, reference=wanted, feedback=found, error=apart,
            output=JointTrajectoryPoint(effort=messages.doubles(answer.tau)),
            speed_scaling_factor=self.runner.speed)
        message.header.stamp, message.header.frame_id = stamp, 'base_link'
        self.state.publish(message)
        if self.goal is not None and self.following is not None and self.following.begun \
                and plan is not None:
            index = int(np.searchsorted(plan.points.times, now - begin, side='left'))
            feedback = FollowJointTrajectory.Feedback(
                joint_names=self.names, desired=wanted, actual=found, error=apart)
            if hasattr(feedback, 'index'):  # since control_msgs 6
                feedback.index = min(index, len(plan.points.times) - 1)
            feedback.header.stamp, feedback.header.frame_id = stamp, 'base_link'
            self.goal.publish_feedback(feedback)

    def _on_query(self, request: QueryTrajectoryState.Request,
                  response: QueryTrajectoryState.Response) -> QueryTrajectoryState.Response:
        plan, time = self.runner.plan, messages.time_of(request.time)
        response.name, response.success = self.names, False
        if plan is None or not self.runner.led:
            response.message = 'no trajectory is followed'
        elif not plan.start <= time <= plan.end:
            response.message = (f'the trajectory lasts from {plan.start / NANO:.3f} s to '
                                f'{plan.end / NANO:.3f} s, {time / NANO:.3f} s is outside')
        else:
            response.success = True
            response.position, response.velocity, response.acceleration = (
                messages.doubles(part) for part in np.split(plan.sample(time), 3))
        return response

    def _on_speed(self, message: Any) -> None:
        try:
            self.runner.scale(message.factor)
        except MessageRefused as error:
            self.node.tell(f'speed_scaling_input: {error}')


def point(since: int, q: np.ndarray, v: np.ndarray,
          a: np.ndarray | None = None) -> JointTrajectoryPoint:
    """Return the state of all joints at a time from a trajectory's start [ns]."""
    made = JointTrajectoryPoint(positions=messages.doubles(q), velocities=messages.doubles(v))
    if a is not None:
        made.accelerations = messages.doubles(a)
    made.time_from_start.sec, made.time_from_start.nanosec = seconds_and_rest(since)
    return made
