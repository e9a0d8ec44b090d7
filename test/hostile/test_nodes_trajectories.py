# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Trajectories nobody sane would send, many: each is refused, or begins where the arm is."""

import dataclasses

import numpy as np
import pytest
from robodyn_ros import load_robot
from robodyn_ros.controllers.computed_torque import computed_torque
from robodyn_ros.errors import MessageRefused
from robodyn_ros.nodes.controller.controller_runner import ControlClock, ControllerRunner, Rules
from robodyn_ros.ros_time import NANO

PERIOD = 2_000_000
FIELDS = ('positions', 'velocities', 'accelerations', 'effort')


def strange_message(random, robot, now, q):
    """Return stamp, names, times and fields of a trajectory, most of them possible."""
    count, order = int(random.integers(1, 5)), int(random.integers(0, 3))
    names = list(robot.joints)
    if random.random() < 0.1:
        names = names[:-1]
    random.shuffle(names)
    times = np.sort(random.integers(0, 2 * NANO, count)) * (random.random() < 0.9)
    if random.random() < 0.2:
        times[0] = random.integers(0, 3)
    place = dict(zip(robot.joints, q))
    rows = np.array([[place[name] for name in names]] * count) \
        + random.normal(0.0, random.choice([0.01, 0.3, 3.0]), (count, len(names)))
    fields = {field: [[]] * count for field in FIELDS}
    fields['positions'] = rows
    for field in FIELDS[1:order + 1]:
        fields[field] = random.normal(0.0, 0.2, (count, len(names)))
        fields[field][-1] *= random.random() < 0.2
    if random.random() < 0.05:
        random.choice(list(fields.values())[:order + 1])[0][0] = random.choice([np.nan, np.inf])
    stamp = 0 if random.random() < 0.5 else int(now + random.integers(-NANO // 2, NANO))
    return stamp, names, times.tolist(), fields


@pytest.mark.parametrize('seed', range(6))
@pytest.mark.parametrize('name', ['scara_450', 'no limits'])
def test_what_is_taken_begins_at_the_desired_state_and_runs_no_faster_than_the_joints(name, seed):
    """No step in position or velocity at a take-over; no period longer than limits and blend."""
    random = np.random.default_rng([seed, 13])
    robot = load_robot('scara_450')
    limits = robot.limits
    if name == 'no limits':
        free = np.full(robot.n, np.inf)
        limits = dataclasses.replace(limits, lower=-free, upper=free, velocity=free)
    runner = ControllerRunner(robot, computed_torque(robot, natural_frequency=20.0),
                              Rules(allow_partial=True), ControlClock(PERIOD, 1, PERIOD / NANO))
    runner.robot = Limited(robot, limits)
    state = np.concatenate([[0.5, -0.9, 0.4, 0.05], np.zeros(8)])
    now, taken, refused, plan = NANO, 0, 0, None
    for _ in range(2000):
        if random.random() < 0.1:
            stamp, names, times, fields = strange_message(random, robot, now, state[:4])
            try:
                runner.accept(stamp, runner.checked(names, times, fields), now)
                taken += 1
            except MessageRefused as error:
                assert len(str(error)) < 400
                refused += 1
        if random.random() < 0.02:
            runner.stop()
        now += PERIOD
        answer = runner.answer(now, state[:4], state[4:8])
        if answer is None:
            continue
        if runner.plan is not plan:
            before = state if plan is None or runner.held else plan.sample(now)
            assert answer.desired[:8] == pytest.approx(before[:8], abs=1e-9)
            plan = runner.plan
        fastest = np.minimum(limits.velocity, 1e3) + 1.0  # a blend adds less
        step = np.abs(answer.desired[:4] - state[:4])
        if name != 'no limits':
            assert (step <= fastest * PERIOD / NANO).all(), step
        state = answer.desired
    assert taken > 20 and refused > 20


class Limited:
    """A robot with other limits."""

    def __init__(self, robot, limits):
        """Take all but the limits from a robot."""
        self._robot, self.limits = robot, limits

    def __getattr__(self, name):
        """Return what the robot has."""
        return getattr(self._robot, name)


def test_a_joint_without_a_speed_limit_is_not_jumped_with():
    """A point a microsecond ahead is no point to go to at once."""
    robot = load_robot('scara_450')
    limits = dataclasses.replace(robot.limits, velocity=np.full(4, np.inf))
    runner = ControllerRunner(robot, computed_torque(robot, natural_frequency=20.0))
    runner.robot = Limited(robot, limits)
    runner.answer(NANO, np.zeros(4), np.zeros(4))
    fields = dict.fromkeys(FIELDS, [[]])
    for ahead in (0, 1, 1000, NANO // 100):
        with pytest.raises(MessageRefused, match="'joint_1'"):
            runner.accept(0, runner.checked(robot.joints, [ahead], {
                **fields, 'positions': [[0.5, 0.0, 0.0, 0.0]]}), NANO)
    runner.accept(0, runner.checked(robot.joints, [NANO], {
        **fields, 'positions': [[0.5, 0.0, 0.0, 0.0]]}), NANO)
