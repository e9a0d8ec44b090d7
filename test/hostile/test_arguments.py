# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Every entry has one check: the same for arrays, lists, mappings and files."""

import numpy as np
from plant import cases
import pytest
from robodyn_ros import (Control, load_robot, load_scenario, Parameters, Plant, RobodynError,
                         robot_names, Simulation, State)
from robodyn_ros.checks import MOST, number, numbers, whole_number
from robodyn_ros.errors import SizeError, StateError, UnknownNameError
from robodyn_ros.tracing import sin
from tracing.recording import program

ROBOT = cases.robot('two_link')
ZERO = np.zeros(2)
START = State(0.0, ZERO, ZERO)


def law(t, q, v, reference, parameters):
    """Do nothing."""
    return [0.0 * x for x in q]


@pytest.mark.parametrize('call', [
    lambda p: p.rollout(START, steps=2 ** 63, every=2 ** 62),
    lambda p: p.rollout(START, steps=2 ** 63),
    lambda p: p.rollout(START, steps=1, every=2 ** 63),
    lambda p: p.rollout(START, steps=10 ** 400),
    lambda p: p.rollout(START, steps=MOST + 1, every=MOST),
    lambda p: p.rollout(START, duration=1e300),
    lambda p: p.rollout(START, duration=10 ** 400),
    lambda p: p.rollouts([START], steps=2 ** 63),
    lambda p: p.rollouts([START], steps=1, every=2 ** 64),
    lambda p: p.advance(START, steps=2 ** 63),
    lambda p: p.advance(START, steps=-1),
    lambda p: p.in_place(START, steps=2 ** 63),
    lambda p: p.advance(State(10 ** 400, ZERO, ZERO)),
    lambda p: p.advance(State(0.0, [10 ** 400, 0], ZERO)),
    lambda p: p.advance(START, [10 ** 400, 0]),
    lambda p: p.advance(State(0.0, np.full(2, np.nan), ZERO)),
    lambda p: p.advance(State(0.0, ZERO, np.array([0.0, np.inf]))),
    lambda p: p.advance(START, parameters={'payload.mass': 10 ** 400}),
    lambda p: p.advance(START, parameters={'payload.mass': True}),
    lambda p: p.advance(START, parameters={'payload.mass': '1'}),
    lambda p: Plant(ROBOT, control_period=2 ** 63),
    lambda p: Plant(ROBOT, step=10 ** 400),
    lambda p: Plant(ROBOT, control=Control(law, 2 ** 62, {})),
    lambda p: Plant(ROBOT, control=Control(law, 0, {}, 2 ** 62)),
    lambda p: Plant(ROBOT, control=Control(law, 0, {'x': 10 ** 400})),
    lambda p: ROBOT.solve('tool0', [0.1, 0.0, 0.2], tries=2 ** 63),
    lambda p: p.rollouts([START], steps=1, workers=-1),
    lambda p: p.rollouts([START], steps=1, workers=2 ** 63),
    lambda p: p.rollouts([START], steps=1, workers='all'),
    lambda p: ROBOT.dynamics(np.broadcast_to(0.0, (10 ** 10, 2)), ZERO),
    lambda p: ROBOT.dynamics(np.array(['1', '2']), ZERO),
    lambda p: ROBOT.dynamics(['1', 2.0], ZERO),
    lambda p: ROBOT.dynamics(ZERO + 1j, ZERO),
    lambda p: ROBOT.dynamics(ZERO.astype('M8[s]'), ZERO),
    lambda p: ROBOT.dynamics([None, 0.0], ZERO),
    lambda p: Plant(ROBOT, control=Control(law, 0, {5: 1.0})),
    lambda p: Plant(ROBOT, control=Control(law, 0, {}, memory=['1'])),
    lambda p: Plant(ROBOT, control=Control(law, 0, {}, memory=[0.0] * 2, told={'x': 2})),
    lambda p: Plant(ROBOT, control=Control(law, 0, {}, memory=[0.0] * 2, told={'x': 1})),
    lambda p: Plant(ROBOT, control=Control(law, 0, {}, memory=[0.0] * 2, told={'x': -1})),
    lambda p: Plant(ROBOT, control=Control(law, 0, {}, memory=[0.0] * 2, told={'a b': 0})),
    lambda p: Plant(ROBOT, control=Control(law, 0, {}, memory=[0.0] * 2, told={7: 0})),
    lambda p: Plant(ROBOT, control=Control(law, 0, {}, told=7)),
])
def test_numbers_that_machine_code_must_not_see(call):
    """One sentence, no crash, no run of years."""
    with pytest.raises(RobodynError) as caught:
        call(cases.plant('two_link'))
    assert str(caught.value).isprintable()


@pytest.mark.parametrize('name', ['payload.mass', 'payload.centre.x', 'gravity.z',
                                  'payload.inertia.xx', 'friction_scale'])
@pytest.mark.parametrize('value', [1e308, -1e308, 1.1e9, float('nan'), float('inf'), 'heavy', None,
                                   10 ** 400, True, [1.0]])
def test_a_parameter_is_refused_wherever_it_comes_from(name, value):
    """By robot, plant, plant in place and, as far as it can be written there, file."""
    plant = cases.plant('two_link')
    for call in (lambda: ROBOT.dynamics(ZERO, ZERO, {name: value}),
                 lambda: plant.advance(START, parameters={name: value}),
                 lambda: plant.rollout(START, steps=1, parameters={name: value}),
                 lambda: plant.ready({name: value}),
                 lambda: plant.in_place(START, parameters={name: value})):
        with pytest.raises(StateError, match=name):
            call()
    if name == 'payload.mass':
        for call in (lambda: ROBOT.dynamics(ZERO, ZERO, Parameters(payload_mass=value)),
                     lambda: Simulation(load_scenario(
                         'two_link_line', {'dynamics.payload.mass': value}))):
            with pytest.raises(RobodynError, match='payload.mass'):
                call()


@pytest.mark.parametrize('name', robot_names())
def test_what_is_not_finite_is_refused_in_arrays_as_in_lists(name):
    """In each place of q, v and a, also where no result depends on it."""
    robot = load_robot(name)
    zero = np.zeros(robot.n)
    for k in range(robot.n):
        for bad in (np.nan, np.inf, -np.inf):
            wrong = zero.copy()
            wrong[k] = bad
            for given in (wrong, wrong.tolist(), wrong.astype(np.float32), wrong[None]):
                right = zero[None] if np.ndim(given) == 2 else zero
                for call in (lambda: robot.dynamics(given, right),
                             lambda: robot.dynamics(right, given),
                             lambda: robot.mass_matrix(given),
                             lambda: robot.energy(right, given)):
                    with pytest.raises(StateError, match='not finite'):
                        call()
        for call in (lambda: robot.inverse_dynamics(zero, zero, wrong),
                     lambda: robot.forward_dynamics(zero, wrong, zero),
                     lambda: robot.positions(robot.tool_frame(), wrong)):
            with pytest.raises(StateError, match='not finite'):
                call()


@pytest.mark.parametrize('made', [
    {0: 1.0, 1: 2.0}, {1.0, 2.0}, 'ab', b'ab', 7, [float('nan')] * 2, [0.0, float('inf')],
    [10 ** 400] * 2, [1j, 0.0], ['1', '2'], [True, False], [None] * 2, np.zeros((2, 1)),
    np.zeros((2, 2))])
def test_what_a_law_returns_is_numbers_or_refused(made):
    """Torques and memory alike: finite, real, in an order."""
    zero = [0.0, 0.0]
    for control in (Control(lambda *_: made, 0, {}),
                    Control(lambda *_: (made, zero), 0, {}, memory=zero),
                    Control(lambda *_: (zero, made), 0, {}, memory=zero)):
        with pytest.raises(RobodynError, match='the control law returned .*; expected') as caught:
            Plant(ROBOT, control=control)
        assert str(caught.value).isprintable() and len(str(caught.value)) < 500


@pytest.mark.parametrize('made', [(1, 2), np.zeros(2, int), np.zeros(2, np.float32), np.ones(2),
                                  [np.array(1.0), 0], np.array([1, 2], object)])
def test_numbers_of_any_kind_are_torques(made):
    """As numpy and Python have them; who returns them lazily, too."""
    for law_ in (lambda *_: made, lambda *_: (x for x in made)):
        assert Plant(ROBOT, control=Control(law_, 0, {})).robot is ROBOT


def test_a_program_is_given_what_it_takes():
    """Any other width would be read beyond its end, or shifted."""
    made = program(lambda x, y: [sin(x) + y, x], 2)
    w = made.prepared([0.0])
    found = made.evaluate('evaluate', [[0.0, 1.0], [0.0, 2.0]], w)
    assert found.tolist() == [[1.0, 0.0], [2.0, 0.0]]
    assert made.evaluate('evaluate', np.zeros((0, 2)), w).shape == (0, 2)
    for wrong in (np.zeros(1), np.zeros(3), np.zeros(4), np.zeros((2, 3)), np.zeros((2, 2, 1)),
                  np.float64(1.0), np.zeros(0)):
        with pytest.raises(SizeError, match='x of evaluate'):
            made.evaluate('evaluate', wrong, w)
    for wrong in ('words', None, [10 ** 400, 0.0], [[1.0], [1.0, 2.0]]):
        with pytest.raises(RobodynError):
            made.evaluate('evaluate', wrong, w)
    with pytest.raises(UnknownNameError, match='evaluate'):
        made.evaluate('prepare', np.zeros(2), w)


def test_whole_numbers_of_any_size_are_numbers_or_a_sentence():
    """Also where Python itself would refuse to write them."""
    assert whole_number('k', MOST, 'few') == MOST
    for wrong in (MOST + 1, 2 ** 63, 10 ** 400, 10 ** 5000, -1, 1e300, float('nan')):
        with pytest.raises(RobodynError, match='^k is '):
            whole_number('k', wrong, 'few')
    for wrong in (10 ** 400, -10 ** 400, 10 ** 5000):
        with pytest.raises(RobodynError, match='^x is '):
            number('x', wrong)
        with pytest.raises(RobodynError, match='^x is '):
            numbers('x', [wrong], 'some')
