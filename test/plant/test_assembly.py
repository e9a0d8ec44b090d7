# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Starts that do not fit the rows are moved onto them, near where they were, and it is told."""

import numpy as np
from oracles import parallel_2dof, scara_450
from plant import cases
import pytest
from robodyn_ros import assemble_start, joint_combination, Plant, State
from robodyn_ros.errors import ConstraintError, RobodynError
from robodyn_ros.plant.assembly import assembled_motion
from robodyn_ros.types import Trajectory

ASSEMBLED = 1e-12
CASES = [('scara_450', 'helix'), ('two_link', 'line'), ('parallel_2dof', 'closure'),
         ('irb120', 'ball'), ('scara_1000', 'cylinder')]


def near(name):
    """Return a configuration on or near the rows of a case."""
    return {'scara_450': cases.helix_start().q, 'two_link': cases.line_start().q,
            'parallel_2dof': cases.parallel_start().q,
            'irb120': np.array([0.3, 0.4, -0.2, 0.5, 0.6, 0.1]),
            'scara_1000': np.array([-0.5, -1.3, 0.7, 1.2])}[name]


@pytest.mark.parametrize('name, rows', CASES)
def test_perturbed_starts_are_assembled(name, rows):
    """Position and velocity fit the rows afterwards; what moved is what is reported."""
    plant = cases.plant(name, rows, 'projection')
    rng = np.random.default_rng(31)
    for _ in range(20):
        state = State(rng.uniform(0.0, 0.2), near(name) + rng.uniform(-0.1, 0.1, plant.robot.n),
                      rng.uniform(-1.0, 1.0, plant.robot.n))
        done = assemble_start(plant, state)
        phi, rate, _ = plant.constraint_rows(done.state)
        assert np.abs(phi).max() < ASSEMBLED and np.abs(rate).max() < ASSEMBLED * 10, state
        assert done.violation == np.abs(phi).max()
        assert done.state.t == state.t
        cases.assert_close('moved', done.state.q - state.q, done.moved, 1e-15, state)
        cases.assert_close('changed', done.state.v - state.v, done.velocity_changed, 1e-15, state)
        again = assemble_start(plant, done.state)
        assert np.abs(again.moved).max() < ASSEMBLED, state
        assert np.abs(again.velocity_changed).max() < 1e-11, state


@pytest.mark.parametrize('elbow', [-1, 1])
def test_the_literal_start_of_the_paper_becomes_the_exact_one(elbow):
    """Rounded angles on either elbow end at that elbow's exact start, q and v."""
    plant = cases.plant('scara_450', 'helix', 'projection')
    literal = scara_450.START_ELBOW_MINUS if elbow < 0 else scara_450.START_ELBOW_PLUS
    done = assemble_start(plant, State(0.0, literal, scara_450.START_VELOCITY))
    cases.assert_close('q', done.state.q, scara_450.path_position(0.0, elbow), 1e-12)
    cases.assert_close('v', done.state.v, scara_450.path_velocity(0.0, elbow), 1e-12)
    name = 'elbow_minus' if elbow < 0 else 'elbow_plus'
    degrees = np.degrees(done.state.q[:3])
    assert np.abs(degrees - cases.TARGETS['000']['exact_start_deg'][name]).max() < 5.1e-5


def test_the_branch_of_the_start_is_kept():
    """From either side of the stretched arm the elbow stays where it was."""
    plant = cases.plant('two_link', 'line', 'projection')
    for elbow in (-1.0, 1.0):
        for amount in (0.3, 0.8, 1.4):
            q = np.array([0.8, elbow * amount])
            done = assemble_start(plant, State(1.0, q, np.zeros(2)))
            assert np.sign(done.state.q[1]) == elbow, (q, done)


def test_held_joints_keep_their_position():
    """A closed chain is assembled around its motors: two held angles fix the rest."""
    plant = cases.plant('parallel_2dof', 'closure', 'projection')
    rng = np.random.default_rng(33)
    hold = ('joint_1', 'joint_3')
    middle = cases.relative(parallel_2dof.inverse_kinematics(np.array([0.29, 0.25])))
    for _ in range(10):
        q = middle + rng.uniform(-0.1, 0.1, 6)
        done = assemble_start(plant, State(0.0, q, np.zeros(6)), hold=hold)
        assert done.state.q[0] == q[0] and done.state.q[2] == q[2]
        closed = parallel_2dof.closure_position(parallel_2dof.absolute_angles(done.state.q))
        assert np.abs(closed).max() < ASSEMBLED


def test_velocities_change_by_the_least_kinetic_energy():
    """The velocity's change is M^-1 A^T mu: no energy is added in directions the rows allow."""
    plant = cases.plant('parallel_2dof', 'closure', 'projection')
    rng = np.random.default_rng(34)
    for _ in range(20):
        state = cases.parallel_start()._replace(v=rng.uniform(-1.0, 1.0, 6))
        done = assemble_start(plant, state)
        allowed = parallel_2dof.motion_basis(parallel_2dof.absolute_angles(done.state.q))
        push = plant.robot.mass_matrix(done.state.q) @ done.velocity_changed
        work = (parallel_2dof.TO_RELATIVE @ allowed).T @ push
        assert np.abs(work).max() < 1e-11, state


def test_run_time_parameters_move_the_target():
    """The start is assembled for the path that the parameters describe."""
    plant = cases.plant('two_link', 'line', 'projection')
    done = assemble_start(plant, cases.line_start(),
                          parameters={'line.start_x': 0.45, 'line.end_x': 0.45})
    assert abs(plant.robot.frame('tool0', done.state.q).position[0] - 0.45) < 1e-12


def test_a_free_plant_needs_no_assembly():
    """Without rows nothing moves."""
    state = State(0.0, np.array([0.1, 0.2]), np.array([0.3, 0.4]))
    done = assemble_start(Plant(cases.robot('two_link')), state)
    assert not done.moved.any() and not done.velocity_changed.any() and done.violation == 0.0


def test_what_cannot_be_reached_is_told_with_the_row():
    """A line outside the workspace: row, distance, time and start are in the sentence."""
    plant = cases.plant('two_link', 'line', 'projection')
    with pytest.raises(ConstraintError, match=r'two_link cannot be assembled at t = 0 s from '
                                              r"q = \[.*'line\.x' stays off by 1;.*reached"):
        assemble_start(plant, cases.line_start(), parameters={'line.start_x': 2.0})
    with pytest.raises(ConstraintError, match="row 'line"):
        assemble_start(plant, State(1.0, [0.5, -0.9], [0.0, 0.0]), hold=['joint_1', 'joint_2'])


def test_velocities_that_cannot_fit_are_told():
    """Rows that agree in position but not in speed cannot be started."""
    rows = [joint_combination({'joint_1': 1.0}, lambda t: t * 0.5, name='slow'),
            joint_combination({'joint_1': 1.0}, lambda t: t * 0.7, name='fast')]
    plant = Plant(cases.robot('two_link'), rows)
    with pytest.raises(ConstraintError, match="row '(slow|fast)'.*"):
        assemble_start(plant, State(0.0, [0.0, 0.0], [0.0, 0.0]))


@pytest.mark.parametrize('q, hold', [
    ([0.0], ()), ([np.nan, 0.0], ()), (['a', 'b'], ()), ([0.0, 0.0], ['joint_7'])])
def test_bad_starts_are_told(q, hold):
    """Sizes, NaN and unknown joints are RobodynErrors."""
    plant = cases.plant('two_link', 'line', 'projection')
    with pytest.raises(RobodynError):
        assemble_start(plant, State(0.0, q, [0.0, 0.0]), hold=hold)


def motors_of(times):
    """Return the motion of parallel_2dof's motors on its line, and of all joints, closed form."""
    whole = [np.array([cases.relative(law(t)) for t in times])
             for law in (parallel_2dof.path_position, parallel_2dof.path_velocity,
                         parallel_2dof.path_acceleration)]
    return Trajectory(times, *(part[:, 0::2] for part in whole)), whole


def test_motors_of_a_closed_chain_lead_its_passive_joints():
    """Positions, velocities and accelerations of all six joints are those of the closed form."""
    robot = cases.robot('parallel_2dof')
    motors, (q, v, a) = motors_of(np.linspace(0.0, 2.0, 101))
    found = assembled_motion(robot, motors, start=q[0] + 0.05)
    assert np.abs(found.q - q).max() < 1e-10
    assert np.abs(found.v - v).max() < 1e-8 and np.abs(found.a - a).max() < 1e-6


def test_without_a_start_the_chain_is_closed_all_the_same():
    """From zeros, whatever branch that leads to: motors as given, loops closed, rates as rates."""
    robot = cases.robot('parallel_2dof')
    motors, _ = motors_of(np.linspace(0.0, 1.0, 201))
    found = assembled_motion(robot, motors)
    assert np.array_equal(found.q[:, 0::2], motors.q)
    tips = np.array([parallel_2dof.tip_positions(parallel_2dof.absolute_angles(one))
                     for one in found.q])
    assert np.ptp(tips, axis=1).max() < 1e-11
    slope = np.gradient(found.q, found.t, axis=0)
    assert np.abs(slope - found.v)[1:-1].max() < 1e-3


def test_motors_that_tear_a_chain_apart_are_refused():
    """The sentence has the time, the motors' positions and the row."""
    robot = cases.robot('parallel_2dof')
    motors, (q, _, _) = motors_of(np.linspace(0.0, 1.0, 51))
    torn = motors.q.copy()
    torn[25:, 0] += 0.8
    with pytest.raises(ConstraintError, match=r'cannot be assembled at t = 0\.5\d* s with its '
                       r'motors at .*row .* stays off by'):
        assembled_motion(robot, motors._replace(q=torn), start=q[0])
