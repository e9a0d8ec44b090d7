# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The services and the action that simulators share, by a client with the real interfaces."""
from __future__ import annotations

from action_msgs.msg import GoalStatus
import numpy as np
import pytest
from rclpy.action import ActionClient
from system.graph import nodes, stamp

pytest.importorskip('simulation_interfaces', reason='simulation_interfaces is not installed: it '
                    'has no wheel, only ROS 2 has it (ros-$ROS_DISTRO-simulation-interfaces)')

from simulation_interfaces.action import SimulateSteps  # noqa: E402, I100, I202
from simulation_interfaces.msg import Result, SimulationState, SimulatorFeatures  # noqa: E402
from simulation_interfaces.srv import (  # noqa: E402
    GetSimulationState, GetSimulatorFeatures, ResetSimulation, SetSimulationState, StepSimulation)

pytestmark = pytest.mark.dds
PERIOD = 1_000_000


def call(listener, kind, name, **fields):
    """Ask a service of the plant."""
    return listener.call(kind, f'dynamics/{name}', **fields)


def enter(listener, state):
    """Set the simulation's state; returns the result."""
    return call(listener, SetSimulationState, 'set_simulation_state',
                state=SimulationState(state=state)).result


def state(listener):
    """Return the simulation's state."""
    return call(listener, GetSimulationState, 'get_simulation_state').state.state


def simulate_steps(listener, steps):
    """Send a goal; returns its handle and the feedback that comes."""
    client = ActionClient(listener.node, SimulateSteps, 'dynamics/simulate_steps')
    listener.wait(client.server_is_ready)
    heard = []
    sent = client.send_goal_async(SimulateSteps.Goal(steps=steps),
                                  lambda message: heard.append(message.feedback))
    listener.wait(sent.done)
    return sent.result(), heard


def result_of(listener, handle):
    """Return status and result of a goal."""
    future = handle.get_result_async()
    listener.wait(future.done)
    return future.result().status, future.result().result.result


@pytest.mark.parametrize('mode', ['lockstep', 'free'])
def test_a_driven_plant_steps_as_asked(listener, mode):
    """Features, states, N steps by service and by action; between two the controller answers."""
    with nodes('scara_helix', 'dynamics', 'controller', 'trajectory', dynamics={'mode': mode}):
        listener.wait_for_writers('joint_states', 'joint_commands')
        features = call(listener, GetSimulatorFeatures, 'get_simulator_features').features
        assert SimulatorFeatures.STEP_SIMULATION_MULTIPLE in list(features.features)
        listener.wait(lambda: len(listener.commands) > 50)
        assert state(listener) == SimulationState.STATE_PLAYING
        answer = call(listener, StepSimulation, 'step_simulation', steps=1)
        assert answer.result.result == Result.RESULT_OPERATION_FAILED
        assert 'playing; pause it first' in answer.result.error_message
        assert enter(listener, SimulationState.STATE_PAUSED).result == Result.RESULT_OK
        assert enter(listener, SimulationState.STATE_PAUSED).result == \
            SetSimulationState.Response.ALREADY_IN_TARGET_STATE
        before = listener.wait_for_standstill()
        answer = call(listener, StepSimulation, 'step_simulation', steps=100)
        assert answer.result.result == Result.RESULT_OK, answer.result.error_message
        listener.wait(lambda: listener.now >= before + 100 * PERIOD)
        assert listener.wait_for_standstill() == before + 100 * PERIOD
        # every state between was answered: the arm still moves as it should
        answered = {stamp(command) for command in listener.commands}
        assert {before + k * PERIOD for k in range(1, 100)} <= answered
        handle, heard = simulate_steps(listener, 50)
        assert result_of(listener, handle)[0] == GoalStatus.STATUS_SUCCEEDED
        listener.wait(lambda: heard and heard[-1].remaining_steps == 0)
        assert heard[-1].completed_steps == 50
        handle, _ = simulate_steps(listener, 2 ** 40)
        second, _ = simulate_steps(listener, 5)
        status, told = result_of(listener, second)
        assert status == GoalStatus.STATUS_ABORTED and 'still to be taken' in told.error_message
        done = handle.cancel_goal_async()
        listener.wait(done.done)
        status, told = result_of(listener, handle)
        assert status == GoalStatus.STATUS_CANCELED and 'cancelled after' in told.error_message
        assert state(listener) == SimulationState.STATE_PAUSED


def test_stop_reset_and_what_is_not_supported(listener):
    """A stop puts the plant back; the clock goes on; quitting ends the process."""
    with nodes('two_link_line', 'dynamics') as processes:
        listener.wait(lambda: listener.states)
        assert enter(listener, SimulationState.STATE_STOPPED).result == Result.RESULT_OK
        assert state(listener) == SimulationState.STATE_STOPPED
        now = listener.wait_for_standstill()
        start = np.array(listener.states[-1].position)
        answer = call(listener, StepSimulation, 'step_simulation', steps=1000)
        assert answer.result.result == Result.RESULT_OK
        assert listener.wait_for_standstill() == now + 1000 * 10 * PERIOD  # of 10 ms
        assert state(listener) == SimulationState.STATE_PAUSED
        kind = ResetSimulation.Request
        for scope, code in ((kind.SCOPE_DEFAULT, Result.RESULT_OK),
                            (kind.SCOPE_STATE, Result.RESULT_OK),
                            (kind.SCOPE_TIME, Result.RESULT_FEATURE_UNSUPPORTED),
                            (kind.SCOPE_SPAWNED, Result.RESULT_FEATURE_UNSUPPORTED)):
            answer = call(listener, ResetSimulation, 'reset_simulation', scope=scope)
            assert answer.result.result == code
        now = listener.wait_for_standstill()
        assert np.array_equal(listener.states[-1].position, start)
        assert enter(listener, SimulationState.STATE_NO_WORLD).result == \
            SetSimulationState.Response.INCORRECT_TRANSITION
        answer = call(listener, StepSimulation, 'step_simulation', steps=2 ** 40)
        assert 'too many' in answer.result.error_message
        assert enter(listener, SimulationState.STATE_PLAYING).result == Result.RESULT_OK
        assert enter(listener, SimulationState.STATE_QUITTING).result == Result.RESULT_OK
        listener.wait(lambda: processes[0].poll() is not None)
