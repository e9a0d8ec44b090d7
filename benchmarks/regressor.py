# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Time the regressor of an identification beside Pinocchio's computeJointTorqueRegressor.

    python -m benchmarks.regressor

Both from Python, a thousand states: ours in one call for all of them, theirs one after another, as
their interface has it. Medians of turns taken alternately.
"""
from __future__ import annotations

from importlib import metadata
from pathlib import Path

from benchmarks.timing import interleave
import numpy as np
from robodyn_ros.identification.parameters import parameter_set
from robodyn_ros.identification.regressor import Regressor
from robodyn_ros.robots.robot import load_robot, read_robot, Robot

STATES, REPEATS = 1000, 30


def _panda() -> Robot:
    """Return the seven-joint arm of the wheel example-robot-data, its fingers included."""
    for file in metadata.files('example-robot-data') or []:
        if file.name == 'panda.urdf':
            return read_robot(Path(file.locate()))
    raise SystemExit('example-robot-data has no panda.urdf; install the wheel')


def main() -> int:
    """Print a row for each robot."""
    import pinocchio
    print('| robot | ours [µs a state] | Pinocchio [µs a state] | faster |\n|---|---|---|---|')
    for robot in (load_robot('irb120'), _panda()):
        regressor = Regressor(parameter_set(robot), robot.parameters.gravity)  # type: ignore
        model = pinocchio.buildModelFromXML(robot.urdf)
        data = model.createData()
        q, v, a = np.random.default_rng(0).normal(size=(3, STATES, robot.n))
        wide = np.zeros((3, STATES, model.nv))
        wide[..., :robot.n] = q, v, a

        def theirs() -> None:
            for x, y, z in zip(*wide):
                pinocchio.computeJointTorqueRegressor(model, data, x, y, z)

        tasks = {'ours': lambda: regressor.entries(q, v, a), 'theirs': theirs}
        times = interleave(tasks, dict.fromkeys(tasks, STATES), REPEATS)
        ours, other = times['ours'].median, times['theirs'].median
        print(f'| {robot.name}, {robot.n} joints | {ours:.3f} | {other:.2f} | '
              f'{other / ours:.0f} times |')
    return 0


if __name__ == '__main__':
    raise SystemExit(main())
