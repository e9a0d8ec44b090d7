# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What all control laws share: gains, saturation, friction compensation, no hidden state."""

from controllers.cases import closed_loop, interpreted, robot, sine
import numpy as np
from plant import cases as plants
import pytest
from robodyn_ros import (computed_torque, constraint_following, follow, Parameters, RobodynError,
                         robust, State)
from robodyn_ros.controllers.model import gains

LAWS = {
    'computed_torque': lambda r, **k: computed_torque(r, kp=400.0, kd=40.0, **k),
    'robust': lambda r, **k: robust(r, kp=400.0, kd=40.0, rho=5.0, epsilon=0.01, **k),
    'constraint_following': lambda r, **k: constraint_following(
        r, [follow('tool0', plants.LINE, 'x z')], kp=400.0, kd=40.0, **k),
}


def torque(name, control, n, state, wanted):
    """Return tau of any law at a state."""
    return interpreted(control, n, state.t, state.q, state.v,
                       wanted if control.reference_size else ())


def test_one_gain_for_all_or_one_each():
    """A number stands for every joint; a list is taken in the order of the joints."""
    r = robot('two_link')
    assert gains(r, 9.0, [2.0, 3.0]) == {
        'kp.joint_1': 9.0, 'kp.joint_2': 9.0, 'kd.joint_1': 2.0, 'kd.joint_2': 3.0}


def test_natural_frequency_and_damping_are_gains():
    """Gains are kp = w^2, kd = 2 d w, for all joints or each."""
    r = robot('two_link')
    assert gains(r, natural_frequency=[3.0, 5.0], damping=0.7) == pytest.approx({
        'kp.joint_1': 9.0, 'kp.joint_2': 25.0, 'kd.joint_1': 4.2, 'kd.joint_2': 7.0})
    assert gains(r, natural_frequency=4.0) == gains(r, 16.0, 8.0)


def test_zero_gains_are_legal():
    """No feedback is a choice: feed-forward alone."""
    assert set(gains(robot('two_link'), 0.0, 0.0).values()) == {0.0}


@pytest.mark.parametrize('wrong, words', [
    ({'kp': [1.0, 2.0, 3.0], 'kd': 1.0}, r'kp of two_link.*one number or 2.*\(3,\).*joint_1'),
    ({'kp': 1.0, 'kd': [1.0]}, r'kd of two_link.*one number or 2.*\(1,\)'),
    ({'kp': -1.0, 'kd': 1.0}, r'kp of two_link is \[-1.0, -1.0\].*not negative'),
    ({'kp': 1.0, 'kd': [1.0, float('nan')]}, 'kd of two_link is .*nan.*finite'),
    ({'natural_frequency': -2.0}, 'natural_frequency of two_link is .*not negative'),
    ({'natural_frequency': 2.0, 'damping': -1.0}, 'kd of two_link is .*not negative'),
    ({'natural_frequency': [1.0, 2.0, 3.0]},
     r'wrong size of natural_frequency of two_link.*\(3,\)'),
    ({'kp': 1.0, 'kd': 1.0, 'natural_frequency': 2.0}, 'one or the other'),
    ({'kp': 1.0}, 'needs kp and kd, or natural_frequency'),
    ({}, 'needs kp and kd, or natural_frequency'),
    ({'kp': 'a', 'kd': 1.0}, "kp of two_link is 'a'; expected one number or 2"),
    ({'kp': np.ma.array([1.0, 2.0], mask=[0, 1]), 'kd': 1.0}, 'kp of two_link is masked_array'),
    ({'natural_frequency': 2.0, 'damping': 'a'}, "damping is 'a'; expected a finite number"),
    ({'kp': 1.0, 'kd': 1.0, 'model': 3.0}, 'parameters is 3.0; expected a mapping'),
])
def test_wrong_gains_are_refused_in_one_sentence(wrong, words):
    """Each names the gain, the robot and what was given."""
    with pytest.raises(RobodynError, match=words):
        computed_torque(robot('two_link'), **wrong)


@pytest.mark.parametrize('law', LAWS)
def test_a_law_is_made_for_a_robot(law):
    """Its name is none."""
    with pytest.raises(RobodynError, match="robot is 'two_link'; expected a Robot"):
        LAWS[law]('two_link')


@pytest.mark.parametrize('call, words', [
    (lambda r: constraint_following(r, follow('tool0', plants.LINE, 'x z')), 'task is <Constr'),
    (lambda r: constraint_following(r, [], kp='a'), "kp of constraint_following is 'a'"),
    (lambda r: constraint_following(r, [], kd=-1.0), 'kd of constraint_following is -1.0'),
    (lambda r: robust(r, rho='a', epsilon=1.0, kp=1.0, kd=1.0), "rho of robust control is 'a'"),
    (lambda r: robust(r, rho=1.0, epsilon=1.0, kp=1.0, kd=1.0, p=1.0), 'p of robust control is 1'),
])
def test_wrong_arguments_of_a_law_are_told(call, words):
    """The sentence names the argument and the law."""
    with pytest.raises(RobodynError, match=words):
        call(robot('two_link'))


@pytest.mark.parametrize('wrong', [Parameters(payload_mass=-1.0),
                                   Parameters(friction_scale=-0.1),
                                   Parameters(gravity=(0.0, 0.0, float('inf')))])
@pytest.mark.parametrize('law', LAWS)
def test_impossible_models_are_refused(law, wrong):
    """A controller's model is checked as a plant's is."""
    with pytest.raises(RobodynError, match='payload.mass|friction_scale|gravity.z'):
        LAWS[law](robot('two_link'), model=wrong)


@pytest.mark.parametrize('law', LAWS)
def test_torques_stay_within_the_files_efforts(law):
    """Saturated to exactly the limit, joint by joint; untouched below; off on request."""
    r = robot('two_link')
    limit = r.limits.effort
    held, free = LAWS[law](r), LAWS[law](r, saturate=False)
    small = plants.line_start(0.3)
    small_wanted = [*small.q, *small.v, 0.0, 0.0]
    big = State(0.3, small.q + 3.0, small.v)
    assert torque(law, held, 2, small, small_wanted).tolist() \
        == torque(law, free, 2, small, small_wanted).tolist()
    a, b = (torque(law, x, 2, big, small_wanted) for x in (held, free))
    assert np.abs(b).max() > limit.max() and np.all(np.abs(a) <= limit)
    assert a.tolist() == np.clip(b, -limit, limit).tolist()


@pytest.mark.parametrize('law', ['computed_torque', 'robust'])
def test_friction_compensation_adds_the_files_friction(law):
    """A model with friction scale s adds s times the friction at the velocity that is meant."""
    r, rng = robot('irb120'), np.random.default_rng(31)
    q, v = rng.uniform(-1.0, 1.0, (2, 6))
    wanted = rng.normal(size=18)
    plain = LAWS[law](r, saturate=False, model=r.parameters._replace(friction_scale=0.0))
    for scale, at, velocity in ((0.5, 'desired', wanted[6:12]), (1.0, 'measured', v)):
        told = LAWS[law](r, saturate=False, model=r.parameters._replace(friction_scale=scale),
                         friction_velocity=at)
        added = np.subtract(told.law(0.0, q, v, wanted, told.parameters),
                            plain.law(0.0, q, v, wanted, plain.parameters))
        plants.assert_close('friction', added, scale * r.bias(q, velocity).friction, 1e-11)


@pytest.mark.parametrize('law', LAWS)
def test_same_input_same_output(law):
    """A law keeps nothing between calls: called again, and after other calls, the same bits."""
    r, control = robot('two_link'), LAWS[law](robot('two_link'))
    states = plants.random_states(2, 3, 33)
    first = [torque(law, control, 2, s, [0.1] * 6).tolist() for s in states]
    again = [torque(law, control, 2, s, [0.1] * 6).tolist() for s in reversed(states)]
    assert first == again[::-1]
    assert LAWS[law](r).parameters == control.parameters


def test_a_loop_stopped_and_continued_is_the_loop():
    """Nothing but q and v is carried: two halves give the bits of the whole."""
    name = 'scara_1000'
    reference = sine(name, 0.4, 1e-3).rows()
    start = State(0.0, reference[0, :4] + 0.01, reference[0, 4:8])
    changes = {'controller.rho': 3.0, 'payload.mass': 2.0}
    whole = closed_loop(name).rollout(start, 0.4, reference=reference, parameters=changes)
    half = closed_loop(name).rollout(start, 0.2, reference=reference, parameters=changes)
    rest = closed_loop(name).rollout(half.end, 0.2, reference=reference[200:], parameters=changes)
    assert np.array_equal(rest.q[-1], whole.q[-1]) and np.array_equal(rest.v[-1], whole.v[-1])
    assert np.array_equal(rest.tau, whole.tau[200:])
