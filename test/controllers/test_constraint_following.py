# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Constraint following: the constraint force as control, Gauss's principle, motors only."""

from controllers.cases import interpreted, robot
import numpy as np
from oracles import parallel_2dof, udwadia_kalaba
from plant import cases as plants
import pytest
from robodyn_ros import (computed_torque, constraint_following, follow, joint_combination,
                         Parameters, RobodynError)
from robodyn_ros.constraints.ready_made import frame_coordinates
from robodyn_ros.controllers.constraint_following import FrameTask
from robodyn_ros.plant.control_law import CompiledLaw
from robodyn_ros.tracing import cos, sin
from robodyn_ros.trajectories.paths import Helix

LINE = follow('tool0', plants.PARALLEL_LINE, 'x y', name='line')
GAINS = {'kp': 81.0, 'kd': 13.0}


def sine_of(size, rate):
    """Return a joint's wanted position as a function of time."""
    return lambda t: sin(t * rate) * size + cos(t * (0.5 * rate))


@pytest.mark.parametrize('name', ['two_link', 'scara_450', 'irb120'])
def test_rows_that_pin_every_joint_are_computed_torque(name):
    """One row per joint, q_i = f_i(t): the same torque as computed torque on f, f', f''."""
    r, rng = robot(name), np.random.default_rng(21)
    sizes, rates = rng.uniform(0.1, 1.0, r.n), rng.uniform(0.5, 4.0, r.n)
    task = [joint_combination({joint: 1.0}, sine_of(float(a), float(w)), f'pin_{joint}')
            for joint, a, w in zip(r.joints, sizes, rates)]
    model = r.parameters._replace(payload_mass=0.7, friction_scale=1.0)
    ours = constraint_following(r, task, model=model, saturate=False, **GAINS)
    theirs = computed_torque(r, model=model, saturate=False, friction_velocity='measured',
                             **GAINS)
    for state in plants.random_states(r.n, 3, 22):
        w, half, t = rates, 0.5 * rates, state.t
        wanted = [*(sizes * np.sin(w * t) + np.cos(half * t)),
                  *(sizes * w * np.cos(w * t) - half * np.sin(half * t)),
                  *(-sizes * w ** 2 * np.sin(w * t) - half ** 2 * np.cos(half * t))]
        a = interpreted(ours, r.n, t, state.q, state.v)
        b = theirs.law(t, state.q, state.v, wanted, theirs.parameters)
        plants.assert_close(name, a, b, 1e-10, state)


@pytest.mark.parametrize('name, axes', [('irb120', 'x y z'), ('scara_450', 'x y'),
                                        ('scara_1000', 'z')])
def test_tasks_that_leave_freedom_obey_gauss(name, axes):
    """Fewer rows than joints: the torque is M^1/2 (A M^-1/2)^+ (b - A a_0), by definition."""
    r, path = robot(name), Helix()
    keep = ['xyz'.index(axis) for axis in axes.split()]
    task = follow('tool0', lambda t: [path(t)[k] for k in keep], axes)
    control = constraint_following(r, [task], saturate=False, **GAINS)
    for state in plants.random_states(r.n, 4, 23):
        frame, t = r.frame('tool0', state.q, state.v), state.t
        A, W = frame.jacobian[keep], path.rate
        s, c = np.sin(W * t), np.cos(W * t)
        x = np.array([0.05 * s, 0.35 + 0.05 * c, 0.02 * t])[keep]
        rate = np.array([0.05 * W * c, -0.05 * W * s, 0.02])[keep]
        pull = np.array([-0.05 * W ** 2 * s, -0.05 * W ** 2 * c, 0.0])[keep]
        b = pull - frame.drift[keep] + GAINS['kd'] * (rate - A @ state.v) \
            + GAINS['kp'] * (x - frame.position[keep])
        M, h = r.dynamics(state.q, state.v)
        gauss = udwadia_kalaba.constrained_motion(M, -h, A, b)
        tau = interpreted(control, r.n, t, state.q, state.v)
        plants.assert_close(f'{name} {axes}', tau, gauss.constraint_force, 1e-9, state)


def test_gauss_torque_is_the_smallest_that_does_the_task():
    """Any other torque for the same task acceleration is longer in the M^-1 norm."""
    r, rng = robot('irb120'), np.random.default_rng(24)
    control = constraint_following(r, [follow('tool0', Helix(), 'x y z')], saturate=False, **GAINS)
    state = plants.random_states(r.n, 1, 25)[0]
    tau = interpreted(control, r.n, state.t, state.q, state.v)
    M = r.mass_matrix(state.q)
    A = r.frame('tool0', state.q).jacobian[:3]
    free = np.linalg.svd(A @ np.linalg.inv(M))[2][3:]  # torques that A does not feel
    for other in tau + rng.normal(size=(20, 3)) @ free:
        assert other @ np.linalg.solve(M, other) > tau @ np.linalg.solve(M, tau)


def test_motors_alone_follow_the_golden_torques():
    """Paper 002's state: the minimum-norm torques to the last digits, passive joints exactly 0."""
    gold, r = plants.golden('002'), robot('parallel_2dof')
    control = constraint_following(r, [LINE], kp=0.0, kd=0.0)
    tau = interpreted(control, 6, gold['t'], plants.relative(gold['q']),
                      plants.relative(gold['v']))
    plants.assert_close('motors', tau[::2], gold['tau_min_norm'], 1e-12)
    assert tau[1::2].tolist() == [0.0, 0.0, 0.0]


def test_motor_torques_are_the_projected_inverse_dynamics():
    """(N^T S^T)^+ N^T (M a + C v) all along the line; passive joints exactly 0 with gains too."""
    control = constraint_following(robot('parallel_2dof'), [LINE], **GAINS)
    for t in np.linspace(0.0, 2.0, 9):
        state = plants.parallel_start(t=t)
        tau = interpreted(control, 6, t, state.q, state.v)
        theirs = parallel_2dof.motor_torques(
            parallel_2dof.path_position(t), parallel_2dof.path_velocity(t),
            parallel_2dof.path_acceleration(t))
        plants.assert_close('motors', tau[::2], theirs, 1e-11, state)
        assert tau[1::2].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize('name, axes', [('scara_450', 'x y z yaw'), ('irb120', 'x y z')])
def test_a_frame_that_follows_joints_is_a_frame_on_their_path(name, axes):
    """A FrameTask by desired q, v, a, against a path that is the frame's own way along them."""
    r, rng = robot(name), np.random.default_rng(31)
    q0, v0, a0 = rng.uniform(-0.5, 0.5, (3, r.n))

    def path(t):
        q = [x + w * t + 0.5 * b * t * t for x, w, b in zip(q0.tolist(), v0.tolist(), a0.tolist())]
        return frame_coordinates(r, 'tool0', axes.split(), q)

    along = constraint_following(r, [follow('tool0', path, axes)], saturate=False, **GAINS)
    joints = constraint_following(r, FrameTask('tool0', tuple(axes.split())), saturate=False,
                                  **GAINS)
    assert (along.reference_size, joints.reference_size) == (0, 3 * r.n)
    for t in (0.0, 0.4, 1.1):
        q, v = rng.uniform(-0.6, 0.6, (2, r.n))
        wanted = np.concatenate([q0 + v0 * t + 0.5 * a0 * t * t, v0 + a0 * t, a0])
        one = CompiledLaw(name, r.n, along)(t, q, v, np.zeros(0))
        other = CompiledLaw(name, r.n, joints)(0.0, q, v, wanted)
        assert np.abs(one - other).max() < 1e-9 * max(1.0, np.abs(one).max())


def test_pretension_changes_torques_and_not_the_motion():
    """Torques differ by a vector the closed chain does not feel: same acceleration, more pull."""
    r, plant = robot('parallel_2dof'), plants.plant('parallel_2dof', 'closure')
    slack = constraint_following(r, [LINE], **GAINS)
    tight = constraint_following(r, [LINE], **GAINS, pretension=[0.5, 0.0, -0.3, 0.0, 0.4, 0.0])
    for t in (0.1, 0.9, 1.7):
        state = plants.parallel_start(t=t, tip_velocity=[0.1, -0.05])
        a, b = (interpreted(x, 6, t, state.q, state.v) for x in (slack, tight))
        assert np.abs(b - a).max() > 0.05 and b[1::2].tolist() == [0.0, 0.0, 0.0]
        still, moved = plant.derivative(state, a)[1], plant.derivative(state, b)[1]
        assert np.abs(still - moved).max() <= 1e-10 * np.abs(still).max()
        assert np.linalg.norm(a[::2]) < np.linalg.norm(b[::2])


def test_servo_errors_obey_their_equation():
    """On the closed chain the tip's error obeys phi'' + kd phi' + kp phi = 0."""
    r, plant = robot('parallel_2dof'), plants.plant('parallel_2dof', 'closure')
    control = constraint_following(r, [LINE], **GAINS)
    for t in (0.2, 1.1):  # a closed state that is neither where nor as fast as the line asks
        state = plants.parallel_start(t=t, tip_velocity=[0.05, 0.02])._replace(t=t + 0.1)
        tau = interpreted(control, 6, state.t, state.q, state.v)
        _, a = plant.derivative(state, tau)
        frame = r.frame('tool0', state.q, state.v)
        J = frame.jacobian[:2]
        p, speed, pull = (np.asarray(x) for x in parallel_2dof.line(state.t))
        rest = J @ a + frame.drift[:2] - pull + GAINS['kd'] * (J @ state.v - speed) \
            + GAINS['kp'] * (frame.position[:2] - p)
        assert np.abs(rest).max() < 1e-10


def test_path_parameters_are_the_laws_parameters():
    """A path's number fields can change at run time, as gains and the model can."""
    r = robot('scara_450')
    control = constraint_following(r, [follow('tool0', Helix(), name='helix')], saturate=False)
    assert control.parameters['helix.radius'] == 0.05
    state = plants.helix_start()
    near, far = (interpreted(control, 4, 0.0, state.q, state.v, changes={'helix.radius': x})
                 for x in (0.05, 0.07))
    other = constraint_following(r, [follow('tool0', Helix(radius=0.07), name='helix')],
                                 saturate=False)
    assert np.abs(near - far).max() > 0.1
    assert far.tolist() == interpreted(other, 4, 0.0, state.q, state.v).tolist()


def test_more_rows_than_motors_are_refused():
    """Three rows for two joints cannot all be followed; the sentence counts them."""
    r = robot('two_link')
    control = constraint_following(r, [follow('tool0', plants.LINE, 'x z', name='line'),
                                       joint_combination({'joint_1': 1.0}, name='pin')])
    with pytest.raises(RobodynError, match=r'3 rows \(line.x, line.z, pin\) for 2 motors of two'):
        interpreted(control, 2, 0.0, [0.1, 0.2], [0.0, 0.0])


def test_model_is_the_controllers_own():
    """A payload the model knows changes the torque by that payload's weight on the task."""
    r = robot('two_link')
    task = follow('tool0', plants.LINE, 'x z', name='line')
    light = constraint_following(r, [task], saturate=False)
    heavy = constraint_following(r, [task], saturate=False, model=Parameters(payload_mass=2.0))
    state = plants.line_start(0.4)
    a, b = (interpreted(x, 2, state.t, state.q, state.v) for x in (light, heavy))
    jacobian, drift = (r.frame('tool0', state.q, state.v).jacobian[:3],
                       r.frame('tool0', state.q, state.v).drift[:3])
    pull = jacobian @ plants.two_link.path_acceleration(0.4) + drift + [0.0, 0.0, 9.81]
    plants.assert_close('payload', b - a, 2.0 * jacobian.T @ pull, 1e-9)
