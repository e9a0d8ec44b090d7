# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of simulated arms come back, as surely as their deviations say."""

from dataclasses import replace
import re

from identification.cases import arm, motion, other, recording
import numpy as np
import pytest
from robodyn_ros.errors import RecordingError
from robodyn_ros.identification.consistency import is_consistent
from robodyn_ros.identification.equations import edge_of, samples_of
from robodyn_ros.identification.filtering import decimated, Measured
from robodyn_ros.identification.fit import base_fit
from robodyn_ros.identification.identify import (drive_gains, identify, in_payload_frame,
                                                 judged, not_shown)
from robodyn_ros.identification.model_file import identified_text
from robodyn_ros.identification.parameters import parameter_set, TEN, values_of
from robodyn_ros.identification.regressor import Regressor
from robodyn_ros.identification.report import figures_of
from robodyn_ros.identification.solving import noise_levels, weighted
from robodyn_ros.mechanics.parameters import Parameters
from robodyn_ros.report.drawing import empty_figure
from robodyn_ros.robots.robot import load_robot, robot_from_text
from robodyn_ros.scenario.loading import load_scenario
from robodyn_ros.scenario.simulation import Simulation


def written(found):
    """Return the robot whose URDF an identification writes."""
    return robot_from_text(identified_text(found.robot, found.chosen, found.fit.theta,
                                           found.fit.velocity, 'identified'))


@pytest.mark.parametrize('axis', ['0 0 1', '0 1 0', '-0.6 0 0.8'])
def test_exact_recordings_give_exact_torques(axis):
    """Without noise, what was not fitted is predicted to 1e-9, and all bodies are possible."""
    robot = arm(axis)
    truth, theta = other(robot, 1)
    found = identify(robot, [recording(truth, 1)])
    assert judged(found.judged, found.fit.theta).overall < 1e-9
    base = found.fit.base
    np.testing.assert_allclose(base.reduced(found.fit.theta), base.reduced(theta), atol=1e-7)
    for k in range(found.chosen.bodies):
        assert is_consistent(found.fit.theta[found.chosen.of_body(k)])
    q, v, a = np.random.default_rng(2).normal(size=(3, 40, 3))
    np.testing.assert_allclose(written(found).inverse_dynamics(q, v, a),
                               truth.inverse_dynamics(q, v, a), atol=1e-7)


def test_what_is_written_is_read_back_here_and_by_pinocchio_and_mujoco():
    """The same torques to 1e-12 of the same text, friction and rotors apart elsewhere."""
    pinocchio = pytest.importorskip('pinocchio')
    mujoco = pytest.importorskip('mujoco')
    robot = arm('0 1 0')
    truth, _ = other(robot, 3)
    found = identify(robot, [recording(truth, 3, noise=0.05)])
    text = identified_text(robot, found.chosen, found.fit.theta, found.fit.velocity, 'x')
    ours = robot_from_text(text)
    q, v, a = np.random.default_rng(4).normal(size=(3, 20, 3))
    states = found.trained.states[0]
    Y = Regressor(found.chosen, robot.parameters.gravity)(q, v, a, found.fit.velocity)
    offset = found.fit.theta[found.chosen.of_joints('offset')]
    scale = np.abs(states.tau).max()
    assert np.abs(ours.inverse_dynamics(q, v, a) + offset - Y @ found.fit.theta).max() \
        < 1e-12 * scale
    bare = robot_from_text('\n'.join(line for line in text.splitlines() if '<rotor' not in line))
    expected = bare.inverse_dynamics(q, v, a, {'friction_scale': 0.0})
    model = pinocchio.buildModelFromXML(text)
    data = model.createData()
    for k in range(20):
        tau = pinocchio.rnea(model, data, q[k], v[k], a[k])
        assert np.abs(tau - expected[k]).max() < 1e-12 * scale
    theirs = mujoco.MjModel.from_xml_string(text)
    state = mujoco.MjData(theirs)
    theirs.dof_damping[:], theirs.dof_frictionloss[:] = 0.0, 0.0
    state.qpos[:], state.qvel[:], state.qacc[:] = q[0], v[0], a[0]
    mujoco.mj_inverse(theirs, state)
    np.testing.assert_allclose(state.qfrc_inverse, expected[0], atol=1e-6 * scale)


def test_deviations_hold():
    """
    The truth lies within 1, 2, 3 deviations as often as it should, over 300 seeds.

    Noise is as motors have it: of another size at each joint, and neighbouring samples hang
    together (a moving average). The counts are compared with a normal distribution's, within
    three deviations of a binomial one whose trials are the seeds.
    """
    robot, seeds = arm(), 300
    truth, theta = other(robot, 5)
    clean = recording(truth, seed=7, duration=20.0)
    first = identify(robot, [clean], hold_out=0.0)
    equations, fit = first.trained, first.fit
    share = np.ones_like(equations.tau)
    distances = []
    for seed in range(seeds):
        noise = np.random.default_rng(seed).normal(size=(len(equations.t) + 2, 3))
        noise = (noise[2:] + 0.6 * noise[1:-1] + 0.3 * noise[:-2]) * np.array([0.5, 0.3, 0.1])
        noisy = replace(equations, tau=equations.tau + noise)
        sigma = noise_levels(noisy, fit.used)
        base, found, deviation, _ = base_fit(noisy, fit.base, fit.used,
                                             *weighted(noisy, sigma, share))
        distances.append((found - base.reduced(theta)) / deviation)
    sizes = np.abs(np.array(distances))
    for bound, part in ((1.0, 0.683), (2.0, 0.954), (3.0, 0.997)):
        slack = 3.0 * np.sqrt(part * (1.0 - part) / seeds) + 0.02  # Newey-West: 2 % too few
        assert abs((sizes < bound).mean() - part) < slack, (bound, (sizes < bound).mean())


def test_deviations_of_a_whole_identification_hold():
    """The same through the whole of it: cross-validation, weights and robustness included."""
    robot = arm()
    truth, theta = other(robot, 5)
    measured, sizes = recording(truth, seed=7, duration=20.0), []
    for seed in range(4):
        noise = np.random.default_rng(seed).normal(size=measured.tau.shape)
        found = identify(robot, [replace(measured, tau=measured.tau + noise * np.array(
            [0.5, 0.3, 0.1]))], hold_out=0.0)
        sizes.append(np.abs(found.fit.base_theta - found.fit.base.reduced(theta))
                     / found.fit.base_deviation)
    assert 0.5 < (np.array(sizes) < 1.0).mean() < 0.85 and (np.array(sizes) < 3.0).mean() > 0.96


def test_filtered_recordings_without_accelerations():
    """Positions with encoder noise and torques with noise: a few per cent, and consistent."""
    robot = arm()
    truth, _ = other(robot, 8)
    measured = recording(truth, 8, noise=0.3, exact=False, duration=20.0, rate=500.0)
    random = np.random.default_rng(9)
    measured = replace(measured, v=None,
                       q=measured.q + 1e-5 * random.normal(size=measured.q.shape))
    found = identify(robot, [measured])
    error = judged(found.judged, found.fit.theta)
    assert error.overall < 0.03
    assert error.overall < 0.2 * judged(found.judged, found.before).overall
    for k in range(found.chosen.bodies):
        assert is_consistent(found.fit.theta[found.chosen.of_body(k)])


def test_outliers_do_little():
    """A torque that is wildly off now and then changes the prediction by less than noise does."""
    robot = arm()
    truth, _ = other(robot, 10)
    measured = recording(truth, 10, noise=0.1, exact=False, duration=20.0, rate=200.0)
    spoiled = measured.tau.copy()
    spoiled[::397] += 60.0
    t, q, v, a = motion(3, 10, 20.0, 200.0)
    errors = []
    for tau in (measured.tau, spoiled):
        found = identify(robot, [replace(measured, tau=tau)], hold_out=0.0)
        errors.append(np.abs(written(found).inverse_dynamics(q, v, a)
                             + found.fit.theta[found.chosen.of_joints('offset')]
                             - truth.inverse_dynamics(q, v, a)).mean())
    assert errors[1] < 4.0 * errors[0]


@pytest.mark.parametrize('ratio', [1.0, -1.0, 0.5])
def test_a_coupled_motor_is_found(ratio):
    """Inertia and friction of a motor that turns with two joints; none is where there is none."""
    robot = arm()
    truth, _ = other(robot, 14)
    assert not identify(robot, [recording(truth, 14, noise=0.1, exact=False, duration=20.0)]
                        ).chosen.tree.couplings
    coupled = robot_from_text(truth.urdf.replace('</robodyn>', (
        f'<coupling joint="joint_3" other="joint_2" ratio="{ratio}" inertia="0.3" damping="1.1" '
        'friction="6" breakaway_velocity="0.2"/></robodyn>')))
    measured = recording(coupled, 14, noise=0.1, exact=False, duration=20.0)
    found = identify(robot, [measured])
    motor, = found.chosen.tree.couplings
    assert (motor.joint, motor.other, motor.ratio) == (2, 1, ratio)
    assert any('turns with joint_2, too' in remark for remark in found.remarks)
    assert judged(found.judged, found.fit.theta).overall < 0.02
    # what is written, read back, leaves what the report says: the coupling is in it
    assert not found.fit.lag
    states, made = found.judged.states[0], written(found)
    offset = found.fit.theta[found.chosen.of_joints('offset')]
    np.testing.assert_allclose(
        decimated(made.inverse_dynamics(states.q, states.v, states.a) + offset, states,
                  edge_of(states)), found.judged.predicted(found.fit.theta), atol=1e-9)
    law = made.tree.couplings[0].friction
    assert law.coulomb == pytest.approx(6.0, rel=0.1)
    assert law.viscous == pytest.approx(1.1, rel=0.3)
    # the file with the coupling in it: nothing new is found
    again = identify(written(found), [measured])
    assert len(again.chosen.tree.couplings) == 1


def test_samples_at_rest_and_in_saturation_do_not_count():
    """A motor at its limit, and an arm that friction holds, tell nothing."""
    robot = arm()
    truth, _ = other(robot, 15)
    measured = recording(truth, 15, exact=False, duration=20.0)
    robot.limits.effort[:] = 0.6 * np.abs(measured.tau).max(axis=0)
    limit = robot.limits.effort
    clipped = replace(measured, tau=np.clip(measured.tau, -limit, limit))
    found = identify(robot, [clipped], hold_out=0.0)
    assert 0 < (~found.trained.counted).sum() < 0.9 * found.trained.counted.size
    assert judged(found.trained, found.fit.theta).overall < 0.03


def test_a_payload_is_found():
    """Mass, centre and inertia of what the tool carries, given the arm."""
    robot = arm()
    load = Parameters(payload_mass=1.7, payload_centre=(0.03, -0.02, 0.1),
                      payload_inertia=(0.01, 0.012, 0.008, 0.001, 0.0, 0.0))
    measured = recording(robot, 11)
    tau = robot.inverse_dynamics(measured.q, measured.v, measured.a, load)
    found = identify(robot, [replace(measured, tau=tau)], payload=True)
    inertia = in_payload_frame(robot, found.fit.theta[:TEN])
    assert inertia.mass == pytest.approx(1.7, rel=1e-4)
    np.testing.assert_allclose(np.array(inertia.moment) / inertia.mass, [0.03, -0.02, 0.1],
                               atol=1e-4)
    assert judged(found.judged, found.fit.theta).overall < 1e-3


def test_a_robot_without_masses_gets_them():
    """A vendor's file without inertials: the recording brings the whole model."""
    full = arm()
    truth, _ = other(full, 12)
    bare = robot_from_text(re.sub(r'<inertial>.*?</inertial>', '', full.urdf, flags=re.S))
    found = identify(bare, [recording(truth, 12)])
    assert judged(found.judged, found.fit.theta).overall < 1e-9


def test_a_closed_chain_with_torques_at_the_motors_only():
    """parallel_2dof: two motors, two passive joints, torques of the motors are predicted."""
    robot = load_robot('parallel_2dof')
    result = Simulation(load_scenario('parallel_line')).run()
    measured = Measured('simulated', result.t, result.q, result.tau, result.v, result.motion.a)
    found = identify(robot, [measured])
    assert judged(found.judged, found.fit.theta).overall < 1e-6


def test_drive_gains_are_found_from_currents():
    """An arm whose masses the file tells, friction and rotors that it does not, and currents."""
    robot = arm(friction=False)
    truth, _ = other(robot, 17)
    theta = values_of(parameter_set(robot), truth)
    theta[:3 * TEN] = values_of(parameter_set(robot), robot)[:3 * TEN]
    truth = robot_from_text(identified_text(robot, parameter_set(robot), theta, np.full(3, 0.1),
                                            'the masses of the file'))
    measured = recording(truth, 17, noise=0.2, exact=False, duration=20.0)
    gains = np.array([11.0, 7.5, 2.2])
    found, deviation = drive_gains(robot, [replace(measured, tau=measured.tau / gains)])
    assert (np.abs(found - gains) < 5.0 * deviation + 0.01 * gains).all()
    assert (deviation < 0.05 * gains).all()
    noise = np.random.default_rng(0).normal(size=measured.tau.shape)
    with pytest.raises(RecordingError, match='drive gain cannot be found'):
        drive_gains(robot, [replace(measured, tau=noise)])


def test_a_robot_that_moves_too_slowly_is_told_what_it_does_not_show():
    """The parameters that cannot be seen are named, and robodyn excite as what to do."""
    robot = arm()
    truth, _ = other(robot, 18)
    t, q, v, a = motion(3, 18, 20.0, 100.0)
    q, v, a = 0.1 + 0.02 * (q - 0.1), 0.02 * v, 0.02 * a
    tau = truth.inverse_dynamics(q, v, a)
    tau = tau + 0.05 * np.random.default_rng(0).normal(size=tau.shape)
    found = identify(robot, [Measured('slow', t, q, tau, v)])
    assert any('robodyn excite' in remark for remark in found.remarks)
    assert any('Izz' in name or 'Ixx' in name for name in not_shown(found))


def test_signs_that_no_robot_has_are_told():
    """Efforts of the other sign: least squares explains them, bodies that can exist do not."""
    robot = arm()
    truth, _ = other(robot, 19)
    measured = recording(truth, 19, noise=0.05, exact=False)
    remarks = identify(robot, [replace(measured, tau=-measured.tau)]).remarks
    assert any('look at the signs' in remark for remark in remarks)
    assert any('other torques were expected' in remark for remark in remarks)
    found = identify(robot, [measured, measured])  # two recordings of the same times
    assert not any('signs' in remark or 'expected' in remark for remark in found.remarks)
    for states in found.trained.states:
        assert np.isin(states.t[samples_of(states)], found.trained.t).all()
    for figure in figures_of(found):
        with empty_figure() as canvas:
            figure.draw(canvas)
