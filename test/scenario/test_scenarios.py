# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The six scenarios run, stay within their own tolerance, and give the papers' numbers."""

from functools import cache

import numpy as np
from oracles import scara_450
from plant.cases import assert_close, robot, TARGETS
import pytest
from robodyn_ros import load_scenario, RobodynError, scenario_names, simulate, Simulation
from robodyn_ros.share import share_folder

ALL = ('irb120_sine', 'parallel_line', 'scara_helix', 'scara_helix_constrained',
       'scara_via_points', 'two_link_line')


@cache
def simulation(name, *changes):
    """Return a scenario made ready, once per session."""
    return Simulation(load_scenario(name, changes))


@cache
def run(name):
    """Return a scenario's run."""
    return simulation(name).run()


def test_these_are_all():
    """Every scenario of the package is judged below."""
    assert scenario_names() == sorted(ALL)


@pytest.mark.parametrize('name', ALL)
def test_a_healthy_run_stays_within_its_tolerance(name):
    """Tool error for paths in space, joint errors for joint motions; every array has its shape."""
    result = run(name)
    k, n, m = len(result.t), result.robot.n, len(result.row_names)
    scenario = result.scenario
    assert k == round(scenario.duration / scenario.controller.period) + 1
    assert result.t[-1] == pytest.approx(scenario.duration)
    for values, width in ((result.q, n), (result.v, n), (result.tau, n), (result.motion.a, n),
                          (result.constraint_force, n), (result.motion.phi, m),
                          (result.error, n), (result.tool, 3), (result.tool_reference, 3)):
        assert values.shape == (k, width) and np.isfinite(values).all()
    joints = scenario.trajectory.kind.startswith('joint')
    worst = np.abs(result.error).max() if joints else result.tool_error.max()
    assert worst <= scenario.tolerance
    assert result.violation.shape == (k,) and result.violation.max() <= scenario.tolerance


@pytest.mark.parametrize('name', ALL)
def test_twice_gives_the_same_bits(name):
    """The same scenario, built and run again, from the start: every recorded number."""
    again = simulate(load_scenario(name), duration=1.0)
    once = simulate(load_scenario(name), duration=1.0)
    for a, b in zip(again.motion, once.motion):
        assert np.array_equal(a, b)


def test_a_scenario_may_be_given_by_its_name_or_path():
    """As load_scenario takes it."""
    loaded = simulate(load_scenario('two_link_line'), duration=0.01)
    for given in ('two_link_line', share_folder('config') / 'two_link_line.yaml'):
        assert np.array_equal(simulate(given, duration=0.01).q, loaded.q)


@pytest.mark.parametrize('scenario, duration, words', [
    (None, None, 'scenario is None; expected a Scenario, its name or the path of its file'),
    ('two_link_lime', None, "unknown scenario 'two_link_lime'.*two_link_line"),
    ('two_link_line', 'a', "duration is 'a'; expected finite seconds"),
    ('two_link_line', float('inf'), 'duration is inf'),
])
def test_what_is_no_scenario_or_duration_is_told(scenario, duration, words):
    """One sentence."""
    with pytest.raises(RobodynError, match=words):
        simulate(scenario, duration)


def test_a_prepared_simulation_can_run_repeatedly():
    """run() leaves nothing behind: other parameters between two runs change neither."""
    first = simulation('scara_via_points').run().q
    other = simulation('scara_via_points').run({'payload.mass': 0.0}).q
    assert np.array_equal(simulation('scara_via_points').run().q, first)
    assert np.abs(other - first).max() > 1e-5


def test_helix_held_by_constraints_gives_the_papers_forces():
    """Paper 000: on the exact path the constraint forces stay in their theoretical ranges."""
    result = simulation(
        'scara_helix_constrained', 'trajectory.ramp=0',
        'dynamics.initial_position=[0.5235987755982988, -0.9599310885968813, '
        '0.4188790204786391, 0.0]').run()
    wanted = np.array(TARGETS['000']['path_constraint_force_range']['elbow_minus'])
    force = result.constraint_force
    assert np.abs(force.min(axis=0) - wanted[:, 0]).max() < 1e-4
    assert np.abs(force.max(axis=0) - wanted[:, 1]).max() < 1e-4
    assert result.violation.max() < 1e-12 and not result.tau.any()
    exact = np.array([scara_450.path_position(t, -1) for t in result.t[::500]])
    assert np.abs(result.q[::500] - exact).max() < 1e-9
    assert 0.01 < np.abs(result.assembly.moved).max() < 0.02  # the paper's start was 1 deg off


def test_helix_under_computed_torque():
    """A free plant with the same model: within 2 microns, torques those of the constraint."""
    result = run('scara_helix')
    assert result.tool_error.max() < 2e-6
    held = run('scara_helix_constrained')
    assert_close('torque', result.tau[1000::100], held.constraint_force[1000::100], 2e-3)


def test_two_link_line_gives_the_papers_torques():
    """Paper 001: tau1 9.50..21.83, tau2 4.97..9.56 N m, 21.833 at the start, 9.547 at 2.5 s."""
    force, wanted = run('two_link_line').constraint_force, TARGETS['001']
    found = np.stack([force.min(axis=0), force.max(axis=0)], axis=1)
    assert np.abs(found - wanted['constraint_torque_range']).max() < 6e-3
    assert force[0, 0] == pytest.approx(21.833, abs=6e-4)
    assert force[250, 0] == pytest.approx(9.547, abs=6e-4)


def test_parallel_line_loads_motors_only():
    """Paper 002: passive joints exactly free, motor torques in their ranges, loops closed."""
    result = run('parallel_line')
    assert not result.tau[:, 1::2].any() and result.violation.max() < 1e-13
    wanted = np.array(TARGETS['002']['motor_torque_range'])
    found = np.stack([result.tau[:, ::2].min(axis=0), result.tau[:, ::2].max(axis=0)], axis=1)
    assert np.abs(found - wanted).max() < 2e-3  # sampled at 1 kHz
    assert result.tool_error.max() < 2e-5


FAST = ('irb120_sine', 'dynamics.step=5e-5', 'controller.period=5e-5', 'trajectory.ramp=0',
        'dynamics.initial_velocity=[0, 0, 0, 0, 0, 0]', 'controller.blend_time=0',
        'dynamics.limit_efforts=false')  # the paper's start: a sine in full motion, an arm at rest


def test_irb120_with_friction():
    """Paper 003, 2 to 5 s: rms and largest errors of every joint, nearly continuous control."""
    result, wanted = simulation(*FAST).run(), TARGETS['003']['computed_torque_friction_2_to_5s']
    late = result.error[result.t >= 2.0 - 1e-9]
    assert np.sqrt((late ** 2).mean(axis=0)) == pytest.approx(wanted['rms'], rel=0.02)
    assert np.abs(late).max(axis=0) == pytest.approx(wanted['max'], rel=0.04)
    assert np.sqrt((late ** 2).mean()) == pytest.approx(wanted['overall_rms'], rel=0.01)


def test_irb120_with_friction_told_to_the_controller():
    """Compensated, what is left is the sampling of the torque: it shrinks with the period."""
    left = []
    for name in (('irb120_sine',), FAST):
        result = simulation(*name).run({'controller.model.friction_scale': 1.0})
        left.append(np.sqrt((result.error[result.t >= 2.0 - 1e-9] ** 2).mean()))
    assert left[0] < 0.0112 / 3.0 and left[1] < left[0] / 10.0


VIA = ('scara_via_points', 'trajectory.inverse_kinematics.integrator=euler')
PLAIN = {'controller.rho': 0.0}
KNOWN = {'controller.model.payload.mass': 5.0}


def weights(q12, q22):
    """Return run-time parameters for the robust law's weights."""
    return {f'controller.{key}.joint_{k}': x for k in (1, 2, 3, 4)
            for key, x in (('q12', q12), ('q22', q22))}


@pytest.mark.parametrize('key, changes', [
    ('inverse_dynamics_load_known', {**PLAIN, **KNOWN}),
    ('inverse_dynamics_load_unknown', PLAIN),
    ('robust_Q_identity', weights(0.0, 1.0)),
    ('robust_P_identity', weights(1.0 / 1800.0, (1.0 + 1.0 / 900.0) / 120.0)),
    ('robust_P_18000_100', {}),
    ('robust_P_18000_100_eps_0p6', {'controller.epsilon': 0.6}),
])
def test_via_points_with_the_payload_known_and_unknown(key, changes):
    """Paper 004's table: largest joint errors, error of d3 at the end, largest tip error."""
    result = simulation(*VIA).run(changes)
    wanted = TARGETS['004']['control'][key]
    found = [*np.abs(result.error).max(axis=0), abs(result.error[-1, 2]), result.tool_error.max()]
    for value, theirs in zip(found, wanted):
        assert value == pytest.approx(theirs, rel=0.06) or max(value, theirs) < 1e-9, found


def test_robust_inside_its_layer_is_more_gain():
    """Paper 004 with P = diag(18000, 100): the very run of plain gains 12567 and 1227."""
    gains = {f'controller.{key}.joint_{k}': x for k in (1, 2, 3, 4)
             for key, x in (('kp', 900.0 + 70.0 / 0.06 * 10.0), ('kd', 60.0 + 70.0 / 0.06))}
    robust = simulation(*VIA).run()
    plain = simulation(*VIA).run({**PLAIN, **gains})
    assert np.abs(robust.q - plain.q).max() < 1e-12
    assert abs(robust.error[-1, 2]) == pytest.approx(1.115e-4, rel=5e-3)


def test_via_points_ask_for_the_papers_torques():
    """Largest torques 72, 37 and 6.7 N m, 454 N, all within the file's limits."""
    largest = np.abs(simulation(*VIA).run().tau).max(axis=0)
    wanted = TARGETS['004']['control']['max_effort']['siciliano']
    assert largest == pytest.approx(wanted, rel=0.03)
    assert np.all(largest < robot('scara_1000').limits.effort)
