# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The second stage: errors of the motion, their sensitivities, and what they lead to."""

from identification.cases import arm, motion, other, recording
import numpy as np
from robodyn_ros.identification.cross_validation import MORE_EARNED
from robodyn_ros.identification.equations import edge_of, equations_of
from robodyn_ros.identification.filtering import decimated, States
from robodyn_ros.identification.identify import identify
from robodyn_ros.identification.motion import motion_equations, SHARE
from robodyn_ros.identification.parameters import parameter_set, values_of
from robodyn_ros.identification.prior import prior_of
from robodyn_ros.identification.regressor import Regressor
from robodyn_ros.identification.solving import solved
from scipy.integrate import solve_ivp

CUTOFF, LIMITS = 12.0, np.full(3, np.inf)


def exact_equations(robot, truth, rate=400.0, duration=2.0):
    """Return the equations of an exact motion of a true arm, and the regressor."""
    t, q, v, a = motion(robot.n, 4, duration, rate)
    states = States(t, q, v, a, truth.inverse_dynamics(q, v, a), CUTOFF)
    chosen = parameter_set(robot)
    regressor = Regressor(chosen, robot.parameters.gravity)
    return equations_of(regressor, [states], LIMITS, np.full(3, 0.1)), regressor, states


def test_errors_are_those_of_a_simulation():
    """A nonlinear observer, integrated by another library with the wrong arm: the same e."""
    robot = arm(friction=False)
    truth, _ = other(robot, 6, rotors=False)
    true = values_of(parameter_set(robot), truth)
    wrong = values_of(parameter_set(robot), robot)
    theta = true + 0.02 * (wrong - true)  # errors small enough to be linear
    equations, regressor, states = exact_equations(robot, truth)
    w, n, chosen = 2.0 * np.pi * SHARE * CUTOFF, robot.n, regressor.chosen
    for name in ('coulomb', 'peak'):  # dry friction is the same in both
        theta[chosen.of_axes(name)] = true[chosen.of_axes(name)]
    smooth = theta.copy()
    smooth[chosen.of_axes('coulomb')] = 0.0
    Y = regressor(states.q, states.v, states.a, np.full(3, 0.1))
    given = np.concatenate([states.q, states.v, states.a,
                            states.tau - Y @ (theta - smooth)], axis=1)

    def rate(t, z):
        e, speed = z[:n], z[n:]
        q, v, a, tau = np.array([np.interp(t, states.t, x) for x in given.T]).reshape(4, n)
        # unit accelerations, none, and what velocities take: rows of one call
        speeds, push = np.zeros((n + 2, n)), np.vstack([np.eye(n), np.zeros((2, n))])
        speeds[n + 1] = v + speed
        found = regressor(np.tile(q + e, (n + 2, 1)), speeds, push, np.full(3, 0.1)) @ smooth
        M = (found[:n] - found[n]).T
        return np.concatenate([speed, np.linalg.solve(M, tau - found[n + 1])
                               - w ** 2 * e - 2.0 * w * speed - a])

    run = solve_ivp(rate, (0.0, states.t[-1]), np.zeros(2 * n), t_eval=states.t, max_step=0.02,
                    rtol=1e-5, atol=1e-9)
    lines = motion_equations(regressor, LIMITS, equations, theta)
    theirs = decimated(run.y[:n].T, states, edge_of(states))
    ours = lines.Y @ theta - lines.tau
    assert np.abs(ours - theirs).max() < 0.05 * np.abs(theirs).max()


def test_sensitivities_are_derivatives():
    """The errors e at another theta are e + S dtheta, to first order."""
    robot = arm()
    truth, true = other(robot, 6)
    equations, regressor, _ = exact_equations(robot, truth)
    change = 1e-4 * true * np.random.default_rng(0).normal(size=true.shape)
    here, there = (motion_equations(regressor, LIMITS, equations, theta)
                   for theta in (true, true + change))
    e0, e1 = here.Y @ true - here.tau, there.Y @ (true + change) - there.tau
    assert np.abs(e0).max() < 1e-9  # the true arm moves as it did
    assert np.abs(e1 - here.Y @ change).max() < 0.01 * np.abs(e1).max()


def test_the_motion_alone_tells_the_parameters():
    """Gauss-Newton on the motion from the file's values ends at the true torques."""
    robot = arm()
    truth, true = other(robot, 6)
    equations, regressor, states = exact_equations(robot, truth, 200.0, 10.0)
    chosen = equations.chosen
    prior = prior_of(robot, chosen, states.tau, states.v)
    used, theta = np.ones(chosen.size, bool), values_of(chosen, robot)
    used[chosen.of_axes('peak')] = False
    theta = np.where(theta > 0.0, theta, prior.theta)
    for _ in range(5):
        lines = motion_equations(regressor, LIMITS, equations, theta * used)
        theta = solved(lines, prior, 1e-4, used)[0].theta
    residual = equations.tau - equations.predicted(theta)
    assert np.linalg.norm(residual) < 0.01 * np.linalg.norm(equations.tau)


def test_it_is_taken_only_where_torques_are_predicted_better():
    """What it would gain is told; of torques with white noise nothing beats their own fit."""
    robot = arm()
    truth, _ = other(robot, 21)
    found = identify(robot, [recording(truth, 21, noise=0.5, exact=False, duration=10.0)])
    assert found.fit.motion_gain is not None and found.fit.motion_gain < MORE_EARNED
