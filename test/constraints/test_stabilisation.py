# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Choosing a stabilisation: gains, and the warning exactly where a step makes them unstable."""

import logging

import numpy as np
from plant import cases
import pytest
from robodyn_ros import joint_combination, Plant, stabilisation, State
from robodyn_ros.codegen.loops.integrators import INTEGRATORS
from robodyn_ros.constraints.stabilisation import amplification, step_warning
from robodyn_ros.errors import ConstraintError, RobodynError, UnknownNameError


def grown(integrator, alpha, beta, step, steps=4000):
    """Return the mean growth per step of phi'' + alpha phi' + beta phi = 0, simulated."""
    def rate(x):
        return np.array([x[1], -alpha * x[1] - beta * x[0]])
    x, logs = np.array([1.0, 0.3]), 0.0
    for _ in range(steps):
        if integrator == 'euler':
            x = x + step * rate(x)
        elif integrator in ('semi_implicit_euler', 'taylor'):
            a = rate(x)[1]
            half = 0.5 if integrator == 'taylor' else 1.0
            x = np.array([x[0] + step * (x[1] + half * step * a), x[1] + step * a])
        elif integrator in ('heun', 'implicit_friction'):  # whose rows have no friction
            x = x + step / 2.0 * (rate(x) + rate(x + step * rate(x)))
        else:
            k1 = rate(x)
            k2 = rate(x + step / 2.0 * k1)
            k3 = rate(x + step / 2.0 * k2)
            x = x + step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + rate(x + step * k3))
        size = np.abs(x).max()
        logs, x = logs + np.log(size), x / size
    return np.exp(logs / steps)


@pytest.mark.parametrize('integrator', INTEGRATORS)
def test_amplification_is_what_a_simulated_mode_does(integrator):
    """The predicted factor per step is the mean growth of the linear mode over many steps."""
    rng = np.random.default_rng(1)
    for _ in range(12):
        alpha, beta = rng.uniform(0.1, 60.0), rng.uniform(1.0, 3000.0)
        step = 10.0 ** rng.uniform(-3.5, -1.3)
        case = (integrator, alpha, beta, step)
        # the mean over 4000 steps still remembers the start by a factor of order 1e2 in total
        assert abs(grown(*case) / amplification(*case) - 1.0) < 2e-3, case


def test_explicit_euler_is_warned_of_exactly_beyond_alpha_over_beta():
    """Underdamped: stable for h < alpha/beta; 0.5/200 gives 2.5 ms, 7.3 ms grows by 1.0035."""
    rng = np.random.default_rng(2)
    for _ in range(200):
        beta = rng.uniform(1.0, 2000.0)
        alpha = rng.uniform(0.01, 1.99) * np.sqrt(beta)
        chosen = stabilisation('baumgarte', alpha, beta)
        limit = alpha / beta
        assert step_warning(chosen, 'euler', 0.999 * limit) == '', (alpha, beta)
        assert 'unstable' in step_warning(chosen, 'euler', 1.001 * limit), (alpha, beta)
    paper = stabilisation('baumgarte', 0.5, 200.0)
    assert step_warning(paper, 'euler', cases.TARGETS['000']['baumgarte'][
        'euler_stable_below_step']) == ''
    assert round(amplification('euler', 0.5, 200.0, 7.3e-3), 4) == 1.0035
    assert step_warning(paper, 'rk4', 1e-2) == ''
    assert step_warning(stabilisation('projection'), 'euler', 1.0) == ''


def test_the_plant_warns_and_the_run_then_blows_up(caplog):
    """A plant with too long a step says so, names the numbers, and its error does grow."""
    def build(step):
        return Plant(cases.robot('two_link'), [joint_combination({'joint_1': 1.0}, name='held')],
                     stabilisation=stabilisation('baumgarte', 0.5, 200.0), integrator='euler',
                     step=step)
    start = State(0.0, [0.01, 0.0], [0.0, 0.0])
    with caplog.at_level(logging.WARNING, 'robodyn_ros'):
        good = build(2.4e-3).rollout(start, steps=4167)
    assert not caplog.messages
    with caplog.at_level(logging.WARNING, 'robodyn_ros'):
        bad = build(2.6e-3).rollout(start, steps=3846)
    assert 'alpha 0.5 and beta 200 is unstable with euler' in caplog.messages[0]
    assert 'a step of 0.0026 s' in caplog.messages[0]
    late = slice(-400, None)
    assert good.violation[late].max() < 0.0099 < 0.0101 < bad.violation[late].max()


def test_time_constant_and_damping_are_another_way_to_say_the_gains():
    """Equal to alpha = 2 d/T, beta = 1/T^2: (20, 100) is T = 0.1 s, critical."""
    assert stabilisation('baumgarte', time_constant=0.1)[1:] == pytest.approx((20.0, 100.0))
    chosen = stabilisation('baumgarte', time_constant=0.05, damping=0.7)
    roots = np.roots([1.0, chosen.alpha, chosen.beta])
    assert abs(roots[0]) == pytest.approx(20.0)
    assert -roots[0].real / abs(roots[0]) == pytest.approx(0.7)


@pytest.mark.parametrize('arguments, error, words', [
    ({'kind': 'baumgart'}, UnknownNameError, "unknown stabilisation 'baumgart'.*baumgarte"),
    ({'kind': 'baumgarte'}, ConstraintError, 'needs alpha and beta, or a time constant'),
    ({'kind': 'baumgarte', 'alpha': 1.0}, ConstraintError, 'needs alpha and beta'),
    ({'kind': 'baumgarte', 'alpha': 1.0, 'time_constant': 1.0}, ConstraintError, 'one or the'),
    ({'kind': 'baumgarte', 'time_constant': 0.0}, ConstraintError, 'time constant .* is 0.0'),
    ({'kind': 'baumgarte', 'time_constant': float('nan')}, ConstraintError, 'is nan'),
    ({'kind': 'baumgarte', 'alpha': float('nan'), 'beta': 1.0}, ConstraintError, 'alpha .*nan'),
    ({'kind': 'projection', 'alpha': 1.0, 'beta': 1.0}, ConstraintError, 'has no gains'),
])
def test_wrong_choices_are_told(arguments, error, words):
    """Each says what was given and what is needed."""
    assert issubclass(error, RobodynError)
    with pytest.raises(error, match=words):
        stabilisation(**arguments)
