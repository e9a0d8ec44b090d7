# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What is in a robot's file: joints, masses, reach, frames, what is missing, what can be done."""
from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from robodyn_ros.errors import RobotFileError
from robodyn_ros.mechanics.kinematics import frame_pose
from robodyn_ros.robots.mass_check import friction_rate, mass_report
from robodyn_ros.robots.robot import Robot
from robodyn_ros.robots.urdf.meshes import mesh_file
from robodyn_ros.robots.urdf.packages import resolved
from robodyn_ros.robots.urdf.records import parse_urdf
from robodyn_ros.robots.urdf.remarks import listed
from robodyn_ros.robots.urdf.visuals import visuals_of

SAMPLES = 400
"""Configurations at which the reach is looked for, the same each time."""
SPAN = math.pi
"""How far a joint without limits is moved for it [rad] or [m]."""


def inspected(robot: Robot) -> dict[str, Any]:
    """Return everything `robodyn check` tells, as plain values; what is not known is None."""
    report = mass_report(robot) if robot.n else None
    links = parse_urdf(robot.urdf, robot.path).links
    masses = {link.name: link.inertial.mass for link in links if link.inertial is not None}
    missing = [link.name for link in links if link.inertial is None or not (
        link.inertial.mass or any(link.inertial.tensor))]
    tool = robot.tool_frame()
    return {
        'robot': robot.name, 'path': robot.path, 'base': robot.base, 'tool_frame': tool,
        'tool_reason': robot.tool.reason,
        'joints': [_joint(robot, k) for k in range(robot.n)],
        'mimics': [{'name': mimic.name, 'multiplier': mimic.drive.ratio,
                    'offset': mimic.drive.offset,
                    'follows': robot.joints[mimic.drive.joint] if mimic.drive.joint >= 0 else None}
                   for mimic in robot.mimics],
        'loops': [{'name': loop.name, 'frames': [loop.frame_a, loop.frame_b],
                   'axes': list(loop.axes)} for loop in robot.loops],
        'frames': list(robot.frames),
        'mass': sum(masses.values()), 'masses': masses, 'without_mass': missing,
        'reach': reach(robot, tool), 'friction_rate': friction_rate(robot) if robot.n else 0.0,
        'remarks': [{'found': r.found, 'done': r.done, 'remedy': r.remedy,
                     'strict_refuses': r.mended} for r in robot.remarks]
        + _missing_masses(robot, missing) + _missing_meshes(robot),
        'can_be_simulated': bool(report and report.sound),
        'why_not': 'no joint moves; it can be viewed' if report is None
        else '' if report.sound else report.sentence(robot),
    }


def reach(robot: Robot, frame: str) -> float:
    """Return the farthest from the base that a frame comes, about [m]."""
    low = np.where(np.isfinite(robot.limits.lower), robot.limits.lower, -SPAN)
    high = np.where(np.isfinite(robot.limits.upper), robot.limits.upper, SPAN)
    low, high = np.minimum(low, high), np.maximum(low, high)
    farthest = 0.0
    # fewer for a robot of many joints: each costs as much as its longest chain
    for place in np.random.default_rng(0).uniform(0.0, 1.0, (SAMPLES, robot.n)):
        q = (low + place * (high - low)).tolist()
        farthest = max(farthest, math.hypot(*frame_pose(  # type: ignore[arg-type]
            robot.tree, robot.find_frame(frame), q).position))
    return farthest


def _joint(robot: Robot, k: int) -> dict[str, Any]:
    limits, law = robot.limits, robot.tree.friction[robot.joint_bodies[k]]

    def known(value: float) -> float | None:
        return float(value) if math.isfinite(value) else None

    return {'name': robot.joints[k], 'unit': robot.units[k],
            'passive': robot.joints[k] in robot.passive,
            'lower': known(limits.lower[k]), 'upper': known(limits.upper[k]),
            'velocity': known(limits.velocity[k]), 'effort': known(limits.effort[k]),
            'damping': law.viscous, 'friction': law.coulomb}


def _missing_masses(robot: Robot, missing: list[str]) -> list[dict[str, Any]]:
    moving = [name for name in missing
              if name in robot.tree.frames and robot.tree.frames[name].body >= 0]
    if not moving:
        return []
    links, have, they = ('links', 'have', 'they have') if len(moving) > 1 else (
        'link', 'has', 'it has')
    return [{'found': f'{links} {listed(moving)} {have} no inertial',
             'done': f'{they} no mass', 'strict_refuses': False,
             'remedy': f'frames need none; for links, robodyn inertials {robot.path} --mass KG '
                       'estimates them'}]


def _missing_meshes(robot: Robot) -> list[dict[str, Any]]:
    visuals = visuals_of(robot.urdf, robot.path)
    found = {}
    for address in {shape.address for shape in visuals.shapes if shape.address}:
        try:
            mesh_file(Path(resolved(address, robot.path)))
        except (RobotFileError, OSError, ValueError) as error:
            found[address] = str(error)
    told = [{'found': text, 'done': 'it is not drawn', 'strict_refuses': False,
             'remedy': 'the robot moves without it'} for text in visuals.complaints]
    if found:
        first = sorted(found)[0]
        told.append({'found': f'{len(found)} {"mesh" if len(found) == 1 else "meshes"} '
                              f'cannot be drawn ({found[first]})',
                     'done': 'stand-ins are drawn', 'strict_refuses': False,
                     'remedy': 'if it is not found, put its package beside the file, or its '
                               'workspace into ROS_PACKAGE_PATH'})
    return told
