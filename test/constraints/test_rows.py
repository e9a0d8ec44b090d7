# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Traced rows are right: phi against poses, A and rates against differences and golden data."""

import itertools

import numpy as np
from oracles import parallel_2dof
from plant import cases
import pytest
from robodyn_ros import follow, joint_combination, knife_edge, loop, Plant
from robodyn_ros.constraints.constraint import Constraint, POSITION, VELOCITY
from robodyn_ros.tracing import cos, sin
from scipy.spatial.transform import Rotation

# Central differences, step 1e-6, of functions of order one: 1e-10 rounding, 1e-11 truncation;
# roll and yaw have large derivatives near pitch = 90 deg.
STEP, DIFFERENCE = 1e-6, 1e-6
EXACT = 1e-12
AXES = ('x', 'y', 'z', 'roll', 'pitch', 'yaw')


class Wave:
    """A path of six coordinates, smooth in time."""

    def __init__(self, axes):
        """Keep the coordinates asked for."""
        self.places = [AXES.index(axis) for axis in axes]

    def __call__(self, t):
        """Return one value per axis."""
        return [sin(t * (0.3 + 0.1 * k)) * 0.2 + cos(t) * 0.05 * k for k in self.places]


def numbers(path, t):
    """Return the path's values as floats."""
    return np.array([float(x) for x in path(t)])


def differences(function, x):
    """Return d function / d x by central differences, one column per entry of x."""
    return np.column_stack([(function(x + STEP * e) - function(x - STEP * e)) / (2.0 * STEP)
                            for e in np.eye(len(x))])


def assert_rows_are_consistent(plant, states):
    """Check A = dphi/dq and rate = A v + dphi/dt at states."""
    for state in states:
        _, rate, A = plant.constraint_rows(state)
        slopes = differences(lambda q: plant.constraint_rows(state._replace(q=q))[0], state.q)
        scale = max(1.0, np.abs(A).max()) ** 2
        cases.assert_close('A', A / scale, slopes / scale, DIFFERENCE, state)
        ahead, back = (plant.constraint_rows(state._replace(
            t=state.t + h, q=state.q + h * state.v))[0] for h in (STEP, -STEP))
        cases.assert_close('rate', rate / scale, (ahead - back) / (2.0 * STEP) / scale,
                           DIFFERENCE, state)


def angles_of(R):
    """Return roll, pitch, yaw with R = Rz(yaw) Ry(pitch) Rx(roll)."""
    return np.array([np.arctan2(R[2, 1], R[2, 2]), np.arcsin(-R[2, 0]),
                     np.arctan2(R[1, 0], R[0, 0])])


@pytest.fixture(scope='module')
def six_axes():
    """Return irb120 following six coordinates and closing a loop in all six axes."""
    rows = [follow('tool0', Wave(AXES), AXES, name='wave'), loop('link_4', 'tool0', AXES)]
    return Plant(cases.robot('irb120'), rows)


def test_follow_and_loop_measure_the_frames_poses(six_axes):
    """
    Rows of follow are pose minus path; those of loop differ by position and relative angles.

    A whole orientation is the turn from the wanted one, 4 tan(theta/4) along scipy's axis.
    """
    robot = six_axes.robot
    for state in cases.random_states(6, 40, seed=1):
        phi = six_axes.constraint_rows(state)[0]
        tool, link = robot.frame('tool0', state.q), robot.frame('link_4', state.q)
        wanted = numbers(Wave(AXES), state.t)
        turn = (Rotation.from_euler('xyz', wanted[3:]).inv()
                * Rotation.from_matrix(tool.rotation)).as_rotvec()
        angle = np.linalg.norm(turn)
        missing = np.concatenate([tool.position - wanted[:3],
                                  turn * 4.0 * np.tan(angle / 4.0) / angle])
        cases.assert_close('follow', phi[:6], missing, 1e-11, state)
        apart = np.concatenate([link.position - tool.position,
                                angles_of(link.rotation.T @ tool.rotation)])
        # arcsin loses half the digits at pitch = 90 deg, which random states avoid
        cases.assert_close('loop', phi[6:], apart, 1e-11, state)


def test_follow_and_loop_rows_have_the_right_slopes(six_axes):
    """A and the rates of all twelve rows agree with differences of phi."""
    states = [s for s in cases.random_states(6, 60, seed=2)
              if np.abs(six_axes.constraint_rows(s)[2]).max() < 20.0]
    assert len(states) > 30
    assert_rows_are_consistent(six_axes, states)


def test_every_subset_of_axes_selects_those_rows(six_axes):
    """Subsets of axes, in any order, are rows of the full set; angles of two axes are angles."""
    subsets = [axes for k in range(1, 7) for axes in itertools.combinations(AXES, k)]
    for axes in subsets[::7]:
        plant = Plant(cases.robot('irb120'), [follow('tool0', Wave(axes), axes, name='wave')])
        assert plant.row_names == tuple(f'wave.{axis}' for axis in axes)
    state = cases.random_states(6, 1, seed=4)[0]
    full = six_axes.constraint_rows(state)
    axes = ('yaw', 'z', 'x', 'roll', 'pitch')
    plant = Plant(cases.robot('irb120'), [follow('tool0', Wave(axes), ' '.join(axes))])
    for ours, theirs in zip(plant.constraint_rows(state), full):
        cases.assert_close(str(axes), ours, theirs[[AXES.index(a) for a in axes]], EXACT)
    tool = six_axes.robot.frame('tool0', state.q)
    two = Plant(cases.robot('irb120'), [follow('tool0', Wave(axes[:3]), axes[:3])])
    phi = two.constraint_rows(state)[0]
    wanted = numbers(Wave(axes[:3]), state.t)
    cases.assert_close('yaw', phi[:1], angles_of(tool.rotation)[2:] - wanted[:1], 1e-11)


def turning(robot, q, v, t, *, speed=0.2):
    """Ask for a speed that changes in time."""
    return [v[0] * cos(q[1]) + v[2] - sin(t) * speed]


@pytest.fixture(scope='module')
def own():
    """Return irb120 with two rows of positions and two of velocities."""
    belt = joint_combination({'joint_2': 2.0, 'joint_5': -0.5}, lambda t: sin(t) * 0.3,
                             name='belt')
    return Plant(cases.robot('irb120'), [
        cases.on_ball, belt, knife_edge('tool0', (1.0, 2.0, 2.0)),
        Constraint('turning', turning, VELOCITY, {'speed': 0.2})])


def test_a_users_own_rows_and_joint_combinations_are_what_they_say(own):
    """Position rows of a user with parameters, and coupled joints with a moving value."""
    for state in cases.random_states(6, 30, seed=6):
        phi, rate, A = own.constraint_rows(state, {'on_ball.radius': 0.3})
        tool = own.robot.frame('tool0', state.q, state.v)
        d = tool.position - [0.0, 0.0, 0.29]
        v = state.v
        cases.assert_close('phi', phi[:2], [d @ d - 0.09, 2.0 * state.q[1] - 0.5 * state.q[4]
                                            - 0.3 * np.sin(state.t)], EXACT, state)
        cases.assert_close('rate', rate[:2], [2.0 * d @ tool.velocity[:3], 2.0 * v[1] - 0.5 * v[4]
                                              - 0.3 * np.cos(state.t)], EXACT, state)
        cases.assert_close('A', A[:2], [2.0 * d @ tool.jacobian[:3],
                                        [0.0, 2.0, 0.0, 0.0, -0.5, 0.0]], EXACT, state)


def test_velocity_rows_are_what_they_say(own):
    """A knife edge measures sideways velocity; a user's psi may have its own speed c(t)."""
    for state in cases.random_states(6, 30, seed=8):
        tool = own.robot.frame('tool0', state.q, state.v)
        sideways = tool.rotation @ np.array([1.0, 2.0, 2.0]) / 3.0
        phi, rate, A = own.constraint_rows(state, {'turning.speed': 0.5})
        slopes = np.array([np.cos(state.q[1]), 0.0, 1.0, 0.0, 0.0, 0.0])
        cases.assert_close('psi', rate[2:], [sideways @ tool.velocity[:3],
                                             slopes @ state.v - 0.5 * np.sin(state.t)],
                           EXACT, state)
        cases.assert_close('A', A[2:], [sideways @ tool.jacobian[:3], slopes], EXACT, state)
        assert not phi[2:].any()


def test_golden_vectors_of_paper_000():
    """Rows, force and acceleration of the SCARA on the helix, with and without Baumgarte."""
    g = cases.golden('000')
    plant = cases.plant('scara_450', 'helix', 'baumgarte')
    state, order = cases.State(g['t'], g['q'], g['v']), cases.PAPER_ORDER
    phi, rate, A = plant.constraint_rows(state)
    for name, ours in (('phi', phi), ('dphi', rate), ('A', A)):
        cases.assert_close(name, ours[order], g[name], EXACT)
    for suffix, gains in (('', (0.0, 0.0)), ('_baumgarte_05_200', (0.5, 200.0))):
        seen = plant.observe(state, parameters=cases.gains(*gains))
        cases.assert_close('qdd', seen.a[0], g['qdd' + suffix], EXACT)
        cases.assert_close('Qc', seen.constraint_force[0], g['Qc' + suffix], EXACT)
    cases.assert_close('b', (A @ plant.observe(state).a[0])[order], g['b'], EXACT)


def test_golden_vectors_of_paper_001():
    """Rows, force, acceleration and velocity correction of the two-link arm on its line."""
    g = cases.golden('001')
    plant = cases.plant('two_link', 'line')
    state = cases.State(g['t'], g['q'], g['v'])
    _, rate, A = plant.constraint_rows(state)
    seen = plant.observe(state)
    cases.assert_close('A', A, g['A'], EXACT)
    cases.assert_close('c', A @ state.v - rate, g['c'], EXACT)
    cases.assert_close('b', A @ seen.a[0], g['b'], EXACT)
    cases.assert_close('qdd', seen.a[0], g['qdd'], EXACT)
    cases.assert_close('Qc', seen.constraint_force[0], g['Qc'], EXACT)
    corrected = cases.plant('two_link', 'line', 'velocity_correction').derivative(state)[0]
    cases.assert_close('correction', corrected - state.v, g['velocity_correction'], EXACT)


def test_golden_vectors_of_paper_002():
    """Closure of the parallel robot: our relative joint angles against absolute link angles."""
    g = cases.golden('002')
    to_relative, to_absolute = parallel_2dof.TO_RELATIVE, parallel_2dof.TO_ABSOLUTE
    state = cases.State(g['t'], to_relative @ g['q'], to_relative @ g['v'])
    plant = cases.plant('parallel_2dof', 'closure', 'projection')
    phi, rate, A = plant.constraint_rows(state)
    seen = plant.observe(state)
    cases.assert_close('closed', np.concatenate([phi, rate]), np.zeros(8), EXACT)
    cases.assert_close('A', A @ to_relative, g['A_s'], EXACT)
    cases.assert_close('b', A @ seen.a[0], g['b_s'], EXACT)
    cases.assert_close('qdd', to_absolute @ seen.a[0], g['qdd_direct_zero_torque'], EXACT)
    held = cases.plant('parallel_2dof', 'line', 'baumgarte').observe(state)
    cases.assert_close('Qc', parallel_2dof.absolute_force(held.constraint_force[0]),
                       g['Qc_plain_6x6'], EXACT)


def test_rows_are_named_and_parameters_listed():
    """Names come from the constraint, the axis or the number of the row."""
    plant = cases.plant('scara_450', 'helix', 'baumgarte')
    assert plant.row_names == ('helix.x', 'helix.y', 'helix.z', 'yaw')
    names = set(plant.parameters.names)
    assert {'helix.radius', 'helix.rate', 'yaw.value', 'payload.mass'} <= names
    two = Constraint('own', lambda robot, q, t: [q[0], q[1]], POSITION)
    assert Plant(cases.robot('two_link'), [two]).row_names == ('own.0', 'own.1')
