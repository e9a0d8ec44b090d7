# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What is no robot, list, state or number ends in one sentence, not in Python's own complaint."""

import numpy as np
from plant import cases
import pytest
from robodyn_ros import (assemble_start, computed_torque, Constraint, constraint, Control, follow,
                         joint_combination, joint_motion, knife_edge, loop, Parameters, Plant,
                         RobodynError, Stabilisation, stabilisation, State, viscous_non_ideal)
from robodyn_ros.checks import items, number, numbers, whole_number
from robodyn_ros.errors import ArgumentError, StateError

ROBOT = cases.robot('two_link')
ZERO = np.zeros(2)
START = State(0.0, ZERO, ZERO)
TASK = follow('tool0', lambda t: [0.3 + t, 0.2], 'x z')


def law(t, q, v, reference, parameters):
    """Do nothing."""
    return [0.0 * x for x in q]


@pytest.mark.parametrize('call, words', [
    (lambda: Plant('two_link'), "robot is 'two_link'; expected a Robot, such as load_robot"),
    (lambda: Plant(ROBOT, TASK), 'constraints is <Constraint follow: position>; expected a list'),
    (lambda: Plant(ROBOT, None), 'constraints is None; expected a list of functions decorated'),
    (lambda: Plant(ROBOT, 'line'), "constraints is 'line'; expected a list"),
    (lambda: Plant(ROBOT, [law]), 'an entry of constraints is <function law .*decorated'),
    (lambda: joint_motion(ROBOT, TASK, ZERO, 1.0), 'constraints is <Constraint follow'),
    (lambda: Plant(ROBOT, stabilisation=None), r'stabilisation is None; expected stabilisation\('),
    (lambda: Plant(ROBOT, stabilisation='baumgarte'), 'baumgarte needs alpha and beta'),
    (lambda: Plant(ROBOT, stabilisation='glue'), "unknown stabilisation 'glue'"),
    (lambda: Plant(ROBOT, stabilisation=Stabilisation('glue')), "unknown stabilisation 'glue'"),
    (lambda: Plant(ROBOT, control=law), r'control is <function law .*; expected Control\(law'),
    (lambda: Plant(ROBOT, control=Control(None, 0, {})), 'law of the control is None'),
    (lambda: Plant(ROBOT, control=Control(law, -3, {})), 'reference_size of the control is -3'),
    (lambda: Plant(ROBOT, control=Control(law, 0, {}, 0.5)), 'delay of the control is 0.5'),
    (lambda: Plant(ROBOT, control=Control(law, 0, None)), 'parameters of the control is None'),
    (lambda: Plant(ROBOT, control=Control(law, 0, {'x': 'a'})), "'x' of the control is 'a'"),
    (lambda: Plant(ROBOT, step='a'), "step of the plant of two_link is 'a'; expected a positive"),
    (lambda: Plant(ROBOT, step=None), 'step of the plant of two_link is None'),
    (lambda: Plant(ROBOT, control_period=1.5), 'control_period is 1.5; expected 1 or more whole'),
    (lambda: stabilisation('baumgarte', -1.0, 1.0), 'alpha .* is -1.0; .* not negative'),
    (lambda: stabilisation('baumgarte', 1.0, -1.0), 'beta .* is -1.0; .* not negative'),
    (lambda: stabilisation('baumgarte', 'a', 1.0), "alpha .* is 'a'; expected a finite number"),
    (lambda: stabilisation('baumgarte', time_constant='a'), "time constant .* is 'a'"),
    (lambda: stabilisation('baumgarte', time_constant=1.0, damping=-1.0), 'damping .* is -1.0'),
    (lambda: joint_combination({'joint_1': 1.0}, 'a'), "value of 'joints' is 'a'"),
    (lambda: joint_combination({'joint_1': 'a'}), "coefficient of 'joint_1' in 'joints' is 'a'"),
    (lambda: joint_combination(['joint_1']), "coefficients of 'joints' is .*expected factors"),
    (lambda: knife_edge('tool0', 'abc'), "across of 'knife_edge' is 'abc'; expected three"),
    (lambda: loop('tool0', 'base_link', None), "axes of constraint 'loop' is None; expected some"),
    (lambda: viscous_non_ideal('a'), "coefficient of 'viscous' is 'a'"),
    (lambda: constraint(lambda robot, q, t, *, r: [q[0] - r]), "'r' has no default; give it a n"),
])
def test_what_no_plant_can_be_made_of(call, words):
    """The sentence names the argument, what was given and what was expected."""
    with pytest.raises(RobodynError, match=words) as caught:
        call()
    assert '\n' not in str(caught.value)


MASKED = np.ma.array([0.1, 0.2], mask=[False, True])


@pytest.mark.parametrize('call, words', [
    (lambda p: p.rollout(None, 0.1), r'the state is None; expected State\(t, q, v\)'),
    (lambda p: p.advance(None), 'the state is None'),
    (lambda p: p.in_place(None), 'the state is None'),
    (lambda p: assemble_start(p, None), 'the state is None'),
    (lambda p: p.rollout(ZERO, 0.1), r'the state is array\(\[0., 0.\]\); expected State'),
    (lambda p: p.rollout(State(None, ZERO, ZERO), 0.1), 'time of the state is None'),
    (lambda p: p.advance(State('now', ZERO, ZERO)), "time of the state is 'now'"),
    (lambda p: p.advance(State('now', [0.0, 0.0], ZERO)), "time of the state is 'now'"),
    (lambda p: p.rollout(State(0.0, MASKED, ZERO), 0.1), 'q of two_link is masked_array.*masked'),
    (lambda p: p.advance(START, MASKED), 'tau of two_link is masked_array.*masked'),
    (lambda p: p.rollout(START, '1'), "duration is '1'; expected finite seconds"),
    (lambda p: p.rollout(START, steps='a'), "steps is 'a'; expected a whole number"),
    (lambda p: p.rollout(START, 0.1, every=1.5), 'every is 1.5; expected 1 or more whole'),
    (lambda p: p.rollout(START, 0.1, every=None), 'every is None'),
    (lambda p: p.rollout(START, 0.1, parameters=[1]), r'parameters is \[1\]; expected a mapping'),
    (lambda p: p.rollout(START, 0.1, parameters=Parameters(payload_mass=-1.0)), 'payload.m.* -1'),
    (lambda p: p.advance(START, parameters='heavy'), "parameters is 'heavy'"),
    (lambda p: p.in_place(START, steps='a'), "steps is 'a'; expected a whole number, 1 or more"),
    (lambda p: p.rollouts(START, 0.1), 'states is State.*; expected a list of State'),
    (lambda p: p.rollouts([START], 0.1, every=1.5), 'every is 1.5'),
    (lambda p: p.rollouts([START], 0.1, parameters={}), 'parameters is {}; expected a list'),
])
def test_what_no_run_can_begin_with(call, words):
    """In every call that takes a state, a duration or parameters."""
    with pytest.raises(StateError, match=words) as caught:
        call(cases.plant('two_link'))
    assert '\n' not in str(caught.value)


def test_a_reference_is_made_of_numbers():
    """Words and masked numbers are none."""
    plant = Plant(ROBOT, control=Control(law, 2, {}))
    for wrong in ('ab', np.ma.array(np.zeros((9, 2)), mask=True)):
        with pytest.raises(StateError, match='reference is .*2 numbers for each control instant'):
            plant.rollout(START, steps=5, reference=wrong)


def test_a_kind_without_gains_is_its_name():
    """As made by the function, and as short."""
    for kind in ('none', 'velocity_correction', 'projection'):
        assert Plant(ROBOT, stabilisation=kind).model.stabilisation == stabilisation(kind)


def test_whole_floats_and_numpy_numbers_are_numbers():
    """Only what is no number, or not whole, is refused."""
    assert whole_number('k', 3.0, 'whole') == 3 == whole_number('k', np.int64(3), 'whole')
    assert number('x', np.float32(0.5)) == number('x', np.array(0.5)) == number('x', 0.5) == 0.5
    assert Plant(ROBOT, step=np.float64(1e-3), control_period=2.0).model.control_period == 2
    assert numbers('q', np.ma.array([1.0, 2.0]), 'two').tolist() == [1.0, 2.0]
    for wrong in (True, 1j, '1', None, float('nan'), float('inf'), -float('inf'), np.zeros(2)):
        with pytest.raises(ArgumentError, match='^x is .*; expected a finite number$'):
            number('x', wrong)


def test_a_list_may_be_any_iterable_and_a_sentence_stays_short():
    """A generator will do; a value of a thousand letters is not repeated in full."""
    made = (Constraint(name, law, 'position') for name in 'ab')
    assert [item.name for item in items(Constraint, 'rows', made, 'rows')] == ['a', 'b']
    with pytest.raises(ArgumentError) as caught:
        number('x', 'long ' * 1000)
    assert len(str(caught.value)) < 150


def test_run_time_parameters_come_in_one_way():
    """By name or as Parameters: robots, plants and control laws take both, and mean the same."""
    arm = ROBOT
    named = {'payload.mass': 0.7, 'payload.centre.x': 0.02}
    typed = arm.parameters._replace(payload_mass=0.7, payload_centre=(0.02, 0.0, 0.0))
    q, v = np.array([0.3, -1.1]), np.array([0.7, 0.2])
    plant = Plant(arm)
    for one, other in (
            (arm.dynamics(q, v, named), arm.dynamics(q, v, typed)),
            (plant.rollout(State(0.0, q, v), 0.01, parameters=named),
             plant.rollout(State(0.0, q, v), 0.01, parameters=typed))):
        assert all(np.array_equal(a, b) for a, b in zip(one, other))
    laws = [computed_torque(arm, kp=1.0, kd=1.0, model=model).parameters
            for model in ({**named, 'friction_scale': 1.0}, typed)]
    assert laws[0] == laws[1]
    with pytest.raises(RobodynError, match="unknown parameter 'mass'.*payload.mass"):
        arm.dynamics(q, v, {'mass': 1.0})
