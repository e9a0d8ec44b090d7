# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The node `controller`: answers every joint state with one torque command.

Driven by joint_states, no timer in the loop; a command carries the stamp of the state it answers.
Takes ~/joint_trajectory by joint_trajectory_controller's rules, and dynamics/resets, the times at
which a simulated plant was put back to its start. Publishes joint_commands (JointState or
Float64MultiArray, see command_format), ~/reference, ~/error, ~/status and /diagnostics, and
what a law with memory tells, such as ~/external_torque. Service ~/stop.
"""
from __future__ import annotations

from importlib.util import find_spec
import sys
import time
from typing import Any, Callable

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from robodyn_ros.errors import MessageRefused, ScenarioError
from robodyn_ros.nodes.common import messages
from robodyn_ros.nodes.common.base_node import BaseNode
from robodyn_ros.nodes.common.controller_status import ControllerStatus
from robodyn_ros.nodes.common.options import ControllerOptions
from robodyn_ros.nodes.common.parameters import on_change, scenario_of
from robodyn_ros.nodes.common.process import run_node
from robodyn_ros.nodes.common.qos import LATCHED, STREAM
from robodyn_ros.nodes.common.wall_timer import wall_timer
from robodyn_ros.nodes.controller.controller_runner import (
    Answer, ControlClock, ControllerRunner, Rules)
from robodyn_ros.nodes.controller.goal import Tolerances
from robodyn_ros.nodes.controller.intake import Intake, Moment
from robodyn_ros.nodes.controller.rivals import Rivals
from robodyn_ros.robots.joint_order import JointOrder
from robodyn_ros.ros_time import NANO
from robodyn_ros.scenario import wiring
from robodyn_ros.scenario.periods import period_ns, steps_in
from robodyn_ros.scenario.schema import ControllerSettings, Scenario
from robodyn_ros.trajectories.joint_plan import Points
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger


OWN_TOPICS = ('joint_trajectory', 'status', 'reference', 'error', 'controller_state',
              'speed_scaling_input')
"""Names that no law may tell something by."""


class ControllerNode(BaseNode):
    """Converts, calls the ControllerRunner and publishes."""

    def __init__(self, scenario: Scenario | None = None,
                 options: ControllerOptions = ControllerOptions(), **node: Any):
        """
        Declare parameters and compile the law before the first state is taken.

        :param scenario: instead of the one the parameter 'scenario' names
        :param node: further arguments of rclpy's Node, such as parameter_overrides
        """
        super().__init__('controller', **node)
        scenario, self.options = scenario_of(self, 'controller', options, scenario)
        self.intake = Intake({  # it starts while the law is compiled
            'name': f'_{self.get_name()}_intake', 'namespace': self.get_namespace(),
            'topic': self.resolve_topic_name('~/joint_trajectory'),
            'domain': self.context.get_domain_id()}, self._complete)
        self.stopped = Moment()
        """When the arm was told to stop last."""
        self.robot = wiring.robot_of(scenario)
        self.scenario = scenario
        control = wiring.control_of(self.robot, scenario.controller, scenario.trajectory,
                                    scenario.folder)
        if control is None:
            raise ScenarioError(f'controller.kind of scenario {scenario.name!r} is none; set '
                                'kind, or do not start this node')
        taken = sorted(set(control.told) & set(OWN_TOPICS))
        if taken:
            raise ScenarioError(f'the control law tells {taken[0]!r}, which is a topic of this '
                                'node already; give it another name in told')
        self.runner = ControllerRunner(self.robot, control, self._rules(), ControlClock(
            period_ns(scenario.controller.period),
            steps_in(scenario.controller.period, scenario.dynamics.step), scenario.dynamics.step))
        self.intake.judge(self.runner.judge)
        self.unusable = ''
        """Why the last state was not answered; empty if it was, or needed no answer."""
        self.order = JointOrder(self.robot.joints, strangers=True)
        self.names = list(self.robot.joints)
        self.last_state: int | None = None
        self.watched, self.answered, self.heard = 0, 0, time.monotonic()
        self.diagnostics = self.create_publisher(DiagnosticArray, '/diagnostics', 1)
        self.status = self.create_publisher(DiagnosticStatus, '~/status', LATCHED)
        self.told = ControllerStatus()
        self._tell_status()
        self.command = messages.JointStateMessage(self.names, 'effort')
        self.array_format = self.options.command_format == 'float64_multi_array'
        self.commands = self.publisher(
            Float64MultiArray if self.array_format else JointState, 'joint_commands')
        self.follows = control.reference_size > 0
        if self.follows:
            self.reference = self.create_publisher(JointState, '~/reference', STREAM)
            self.error = self.create_publisher(JointState, '~/error', STREAM)
        self.observed = {name: self.create_publisher(JointState, f'~/{name}', STREAM)
                         for name in control.told}
        self.create_subscription(Time, 'dynamics/resets', self._on_reset, STREAM)
        self.states = self.subscription(JointState, 'joint_states', self._on_state)
        self.rivals = Rivals(self.names)
        self.runner.scale(self.options.speed_scaling.initial_scaling_factor)
        self.runner.speed = self.runner.wanted_speed
        self.interfaces = self._control_interfaces()
        self.create_service(Trigger, '~/stop', self._on_stop)
        wall_timer(self, 1.0, self._diagnose)
        wall_timer(self, 0.02, self._look)
        wall_timer(self, 0.2, self._look_for_rivals)
        on_change(self, scenario.controller, self._check)
        on_change(self, self.options, self._check_options)
        log = self.get_logger()
        log.info(f'robot {self.robot.name}, law {scenario.controller.kind}, scenario '
                 f'{scenario.name}')
        log.info(f'joints {", ".join(self.names)}')
        model = scenario.controller.model
        log.info(f'its model has a payload of {model.payload.mass:g} kg at '
                 f'{wiring.model_robot(self.robot, model).payload_frame}')
        log.info(f'one command per state; warns without states for '
                 f'{self.options.state_timeout:g} s')
        log.info(f'topics joint_states in, joint_commands out ({self.options.command_format}), '
                 '~/joint_trajectory in')

    def _control_interfaces(self) -> Any:
        """Return what joint_trajectory_controller offers; None without control_msgs."""
        if not self.follows:
            return None
        if find_spec('control_msgs') is None:
            self.get_logger().info('no ~/follow_joint_trajectory: control_msgs is not installed '
                                   '(ros-$ROS_DISTRO-control-msgs)')
            return None
        from robodyn_ros.nodes.controller.control_interfaces import ControlInterfaces
        return ControlInterfaces(self, self.runner)

    def destroy_node(self) -> None:
        """Leave the graph."""
        # a node that could not be made is destroyed, too
        if hasattr(self, 'interfaces') and self.interfaces is not None:
            self.interfaces.close()
        if hasattr(self, 'intake'):
            self.intake.close()
        super().destroy_node()

    def _rules(self) -> Rules:
        """Return what is taken; a scenario without ramps has motions that end at full speed."""
        options, trajectory = self.options, self.scenario.trajectory
        moving = options.allow_nonzero_velocity_at_trajectory_end or not trajectory.ramp
        return Rules(
            self.scenario.controller, moving, options.allow_partial_joints_goal,
            None if trajectory.ignore_limits else options.limit_tolerance,
            max(options.state_timeout, 5.0 * self.scenario.controller.period),
            [room.position for room in Tolerances.of(self.robot.joints, options).path],
            bool(self.get_parameter('use_sim_time').value),
            trajectory.kind != 'none')

    def _complete(self, points: Points) -> Points:
        """Add what the law reads beside them; called in the intake's thread."""
        return self.runner.scheduled(points)

    def _look(self) -> None:
        """Do what no state may wait for: trajectories while none come, and who wants to know."""
        self._take_trajectories()
        for notice in self.intake.notices():
            self.tell(notice)
        self._tell_notices()
        if self.interfaces is not None:
            self.interfaces.look()
        if self.present != self.told:
            self._tell_status()

    def _tell_notices(self) -> None:
        while self.runner.notices:
            self.tell(self.runner.notices.pop(0))

    def _look_for_rivals(self) -> None:
        """Hold while more than one node tells where the arm is; a gripper's do not count."""
        found = self.rivals.look(self.partners(self.states), time.monotonic())
        if found:
            self.runner.lose(found)
            self.tell(f'{found}; no command is sent until it is one')

    @property
    def silence(self) -> float:
        """Return for how long no state has come [s]."""
        return time.monotonic() - self.heard

    @property
    def present(self) -> ControllerStatus:
        """Return what goes on."""
        hears = self.last_state is not None and self.silence <= self.options.state_timeout \
            and not self.rivals.found and bool(self.intake.reader)
        return ControllerStatus(hears, self.runner.fate, self.intake.reader)

    def _tell_status(self) -> None:
        self.told = self.present
        self.status.publish(messages.status(
            *self.status_names('law', self.robot.name), 'WARN' if self.told.fate.reason else 'OK',
            self.runner.doing, self.told.values()))

    def _take_trajectories(self) -> None:
        for arrived in self.intake.take():
            start, points, reason, *_ = arrived
            text = ''
            if points is not None and arrived.older_than(self.stopped):
                points, reason = None, 'it was sent before the arm was stopped; send it again'
            try:
                if points is None:
                    self.runner.refuse(start, reason)
                else:
                    text = self.runner.accept(start, points, self.last_state)
            except MessageRefused as error:
                reason = str(error)
            if reason:
                self.tell(f'trajectory refused: {reason}')
            elif text:
                self.get_logger().info(text)

    def _on_reset(self, message: Time) -> None:
        self.runner.reset(messages.time_of(message))

    def _on_state(self, message: JointState) -> None:
        stamp = messages.time_of(message.header.stamp)
        if self.rivals.found:
            self.rivals.is_stranger(message.name)  # a gripper's, which was listed before it spoke
            return
        if self.intake.waiting:
            self._take_trajectories()
        try:
            q = self.order.arrange(message.name, message.position, 'position of joint_states')
            v = self.order.arrange(message.name, message.velocity, 'velocity of joint_states')
            self.rivals.hear(stamp)
            self.last_state = stamp
            answer = self.runner.answer(self.last_state, q, v)
        except MessageRefused as error:
            if self.rivals.is_stranger(message.name):
                return
            self.unusable = str(error)
            self.tell(self.unusable)
            return
        self.unusable = ''
        if self.runner.notices:
            self._tell_notices()
        self.answered, self.heard = self.answered + 1, time.monotonic()
        if answer is not None:
            self._send(self.last_state, answer)
        if self.interfaces is not None:
            self.interfaces.look()

    def _send(self, now: int, answer: Answer) -> None:
        self.commands.publish(Float64MultiArray(data=messages.doubles(answer.tau))
                              if self.array_format else self.command.fill(now, answer.tau))
        if self.follows and not 0 <= now - self.watched < NANO / self.options.watch_rate:
            self.watched = now
            n = self.robot.n
            self.reference.publish(messages.joint_state(
                now, self.names, answer.desired[:n], answer.desired[n:2 * n]))
            self.error.publish(messages.joint_state(now, self.names, answer.error))
            if self.interfaces is not None:
                self.interfaces.tell(now, answer)
            for name, values in self.runner.told.items():
                self.observed[name].publish(messages.joint_state(now, self.names, effort=values))

    def stop(self, reason: str = 'stopped by ~/stop') -> None:
        """Brake, and take nothing that was sent before: a long trajectory is late."""
        self.stopped = Moment.now()
        self.runner.stop(reason)

    def _on_stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self.stop()
        response.success, response.message = True, (
            'braking, and holding where the arm comes to rest' if self.follows else
            'no command is sent any more: this law follows no trajectory, so it cannot hold')
        return response

    def _check(self, settings: ControllerSettings) -> Callable[[], None]:
        control: Any = wiring.control_of(self.robot, settings, self.scenario.trajectory,
                                         self.scenario.folder)
        return self.runner.change(dict(control.parameters))

    def _check_options(self, options: ControllerOptions) -> Callable[[], None]:
        def apply() -> None:
            if options.speed_scaling != self.options.speed_scaling:
                self.runner.scale(options.speed_scaling.initial_scaling_factor)
            self.options = options
            self.runner.rules = self._rules()
            self.intake.judge(self.runner.judge)

        return apply

    def _diagnose(self) -> None:
        silence = 0.0 if self.last_state is None else self.silence
        if silence > self.options.state_timeout and not self.rivals.found:
            self.tell(f'no joint_states for {silence:.1f} s: no command is sent')
        told = self.reasons.report()
        if self.last_state is None:
            told.insert(0, 'no joint_states yet')
        level = 'WARN' if told or self.runner.held else 'OK'
        plan = self.runner.plan
        text = '; '.join([self.runner.doing, *told])
        self.diagnostics.publish(self.report(
            self.last_state or 0, 'law', self.robot.name, level, text, {
                'states_per_second': self.answered,
                'trajectory_points': len(plan.points.times) if plan else 0}))
        self.answered = 0


def main(arguments: list[str] | None = None) -> int:
    """Run the node until a signal."""
    return run_node(ControllerNode, arguments)


if __name__ == '__main__':
    sys.exit(main())
