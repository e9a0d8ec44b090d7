# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Plant and controller behind the nodes: the closed loop of simulate(), and every way to stop."""

import numpy as np
import pytest
from robodyn_ros import load_robot, load_scenario, simulate, Simulation
from robodyn_ros.errors import MessageRefused, RobodynError
from robodyn_ros.nodes.controller.controller_runner import ControllerRunner
from robodyn_ros.nodes.dynamics.plant_runner import FAULT, HOLDING, MOVING, PlantRunner, WAITING
from robodyn_ros.robots.joint_order import JointOrder
from robodyn_ros.ros_time import NANO
from robodyn_ros.scenario.wiring import control_of
from robodyn_ros.types import Control

PERIOD = NANO // 1000


@pytest.fixture(scope='module')
def simulation():
    """Return the helix without its control law."""
    return Simulation(load_scenario('scara_helix'), 0.2, with_control=False)


@pytest.fixture
def plant(simulation):
    """Return the plant at its start."""
    return PlantRunner(simulation.plant, simulation.assembly.state, simulation.period,
                       simulation.parameters)


@pytest.fixture
def controller(simulation):
    """Return the controller without a trajectory."""
    scenario = simulation.scenario
    control = control_of(simulation.robot, scenario.controller, simulation.desired.task)
    return ControllerRunner(simulation.robot, control, allow_moving_end=True)


def follow_reference(controller, reference, start, now=None):
    """Give the controller the sampled motion as a trajectory."""
    times = [int(round(t * NANO)) for t in reference.t]
    return controller.accept(start, controller.robot.joints, times, {
        'positions': reference.q, 'velocities': reference.v, 'accelerations': reference.a}, now)


def test_both_together_are_simulate_bit_for_bit(simulation, plant, controller):
    """State by state and torque by torque, the runners repeat the compiled closed loop."""
    result = simulate(load_scenario('scara_helix'), 0.2)
    follow_reference(controller, simulation.reference, NANO)
    for k in range(200):
        answer = controller.answer(NANO + k * PERIOD, plant.q.copy(), plant.v.copy())
        assert np.array_equal(plant.q, result.q[k]) and np.array_equal(plant.v, result.v[k])
        assert np.array_equal(answer.tau, result.tau[k])
        plant.command(answer.tau)
        plant.advance()


def test_the_arm_waits_then_moves_then_holds_when_commands_are_lost(plant):
    """Nothing falls: before a command and after a time-out the arm is held."""
    start = plant.q.copy()
    plant.advance()
    assert plant.mode == WAITING and np.array_equal(plant.q, start)
    plant.command(np.ones(4))
    plant.advance()
    assert plant.mode == MOVING and not np.array_equal(plant.q, start)
    plant.command_lost('hold')
    held = plant.q.copy()
    plant.advance()
    assert plant.mode == HOLDING and np.array_equal(plant.q, held) and not plant.v.any()
    assert 'no command in time' in plant.reason
    plant.command(np.ones(4))
    assert plant.mode == MOVING and plant.reason == ''


@pytest.mark.parametrize('reaction', ['damping', 'zero'])
def test_other_reactions_to_lost_commands_set_a_torque(plant, reaction):
    """Damping opposes the motion and carries the weight; zero lets go."""
    plant.command(np.ones(4))
    plant.command_lost(reaction)
    assert plant.mode == MOVING
    weight = load_robot('scara_450').bias(plant.q, np.zeros(4)).gravity
    power = (plant.tau - (weight if reaction == 'damping' else 0.0)) @ plant.v
    assert power < 0.0 if reaction == 'damping' else not plant.tau.any()


def test_efforts_are_limited_and_a_joint_limit_stops_the_arm(plant):
    """Torques are clipped to the file's efforts; beyond a limit the arm is held with a reason."""
    limits = plant.plant.robot.limits
    plant.command(np.full(4, 1e9))
    assert np.array_equal(plant.tau, limits.effort)
    for _ in range(5000):
        plant.advance()
        if plant.mode == FAULT:
            break
    assert plant.mode == FAULT and 'beyond its limits' in plant.reason
    assert np.isfinite(plant.q).all() and not plant.v.any()
    plant.reset()
    assert plant.mode == WAITING and plant.reason == ''


def test_a_run_away_keeps_the_last_good_state(plant):
    """A diverging integrator stops at finite numbers and says why."""
    plant.command(np.zeros(4))
    plant.v[:] = 1e200
    plant.advance()
    assert plant.mode == FAULT and np.isfinite(plant.q).all()
    assert 'finite' in plant.reason or 'limits' in plant.reason


def test_parameters_change_whole_or_not_at_all(plant, controller):
    """A bad value among good ones changes nothing."""
    plant.command(np.zeros(4))
    with pytest.raises(RobodynError, match='payload.mass'):
        plant.change({'friction_scale': 0.5, 'payload.mass': -1.0})
    plant.change({'payload.mass': 3.0})()
    with pytest.raises(RobodynError, match='unknown parameter'):
        controller.change({'kp.elbow': 1.0})
    controller.change({'kp.joint_1': 100.0})()


def test_trajectories_start_now_later_or_not_at_all(simulation, controller):
    """A stamp of 0 starts with the next state; a later one replaces at its time; a past one no."""
    q, v, n = simulation.reference.q[0], simulation.reference.v[0], 4
    assert controller.answer(NANO, q, v) is None
    follow_reference(controller, simulation.reference, 0)
    assert np.array_equal(controller.answer(3 * NANO, q, v).desired[:n], q)
    follow_reference(controller, simulation.reference, 4 * NANO, now=3 * NANO)
    before = controller.answer(4 * NANO - PERIOD, q, v).desired[:n]
    assert np.array_equal(before, simulation.reference.q[-1])
    assert np.array_equal(controller.answer(4 * NANO, q, v).desired[:n], q)
    with pytest.raises(MessageRefused, match='ended .* s ago'):
        follow_reference(controller, simulation.reference, NANO, now=9 * NANO)


def test_stop_holds_where_the_next_state_finds_the_arm(simulation, controller):
    """After stop the reference is the present position, at rest."""
    follow_reference(controller, simulation.reference, NANO)
    controller.stop()
    here = np.array([0.1, -0.5, 0.2, 0.05])
    for _ in range(2):
        answer = controller.answer(2 * NANO, here, np.zeros(4))
        assert np.array_equal(answer.desired, [*here, *np.zeros(8)])


def test_joints_are_found_by_name():
    """A permutation is undone; wrong names, doubles, sizes and NaN are refused."""
    order = JointOrder(load_robot('two_link').joints)
    assert order.arrange(['joint_2', 'joint_1'], [2.0, 1.0], 'x').tolist() == [1.0, 2.0]
    assert order.arrange(['joint_1', 'joint_2'], [2.0, 1.0], 'x').tolist() == [2.0, 1.0]
    for names, values, reason in [(['joint_1', 'elbow'], [1.0, 2.0], "unknown joint 'elbow'"),
                                  (['joint_1'], [1.0], "lacks joint 'joint_2'"),
                                  (['joint_1', 'joint_2', 'joint_1'], [1.0] * 3, 'twice'),
                                  (['joint_1', 'joint_2'], [1.0], '1 values for 2 joints'),
                                  (['joint_1', 'joint_2'], [1.0, np.inf], 'not finite')]:
        with pytest.raises(MessageRefused, match=reason):
            order.arrange(names, values, 'effort of joint_commands')


@pytest.mark.parametrize('count', [2, 6])
def test_a_law_of_the_wrong_length_is_refused_when_the_controller_is_made(count):
    """Neither uninitialised memory nor an overrun may become a torque."""
    robot = load_robot('scara_450')
    control = Control(lambda t, q, v, reference, parameters: [t] * count, 0, {})
    with pytest.raises(RobodynError, match=f'torques of the control law: expected 4, got {count}'):
        ControllerRunner(robot, control)
