# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The services and the action that simulators share, where simulation_interfaces is installed.

~/get_simulator_features, ~/get_simulation_state, ~/set_simulation_state, ~/reset_simulation,
~/step_simulation and the action ~/simulate_steps; a step is a control period. Between two of them
the controller answers, so who waits for all of them waits beside the loop (StepService).
"""
from __future__ import annotations

import signal
from threading import Event, Thread
from typing import Any

from rclpy.action.server import ServerGoalHandle
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from robodyn_ros.errors import MessageRefused
from robodyn_ros.nodes.common.goal_server import ABORTED, CANCELED, GoalServer, SUCCEEDED
from robodyn_ros.nodes.common.wall_timer import wall_timer
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.msg import Result, SimulationState, SimulatorFeatures
from simulation_interfaces.srv import (GetSimulationState, GetSimulatorFeatures, ResetSimulation,
                                       SetSimulationState, StepSimulation)

FEATURES = ('SIMULATION_RESET', 'SIMULATION_RESET_STATE', 'SIMULATION_STATE_GETTING',
            'SIMULATION_STATE_SETTING', 'SIMULATION_STATE_PAUSE', 'STEP_SIMULATION_SINGLE',
            'STEP_SIMULATION_MULTIPLE', 'STEP_SIMULATION_ACTION')
WORDS = {SimulationState.STATE_STOPPED: 'stopped', SimulationState.STATE_PLAYING: 'playing',
         SimulationState.STATE_PAUSED: 'paused', SimulationState.STATE_QUITTING: 'quitting'}
MOST_STEPS = 1_000_000
"""Of one call of ~/step_simulation, which nobody can take back."""
LOOK = 0.05
"""Wall time between looks at what was asked for beside the loop [s]."""


def result(reason: str = '', code: int = Result.RESULT_OPERATION_FAILED) -> Result:
    """Return that all went well, or why not, with a code."""
    return Result(result=code if reason else Result.RESULT_OK, error_message=reason)


class SimulatorServices:
    """Converts between these messages and the node."""

    def __init__(self, node: Any):
        """
        Offer them.

        :param node: the DynamicsNode
        """
        self.node = node
        self.stopped = False  # paused at the start, until it plays or is paused
        self._quitting = False
        for kind, callback in ((GetSimulatorFeatures, self._on_features),
                               (GetSimulationState, self._on_get),
                               (SetSimulationState, self._on_set),
                               (ResetSimulation, self._on_reset)):
            node.create_service(kind, f'~/{_snake(kind.__name__)}', callback)
        self.goal: ServerGoalHandle | None = None
        self.server = GoalServer(node, SimulateSteps, '~/simulate_steps', self._on_goal,
                                 self._on_cancel)
        self.service = StepService(node)
        wall_timer(node, LOOK, self._look)

    def close(self) -> None:
        """Take them back, before the node goes."""
        self.service.close()
        self.server.destroy()

    def begin_steps(self, count: int, done: Any, progress: Any = None) -> None:
        """Let the paused plant take steps; MessageRefused if it cannot."""
        if not self.node.paused:
            raise MessageRefused('the simulation is playing; pause it first')
        self.stopped = False
        self.node.steps.begin(count, done, progress)

    def _look(self) -> None:
        """Do what was asked for beside the loop, and what must wait for an answer to be sent."""
        if self._quitting:
            self._quitting = False
            signal.raise_signal(signal.SIGINT)  # ends this process as Ctrl-C does
        asked = self.service.asked
        if asked is not None:
            self.service.asked = None
            try:
                self.begin_steps(asked, self.service.answer)
            except MessageRefused as error:
                self.service.answer(str(error))

    # --- services ---------------------------------------------------------------------------

    def _on_features(self, _: Any, response: Any) -> Any:
        response.features = SimulatorFeatures(
            features=[getattr(SimulatorFeatures, name) for name in FEATURES],
            custom_info='robodyn_ros: a step is a control period; a reset keeps the clock running')
        return response

    @property
    def state(self) -> int:
        """Return what goes on, as SimulationState says it."""
        if not self.node.paused:
            return int(SimulationState.STATE_PLAYING)
        return int(SimulationState.STATE_STOPPED if self.stopped
                   else SimulationState.STATE_PAUSED)

    def _on_get(self, _: Any, response: Any) -> Any:
        response.state, response.result = SimulationState(state=self.state), result()
        return response

    def _on_set(self, request: Any, response: Any) -> Any:
        wanted, kind = request.state.state, SetSimulationState.Response
        if wanted == self.state:
            response.result = result(f'the simulation is {WORDS[wanted]} already',
                                     kind.ALREADY_IN_TARGET_STATE)
        elif wanted not in WORDS:
            response.result = result(
                f'state {wanted} cannot be set; expected stopped (0), playing (1), paused (2) or '
                'quitting (3)', kind.INCORRECT_TRANSITION)
        else:
            self._enter(wanted)
            response.result = result()
        return response

    def _enter(self, wanted: int) -> None:
        self.stopped = wanted == SimulationState.STATE_STOPPED
        self._quitting = wanted == SimulationState.STATE_QUITTING
        paused = wanted != SimulationState.STATE_PLAYING
        if paused != self.node.paused:
            self.node.pause(paused)
        if self.stopped:
            self.node.reset()

    def _on_reset(self, request: Any, response: Any) -> Any:
        scope, kind = request.scope, ResetSimulation.Request
        everything = scope in (kind.SCOPE_DEFAULT, kind.SCOPE_ALL)
        if not everything and scope != kind.SCOPE_STATE:
            response.result = result(
                f'scope {scope} is not supported: the clock goes on and nothing is spawned; send '
                f'{kind.SCOPE_STATE} for the state, or {kind.SCOPE_DEFAULT}',
                Result.RESULT_FEATURE_UNSUPPORTED)
            return response
        self.node.reset()
        response.result = result()
        if everything:
            response.result.error_message = 'the clock goes on'
        return response

    # --- the action -------------------------------------------------------------------------

    def _on_goal(self, goal: ServerGoalHandle) -> None:
        try:
            self.begin_steps(goal.request.steps, lambda reason: self._end(goal, reason),
                             lambda taken, left: goal.publish_feedback(SimulateSteps.Feedback(
                                 completed_steps=taken, remaining_steps=left)))
        except MessageRefused as error:
            self.server.end(goal, ABORTED, SimulateSteps.Result(result=result(str(error))))
        else:
            self.goal = goal if self.node.steps.left else None

    def _end(self, goal: ServerGoalHandle, reason: str) -> None:
        how = ABORTED if reason else SUCCEEDED
        if self.goal is not None and goal.goal_id == self.goal.goal_id:
            self.goal = None
        elif reason:
            how = CANCELED
        self.server.end(goal, how, SimulateSteps.Result(result=result(reason)))

    def _on_cancel(self, goal: ServerGoalHandle) -> bool:
        if self.goal is None or goal.goal_id != self.goal.goal_id:
            return False
        self.goal = None
        self.node.steps.end(f'cancelled after {self.node.steps.taken} steps')
        return True


class StepService:
    """
    The service ~/step_simulation, which answers once its steps are taken.

    rclpy answers when the callback returns, and the loop must go on until then: the service is
    served in a thread of its own, by a node of its own beside the plant's.
    """

    def __init__(self, node: Node):
        """Offer it in the name of a node."""
        self.asked: int | None = None
        """Steps that are to be begun; taken out by the loop."""
        self._reason, self._answered, self._closed = '', Event(), Event()
        self._node = Node(f'{node.get_name()}_steps', namespace=node.get_namespace(),
                          context=node.context, use_global_arguments=False,
                          start_parameter_services=False, enable_rosout=False)
        self._node.create_service(StepSimulation, node.resolve_service_name('~/step_simulation'),
                                  self._on_step)
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(self._node)
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            while not self._closed.is_set():
                self._executor.spin_once(timeout_sec=0.2)
        except (ExternalShutdownException, RuntimeError):
            if not self._closed.is_set() and self._node.context.ok():
                raise

    def _on_step(self, request: Any, response: Any) -> Any:
        if request.steps > MOST_STEPS:
            response.result = result(f'{request.steps} steps are too many for one call; expected '
                                     f'at most {MOST_STEPS}, or use the action ~/simulate_steps')
            return response
        self._answered.clear()
        self.asked = int(request.steps)
        while not self._answered.wait(0.2):
            if self._closed.is_set():
                self._reason = 'the plant ends'
                break
        response.result = result(self._reason)
        return response

    def answer(self, reason: str) -> None:
        """Let the service answer: why not all steps were taken, or nothing."""
        self._reason = reason
        self._answered.set()

    def close(self) -> None:
        """End the thread."""
        self._closed.set()
        self._thread.join()
        self._executor.shutdown()
        self._node.destroy_node()


def _snake(name: str) -> str:
    """Return GetSimulationState as get_simulation_state."""
    return ''.join(f'_{letter.lower()}' if letter.isupper() else letter
                   for letter in name).lstrip('_')
