# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A motion beyond a joint's limits is refused before it starts, unless that is allowed."""

import dataclasses
import math

import numpy as np
from plant.cases import robot
import pytest
from robodyn_ros import load_scenario, Parameters
from robodyn_ros.errors import LimitError
from robodyn_ros.robots.robot import check_limits
from robodyn_ros.scenario.desired_motion import DesiredMotion
from robodyn_ros.scenario.schema import TrajectorySettings
from robodyn_ros.trajectories.joint_space import JointSine


def sine(amplitude, rate, centre=(), duration=2.0, period=1e-3):
    """Return a sampled joint sine."""
    times = np.arange(int(duration / period) + 1) * period
    return JointSine(amplitude, rate, centre).sample(times)


def test_position():
    """The quill may go to 1 m and has a tolerance of 1 mm; a sine is refused where it is over."""
    with pytest.raises(LimitError) as caught:
        check_limits(robot('scara_1000'), sine((0.0, 0.0, 0.2, 0.0), 4.0, (0.0, 0.0, 0.851, 0.0)))
    error = caught.value
    assert (error.joint, error.kind) == ('joint_3', 'position')
    assert error.time == pytest.approx(math.asin(0.15 / 0.2) / 4.0, abs=1.1e-3)
    assert error.value > 1.001 and (error.lower, error.upper) == pytest.approx((0.249, 1.001))
    assert str(error).startswith("position of 'joint_3' would be 1.00")
    assert 'at t = 0.2' in str(error) and 'outside 0.249 .. 1.001' in str(error)
    assert str(error).endswith('allow it with ignore_limits')


def test_a_path_may_rest_on_its_limit():
    """Within a millimetre of a limit counts as on it: paper 004's path rests at d3 = 1."""
    check_limits(robot('scara_1000'), sine((0.0, 0.0, 0.1, 0.0), 1.0, (0.0, 0.0, 0.9005, 0.0)))


def test_velocity():
    """two_link may turn with 10 rad/s; 2 sin 6 t starts with 12."""
    with pytest.raises(LimitError, match="velocity of 'joint_2' would be 12 at t = 0 s, outside "
                                         '-10 .. 10'):
        check_limits(robot('two_link'), sine((0.1, 2.0), 6.0))


def test_effort():
    """two_link's shoulder has 100 N m; a fast small sine asks for more, with the time of it."""
    motion = sine((0.3, 0.0), 20.0, (0.5, 0.5))
    needed = robot('two_link').inverse_dynamics(motion.q, motion.v, motion.a)
    first = int(np.argmax((np.abs(needed) > [100.0, 50.0]).any(axis=1)))
    with pytest.raises(LimitError, match="effort of 'joint_1' would be .* outside -100 .. 100"
                       ) as caught:
        check_limits(robot('two_link'), motion)
    assert caught.value.time == motion.t[first]
    assert caught.value.value == pytest.approx(needed[first, 0])


def test_effort_with_a_payload():
    """What one arm can lift alone it cannot with 30 kg."""
    still = sine((0.0, 0.0), 1.0, (0.0, 0.0))
    check_limits(robot('two_link'), still)
    with pytest.raises(LimitError, match='effort'):
        check_limits(robot('two_link'), still, Parameters(payload_mass=30.0))


def test_closed_chains_are_not_judged_by_effort():
    """Their loops carry a part: passive joints have no effort at all, and that is no breach."""
    check_limits(robot('parallel_2dof'), sine((0.1,) * 6, 3.0, (0.5,) * 6))


def test_the_first_breach_is_named():
    """Position is judged before velocity, the earliest sample first."""
    with pytest.raises(LimitError) as caught:
        check_limits(robot('two_link'), sine((7.0, 9.0), 2.0))
    assert caught.value.joint == 'joint_2'
    assert caught.value.time == pytest.approx(math.asin(2.0 * math.pi / 9.0) / 2.0, abs=2e-3)


def test_scenarios_refuse_and_override():
    """trajectory.ignore_limits lets a motion pass that is refused without it."""
    settings = TrajectorySettings(kind='joint_sine', parameters={'amplitude': [0.1, 2.0],
                                                                 'rate': 6.0})
    with pytest.raises(LimitError, match="velocity of 'joint_2'"):
        DesiredMotion(settings).reference(robot('two_link'), 1.0, 1e-3)
    allowed = dataclasses.replace(settings, ignore_limits=True)
    motion = DesiredMotion(allowed).reference(robot('two_link'), 1.0, 1e-3)
    assert motion.v.max() == pytest.approx(12.0)


def test_paths_in_space_are_judged_too():
    """A helix that climbs out of the SCARA's stroke is refused with the joint and the time."""
    settings = load_scenario('scara_helix', ['trajectory.parameters.climb=0.2']).trajectory
    with pytest.raises(LimitError, match="position of 'joint_4' would be 0.451.* at t = 2.25"):
        DesiredMotion(settings).reference(robot('scara_450'), 3.0, 1e-3)
