# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The node `dynamics`: a simulated plant behind the topics a hardware driver has.

Publishes joint_states, /clock, robot_description, ~/constraint_effort, ~/constraints, ~/tool_pose
and /diagnostics; takes joint_commands (JointState: name, effort) and ~/external_wrench
(WrenchStamped). Services ~/set_pause, ~/step, ~/reset, and those of simulation_interfaces where
that is installed. Free mode runs at realtime_factor times the wall clock; in lockstep the plant
takes step k + 1 when the command stamped with state k has arrived, so runs repeat to the last bit.
A plant that stands still repeats its state and the clock for who comes late.
"""
from __future__ import annotations

from collections import deque
from importlib.util import find_spec
import sys
import time
from typing import Any, Callable

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Point, PoseStamped, WrenchStamped
import numpy as np
from rclpy.node import Node
from robodyn_ros.errors import MessageRefused
from robodyn_ros.mechanics.kinematics import body_poses
from robodyn_ros.mechanics.parameters import NAMES
from robodyn_ros.nodes.common import messages
from robodyn_ros.nodes.common.base_node import BaseNode
from robodyn_ros.nodes.common.options import DynamicsOptions, FREE, LOCKSTEP
from robodyn_ros.nodes.common.parameters import on_change, scenario_of
from robodyn_ros.nodes.common.process import run_node
from robodyn_ros.nodes.common.qos import CLOCK, LATCHED, STREAM
from robodyn_ros.nodes.common.wall_timer import wall_timer
from robodyn_ros.nodes.dynamics.external_wrench import ExternalWrench
from robodyn_ros.nodes.dynamics.pace import PaceMeter
from robodyn_ros.nodes.dynamics.plant_runner import (
    FAULT, FINISHED, MOVING, PlantRunner, refusal_of)
from robodyn_ros.nodes.dynamics.sensor import Sensor
from robodyn_ros.nodes.dynamics.steps import Steps
from robodyn_ros.robots.joint_order import JointOrder
from robodyn_ros.ros_time import NANO
from robodyn_ros.scenario import wiring
from robodyn_ros.scenario.periods import period_ns, periods_in
from robodyn_ros.scenario.schema import DynamicsSettings, Scenario
from robodyn_ros.scenario.simulation import Simulation
from rosgraph_msgs.msg import Clock as ClockMessage
from sensor_msgs.msg import JointState
from std_msgs.msg import ColorRGBA, String
from std_srvs.srv import SetBool, Trigger
from visualization_msgs.msg import Marker, MarkerArray

FIRST_STAMP = NANO
"""Simulated time starts at 1 s: a stamp of 0 means 'now' or 'unknown' to ROS [ns]."""
REPEAT = 0.1
"""Wall time after which an unanswered state is sent again in lockstep [s]."""
LOOK = 0.02
"""Wall time between looks at steps that are due [s]."""
REPEAT_PAUSED = 0.2
"""Wall time after which the state is sent again while paused, for those who come late [s]."""
MARKERS_EVERY = 5
"""Markers come once in so many watch periods: a path is long, and no eye is that fast."""
TRACE_COLOUR = ColorRGBA(r=0.95, g=0.45, b=0.1, a=1.0)
FORCE_COLOUR = ColorRGBA(r=0.8, g=0.1, b=0.4, a=0.9)
LONGEST_ARROW = 0.25
"""Length of an arrow for a force as large as the largest so far [m]."""


class DynamicsNode(BaseNode):
    """Converts, calls the PlantRunner and publishes."""

    def __init__(self, scenario: Scenario | None = None,
                 options: DynamicsOptions = DynamicsOptions(), **node: Any):
        """
        Declare parameters, compile the plant, then start publishing.

        :param scenario: instead of the one the parameter 'scenario' names
        :param node: further arguments of rclpy's Node, such as parameter_overrides
        """
        super().__init__('dynamics', **node)
        scenario, self.options = scenario_of(self, 'dynamics', options, scenario)
        run = Simulation(scenario, with_control=False)
        self.robot, self.scenario = run.robot, scenario
        waits = scenario.controller.kind != 'none'
        start = run.assembly.state
        if waits and self.options.mode == FREE:  # held while time goes on: it begins at rest
            start = start._replace(v=np.zeros(run.robot.n))
        self.runner = PlantRunner(run.plant, start, run.period, run.parameters, waits,
                                  scenario.controller.delay,
                                  keep_limits=not scenario.trajectory.ignore_limits,
                                  limit_efforts=scenario.dynamics.limit_efforts,
                                  lap=_lap_of(run, waits), repeat=scenario.repeat)
        self.runner.prepare(self.options.on_timeout)
        self.sensor = Sensor(scenario.dynamics.noise, scenario.duration,
                             scenario.controller.period, self.robot.n)
        self.order = JointOrder(self.robot.joints)
        self.names = list(self.robot.joints)
        self.state = messages.JointStateMessage(list(self.robot.all_joints), 'position',
                                                'velocity', 'effort')
        self.mimic_effort = np.zeros(len(self.robot.mimics))
        self.period = period_ns(scenario.controller.period)
        self.tick, self.paused, self.commanded = 0, self.options.start_paused, FIRST_STAMP
        self.answered = -1  # tick of the last state whose answer was taken
        self.begun = 0  # stamp of the first state after a reset
        self.sent = time.monotonic()
        self.meter = PaceMeter()
        self._make_topics()
        on_change(self, scenario.dynamics, self._check_model)
        on_change(self, self.options, self._check_options)
        self._announce(waits)
        self._start()

    def _make_topics(self) -> None:
        self.states = self.publisher(JointState, 'joint_states')
        self.clock_topic = self.create_publisher(ClockMessage, '/clock', CLOCK)
        if self.options.publish_description:
            description = self.create_publisher(String, 'robot_description', LATCHED)
            description.publish(String(data=self.robot.urdf))
        self.watched = PlantTopics(self, self.runner, self.scenario.trajectory.frame,
                                   self.options.trace_length)
        self.diagnostics = self.create_publisher(DiagnosticArray, '/diagnostics', 1)
        self.resets = self.create_publisher(Time, '~/resets', STREAM)
        self.heard = self.subscription(JointState, 'joint_commands', self._on_command)
        self.push = ExternalWrench(self.robot, self.robot.tool_frame(
            self.scenario.trajectory.frame))
        self.runner.pushed = lambda: self.push.efforts(self.runner.q, self.tick)
        self.create_subscription(WrenchStamped, '~/external_wrench', self._on_wrench, STREAM)
        self.create_service(SetBool, '~/set_pause', self._on_pause)
        self.create_service(Trigger, '~/step', self._on_step)
        self.create_service(Trigger, '~/reset', self._on_reset)
        self.steps = Steps()
        wall_timer(self, LOOK, self._step_on)
        self.interfaces = self._simulation_interfaces()

    def _simulation_interfaces(self) -> Any:
        """Return the services that simulators share; None without simulation_interfaces."""
        if find_spec('simulation_interfaces') is None:
            return None
        from robodyn_ros.nodes.dynamics.simulator_services import SimulatorServices
        return SimulatorServices(self)

    def destroy_node(self) -> None:
        """Leave the graph."""
        if hasattr(self, 'interfaces'):  # a node that could not be made is destroyed, too
            self.steps.end('the plant ends')
            if self.interfaces is not None:
                self.interfaces.close()
        super().destroy_node()

    def _announce(self, waits: bool) -> None:
        log, options = self.get_logger(), self.options
        log.info(f'robot {self.robot.name} from {self.robot.path}, scenario {self.scenario.name}')
        passive, mimics = (', '.join(names) or '-' for names in (
            self.robot.passive, [mimic.name for mimic in self.robot.mimics]))
        log.info(f'joints {", ".join(self.names)}; passive: {passive}; mimic: {mimics}')
        log.info(f'tool frame {self.watched.frame}; payload '
                 f'{self.scenario.dynamics.payload.mass:g} kg at {self.robot.payload_frame}')
        log.info(f'{options.mode}: a state every {self.period / 1e6:g} ms of simulated time, step '
                 f'{self.scenario.dynamics.step * 1e3:g} ms, {self.runner.plant.model.integrator}')
        log.info('topics joint_states out, joint_commands in, rows '
                 + (', '.join(self.runner.plant.row_names) or '-'))
        log.info(f'holds until the first command: {waits}; command time-out '
                 f'{options.command_timeout:g} s, then {options.on_timeout}')
        if waits and options.mode == FREE and self.scenario.dynamics.initial_velocity:
            self.tell('initial_velocity does not count: in free mode the arm is held, at rest, '
                      'until the first command; lockstep begins with it')

    def _start(self) -> None:
        wall_timer(self, 1.0, self._diagnose)
        wall_timer(self, REPEAT_PAUSED, self._repeat)
        self._publish(watch=True)
        if self.options.mode == FREE:
            self.pace = wall_timer(self, self._pace, self._on_tick)
        elif self.runner.wait:
            wall_timer(self, REPEAT, self._on_silence)
        else:  # nobody answers: one watch period after the other, as fast as it goes
            wall_timer(self, 1e-3, self._run_alone)

    @property
    def _pace(self) -> float:
        """Wall time of a period in free mode [s]."""
        return self.period / NANO / self.options.realtime_factor

    @property
    def stamp(self) -> int:
        """Time of the present state, simulated [ns]."""
        return FIRST_STAMP + self.tick * self.period

    # --- callbacks: convert, call, publish --------------------------------------------------

    def _on_command(self, message: JointState) -> None:
        try:
            tau = self.order.arrange(message.name, message.effort, 'effort of joint_commands')
        except MessageRefused as error:
            self.tell(str(error))
            return
        lockstep = self.options.mode == LOCKSTEP
        stamp = messages.time_of(message.header.stamp)
        reason = refusal_of(stamp, self.stamp, None if lockstep else self.options.command_timeout,
                            self.begun)
        if reason is not None:
            self.tell(reason)
            return
        if self.paused and self.answered == self.tick:
            return  # the answer to a repeated state: it would pass a delay twice
        self.answered = self.tick
        self.commanded = self.stamp
        self.tell(self.runner.command(tau))
        if self.paused:
            self._step_on()
        elif lockstep:
            self._obey()

    def _on_wrench(self, message: WrenchStamped) -> None:
        lasts = max(1, int(self.options.wrench_timeout * NANO) // self.period)
        try:
            self.push.take(message.header.frame_id, messages.wrench_numbers(message.wrench),
                           self.tick + lasts)
        except MessageRefused as error:
            self.tell(str(error))

    def _obey(self) -> None:
        """Lockstep: take the step that a command asks for."""
        if self.runner.mode not in (FAULT, FINISHED):
            self._forward()

    def _on_tick(self) -> None:
        if self.paused:
            return
        waits = self.runner.wait and self.runner.mode == MOVING
        if waits and self.stamp - self.commanded > self.options.command_timeout * NANO:
            self.runner.command_lost(self.options.on_timeout)
        self._forward()

    def _on_silence(self) -> None:
        """Lockstep: send the state again, for a controller that was not there yet."""
        if not self.paused and time.monotonic() - self.sent > REPEAT:
            self._publish(watch=True)

    def _repeat(self) -> None:
        """Send the state and the clock again, if they stand still; an answer changes nothing."""
        ended = self.options.mode == LOCKSTEP and self.runner.mode in (FAULT, FINISHED)
        if (self.paused or ended) and time.monotonic() - self.sent > REPEAT_PAUSED / 2:
            self._publish(watch=True)

    def _run_alone(self) -> None:
        for _ in range(self._ticks(self.options.watch_rate)):
            if not self.paused:
                self._obey()

    def _step_on(self) -> None:
        """Take the steps that were asked for, each when the state before it is answered."""
        if not self.steps.left:
            return
        begun = time.monotonic()
        if not self.paused:
            self.steps.end('the plant was set running meanwhile')
        while self.steps.left and time.monotonic() - begun < LOOK / 2:
            if self.runner.mode == FAULT:
                self.steps.end(self.runner.reason)
            elif self.runner.wait and self.runner.mode == MOVING and self.answered != self.tick:
                self.steps.wait(begun)
                break
            else:
                self._forward()
                self.steps.take()

    def _forward(self) -> None:
        self.runner.advance()
        self.tick += 1
        self._publish(watch=self.tick % self._ticks(self.options.watch_rate) == 0)
        self.tell(self.runner.reason)

    def _ticks(self, rate: float) -> int:
        """Return after how many periods something of a rate [Hz] is due."""
        return max(1, round(NANO / self.period / rate))

    def _publish(self, watch: bool) -> None:
        now, runner = self.stamp, self.runner
        self.sent = time.monotonic()
        if watch or self.tick % self._ticks(self.options.clock_rate) == 0:
            self.clock_topic.publish(ClockMessage(clock=messages.time_message(now)))
        q, v = self.sensor.measured(runner.periods, runner.q, runner.v)
        tau = runner.tau
        if self.robot.mimics:  # what drives them is the joint they follow
            q, v = self.robot.all_positions(q), self.robot.all_rates(v)
            tau = np.concatenate([tau, self.mimic_effort])
        self.states.publish(self.state.fill(now, q, v, tau))
        if watch:
            self.watched.publish(now)

    def pause(self, paused: bool) -> None:
        """Let the plant stand still, or go on."""
        self.paused = paused
        self.meter.excuse()
        if not self.paused and self.options.mode == LOCKSTEP:
            if self.answered == self.tick:  # while it was paused
                self._obey()
            else:
                self._publish(watch=True)

    def _on_pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self.pause(bool(request.data))
        response.success, response.message = True, 'paused' if self.paused else 'running'
        return response

    def _on_step(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success = self.paused
        response.message = 'one period' if self.paused else 'pause first: ~/set_pause'
        if self.paused:
            self._forward()
        return response

    def reset(self) -> None:
        """Put plant, controller and motion back to the start; the clock goes on."""
        self.steps.end('the plant was put back to its start meanwhile')
        self.runner.reset()
        self.push.stop()
        self.reasons.clear()
        self.watched.forget()
        self.tick += 1
        self.commanded = self.begun = self.stamp  # an answer to an earlier state no longer fits
        self.answered = -1
        # controller and trajectory forget what was before, too; a controller that hears of it
        # later than of the state sees the arm jump, and drops its trajectory by itself
        self.resets.publish(messages.time_message(self.begun))
        self._publish(watch=True)

    def _on_reset(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self.reset()
        response.success, response.message = True, ('plant, controller and motion are at the '
                                                    'start; the clock goes on')
        return response

    def _check_model(self, settings: DynamicsSettings) -> Callable[[], None]:
        parameters = wiring.parameters_of(self.robot, settings)
        return self.runner.change(dict(zip(NAMES, parameters.flat())))  # type: ignore[arg-type]

    def _check_options(self, options: DynamicsOptions) -> Callable[[], None]:
        if options.on_timeout != self.options.on_timeout:
            self.runner.prepare(options.on_timeout)

        def apply() -> None:
            self.options = options
            self.watched.keep(options.trace_length)
            if options.mode == FREE:
                self.pace.timer_period_ns = int(self._pace * NANO)

        return apply

    def _diagnose(self) -> None:
        runner = self.runner
        partners = self.partners(self.heard)
        if len(partners) > 1:
            self.tell(f'{len(partners)} nodes publish joint_commands; only one should: '
                      + ', '.join(partners))
        simulated, options = self.tick * self.period / NANO, self.options
        if self.paused:
            self.meter.excuse()
        asked = options.realtime_factor if options.mode == FREE else 0.0
        slow = self.meter.report(simulated, time.monotonic(), asked)
        told = self.reasons.report()
        level, text = runner.condition([*told, slow] if slow else told)
        self.diagnostics.publish(self.report(
            self.stamp, 'plant', self.robot.name, level, text, {
                'mode': runner.mode, 'paused': self.paused, 'simulated_s': simulated,
                'realtime_factor': self.meter.factor,
                'largest_speed': float(np.abs(runner.v).max())}))


def _lap_of(run: Simulation, waits: bool) -> int:
    """Return the control periods of a motion that the plant makes by itself; 0 if it does not."""
    scenario = run.scenario
    alone = not waits and scenario.trajectory.kind != 'none'
    if not alone and not (scenario.repeat and 'task' in scenario.dynamics.constraints):
        return 0  # a controller says when it ends, or somebody pushes a plant that only swings
    return periods_in(run.desired.lap or scenario.duration, scenario.controller.period)


class PlantTopics:
    """
    Topics that people watch: published at a watching rate, and only if somebody looks.

    A plant without constraints does not advertise those of constraints.

    ~/tool_pose, ~/constraint_effort (effort = constraint force of each joint), ~/constraints (name
    = row, position = error, velocity = its rate, effort = multiplier) and ~/markers (path of the
    tool, and an arrow along the axis of each joint for its constraint force).
    """

    def __init__(self, node: Node, runner: PlantRunner, frame: str, trace_length: int):
        """
        Advertise the topics.

        :param frame: whose path is traced; the robot's tool, if it has no such frame
        """
        self.runner, self.robot = runner, runner.plant.robot
        self.frame = self.robot.tool_frame(frame)
        self.names, self.rows = list(self.robot.joints), list(runner.plant.row_names)
        self.tool = node.create_publisher(PoseStamped, '~/tool_pose', STREAM)
        if self.rows:
            self.efforts = node.create_publisher(JointState, '~/constraint_effort', STREAM)
            self.constraints = node.create_publisher(JointState, '~/constraints', STREAM)
        self.markers = node.create_publisher(MarkerArray, '~/markers', STREAM)
        self.trace: deque[Point] = deque(maxlen=trace_length)
        self.largest, self.count = 1e-9, 0

    def publish(self, now: int) -> None:
        """Publish what somebody watches, at a time [ns]."""
        self.count += 1
        drawn = self.markers.get_subscription_count() > 0
        if drawn or self.tool.get_subscription_count():
            state = self.robot.frame(self.frame, self.runner.q)
            self.tool.publish(messages.pose(now, self.robot.base, state.rotation, state.position))
            at = _point(state.position)
            if not self.trace or self.trace[-1] != at:  # a pause adds nothing to the path
                self.trace.append(at)
        force = None
        if self.rows and (drawn or self.efforts.get_subscription_count()
                          or self.constraints.get_subscription_count()):
            seen = self.runner.observe()
            force = seen.constraint_force[0]
            self.efforts.publish(messages.joint_state(now, self.names, effort=force))
            self.constraints.publish(messages.joint_state(
                now, self.rows, seen.phi[0], seen.phi_rate[0], seen.multipliers[0]))
        if drawn and self.count % MARKERS_EVERY == 0:
            self.markers.publish(MarkerArray(markers=[*self._path(now),
                                                      *self._arrows(now, force)]))

    def keep(self, trace_length: int) -> None:
        """Keep so many points of the traced path from now on, the newest."""
        if trace_length != self.trace.maxlen:
            self.trace = deque(self.trace, maxlen=trace_length)

    def forget(self) -> None:
        """Begin the traced path anew."""
        self.trace.clear()

    def _path(self, now: int) -> list[Marker]:
        if len(self.trace) < 2:
            return []
        path = messages.marker(now, self.robot.base, 'traced_path', 0, Marker.LINE_STRIP,
                               TRACE_COLOUR, 0.004)
        path.points = list(self.trace)
        return [path]

    def _arrows(self, now: int, force: np.ndarray | None) -> list[Marker]:
        if force is None:
            return []
        self.largest = max(self.largest, float(np.abs(force).max()))
        arrows = []
        poses = body_poses(self.robot.tree, self.runner.q.tolist())
        for k, body in enumerate(self.robot.joint_bodies):
            pose = poses[body]
            arrow = messages.marker(now, self.robot.base, 'constraint_force', k, Marker.ARROW,
                                    FORCE_COLOUR, 0.008)
            arrow.scale.y = 0.016  # of the head
            length = LONGEST_ARROW * float(force[k]) / self.largest
            tip = [at + length * row[2] for at, row in zip(pose.position, pose.rotation)]
            arrow.points = [_point(pose.position), _point(tip)]
            arrows.append(arrow)
        return arrows


def _point(values: object) -> Point:
    x, y, z = map(float, values)  # type: ignore[call-overload]
    return Point(x=x, y=y, z=z)


def main(arguments: list[str] | None = None) -> int:
    """Run the node until a signal."""
    return run_node(DynamicsNode, arguments)


if __name__ == '__main__':
    sys.exit(main())
