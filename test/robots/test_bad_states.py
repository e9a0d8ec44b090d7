# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""States, torques and parameters that no robot can have are refused before anything runs."""

import math

import numpy as np
import pytest
from robodyn_ros.errors import (RobodynError, SingularMassError, SizeError, StateError,
                                UnknownNameError)
from robodyn_ros.mechanics.parameters import Parameters
from robodyn_ros.robots.robot import load_robot, robot_from_text

ARM = load_robot('two_link')
GOOD = [0.1, 0.2]

CALLS = {
    'dynamics': lambda x: ARM.dynamics(x, GOOD),
    'dynamics v': lambda x: ARM.dynamics(GOOD, x),
    'mass_matrix': ARM.mass_matrix,
    'bias': lambda x: ARM.bias(GOOD, x),
    'inverse_dynamics': lambda x: ARM.inverse_dynamics(GOOD, GOOD, x),
    'forward_dynamics': lambda x: ARM.forward_dynamics(GOOD, GOOD, x),
    'energy': lambda x: ARM.energy(x, GOOD),
    'frame': lambda x: ARM.frame('tool0', x),
    'frame v': lambda x: ARM.frame('tool0', GOOD, x),
}


@pytest.mark.parametrize('name', CALLS)
def test_numbers_that_are_not_finite_are_refused(name):
    """Refuse NaN and infinity: the sentence names the robot, the joint and the numbers."""
    for bad in (math.nan, math.inf, -math.inf):
        with pytest.raises(StateError, match='two_link.*joint_2.*finite') as caught:
            CALLS[name]([0.5, bad])
        assert '0.5' in str(caught.value)


@pytest.mark.parametrize('name', CALLS)
@pytest.mark.parametrize('bad', [[0.1], [0.1, 0.2, 0.3], 0.1, [], [[GOOD]], np.zeros((3, 5))])
def test_sizes_that_differ_are_refused(name, bad):
    """The sentence has the size expected, the size given and the joints."""
    with pytest.raises(SizeError, match=r'two_link.*\(2,\).*joint_1, joint_2'):
        CALLS[name](bad)


@pytest.mark.parametrize('name', CALLS)
@pytest.mark.parametrize('bad', ['abc', [None, 1.0], ['x', 'y'], [[1.0], [1.0, 2.0]], object()])
def test_what_is_no_array_of_numbers_is_refused(name, bad):
    """Words, None and ragged lists: the sentence says how many numbers were expected."""
    with pytest.raises((StateError, SizeError), match='two_link'):
        CALLS[name](bad)


def test_one_state_and_many_velocities_do_not_mix():
    """Arrays of one call have one shape."""
    with pytest.raises(SizeError, match='equal shapes'):
        ARM.dynamics(GOOD, [GOOD, GOOD])


@pytest.mark.parametrize('changes, words', [
    ({'payload_mass': -1.0}, ['payload.mass', '-1.0', 'negative']),
    ({'friction_scale': -0.5}, ['friction_scale', '-0.5', 'negative']),
    ({'payload_mass': math.nan}, ['payload.mass', 'nan', 'finite']),
    ({'gravity': (0.0, 0.0, math.inf)}, ['gravity.z', 'inf', 'finite']),
    ({'payload_centre': (0.0, math.nan, 0.0)}, ['payload.centre.y', 'nan', 'finite']),
    ({'payload_inertia': (0.0, 0.0, 0.0, 0.0, 0.0, math.nan)}, ['payload.inertia.yz', 'nan']),
    ({'payload_mass': 'heavy'}, ['payload.mass', "'heavy'", 'finite number']),
    ({'payload_mass': None}, ['payload.mass', 'None', 'finite number']),
])
def test_parameters_that_cannot_be_are_refused(changes, words):
    """The sentence names the parameter, its value and what was expected."""
    with pytest.raises(StateError) as caught:
        ARM.dynamics(GOOD, GOOD, Parameters(**changes))
    for word in words:
        assert word in str(caught.value), caught.value


@pytest.mark.parametrize('changes', [
    {'gravity': (0.0, -9.81)}, {'payload_centre': (0.0, 0.0, 0.0, 0.0)}, {'payload_inertia': ()},
    {'gravity': (0.0, 0.0, 0.0, -9.81), 'payload_centre': (0.0, 0.0)}])
def test_parameters_of_the_wrong_size_are_refused(changes):
    """Numbers too few or too many never reach the compiled code, which does not look."""
    with pytest.raises(SizeError, match='gravity.*payload_centre.*payload_inertia'):
        ARM.dynamics(GOOD, GOOD, Parameters(**changes))


@pytest.mark.parametrize('name', CALLS)
def test_masked_numbers_are_refused(name):
    """A mask says that a number is not there; an array without one is taken."""
    with pytest.raises(StateError, match='two_link is masked_array.*none of them masked'):
        CALLS[name](np.ma.array([0.1, 0.2], mask=[False, True]))
    CALLS[name](np.ma.array([0.1, 0.2]))


@pytest.mark.parametrize('call, words', [
    (lambda: ARM.dynamics(GOOD, GOOD, {'gravity': 1}), "unknown parameter 'gravity': use one"),
    (lambda: ARM.in_place('forward_dynamics', 5.0), 'parameters is 5.0; expected a mapping'),
    (lambda: ARM.in_place(None), "name is None; expected 'forward_dynamics'"),
    (lambda: ARM.in_place(['energy']), "name is .'energy'.; expected 'forward_dynamics'"),
    (lambda: ARM.in_place('energie'), "unknown function 'energie': use one of .*energy"),
    (lambda: ARM.in_place('position nose'), "unknown frame 'nose' in function 'position nose'"),
    (lambda: ARM.in_place('energy')('up', GOOD), "q is 'up'; expected 2 numbers"),
    (lambda: ARM.frame(['tool0'], GOOD), "unknown frame .'tool0'.*tool0"),
    (lambda: ARM.positions(None, GOOD), 'unknown frame None'),
    (lambda: robot_from_text(None), 'text is None; expected the text of a URDF'),
])
def test_what_is_no_name_or_text_or_parameters_is_refused(call, words):
    """One sentence, not a KeyError or TypeError."""
    with pytest.raises(RobodynError, match=words):
        call()


def test_unknown_names_list_the_known_ones():
    """Frames and joints."""
    with pytest.raises(UnknownNameError, match="frame 'tool1'.*tool0"):
        ARM.frame('tool1', GOOD)
    with pytest.raises(UnknownNameError, match="joint 'elbow'.*joint_1, joint_2"):
        ARM.joint_index('elbow')
    with pytest.raises(UnknownNameError, match="frame 'tool1'"):
        ARM.position('tool1', GOOD)


def test_a_singular_mass_matrix_is_refused():
    """Two joints on one axis with a feather between them: M has lost its rank to rounding."""
    link = ('<link name="{}"><inertial><mass value="{m}"/><inertia ixx="{m}" iyy="{m}" izz="{m}"/>'
            '</inertial></link>')
    joint = ('<joint name="{0}{1}" type="continuous"><parent link="{0}"/><child link="{1}"/>'
             '<axis xyz="0 0 1"/></joint>')
    text = ('<robot name="feather"><link name="a"/>' + link.format('b', m='1e-13')
            + link.format('c', m='1') + joint.format('a', 'b') + joint.format('b', 'c')
            + '</robot>')
    arm = robot_from_text(text)
    with pytest.raises(SingularMassError, match=r'feather.*q = \[0\.5, 0\.25\].*mass and inertia'):
        arm.forward_dynamics([0.5, 0.25], GOOD, GOOD)
