# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Payload, friction, gravity, gains and paths change at run time, as in another robot or plant."""

import numpy as np
from plant import cases
import pytest
from robodyn_ros import follow, Plant, robot_from_text, State
from robodyn_ros.codegen import cache
from robodyn_ros.trajectories.paths import SineLine

# Payload added at run time or welded on in the file: another order of operations.
SAME = 1e-12

PAYLOAD = {'payload.mass': 1.7, 'payload.centre.x': 0.05, 'payload.centre.y': -0.02,
           'payload.centre.z': 0.11, 'payload.inertia.xx': 0.010, 'payload.inertia.yy': 0.020,
           'payload.inertia.zz': 0.015, 'payload.inertia.xy': 0.001, 'payload.inertia.xz': -0.002,
           'payload.inertia.yz': 0.003}
WELDED = """<link name="load"><inertial><origin xyz="0.05 -0.02 0.11"/><mass value="1.7"/>
<inertia ixx="0.010" iyy="0.020" izz="0.015" ixy="0.001" ixz="-0.002" iyz="0.003"/>
</inertial></link>
<joint name="weld" type="fixed"><parent link="tool0"/><child link="load"/></joint></robot>"""


@pytest.fixture
def nothing_compiles(monkeypatch):
    """Fail the test when anything is compiled or loaded after this point."""
    def refuse(*arguments, **named):
        raise AssertionError('a program was asked for')
    return lambda: monkeypatch.setattr(cache, 'load', refuse)


def test_payload_and_gravity_are_those_of_another_robot(nothing_compiles):
    """A payload given at run time is a body welded to the tool, gravity that of the file."""
    text = cases.robot('two_link').urdf.replace('</robot>', WELDED)
    text = text.replace('<gravity xyz="0 0 -9.81"/>', '<gravity xyz="1.1 0.3 -3.7"/>')
    other = Plant(robot_from_text(text, 'loaded'), cases.ROWS['two_link', 'line'])
    plant = cases.plant('two_link', 'line')
    changes = {**PAYLOAD, 'gravity.x': 1.1, 'gravity.y': 0.3, 'gravity.z': -3.7}
    start = cases.line_start()
    plant.observe(start), other.observe(start)
    plant.observe(start, parameters={'payload.mass': 1.0})  # any payload will do
    nothing_compiles()
    for state in cases.random_states(2, 50, seed=21):
        ours, theirs = plant.observe(state, parameters=changes), other.observe(state)
        cases.assert_close('Qc', ours.constraint_force, theirs.constraint_force, 1e-11, state)
        assert np.abs(ours.constraint_force - plant.observe(state).constraint_force).max() > 1e-3
    ours, theirs = plant.rollout(start, 1.0, parameters=changes), other.rollout(start, 1.0)
    cases.assert_close('q', ours.q, theirs.q, SAME)
    cases.assert_close('Qc', ours.constraint_force, theirs.constraint_force, 1e-11)


def test_friction_scale_multiplies_all_friction(nothing_compiles):
    """Accelerations of the free arm fit M a = tau - coriolis - gravity - scale friction."""
    plant = cases.plant('irb120', 'ball', 'projection')
    robot = plant.robot
    state = cases.random_states(6, 1, seed=1)[0]
    plant.observe(state), robot.bias(state.q, state.v), robot.mass_matrix(state.q)
    plant.observe(state, parameters={'friction_scale': 2.0})
    plant.constraint_rows(state)
    nothing_compiles()
    for state in cases.random_states(6, 30, seed=22):
        M, parts = robot.mass_matrix(state.q), robot.bias(state.q, state.v)
        assert np.abs(parts.friction).max() > 0.1
        for scale in (0.0, 0.4, 1.0, 3.0):
            seen = plant.observe(state, parameters={'friction_scale': scale})
            left = M @ seen.a[0] + parts.coriolis + parts.gravity + scale * parts.friction
            cases.assert_close('Qc', seen.constraint_force[0], left, 1e-10, (state, scale))


def test_path_parameters_are_those_of_another_path(nothing_compiles):
    """Fields of the path, changed at run time, give the rows of a path made with them."""
    path = SineLine(0.4, 0.1, 0.5, 0.3, 2.0)
    other = Plant(cases.robot('two_link'), [follow('tool0', path, 'x z', name='line')])
    plant = cases.plant('two_link', 'line')
    start = cases.line_start()
    plant.constraint_rows(start), other.constraint_rows(start)
    nothing_compiles()
    changes = {'line.start_x': 0.4, 'line.start_y': 0.1, 'line.end_x': 0.5, 'line.end_y': 0.3,
               'line.rate': 2.0}
    for state in cases.random_states(2, 50, seed=23):
        for ours, theirs in zip(plant.constraint_rows(state, changes),
                                other.constraint_rows(state)):
            cases.assert_close('rows', ours, theirs, 1e-14, state)


def test_defaults_are_kept_and_can_be_given_explicitly():
    """All parameters at their default values change nothing."""
    plant = cases.plant('two_link', 'line')
    state = State(0.3, [0.7, -1.0], [0.2, 0.1])
    given = dict(zip(plant.parameters.names, plant.parameters.defaults))
    for one, two in zip(plant.observe(state), plant.observe(state, parameters=given)):
        assert np.array_equal(one, two)
