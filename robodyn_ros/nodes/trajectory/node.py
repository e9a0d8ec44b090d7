# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The node `trajectory`: turns the scenario's motion into one JointTrajectory and sends it.

The path in space becomes joint positions, velocities and accelerations by second-order inverse
kinematics, and those become as few points as its tolerance allows. It is sent once a controller is
there that hears the arm's joint_states, or on ~/start where autostart is false; an arm that stands
elsewhere gets a gentle way to the motion's start. The trajectory is stamped with its start and
kept for who comes later. A controller that misses the start gets it anew; one that drops the
motion later gets it on ~/start only. Publishes controller/joint_trajectory and ~/path
(nav_msgs/Path). Service ~/start starts it again, and so does a reset of a simulated plant
(dynamics/resets).

~/goal_pose (PoseStamped) and ~/follow_path (nav_msgs/Path) send the tool elsewhere, from where the
arm is; ~/goal_status says what became of it, or why it is refused. ~/start returns to the motion.
"""
from __future__ import annotations

import sys
import time
from typing import Any, Callable

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path
import numpy as np
from rclpy.qos import DurabilityPolicy
from rclpy.serialization import deserialize_message
from robodyn_ros.errors import MessageRefused, RobodynError, ScenarioError
from robodyn_ros.mechanics.tree import ancestors
from robodyn_ros.nodes.common import messages
from robodyn_ros.nodes.common.base_node import BaseNode
from robodyn_ros.nodes.common.controller_status import ControllerStatus, FOLLOWED, REFUSED
from robodyn_ros.nodes.common.options import TrajectoryOptions
from robodyn_ros.nodes.common.parameters import on_change, scenario_of
from robodyn_ros.nodes.common.process import run_node
from robodyn_ros.nodes.common.qos import LATCHED, NEWEST, STREAM
from robodyn_ros.nodes.common.rviz_handle import rviz_handle
from robodyn_ros.nodes.common.wall_timer import wall_timer
from robodyn_ros.nodes.trajectory.goals import check_arm, Goals
from robodyn_ros.nodes.trajectory.schedule import Schedule
from robodyn_ros.robots.joint_order import JointOrder
from robodyn_ros.ros_time import NANO
from robodyn_ros.scenario import wiring
from robodyn_ros.scenario.desired_motion import DesiredMotion
from robodyn_ros.scenario.periods import period_ns, periods_in
from robodyn_ros.scenario.schema import Scenario
from robodyn_ros.trajectories.joint_plan import approach_time, Points
from robodyn_ros.trajectories.time_law import same_place, there_and_back
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

LOOK = 0.05
"""Time between two looks at clock, arm and readers [s]."""
HANDLE = 0.1
"""Time between two moves of the handle in RViz [s]."""
MOVING_GOAL = 1.0
"""Wall time within which a goal after another is one that moves, as by a handle [s]."""
STALE = 2.0
"""Age of joint_states from which on it is not known where the arm is [s]."""
PATIENCE = 60
"""Looks after which it is told that no controller is there."""
APART = 2.0
"""Time between clock and states from which on they are not of one time [s]."""
TRIES = 3
"""How often a motion is begun that the controller misses, such as on a busy machine."""


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
        self.robot, self.scenario = wiring.robot_of(scenario), scenario
        period = scenario.controller.period
        duration = periods_in(scenario.duration, period) * period
        desired = DesiredMotion(scenario.trajectory, scenario.folder, duration)
        model = scenario.controller.model
        reference = desired.reference(wiring.model_robot(self.robot, model), duration, period,
                                      wiring.parameters_of(self.robot, model),
                                      wiring.constraints_of(scenario.dynamics, scenario.folder))
        if reference is None:
            raise ScenarioError(f'trajectory.kind of scenario {scenario.name!r} is none; set '
                                'kind, or do not start this node')
        if scenario.repeat and not same_place(reference.q[0], reference.q[-1]):
            reference = there_and_back(reference)
        self.reference, self.points = reference, desired.points(reference, period)
        self.message = messages.joint_trajectory(0, self.robot.joints, self.points)
        self.schedule = Schedule(int(self.points.times[-1]), period_ns(period),
                                 int(round(self.options.start_delay * NANO)), scenario.repeat,
                                 self.options.autostart, self.options.autostart and bool(
                                     self.get_parameter('use_sim_time').value))
        self.readers, self.after, self.lonely = 0, 0, 0
        self.controller: ControllerStatus | None = None
        self.sent: list[int] = []  # stamps of this motion's messages
        self.tries, self.followed = 1, False
        self.refused = ''
        """Why the motion is not followed, nor sent again; empty if it is."""
        self.approach: int | None = None
        """Time of the way to the motion's start [ns]; None as long as the arm is not found."""
        self.order = JointOrder(self.robot.joints, strangers=True)
        self.heard = 0.0  # when joint_states came, by the wall clock
        self.newest = b''  # the last joint_states, unpacked only when it matters where the arm is
        self.trajectory = self.create_publisher(JointTrajectory, 'controller/joint_trajectory',
                                                LATCHED)
        self.path = self.create_publisher(Path, '~/path', LATCHED)
        frame = self.robot.tool_frame(scenario.trajectory.frame)
        self.path.publish(self._path(frame))
        self.goals = Goals(self.robot, frame,
                           wiring.constraints_of(scenario.dynamics, scenario.folder),
                           scenario.trajectory.ignore_limits)
        self.asked: tuple[float, Callable[[], Points]] | None = None
        """When a goal was asked for, and what plans the way to it."""
        self.sent_goal = -MOVING_GOAL  # when the arm was sent to a goal last, by the wall clock
        self.status = self.create_publisher(String, '~/goal_status', LATCHED)
        self.create_subscription(PoseStamped, '~/goal_pose', self._on_goal_pose, STREAM)
        self.create_subscription(Path, '~/follow_path', self._on_follow_path, STREAM)
        reach = float(np.linalg.norm(self.robot.positions(frame, self.reference.q), axis=1).max())
        leading = ancestors(self.robot.tree, self.robot.find_frame(frame).body)
        self.dragged = rviz_handle(self, self.robot.base, max(reach, 0.1), len(leading),
                                   self._on_goal_pose)
        if self.dragged is not None:
            wall_timer(self, HANDLE, self._move_handle)
        self.create_subscription(Time, 'dynamics/resets', self._on_reset, STREAM)
        self.create_subscription(DiagnosticStatus, 'controller/status', self._on_status, LATCHED)
        self.create_subscription(JointState, 'joint_states', self._keep_state, NEWEST, raw=True)
        self.create_service(Trigger, '~/start', self._on_start)
        wall_timer(self, LOOK, self._on_look)
        on_change(self, self.options, self._check_options)
        self.get_logger().info(
            f'robot {self.robot.name}, {scenario.trajectory.kind}: {len(self.message.points)} '
            f'points, {reference.t[-1]:g} s, to controller/joint_trajectory'
            + ('' if self.options.autostart else ' when ~/start is called'))

    def _path(self, frame: str) -> Path:
        path = Path()
        path.header.frame_id = self.robot.base
        every = max(1, len(self.reference.t) // 500)
        states = self.robot.frame(frame, self.reference.q[::every])
        for t, turn, at in zip(self.reference.t[::every], states.rotation, states.position):
            path.poses.append(messages.pose(int(t * NANO), self.robot.base, turn, at))
        return path

    def _on_look(self) -> None:
        self._plan_goal()
        now = self.get_clock().now().nanoseconds
        if not self._is_time_of_states(now):
            return
        if now < self.after - NANO:
            self.after = 0  # the clock began anew
        self._look_for_the_arm()
        readers = self.trajectory.get_subscription_count()
        begins = self.schedule.due
        # a controller that comes after the start does not join the motion: it would lunge at it
        newcomer = readers > self.readers and not self.followed
        restarts = self.schedule.restarts
        for start in self.schedule.look(now, newcomer, self.approach):
            self._send(start, self.approach or 0 if begins else 0)
        if self.schedule.restarts > restarts:
            self._forget()  # what becomes of the motion before is of no interest any more
        self.readers = readers

    def _is_time_of_states(self, now: int) -> bool:
        """
        Tell whether the clock and the arm's states are of one time.

        A burst of old clocks, or of clocks to come, moves no arm: a plant that really began anew
        has states of the new time, too.
        """
        if not self.newest or self.scenario.controller.kind == 'none' or not now:
            return True
        stamp = messages.time_of(deserialize_message(self.newest, JointState).header.stamp)
        if stamp and abs(now - stamp) > APART * NANO and self.schedule.due:
            simulated = str(self.get_parameter('use_sim_time').value).lower()
            self.tell(f'the clock says {now / NANO:.3f} s, joint_states {stamp / NANO:.3f} s: no '
                      f'motion begins until they agree; use_sim_time is {simulated} here, make it '
                      'suit who publishes them')
        return not stamp or abs(now - stamp) <= APART * NANO

    def _keep_state(self, data: bytes) -> None:
        self.newest, self.heard = data, time.monotonic()

    def _look_for_the_arm(self) -> None:
        """Find out how long the way to the motion's start takes, if it is to begin."""
        if self.scenario.controller.kind == 'none':
            self.approach = 0  # the motion is only shown: nobody is led
            return
        self.approach = None
        if not self.schedule.due or not self.newest:
            return
        if not self._is_followed():
            self.lonely += 1
            if self.lonely == PATIENCE:
                self.tell('the motion waits for a controller that hears joint_states and listens '
                          f'on {self.trajectory.topic_name}')
            return
        try:
            stamp, q, _ = self._arm()
        except MessageRefused as error:
            self.tell(str(error))
            return
        if stamp >= self.after:
            seconds = approach_time(q, self.points.q[0], self.robot.limits.velocity,
                                    self.scenario.controller.start_tolerance)
            periods = -(-int(round(seconds * NANO)) // self.schedule.period)
            self.approach = periods * self.schedule.period
            self.schedule.state = stamp

    def _arm(self) -> tuple[int, np.ndarray, np.ndarray]:
        """Return stamp [ns], positions and velocities of the last joint_states."""
        message = deserialize_message(self.newest, JointState)
        q = self.order.arrange(message.name, message.position, 'position of joint_states')
        v = self.order.arrange(message.name, message.velocity, 'velocity of joint_states')
        check_arm(q, v)
        return messages.time_of(message.header.stamp), q, v

    def _is_followed(self) -> bool:
        """
        Tell whether a controller is ready; a motion that began without one could not be joined.

        Controllers take what is sent from now on (volatile); a reader that asks for the past as
        well, such as a recorder, only watches. Controllers of this package also tell whether they
        hear the arm, and which node takes their trajectories: one that was killed stays in the
        graph for a while. Of others, such as joint_trajectory_controller, that is not known.
        """
        readers = self.get_subscriptions_info_by_topic(self.trajectory.topic_name)
        if self.count_publishers('controller/status'):
            told = self.controller or ControllerStatus()
            if not told.hears_states or told.reader not in [one.node_name for one in readers]:
                return False
        return any(reader.qos_profile.durability != DurabilityPolicy.TRANSIENT_LOCAL
                   for reader in readers)

    def _send(self, start: int, approach: int = 0) -> None:
        """Publish the motion that begins at a time, with the way to it before [ns]."""
        message = self.message
        if approach:
            message = messages.joint_trajectory(0, self.robot.joints, self.points, approach)
            self.get_logger().info(f'the arm is led to the start within {approach / NANO:.1f} s')
        message.header.stamp = messages.time_message(start - approach)
        self.sent = [*self.sent[-1:], start - approach]
        self.trajectory.publish(message)

    def _on_status(self, message: DiagnosticStatus) -> None:
        """Hear what became of the motion; begin it anew if the controller missed its start."""
        self.controller = ControllerStatus.from_values(
            {pair.key: pair.value for pair in message.values})
        fate = self.controller.fate
        if fate.stamp not in self.sent:
            return  # somebody else's
        self.followed = self.followed or fate.outcome == FOLLOWED
        if fate.outcome != REFUSED:
            return
        self.sent = []
        if fate.missed and not self.followed and self.tries < TRIES:
            self.tell(f'the controller has missed the motion, which begins anew: {fate.reason}')
            self.tries += 1
            self.schedule.ask()
            return
        self.refused = fate.reason
        self.schedule.cancel()
        self.tell(f'the controller does not follow the motion; call ~/start: {fate.reason}')

    def _ask(self, earliest: int = 0) -> None:
        """Begin anew, not before a time [ns]."""
        self._forget()
        self.after = earliest
        self.schedule.ask(earliest)

    def _forget(self) -> None:
        self.sent, self.tries, self.followed, self.refused = [], 1, False, ''

    # --- goals ----------------------------------------------------------------------------

    def _on_goal_pose(self, message: PoseStamped) -> None:
        now = time.monotonic()
        plan = self.goals.after if now - self.sent_goal < MOVING_GOAL else self.goals.to_pose
        self._go([message], lambda q, v, poses: plan(q, v, poses[0], self.options))

    def _move_handle(self) -> None:
        """Keep the handle of RViz at the tool."""
        if self.dragged is None or not self.newest:
            return
        try:
            q = self._arm()[1]
        except MessageRefused:
            return  # told elsewhere
        state = self.robot.frame(self.goals.frame, q)
        self.dragged.follow(messages.pose(0, self.robot.base, state.rotation, state.position).pose)

    def _on_follow_path(self, message: Path) -> None:
        for pose in message.poses:  # the path's frame, where a pose has none of its own
            pose.header.frame_id = pose.header.frame_id or message.header.frame_id
        self._go(message.poses, lambda q, v, poses: self.goals.along(q, v, poses, self.options))

    def _go(self, given: list[PoseStamped], plan: Callable[..., Points]) -> None:
        """Send the arm where it shall go, or say why not."""
        try:
            poses = self._poses(given)
            self.goals.prepare()
        except RobodynError as error:
            self._refuse(error)
            return
        # where the arm is now: what was heard before may be as old as a compilation takes
        self.asked = time.monotonic(), lambda: plan(*self._start_of_goal(), poses)

    def _refuse(self, error: RobodynError) -> None:
        self.tell(f'goal refused: {error}')
        self.status.publish(String(data=f'refused: {error}'))

    def _plan_goal(self) -> None:
        """Plan the way to the goal that was asked for, as soon as the arm was heard since."""
        if self.asked is None or self.heard <= self.asked[0] > time.monotonic() - STALE:
            return
        (_, plan), self.asked = self.asked, None
        try:
            points = plan()
        except RobodynError as error:  # whatever is wrong with a goal, the node goes on
            self._refuse(error)
            return
        self._forget()
        self.schedule.cancel()
        self.trajectory.publish(messages.joint_trajectory(0, self.robot.joints, points))
        self.sent_goal = time.monotonic()
        text = f'accepted: {len(points.times)} points, {points.times[-1] / NANO:.2f} s'
        self.get_logger().info(f'goal {text}')
        self.status.publish(String(data=text))

    def _poses(self, given: list[PoseStamped]) -> list[list[float]]:
        """Return poses in the base frame."""
        for pose in given:
            if pose.header.frame_id not in ('', self.robot.base):
                raise MessageRefused(f'the pose is in frame {pose.header.frame_id!r}; expected '
                                     f'{self.robot.base!r}, the base of {self.robot.name}')
        return [messages.pose_numbers(pose.pose) for pose in given]

    def _start_of_goal(self) -> tuple[np.ndarray, np.ndarray]:
        """Return where the arm is, if that is known, and if somebody leads it."""
        if not self.newest or time.monotonic() - self.heard > STALE:
            raise MessageRefused('joint_states do not come, so it is not known where the arm is')
        if self.scenario.controller.kind == 'none' or not self._is_followed():
            raise MessageRefused(f'no controller listens to {self.trajectory.topic_name}; start '
                                 'one')
        return self._arm()[1:]

    def _check_options(self, options: TrajectoryOptions) -> Callable[[], None]:
        def apply() -> None:
            self.options = options

        return apply

    def _on_start(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        silent = not self.newest or time.monotonic() - self.heard > STALE
        if silent and not self.options.autostart and self.scenario.controller.kind != 'none':
            # an arm that comes up in an hour shall not move because of it
            response.message = ('joint_states do not come, so it is not known where the arm is; '
                                'call again when they do')
            return response
        self._ask()
        response.success, response.message = True, (
            'starts when joint_states tell where the arm is' if silent else
            'started' if self._is_followed() else 'starts when a controller is there')
        return response

    def _on_reset(self, message: Time) -> None:
        """Begin again with the plant, if the motion was begun before, or begins by itself."""
        if self.schedule.starts or self.options.autostart:
            self._ask(messages.time_of(message))


def main(arguments: list[str] | None = None) -> int:
    """Run the node until a signal."""
    return run_node(TrajectoryNode, arguments)


if __name__ == '__main__':
    sys.exit(main())
