# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Laws with memory: what they are for, and the same bits in one run, many and in the runner."""
import functools
from functools import cache
import itertools
import re

import numpy as np
import pytest
from robodyn_ros import (computed_torque, constraint_following, load_robot, load_scenario, Plant,
                         RobodynError, simulate, Simulation, State)
from robodyn_ros.constraints.ready_made import push
from robodyn_ros.controllers.adaptive import adaptive
from robodyn_ros.controllers.constraint_following import FrameTask
from robodyn_ros.controllers.observer import observed
from robodyn_ros.nodes.controller.controller_runner import ControlClock, ControllerRunner, Rules
from robodyn_ros.plant.control_law import CompiledLaw
from robodyn_ros.robots.robot import robot_from_text
from robodyn_ros.types import Control

PAYLOAD = {'dynamics.payload.mass': 5.0}
LAWS = {
    'integral': {'controller.kind': 'computed_torque', 'controller.ki': [8000.0]},
    'robust integral': {'controller.ki': [40000.0]},
    'adaptive': {'controller.kind': 'adaptive', 'controller.adaptation': [3000.0, 10.0]},
    'observed': {'controller.kind': 'computed_torque', 'controller.observer': 100.0}}
ON_A_CLOSED_CHAIN = {'controller.kp': [400.0], 'controller.kd': [40.0], 'controller.leakage': 1.0,
                     'controller.adaptation': [4000.0], 'controller.epsilon': 2e-3}
"""Of the kind constraint_following, which parallel_line has."""


@cache
def run(law='', **changes):
    """Simulate scara_via_points with a law and changes, resting for two seconds at the end."""
    settings = {**LAWS.get(law, {}), **{key.replace('__', '.'): x for key, x in changes.items()}}
    return simulate('scara_via_points', duration=6.0, set=settings)


def standing_error(result):
    """Return the largest error of a joint at the end."""
    return np.abs(result.reference.q[-1] - result.q[-1]).max()


def test_integral_action_removes_the_standing_error_of_an_unknown_payload():
    """At least a hundred times smaller at rest than without."""
    without = standing_error(run(controller__kind='computed_torque'))
    assert standing_error(run('integral')) < 1e-2 * without
    assert standing_error(run('robust integral')) < 1e-2 * standing_error(run())


def test_the_adaptive_law_learns_the_payload_and_beats_the_robust_one():
    """Payload mass and friction scale are found; errors, largest and mean, are smaller."""
    learnt, robust = run('adaptive'), run()
    assert learnt.motion.memory[-1] == pytest.approx([5.0, 1.0], rel=2e-3)
    for size in (np.max, lambda x: np.sqrt(np.mean(x ** 2))):
        assert size(np.abs(learnt.reference.q - learnt.q)) < size(
            np.abs(robust.reference.q - robust.q))


def test_the_observer_finds_a_push_and_nothing_else():
    """5 N at the tool: within 10 % after 50 ms; without a push next to nothing; no law changes."""
    push = {'force': (5.0, 0.0, 0.0), 'start': 2.0, 'duration': 0.5}
    still = {'dynamics__payload__mass': 0.0}
    pushed = simulate('scara_via_points', set={**LAWS['observed'], 'dynamics.payload.mass': 0.0,
                                               'dynamics.push': push})
    quiet, plain = run('observed', **still), run(controller__kind='computed_torque', **still)
    n = quiet.robot.n
    assert np.abs(quiet.motion.memory[:, 1:1 + n]).max() < 1e-4
    assert np.array_equal(quiet.q, plain.q) and np.array_equal(quiet.tau, plain.tau)
    k = int(np.searchsorted(pushed.t, 2.05))
    torque = pushed.robot.frame('tool0', pushed.q[k]).jacobian[:3].T @ push['force']
    found = pushed.motion.memory[k, 1:1 + n]
    assert np.abs(found - torque).max() < 0.1 * np.abs(torque).max()


def with_masses(name, factor):
    """Return a robot of the package as somebody believes it to be, with all masses wrong."""
    def scaled(found):
        return f'{found[1]}="{float(found[2]) * factor!r}"'

    return robot_from_text(re.sub(r'(<mass\s+value|i[xyz][xyz])="([^"]+)"', scaled,
                                  load_robot(name).urdf))


@pytest.mark.parametrize('factor', [0.5, 1.5])
def test_adaptive_constraint_following_bears_wrong_masses(factor):
    """parallel_2dof on its line: the model's masses are 50 % off, and it is held all the same."""
    scenario = load_scenario('parallel_line')
    ready = Simulation(scenario)
    believed = with_masses(scenario.robot, factor)
    task = FrameTask('tool0', ('x', 'y'))
    errors = {}
    learning = {'adaptation': 4000.0, 'leakage': 1.0, 'epsilon': 2e-3, 'period': 1e-3}
    for name, more in (('plain', {}), ('adaptive', learning)):
        law = constraint_following(believed, task, kp=400.0, kd=40.0, **more)
        plant = Plant(ready.robot, control=law, step=scenario.dynamics.step,
                      stabilisation='projection', control_period=ready.period)
        motion = plant.rollout(ready.assembly.state, steps=ready.periods * ready.period,
                               reference=ready.reference.rows()[:-1], every=ready.period)
        tool = ready.robot.positions('tool0', motion.q)
        wanted = ready.robot.positions('tool0', ready.reference.q)
        errors[name] = np.abs(tool - wanted).max()
    assert errors['adaptive'] < 0.2 * errors['plain']
    assert errors['adaptive'] < 1e-3


@pytest.mark.parametrize('scenario, law', [
    *(('scara_via_points', law) for law in LAWS.values()), ('parallel_line', ON_A_CLOSED_CHAIN)])
def test_one_run_many_runs_and_the_node_have_the_same_bits(scenario, law):
    """Side by side in vector registers, and state by state as the controller node answers."""
    ready = Simulation(load_scenario(scenario, {**law, **PAYLOAD}), 0.4)
    assert ready.control.memory
    alone = ready.run()
    steps = ready.periods * ready.period
    many = ready.plant.rollouts(
        [ready.assembly.state] * 20, steps=steps, every=ready.period, reference=ready.law_rows,
        parameters=[{**ready.parameters, 'payload.mass': 5.0 + 0.1 * k} for k in range(20)])
    assert all(np.array_equal(x, y) for x, y in zip(many[0], alone.motion))
    assert not np.array_equal(many[1].q, alone.q)
    law = CompiledLaw('it', ready.robot.n, ready.control)
    state = alone.t[0], alone.q[0], alone.v[0], ready.law_rows[0]
    law(*state)
    law.reset()  # a motion that begins with a state that was answered before
    assert np.array_equal(law(*state, again=True), alone.tau[0])
    assert np.array_equal(law.memory, alone.motion.memory[0])
    law.reset()
    for k in range(ready.periods):
        state = alone.t[k], alone.q[k], alone.v[k], ready.law_rows[k]
        for again in (False, True, True):  # what is sent twice changes nothing
            assert np.array_equal(law(*state, again=again), alone.tau[k])
        assert np.array_equal(law.memory, alone.motion.memory[k])


def test_the_memory_starts_anew_with_the_motion_after_a_reset():
    """A controller that was reset answers as a new one."""
    robot = load_robot('scara_450')
    law = computed_torque(robot, natural_frequency=20.0, ki=1000.0, period=1e-3)
    runner = ControllerRunner(robot, law, clock=ControlClock(1_000_000, 1, 1e-3))
    target = {'positions': [[0.1] * 4], 'velocities': [], 'accelerations': [], 'effort': []}

    def answers(start):
        runner.accept(start, runner.checked(robot.joints, [1_000_000_000], target), None)
        return [runner.answer(start + k * 1_000_000, np.full(4, 0.01), np.zeros(4)).tau
                for k in range(20)]

    first = answers(1_000_000_000)
    runner.reset(2_000_000_000)
    assert np.array_equal(first, answers(2_000_000_000))


def test_a_law_that_keeps_state_in_python_is_told_how_to_remember():
    """A counter, a list, an attribute: recorded once they would be frozen."""
    robot = load_robot('scara_450')
    count, total = [0], [0.0] * 4

    def counts(t, q, v, reference, parameters):
        count[0] += 1
        return [count[0] * x for x in q]

    def sums(t, q, v, reference, parameters):
        for k in range(4):
            total[k] = total[k] + reference[k] - q[k]
        return list(total)

    for law in (counts, sums):
        with pytest.raises(RobodynError, match='state in Python variables.*memory=START'):
            Plant(robot, control=Control(law, 12, {}))


@pytest.mark.parametrize('lost', ['gave', 'would remember'])
def test_a_memory_survives_what_is_no_number(lost):
    """One state that a law cannot answer gets no answer, and changes nothing of what follows."""
    def law(t, q, v, reference, parameters, memory):
        odd = 1e-300 * (memory[0] / (q[0] - 0.02))  # infinite at one place, nothing elsewhere
        return [memory[0] + (odd if lost == 'gave' else 0.0)] * 4, [memory[0] + 1.0 + odd]

    robot = load_robot('scara_450')
    runner = ControllerRunner(robot, Control(law, 0, {}, memory=(1.0,)),
                              Rules(needs_trajectory=False), ControlClock(1_000_000, 1, 1e-3))
    told = []
    for k, q in enumerate((0.01, 0.015, 0.02, 0.025, 0.03)):
        try:
            told.append(runner.answer(10 ** 9 + k * 10 ** 6, np.full(4, q), np.zeros(4)).tau[0])
        except RobodynError as error:
            assert f'the control law {lost} ' in str(error) and 'no command is sent' in str(error)
    assert told == [1.0, 2.0, 3.0, 4.0]


class Remembering:
    """Keeps things in itself, without a difference between a first and a second recording."""

    total = 0

    def __init__(self, remember):
        """Remember nothing yet."""
        self.calls, self.log, self.sums = 0, [], np.zeros(4)
        self.ticks, self.cache, self.remember = itertools.count(), {}, remember

    def __call__(self, t, q, v, reference, parameters):
        """Change something, and do something else a hundred calls later."""
        late = self.remember(self, q)
        return [(2.0 if late else 1.0) * x for x in q]


def counted(law, q):
    """Count calls in an attribute."""
    law.calls += 1
    return law.calls > 100


def counted_by_the_class(law, q):
    """Count calls of all instances."""
    Remembering.total += 1
    return Remembering.total > 10 ** 6


def logged(law, q):
    """Append the recorded values, which have no value."""
    law.log.append(q)


def summed(law, q):
    """Change an array in place."""
    law.sums += 1.0
    return law.sums[0] > 100.0


def ticked(law, q):
    """Take the next of an iterator."""
    return next(law.ticks) > 100


def default(law, q, calls=[0]):  # noqa: B006
    """Keep it where defaults are kept."""
    calls[0] += 1
    return calls[0] > 100


def attribute(law, q):
    """Keep it at a function."""
    attribute.calls = getattr(attribute, 'calls', 0) + 1
    return attribute.calls > 100


def module_wide(law, q):
    """Keep it in the module."""
    global CALLS
    CALLS += 1
    return CALLS > 100


CALLS = 0


@pytest.mark.parametrize('remember', [counted, counted_by_the_class, logged, summed, ticked,
                                      default, attribute, module_wide])
def test_state_that_two_recordings_do_not_show_is_found_too(remember):
    """What is assigned outside is named; what settles, as a cache does, is no state."""
    robot, law = load_robot('scara_450'), Remembering(remember)
    for one in (law, law.__call__, functools.partial(law), lambda *a: law(*a)):
        with pytest.raises(RobodynError, match='changes .* whenever it is called.*memory=START'):
            Plant(robot, control=Control(one, 0, {}))


def test_a_law_may_keep_what_it_has_found():
    """A cache settles with the first call."""
    def found(law, q):
        return law.cache.setdefault('late', False)

    robot = load_robot('scara_450')
    assert Plant(robot, control=Control(Remembering(found), 0, {})).robot is robot


@pytest.mark.parametrize('memory, law, words', [
    ((0.0,) * 4, lambda *a: ([0.0] * 4, [1.0] * 3), 'wrong size of memory.*expected 4, got 3'),
    ((0.0,), lambda *a: [0.0] * 4, 'torques and the next memory'),
    ((0.0,), lambda *a: None, 'raised TypeError'),
    ((float('nan'),), lambda *a: ([0.0] * 4, [0.0]), 'finite numbers, with which it starts'),
    ('ab', lambda *a: ([0.0] * 4, [0.0]), 'the numbers it starts with'),
    ((), lambda *a: None, 'returned None')])
def test_a_bad_memory_is_one_sentence(memory, law, words):
    """Wrong sizes, no numbers, nothing."""
    with pytest.raises(RobodynError, match=words):
        Plant(load_robot('scara_450'), control=Control(law, 12, {}, memory=memory))


def test_gains_that_cannot_be_are_refused():
    """An unstable integral, no period, an observer faster than its instants, odd rates."""
    robot = load_robot('scara_450')
    gains = {'kp': 100.0, 'kd': 20.0}
    plain = computed_torque(robot, **gains)
    for make, words in (
            (lambda: computed_torque(robot, **gains, ki=2000.0, period=1e-3), 'less than'),
            (lambda: computed_torque(robot, **gains, ki=10.0), 'period of computed'),
            (lambda: observed(robot, plain, 2000.0, period=1e-3), 'below 1 / period'),
            (lambda: adaptive(robot, **gains, adaptation=-1.0, period=1e-3), 'adaptation'),
            (lambda: adaptive(robot, **gains, adaptation=[1.0] * 3, period=1e-3), 'one or two')):
        with pytest.raises(RobodynError, match=words):
            make()


def test_a_push_moves_the_arm_as_the_force_it_is():
    """The same acceleration as J^T f among the torques, only while it lasts."""
    robot = load_robot('irb120')
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    force, torque = (3.0, -2.0, 1.0), (0.1, 0.2, -0.3)
    plant = Plant(robot, [push('tool0', force, torque, 0.5, 0.25)])
    efforts = robot.frame('tool0', q).jacobian.T @ [*force, *torque]
    for t, acts in ((0.49, 0.0), (0.5, 1.0), (0.74, 1.0), (0.75, 0.0)):
        state = State(t, q, np.zeros(6))
        assert plant.derivative(state)[1] == pytest.approx(
            robot.forward_dynamics(q, np.zeros(6), acts * efforts), abs=1e-10)
