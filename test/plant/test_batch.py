# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Runs side by side in vector registers have the bits of runs one after another."""

import numpy as np
import pytest
from robodyn_ros.codegen.python_text import python_function
from robodyn_ros.codegen.routines import calls_library, Kernel, routines
from robodyn_ros.constraints.ready_made import follow, joint_combination
from robodyn_ros.constraints.stabilisation import stabilisation
from robodyn_ros.errors import StateError
from robodyn_ros.plant import rollout
from robodyn_ros.plant.model import BATCH, LANES
from robodyn_ros.plant.plant import Plant
from robodyn_ros.robots.robot import load_robot
from robodyn_ros.tracing import Graph, inputs, sin, sqrt, tanh
from robodyn_ros.trajectories.paths import Helix
from robodyn_ros.types import Control, State

COUNT = LANES + 3
"""One full group, and some left over."""


@pytest.fixture(autouse=True)
def always(monkeypatch):
    """Use lanes for few steps too."""
    monkeypatch.setattr(rollout, 'WORTH_STEPS', 0)


def states(n):
    """Return different starts at different times."""
    random = np.random.default_rng(5)
    return [State(0.1 * k, *random.uniform(-0.5, 0.5, (2, n))) for k in range(COUNT)]


def law(t, q, v, reference, parameters):
    """Push every joint towards a reference."""
    return [parameters['gain'] * (r - x) - y + sin(t) for x, y, r in zip(q, v, reference)]


def plants():
    """Return what differs in the loop: free, held, stabilised, controlled with a delay."""
    arm, flat = load_robot('scara_450'), load_robot('two_link')
    rows = [follow('tool0', Helix())]
    yield 'free', Plant(arm, step=1e-3), None
    yield 'held', Plant(arm, rows, step=1e-3, stabilisation=stabilisation(
        'baumgarte', alpha=2.0, beta=1.0)), None
    yield 'corrected', Plant(arm, rows, step=1e-3,
                             stabilisation=stabilisation('velocity_correction')), None
    control = Control(law, 2, {'gain': 3.0}, delay=2)
    yield 'controlled', Plant(flat, step=1e-3, control=control, control_period=2), \
        np.random.default_rng(6).uniform(-1.0, 1.0, (20, 2))


@pytest.mark.parametrize('name, plant, reference', plants(), ids=lambda x: x if isinstance(
    x, str) else '')
def test_every_number_is_the_same(name, plant, reference):
    """All that is recorded, for different starts, times and payloads."""
    starts = states(plant.robot.n)
    payloads = [{'payload.mass': 0.1 * (k + 1)} for k in range(COUNT)]
    options = {'steps': 37, 'every': 3, 'tau': 0.1 * np.ones(plant.robot.n),
               'reference': reference}
    together = plant.rollouts(starts, parameters=payloads, workers=2, **options)
    assert plant.model.used(BATCH) and len(together) == COUNT
    for start, payload, run in zip(starts, payloads, together):
        alone = plant.rollout(start, parameters=payload, **options)
        assert all(np.array_equal(a, b) for a, b in zip(run, alone)), name


@pytest.mark.parametrize('kilograms', [0.0, 1.0])
def test_runs_with_and_without_payload(kilograms):
    """Each has the code of its own values, whatever its neighbours carry."""
    plant = Plant(load_robot('scara_450'))
    starts = states(4)
    payloads = [{'payload.mass': kilograms * (k % 2)} for k in range(COUNT)]
    runs = plant.rollouts(starts, steps=5, parameters=payloads)
    for start, payload, run in zip(starts, payloads, runs):
        alone = plant.rollout(start, steps=5, parameters=payload)
        assert all(np.array_equal(a, b) for a, b in zip(run, alone)), payload


def test_a_run_that_needs_more_is_computed_alone():
    """Rows that are dependent hand the group to the usual way, which finds ranks."""
    plant = Plant(load_robot('scara_450'), [joint_combination({'joint_1': size}, name=f'row_{k}')
                                            for k, size in enumerate((1.0, 2.0))])
    starts = states(4)
    together = plant.rollouts(starts, steps=2)
    for start, run in zip(starts, together):
        assert all(np.array_equal(a, b) for a, b in zip(run, plant.rollout(start, steps=2)))


def test_few_steps_compile_nothing_new(monkeypatch):
    """Below some work the program for groups is not worth its compilation."""
    monkeypatch.setattr(rollout, 'WORTH_STEPS', 2 * COUNT + 1)
    plant = Plant(load_robot('scara_450'))
    plant.rollouts(states(4), steps=2)
    assert not plant.model.used(BATCH)
    plant.rollouts(states(4), steps=3)
    assert plant.model.used(BATCH)


def test_what_has_no_lanes_is_computed_alone():
    """Projection iterates, and library calls may round otherwise in vectors."""
    arm = load_robot('scara_450')
    assert not Plant(arm, [follow('tool0', Helix())],
                     stabilisation=stabilisation('projection')).model.batch_possible
    assert not Plant(arm, integrator='euler').model.batch_possible
    assert not Plant(load_robot('irb120')).model.batch_possible  # friction has exponentials
    x, = inputs(Graph(), 'x', 1)
    assert calls_library([1.0, tanh(x) + x]) and not calls_library([sin(x), sqrt(x), 2.0])


@pytest.mark.parametrize('count', [0, 1, LANES - 1, LANES, 2 * LANES + 1])
def test_as_many_runs_as_starts(count):
    """In their order, whether they fill a group or not."""
    plant = Plant(load_robot('scara_450'))
    starts = (states(4) * 3)[:count]
    runs = plant.rollouts(starts, steps=1)
    assert len(runs) == count
    assert all(np.array_equal(run.q[0], start.q) for run, start in zip(runs, starts))


def test_bad_options_are_refused_as_usual():
    """The group does not hide what one run would say."""
    plant = Plant(load_robot('scara_450'))
    with pytest.raises(StateError, match='every is 0'):
        plant.rollouts(states(4), steps=2, every=0)
    wrong = states(4)
    wrong[2] = State(0.0, np.full(4, np.nan), np.zeros(4))
    with pytest.raises(StateError, match='not finite'):
        plant.rollouts(wrong, steps=2)


def test_every_number_of_a_kernel_has_its_lanes():
    """Numbers of one kind lie side by side."""
    graph = Graph()
    x, y = inputs(graph, 'x', 2)
    p, = inputs(graph, 'p', 1)
    made = routines([Kernel('f', [x, y], [x * y + p])], [p])[1]
    one, four = python_function(made), python_function(made, 4)
    numbers, w = np.random.default_rng(8).normal(size=(2, 4)), np.arange(4.0)
    found = np.zeros(4)
    four(numbers.reshape(-1), 0, w, found, 0)
    for lane in range(4):
        alone = np.zeros(1)
        one(numbers[:, lane], 0, w[lane:lane + 1], alone, 0)
        assert alone[0] == found[lane]
