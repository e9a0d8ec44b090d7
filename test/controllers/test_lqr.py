# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Linear-quadratic tracking: its gains beside another route, and what they are worth."""

from controllers.cases import robot
import numpy as np
import pytest
from robodyn_ros import (Control, load_scenario, Parameters, Plant, RobodynError, robot_from_text,
                         simulate, Simulation, State, Trajectory)
from robodyn_ros.controllers.lqr import lqr
from robodyn_ros.nodes.controller.controller_runner import ControllerRunner
from robodyn_ros.nodes.dynamics.plant_runner import PlantRunner
from robodyn_ros.ros_time import NANO
from robodyn_ros.scenario.schema import LqrSettings
from robodyn_ros.share import share_folder
from robodyn_ros.trajectories.joint_plan import JointPlan, MOST_KNOTS, Points, scheduled
from robodyn_ros.types import Schedule
from scipy.linalg import expm, solve_discrete_are

PERIOD = 1e-3


def still(q):
    """Return a motion that stays."""
    q = np.asarray(q, dtype=float)[None]
    return Trajectory(np.zeros(1), q, np.zeros_like(q), np.zeros_like(q))


def test_gains_at_rest_are_those_of_the_differenced_robot():
    """Differences of forward dynamics, scipy's exponential and Riccati equation."""
    arm, e = robot('irb120'), 1e-5
    n, q = arm.n, np.array([0.3, -0.4, 0.2, 0.5, -0.6, 0.1])
    control = lqr(arm, period=PERIOD, position=0.02, velocity=0.3)
    found = control.schedule.rows(still(q)).reshape(n, 2 * n)
    model = Parameters(gravity=arm.parameters.gravity, friction_scale=0.0)
    tau = arm.inverse_dynamics(q, np.zeros(n), np.zeros(n), model)
    whole = np.zeros((3 * n, 3 * n))
    whole[:n, n:2 * n] = np.eye(n)
    for k in range(3 * n):
        d = np.zeros(3 * n)
        d[k] = e
        ends = [arm.forward_dynamics(q + s * d[:n], s * d[n:2 * n], tau + s * d[2 * n:], model)
                for s in (1.0, -1.0)]
        whole[n:2 * n, k] = (ends[0] - ends[1]) / (2.0 * e)
    whole = expm(whole * PERIOD)
    A, B = whole[:2 * n, :2 * n], whole[:2 * n, 2 * n:]
    Q = np.diag([0.02 ** -2] * n + [0.3 ** -2] * n)
    R = np.diag(arm.limits.effort ** -2.0)
    P = solve_discrete_are(A, B, Q, R)
    K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
    assert np.abs(found - K).max() < 1e-6 * np.abs(K).max()


def cost(plant, start, reference, wanted, weights):
    """Return what a run costs: the sum of squares that lqr weighs."""
    run = plant.rollout(start, steps=len(reference) - 1, reference=reference)
    errors = np.concatenate([run.q - wanted[0], run.v - wanted[1]], axis=1)[:-1]
    return (errors ** 2 / weights[0] ** 2).sum() \
        + ((run.tau[:-1] - wanted[2]) ** 2 / weights[1] ** 2).sum()


def test_other_gains_cost_more():
    """From a small error beside a resting arm: no gain that is changed does better."""
    arm = robot('scara_450')
    n, q = arm.n, np.array([0.4, -0.7, 0.3, 0.2])
    control = lqr(arm, period=PERIOD, model={'friction_scale': 0.0}, saturate=False)
    plant = Plant(arm, control=control, control_period=1)
    hold = arm.inverse_dynamics(q, np.zeros(n), np.zeros(n), {'friction_scale': 0.0})
    weights = np.array([0.01] * n + [0.5] * n), np.where(
        np.isfinite(arm.limits.effort), arm.limits.effort, np.nan)
    assert np.isfinite(weights[1]).all()
    gains = control.schedule.rows(still(q))[0]
    rng = np.random.default_rng(3)
    start = State(0.0, q + 1e-5 * rng.normal(size=n), 1e-5 * rng.normal(size=n))

    def of(gains):
        row = np.concatenate([q, np.zeros(2 * n), gains])
        return cost(plant, start, np.tile(row, (2001, 1)), (q, np.zeros(n), hold), weights)

    best = of(gains)
    for _ in range(10):
        assert of(gains * rng.uniform(0.9, 1.1, gains.shape)) > best


def test_runners_repeat_simulate():
    """A law with a schedule too: every state and torque, to the bit."""
    scenario = load_scenario('irb120_sine', ['controller.kind=lqr', 'duration=0.3'])
    full, run = Simulation(scenario), Simulation(scenario, with_control=False)
    plant = PlantRunner(run.plant, run.assembly.state, run.period, run.parameters)
    controller = ControllerRunner(full.robot, full.control)
    controller.accept(NANO, run.desired.points(run.reference, PERIOD), None)
    expected = full.run()
    for k in range(len(expected.t) - 1):
        answer = controller.answer(NANO + k * 1_000_000, plant.q.copy(), plant.v.copy())
        assert np.array_equal(plant.q, expected.q[k])
        assert np.array_equal(answer.tau, expected.tau[k]), k
        plant.command(answer.tau)
        plant.advance()
    controller.stop()
    for k in range(len(expected.t) - 1, len(expected.t) + 300):  # it holds with gains of rest
        answer = controller.answer(NANO + k * 1_000_000, plant.q.copy(), plant.v.copy())
        plant.command(answer.tau)
        plant.advance()
    assert np.abs(answer.error).max() < 1e-3 and np.abs(plant.v).max() < 1e-3


def test_an_unknown_payload_is_tracked_better_than_by_computed_torque():
    """The comparison of the guide."""
    changes = {'dynamics.payload.mass': 2.0, 'duration': 4.0}
    errors = [np.abs(simulate('scara_helix', set={**changes, 'controller.kind': kind}).error).max()
              for kind in ('computed_torque', 'lqr')]
    assert errors[1] < errors[0] / 5.0


def test_numbers_beside_a_plan_lie_on_lines_and_stay_at_the_ends():
    """One time or many, to the bit; between knots a share of both."""
    rng = np.random.default_rng(2)
    times = np.array([0, NANO // 2, NANO], dtype=np.int64)
    schedule = Schedule(3, 0.3, lambda motion: np.arange(3.0 * len(motion.t)).reshape(-1, 3))
    points = scheduled(Points(times, *rng.normal(size=(3, 3, 2))), schedule, np.zeros(2))
    plan = JointPlan(5 * NANO, points)
    moments = 5 * NANO + rng.integers(-NANO, 3 * NANO, 200)
    together = plan.all_scheduled(moments)
    for at, row in zip(moments.tolist(), together):
        assert np.array_equal(plan.scheduled(at), row)
        exact = np.clip((at - 5 * NANO) / (0.3 * NANO), 0.0, 4.0) * 3.0 + np.arange(3.0)
        assert row == pytest.approx(exact, abs=1e-12)


def test_long_trajectories_have_a_bounded_number_of_knots():
    """A day in two points costs no more than a minute."""
    seen = []
    schedule = Schedule(1, 0.05, lambda motion: seen.append(motion.q) or motion.q[:, :1])
    points = Points(np.array([0, 86_400 * NANO]), np.ones((2, 1)), np.zeros((2, 1)),
                    np.zeros((0, 1)))
    scheduled(points, schedule, np.zeros(1))
    assert len(seen[0]) <= MOST_KNOTS + 1


def test_joints_that_a_message_leaves_out_have_gains_where_they_stand():
    """Not a number is nobody's position."""
    arm = robot('two_link')
    q = np.array([[np.nan, 0.2]])
    points = Points(np.array([NANO]), q, np.zeros((0, 2)), np.zeros((0, 2)))
    found = scheduled(points, lqr(arm, period=PERIOD).schedule, np.array([0.1, 0.0]))
    assert np.isfinite(found.table.rows).all()


def test_defaults_of_a_scenario_are_those_of_the_law():
    """One home for each number."""
    settings = LqrSettings()
    arm = robot('two_link')
    given = lqr(arm, period=PERIOD, position=settings.position[0], velocity=settings.velocity[0],
                spacing=settings.spacing)
    rows = [control.schedule.rows(still([0.1, 0.2]))
            for control in (given, lqr(arm, period=PERIOD))]
    assert np.array_equal(*rows)


@pytest.mark.parametrize('wrong, words', [
    ({'position': 0.0}, 'position of lqr is 0.0; expected numbers above 0'),
    ({'velocity': [0.1, -1.0]}, 'velocity of lqr of two_link is .*not negative'),
    ({'effort': [1.0, 0.0]}, 'effort of lqr is .*above 0'),
    ({'effort': [1.0]}, 'effort of lqr of two_link.*one number or 2'),
    ({'spacing': 0.0}, 'spacing of lqr is 0.0'),
    ({'period': None}, 'period of lqr is None'),
])
def test_wrong_sizes_end_in_a_sentence(wrong, words):
    """Weights are sizes of errors; none of them is zero."""
    with pytest.raises(RobodynError, match=words):
        lqr(robot('two_link'), **{'period': PERIOD, **wrong})


def test_closed_chains_are_refused():
    """Their joints are not driven one by one."""
    with pytest.raises(RobodynError, match='lqr drives every joint.*use constraint_following'):
        lqr(robot('parallel_2dof'), period=PERIOD)


@pytest.mark.filterwarnings('error')
def test_joints_that_turn_without_limits_have_gains():
    """The middle of an infinite range is 0, and numpy need not complain of it."""
    text = share_folder('urdf').joinpath('two_link.urdf').read_text()
    arm = robot_from_text(text.replace('type="revolute"', 'type="continuous"'), 'turning')
    rows = lqr(arm, period=PERIOD).schedule.rows(still([0.2, 0.3]))
    assert np.isfinite(rows).all() and rows.any()


def test_a_schedule_must_be_one():
    """A user's law, too, is checked before it is traced."""
    arm = robot('two_link')
    for schedule in (5, Schedule(-1, 0.1, print), Schedule(2, 0.0, print)):
        with pytest.raises(RobodynError, match='schedule'):
            Plant(arm, control=Control(lambda t, q, v, r, p: [0.0, 0.0], 8, {},
                                       schedule=schedule), control_period=1)
