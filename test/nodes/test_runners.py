# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Plant and controller behind the nodes: the closed loop of simulate(), and every way to stop."""

import numpy as np
import pytest
from robodyn_ros import load_robot, load_scenario, simulate, Simulation
from robodyn_ros.errors import MessageRefused, RobodynError
from robodyn_ros.nodes.common import controller_status
from robodyn_ros.nodes.controller.controller_runner import ControlClock, ControllerRunner, Rules
from robodyn_ros.nodes.dynamics.plant_runner import (
    FAULT, FINISHED, HOLDING, MOVING, PlantRunner, refusal_of, WAITING)
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
    control = control_of(simulation.robot, scenario.controller, scenario.trajectory)
    return ControllerRunner(simulation.robot, control)


def follow_reference(controller, simulation, start, now=None):
    """Give the controller the scenario's motion as a trajectory."""
    return controller.accept(start, simulation.desired.points(simulation.reference, 1e-3), now)


def send(controller, times, positions, *more, start=0, now=None):
    """Give the controller a trajectory by hand: positions, velocities, accelerations."""
    fields = dict(zip(('positions', 'velocities', 'accelerations'), (positions, *more)))
    fields = {name: fields.get(name, [[]] * len(times))
              for name in ('positions', 'velocities', 'accelerations', 'effort')}
    points = controller.checked(controller.robot.joints, [int(t * NANO) for t in times], fields)
    return controller.accept(start, points, now)


def test_both_together_are_simulate_bit_for_bit(simulation, plant, controller):
    """State by state and torque by torque, the runners repeat the compiled closed loop."""
    result = simulate(load_scenario('scara_helix'), 0.2)
    follow_reference(controller, simulation, NANO)
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
    plant.advance()
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


def test_a_plant_on_a_path_stops_at_its_end_or_begins_anew():
    """Nothing climbs on: scara_helix_constrained rests at its duration, or goes back and on."""
    for repeat in (False, True):
        run = Simulation(load_scenario('scara_helix_constrained', {'repeat': repeat}), 3.0)
        lap = round(run.desired.lap * 1000)
        assert lap == (6000 if repeat else 3000)
        plant = PlantRunner(run.plant, run.assembly.state, run.period, run.parameters, False,
                            lap=lap, repeat=repeat)
        start, farthest, fastest = plant.q.copy(), 0.0, 0.0
        for _ in range(13_000):
            before = plant.q.copy()
            plant.advance()
            farthest = max(farthest, np.abs(plant.q - start).max())
            fastest = max(fastest, np.abs(plant.q - before).max())
        assert plant.mode == (MOVING if repeat else FINISHED)
        assert fastest < 2e-3 and farthest < 2.0
        if not repeat:
            assert not plant.v.any() and plant.periods == 3000


def test_answers_to_states_before_a_reset_are_never_applied():
    """Whatever the mode and however young."""
    for timeout in (None, 0.1):
        assert refusal_of(5 * NANO, 5 * NANO + PERIOD, timeout, 5 * NANO + PERIOD) == ''
        assert refusal_of(5 * NANO + PERIOD, 5 * NANO + PERIOD, timeout, 5 * NANO + PERIOD) is None


def test_parameters_change_whole_or_not_at_all(plant, controller):
    """A bad value among good ones changes nothing."""
    plant.command(np.zeros(4))
    with pytest.raises(RobodynError, match='payload.mass'):
        plant.change({'friction_scale': 0.5, 'payload.mass': -1.0})
    plant.change({'payload.mass': 3.0})()
    with pytest.raises(RobodynError, match='unknown parameter'):
        controller.change({'kp.elbow': 1.0})
    controller.change({'kp.joint_1': 100.0})()


START = np.array([0.5, -0.9, 0.4, 0.05])
STILL, WAY = np.zeros(4), np.array([1.0, 1.0, 1.0, 0.2])


def lead(controller, begin, seconds, q=START, every=0.001):
    """Answer perfect states for a while; returns the desired states (k, 12)."""
    rows, state = [], np.concatenate([q, STILL, STILL])
    for k in range(int(round(seconds / every))):
        answer = controller.answer(begin + int(round(k * every * NANO)), state[:4], state[4:8])
        if answer is not None:
            rows.append(answer.desired)
            state = answer.desired
    return np.array(rows)


def test_a_single_point_is_reached_at_its_time_without_a_jump(controller):
    """One point, 4 s from now, positions only: the message anybody sends first."""
    assert controller.answer(NANO, START, STILL) is None
    send(controller, [4.0], [START + 0.8 * WAY], now=NANO)
    rows = lead(controller, NANO + PERIOD, 4.5)
    assert np.abs(np.diff(rows[:, :4], axis=0)).max() < 1.6 * 0.2 / 1000  # 0.2 rad/s on average
    assert np.abs(np.diff(rows[:, 4:8], axis=0)).max() < 0.21
    assert np.abs(np.diff(rows[:500, 4:8], axis=0)).max() < 0.01  # it starts smoothly
    assert rows[-1, :4] == pytest.approx(START + 0.8 * WAY, abs=1e-12)
    assert controller.doing == 'holding at the end of the trajectory'


@pytest.mark.parametrize('start', [0, 2 * NANO + 300 * PERIOD])
@pytest.mark.parametrize('order', [0, 1, 2])
def test_a_replacement_has_no_step_in_position_or_velocity(controller, order, start):
    """In the middle of a motion, at once or at a later stamp, with any fields."""
    controller.answer(NANO, START, STILL)
    send(controller, [2.0], [START + 0.6 * WAY], [STILL], [STILL], now=NANO)
    first = lead(controller, NANO + PERIOD, 1.0)
    more = [[STILL, STILL]] * order
    send(controller, [1.0, 2.0], [START + 0.2 * WAY, START], *more, start=start,
         now=NANO + 1000 * PERIOD)
    rows = np.vstack([first[-1], lead(controller, NANO + 1001 * PERIOD, 0.9, first[-1, :4])])
    assert np.abs(np.diff(rows[:, :4], axis=0)).max() < 2e-3
    assert np.abs(np.diff(rows[:, 4:8], axis=0)).max() < 2e-2
    assert rows[-1, 4] < 0.0  # it is followed


def test_a_point_that_is_due_at_once_is_refused_when_far_and_blended_when_near(controller):
    """Nothing is jumped to; the sentence names joint and distance."""
    controller.answer(NANO, START, STILL)
    with pytest.raises(MessageRefused, match="begins 0.3 rad from where joint 'joint_1' is"):
        send(controller, [0.0, 1.0], [START + [0.3, 0.1, 0.0, 0.0], START], now=NANO)
    assert controller.answer(NANO + PERIOD, START, STILL) is None  # nothing has changed
    send(controller, [0.0, 1.0], [START + 0.05, START + 0.05], now=NANO)
    rows = lead(controller, NANO + PERIOD, 0.8)
    assert np.abs(np.diff(rows[:, :4], axis=0)).max() < 3e-4
    assert rows[-1, :4] == pytest.approx(START + 0.05, abs=1e-12)


def test_motions_beyond_limits_are_refused_and_change_nothing(controller):
    """A target beyond a limit, a way that is too fast: with the joint and the number."""
    limits = controller.robot.limits
    controller.answer(NANO, START, STILL)
    with pytest.raises(MessageRefused, match="position of joint 'joint_2' is .* beyond its limit"):
        send(controller, [4.0], [[0.0, limits.upper[1] + 0.1, 0.0, 0.0]], now=NANO)
    with pytest.raises(MessageRefused, match="velocity of joint 'joint_1' .* later time_from_sta"):
        send(controller, [0.01], [START - 0.3 * WAY], now=NANO)
    assert controller.doing == 'no trajectory'


def test_trajectories_start_now_later_or_not_at_all(simulation, controller):
    """A stamp of 0 starts with the next state; a later one replaces at its time; a past one no."""
    q, v, n = simulation.reference.q[0], simulation.reference.v[0], 4
    assert controller.answer(NANO, q, v) is None
    follow_reference(controller, simulation, 0)
    assert controller.answer(NANO + PERIOD, q, v).desired[:n] == pytest.approx(q, abs=1e-12)
    follow_reference(controller, simulation, NANO + 300 * PERIOD, now=NANO + PERIOD)
    for k in range(2, 300):
        before = controller.answer(NANO + k * PERIOD, q, v).desired[:n]
    assert np.array_equal(before, simulation.reference.q[-1])
    assert np.array_equal(controller.answer(NANO + 300 * PERIOD, q, v).desired[:n], before)
    with pytest.raises(MessageRefused, match='ended .* s ago'):
        follow_reference(controller, simulation, NANO, now=9 * NANO)


def test_stop_brakes_and_holds(simulation, controller):
    """From motion to rest without a step, and on from there for ever; at rest it stays."""
    controller.answer(NANO, START, STILL)
    controller.stop()
    for _ in range(2):
        answer = controller.answer(NANO + PERIOD, START, STILL)
        assert np.array_equal(answer.desired, [*START, *np.zeros(8)])
    send(controller, [2.0], [START + 0.6 * WAY], [STILL], now=NANO + PERIOD)
    moving = lead(controller, NANO + 2 * PERIOD, 1.0)
    controller.stop()
    rows = np.vstack([moving[-1], lead(controller, NANO + 1002 * PERIOD, 1.0, moving[-1, :4])])
    assert np.abs(np.diff(rows[:, :4], axis=0)).max() < 1e-3
    assert np.abs(np.diff(rows[:, 4:8], axis=0)).max() < 1e-2
    assert not rows[-1, 4:].any() and controller.doing == 'stopped: holding'


def test_states_that_jump_or_are_missing_drop_the_trajectory(controller):
    """A reset that nobody told of, a driver that was away: nothing is caught up with."""
    for jump, later in ((0.4, 1), (0.0, 2000)):
        controller.reset(10 ** 18)
        controller.answer(NANO, START, STILL)
        send(controller, [10.0], [START + 0.5 * WAY], now=NANO)
        rows = lead(controller, NANO + PERIOD, 2.0)
        there = rows[-1, :4] - jump * WAY
        answer = controller.answer(3 * NANO + later * PERIOD, there, STILL)
        assert np.array_equal(answer.desired, [*there, *np.zeros(8)])
        assert 'the trajectory is dropped' in controller.notices.pop()
        assert controller.doing.startswith('holding: joint_states ')
        assert controller.fate.outcome == controller_status.REFUSED and not controller.fate.missed


def test_a_start_that_passed_before_the_first_state_is_refused_and_told_as_missed(controller):
    """The motion is far on when the arm is heard of: it may be sent again, from where it is."""
    points = [START, START + WAY]
    send(controller, [0.0, 2.0], points, [STILL, STILL], start=NANO)
    assert controller.fate == (NANO, controller_status.WAITING, False, '')
    assert controller.answer(2 * NANO, START, STILL) is None
    assert controller.fate[:3] == (NANO, controller_status.REFUSED, True)
    assert 'controller.start_tolerance' in controller.notices.pop()
    send(controller, [0.0, 2.0], points, [STILL, STILL], start=3 * NANO, now=2 * NANO)
    lead(controller, 2 * NANO + PERIOD, 1.5)
    assert controller.fate == (3 * NANO, controller_status.FOLLOWED, False, '')


def test_a_stop_is_told_of_the_motion_whatever_was_refused_meanwhile(controller):
    """The fate of the last one that was taken, not of nonsense after it."""
    controller.answer(NANO, START, STILL)
    send(controller, [4.0], [START + WAY], [STILL], start=2 * NANO, now=NANO)
    controller.refuse(7, 'nonsense')
    lead(controller, NANO + PERIOD, 2.0)
    assert controller.fate[:2] == (2 * NANO, controller_status.FOLLOWED)
    controller.refuse(8, 'nonsense')
    controller.stop()
    assert controller.fate[:3] == (2 * NANO, controller_status.REFUSED, False)


def test_an_arm_farther_from_the_path_than_its_tolerance_is_held(controller):
    """Somebody holds a joint: the sentence names it; a lap of the same motion does not follow."""
    controller.rules = controller.rules._replace(path_tolerance=(0.0, 0.1, 0.0, 0.0))
    controller.answer(NANO, START, STILL)
    send(controller, [4.0], [START + WAY], [STILL], start=NANO, now=NANO)
    controller.answer(NANO + PERIOD, START, STILL)
    send(controller, [1.0], [START], [STILL], start=5 * NANO, now=NANO + PERIOD)
    for k in range(2, 4000):
        answer = controller.answer(NANO + k * PERIOD, START, STILL)
        if controller.held:
            break
        assert np.abs(answer.error)[1] <= 0.1
    assert np.array_equal(answer.desired, [*START, *np.zeros(8)])
    told = controller.notices.pop()
    assert "joint 'joint_2' is 0.1" in told and 'constraints.joint_2.trajectory' in told
    assert controller.doing == f'holding: {controller.held}' and controller.next_plan is None
    for k in range(4000, 5000):
        answer = controller.answer(NANO + k * PERIOD, START, STILL)
        assert np.array_equal(answer.desired[:4], START)
    with pytest.raises(MessageRefused, match='goes on from a trajectory that was stopped'):
        send(controller, [1.0], [START], [STILL], start=5 * NANO, now=6 * NANO)
    send(controller, [4.0], [START + WAY], [STILL], start=7 * NANO, now=6 * NANO)
    controller.rules = controller.rules._replace(longest_gap=2.0)
    lead(controller, 6 * NANO, 2.0)
    assert controller.doing == 'following' and not controller.held


@pytest.mark.parametrize('silence', [0.05, 0.2, 0.4])
def test_after_a_silence_nothing_is_caught_up_with(controller, silence):
    """The arm was braked meanwhile: it joins anew from rest if it is near, else it is held."""
    controller.answer(NANO, START, STILL)
    send(controller, [0.0, 4.0], [START, START + 0.9 * WAY], [STILL, STILL], now=NANO)
    rows = lead(controller, NANO + PERIOD, 2.0)
    begin = 3 * NANO + int(silence * NANO)
    again = lead(controller, begin, 1.0, rows[-1, :4])
    assert again[0, :8] == pytest.approx([*rows[-1, :4], *STILL], abs=1e-12)
    assert np.abs(np.diff(again[:, 4:8], axis=0)).max() < 5e-3
    assert controller.doing == 'following' if silence < 0.3 else controller.held


@pytest.mark.parametrize('braked', [1, 40, 120, 300])
def test_an_arm_that_was_braked_in_its_motion_is_not_lunged_at(plant, controller, braked):
    """Commands that come too late for the plant, which holds; every state is heard."""
    begin = plant.q.copy()
    way = np.array([1.0, 0.6, 0.0, 0.0])
    controller.answer(NANO, begin, STILL)
    send(controller, [0.0, 2.0], [begin, begin + way], [STILL, STILL], now=NANO)
    moved = 0
    for k in range(1, 2600):
        answer = controller.answer(NANO + k * PERIOD, plant.q.copy(), plant.v.copy())
        if k == 1000:
            plant.command_lost('hold')
        elif not 1000 < k < 1000 + braked:
            plant.command(answer.tau)
            moved = max(moved, np.abs(answer.tau).max())
        plant.advance()
    assert moved < 60.0  # to be at 0.75 rad/s within blend_time; a lunge takes all 200 N m
    assert controller.held.startswith('the arm was braked (') is (braked == 300)
    if not controller.held:
        assert plant.q == pytest.approx(begin + way, abs=2e-3)


@pytest.mark.parametrize('bits, times', [(10, 1), (12, 1), (16, 1), (16, 3), (40, 2)])
def test_an_arm_with_coarse_encoders_was_not_braked(controller, bits, times):
    """It seems to stand still between their steps; or each position comes several times."""
    step, way = 2.0 * np.pi / 2 ** bits, 0.8 * WAY
    controller.answer(NANO, START, STILL)
    send(controller, [0.0, 4.0], [START, START + way], [STILL, STILL], now=NANO)
    q, plans = START.copy(), set()
    for k in range(1, 4000):
        before, x = q, k // times * times / 4000
        q = START + np.round(way * (3.0 - 2.0 * x) * x * x / step) * step
        controller.answer(NANO + k * PERIOD, q, (q - before) / 1e-3)
        plans.add(id(controller.plan))
    assert len(plans) == 1 and controller.doing == 'following'


def test_where_time_is_simulated_it_may_begin_anew_and_elsewhere_the_arm_is_held(controller):
    """A plant that was restarted waits for its first command; a driver's arm must be held."""
    for simulated in (True, False):
        controller.rules = controller.rules._replace(simulated=simulated)
        controller.answer(9 * NANO, START, STILL)
        send(controller, [4.0], [START + WAY], start=9 * NANO, now=9 * NANO)
        lead(controller, 9 * NANO + PERIOD, 1.0)
        answer = controller.answer(NANO, START, STILL)
        assert 'dropped' in controller.notices.pop()
        assert controller.fate.outcome == controller_status.REFUSED
        if simulated:
            assert answer is None and controller.doing == 'no trajectory'
        else:
            assert np.array_equal(answer.desired, [*START, *np.zeros(8)])
            assert controller.held.startswith('joint_states lack')
        controller.stop()


def test_a_reset_forgets_what_was_before_it_and_keeps_what_comes_after(controller):
    """Whichever of the two messages comes first."""
    controller.answer(NANO, START, STILL)
    send(controller, [10.0], [START + 0.5 * WAY], start=NANO, now=NANO)
    lead(controller, NANO + PERIOD, 1.0)
    send(controller, [10.0], [START + 0.5 * WAY], start=3 * NANO, now=2 * NANO)
    controller.reset(2 * NANO + 5 * PERIOD)
    assert controller.doing == 'waiting for the start'
    held = controller.answer(2 * NANO + 5 * PERIOD, START, STILL)
    assert np.array_equal(held.desired, [*START, *np.zeros(8)])
    controller.reset(4 * NANO)
    assert controller.doing == 'holding' or controller.doing == 'no trajectory'


def test_joints_left_out_stay_where_allowed(controller):
    """allow_partial_joints_goal."""
    controller.answer(NANO, START, STILL)
    fields = {'positions': [[0.0]], 'velocities': [[]], 'accelerations': [[]], 'effort': [[]]}
    with pytest.raises(MessageRefused, match="lacks joint 'joint_1'.*allow_partial_joints_goal"):
        controller.checked(['joint_2'], [NANO], fields)
    controller.rules = controller.rules._replace(allow_partial=True)
    controller.accept(0, controller.checked(['joint_2'], [NANO], fields), NANO)
    rows = lead(controller, NANO + PERIOD, 1.2)
    assert rows[-1, :4].tolist() == [START[0], 0.0, *START[2:]]


def test_a_law_that_follows_nothing_runs_by_itself():
    """It answers at once, its time is that of simulate(), and ~/stop ends it."""
    robot = load_robot('scara_450')
    control = Control(lambda t, q, v, reference, parameters: [t, 0.0, 0.0, 0.0], 0, {})
    runner = ControllerRunner(robot, control, Rules(needs_trajectory=False),
                              ControlClock(PERIOD, 5, 0.0002))
    times = [runner.answer(NANO + k * PERIOD, START, STILL).tau[0] for k in range(50)]
    assert times == [k * 5 * 0.0002 for k in range(50)]
    runner.stop()
    assert runner.answer(NANO + 50 * PERIOD, START, STILL) is None


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
