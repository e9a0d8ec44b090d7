# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Find a motion that shows the parameters of a robot: a periodic Fourier motion within its limits.

What is made small is the condition number of the base parameters' regressor with columns of unit
length (Gautier and Khalil, Exciting trajectories for the identification of base inertial
parameters, 1992). Every candidate is scaled into the limits of position and velocity before it is
judged, so that the search knows no constraints but those of effort and workspace, which it pays
for. Random starts, then steps that shrink where they fail; the same each time.
"""
from __future__ import annotations

from dataclasses import dataclass
import math
from pathlib import Path
from typing import Any, Callable, Mapping

import numpy as np

from robodyn_ros.errors import ScenarioError
from robodyn_ros.identification.base_parameters import base_of
from robodyn_ros.identification.parameters import parameter_set
from robodyn_ros.identification.regressor import Regressor
from robodyn_ros.robots.mass_check import mass_report
from robodyn_ros.robots.posture import Posture
from robodyn_ros.robots.robot import load_robot, Robot
from robodyn_ros.scenario.desired_motion import DesiredMotion
from robodyn_ros.scenario.drafting import NATURAL_FREQUENCY
from robodyn_ros.scenario.schema import ControllerSettings, Scenario, TrajectorySettings
from robodyn_ros.trajectories.fourier import JointFourier

HARMONICS = 5
PERIOD = 10.0
"""[s]"""
SAMPLES = 100
"""Of a period, at which a motion is judged."""
RANGE_PART, VELOCITY_PART, EFFORT_PART = 0.8, 0.7, 0.8
"""Parts of the limits that a motion may use [-]; ramps take some speed of their own."""
USUAL_RANGE, USUAL_SPEED = (1.5, 0.3), (1.5, 0.3)
"""Where the file has no limits: how far a joint may go from its centre, and how fast, if it turns
and if it slides [rad] or [m], per s."""
STARTS, STEPS = 30, 400
"""Random motions that are tried, and steps that improve the best."""


@dataclass(frozen=True)
class Excitation:
    """A motion and how good it is."""

    motion: JointFourier
    condition: float
    """Of the base parameters' regressor, columns scaled."""
    effort: float
    """Largest part of an effort limit that it takes by the file's masses [-]; NaN: not known."""
    parameters: int
    """Base parameters that it shows."""


class _Search:
    """Candidates as flat arrays: n centres, n harmonics sines, n harmonics cosines."""

    def __init__(self, robot: Robot, workspace: np.ndarray | None):
        self.robot, self.workspace = robot, workspace
        self.chosen = parameter_set(robot)
        self.regressor = Regressor(self.chosen,
                                   tuple(robot.parameters.gravity))  # type: ignore[arg-type]
        limits, posture = robot.limits, Posture(robot, robot.tool_frame())
        turning = np.array([unit == 'rad' for unit in robot.units])
        room = np.where(turning, USUAL_RANGE[0], USUAL_RANGE[1])
        centre = posture.best(1)[0]
        self.lower = np.where(np.isfinite(limits.lower), limits.lower, centre - room)
        self.upper = np.where(np.isfinite(limits.upper), limits.upper, centre + room)
        self.lower = np.maximum(self.lower, centre - math.pi)
        self.upper = np.minimum(self.upper, centre + math.pi)
        usual = np.where(turning, USUAL_SPEED[0], USUAL_SPEED[1])
        self.speed = np.minimum(np.where(np.isfinite(limits.velocity), limits.velocity, usual),
                                np.where(turning, 3.0, 1.0)) * VELOCITY_PART
        self.sound = mass_report(robot).sound
        self.t = np.arange(SAMPLES) * PERIOD / SAMPLES
        self.velocity = np.array([robot.tree.friction[k].velocity for k in robot.joint_bodies])
        random = np.random.default_rng(1)
        q = random.uniform(self.lower, self.upper, (200, robot.n))
        v, a = random.normal(size=(2, 200, robot.n))
        self.used = np.ones(self.chosen.size, bool)
        self.used[self.chosen.of_joints('peak')] = False
        self.base = base_of(self._columns(q, v, a))

    def _columns(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        Y = self.regressor(q, v, a, self.velocity)
        return Y.reshape(-1, self.chosen.size)[:, self.used]

    def motion(self, x: np.ndarray) -> JointFourier:
        """Return a candidate, scaled into the limits of position and velocity."""
        n = self.robot.n
        sine, cosine = x[n:].reshape(2, n, HARMONICS)
        raw = JointFourier((0.0,) * n, tuple(sine.ravel()), tuple(cosine.ravel()),
                           2.0 * math.pi / PERIOD)
        _, q, v, _ = raw.sample(self.t)
        span = np.maximum(np.ptp(q, axis=0), 1e-9)
        half = RANGE_PART * 0.5 * (self.upper - self.lower)
        # x[:n] in 0 .. 1 says how much of its room a joint uses, and so where its centre can be
        size = np.minimum(2.0 * half / span, self.speed / np.maximum(np.abs(v).max(axis=0), 1e-9))
        size = size * (0.4 + 0.6 / (1.0 + np.exp(-x[:n])))
        middle = 0.5 * (self.upper + self.lower) - 0.5 * (q.max(axis=0) + q.min(axis=0)) * size
        return JointFourier(tuple(middle.tolist()), tuple((sine * size[:, None]).ravel().tolist()),
                            tuple((cosine * size[:, None]).ravel().tolist()), raw.rate)

    def cost(self, x: np.ndarray) -> tuple[float, float, float]:
        """Return what is made small, the condition number and the part of efforts used."""
        _, q, v, a = self.motion(x).sample(self.t)
        W = self._columns(q, v, a)[:, self.base.columns]
        sizes = np.linalg.norm(W, axis=0)
        values = np.linalg.svd(W / np.maximum(sizes, 1e-12), compute_uv=False)
        condition = float(values[0] / max(float(values[-1]), 1e-12))
        price, effort = math.log10(condition), math.nan
        if self.sound:
            torque = np.abs(self.robot.inverse_dynamics(q, v, a))
            effort = float((torque / self.robot.limits.effort).max())
            price += 10.0 * max(0.0, effort - EFFORT_PART)
        if self.workspace is not None:
            place = self.robot.positions(self.robot.tool_frame(), q)
            out = np.maximum(self.workspace[0] - place, place - self.workspace[1])
            price += 10.0 * max(0.0, float(out.max()))
        return price, condition, effort


def found_excitation(robot: Robot, workspace: np.ndarray | None = None,
                     progress: Callable[[float, float], None] = lambda part, best: None,
                     ) -> Excitation:
    """
    Search a motion.

    :param workspace: corners of a box that the tool stays in (2, 3) [m]
    :param progress: called with the part that is done and the condition number so far
    """
    if robot.loops or robot.passive:
        raise ScenarioError(f'{robot.path}: has closed loops or passive joints, for which no '
                            'motion is found by search; any motion of its motors that is recorded '
                            'can be identified')
    search, random = _Search(robot, workspace), np.random.default_rng(0)
    size = robot.n * (1 + 2 * HARMONICS)
    best, price, condition, effort = np.zeros(size), math.inf, math.inf, math.nan
    for k in range(STARTS):
        x = random.normal(size=size)
        tried, number, used = search.cost(x)
        if tried < price:
            best, price, condition, effort = x, tried, number, used
        progress(k / (STARTS + STEPS), condition)
    step = 0.5
    for k in range(STEPS):
        change = random.normal(size=size) * (random.uniform(size=size) < 0.3)
        x = best + step * change
        tried, number, used = search.cost(x)
        if tried < price:
            best, price, condition, effort, step = x, tried, number, used, min(1.0, 1.5 * step)
        else:
            step = max(0.03, 0.95 * step)
        progress((STARTS + k) / (STARTS + STEPS), condition)
    if price > math.log10(condition) + 1e-3:
        raise ScenarioError(f'{robot.path}: no motion was found within its effort limits and the '
                            'workspace; give a larger workspace, or look at the efforts of '
                            f'robodyn check {robot.path}')
    progress(1.0, condition)
    return Excitation(search.motion(best), condition, effort, len(search.base.columns))


def excitation_scenario(path: Path, arguments: Mapping[str, Any] | None = None,
                        workspace: np.ndarray | None = None, periods: int = 2,
                        progress: Callable[[float, float], None] = lambda part, best: None,
                        ) -> tuple[Scenario, Excitation]:
    """
    Return a scenario whose trajectory node sends the motion, and the motion.

    :param periods: how often it is repeated
    """
    robot = load_robot(path, arguments)
    if robot.n == 0:
        raise ScenarioError(f'{path}: no joint moves, so there is nothing to excite')
    found = found_excitation(robot, workspace, progress)
    motion, duration = found.motion, periods * PERIOD
    trajectory = TrajectorySettings(
        kind='joint_fourier', frame=robot.tool_frame(), parameters={
            'centre': list(motion.centre), 'sine': list(motion.sine),
            'cosine': list(motion.cosine), 'rate': motion.rate})
    # as it will be sent, ramps and all; refused if a limit is passed
    DesiredMotion(trajectory, duration=duration).reference(robot, duration, 0.01)
    return Scenario(
        name=f'{path.name.split(".")[0]}_excite', robot=str(path.absolute()),
        robot_arguments=dict(arguments or {}), duration=duration, tolerance=0.2,
        trajectory=trajectory, controller=ControllerSettings(
            kind='computed_torque', natural_frequency=(NATURAL_FREQUENCY,)),
        folder=str(path.parent.resolve())), found
