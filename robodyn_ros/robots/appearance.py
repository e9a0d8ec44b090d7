# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What is drawn of a robot: its visuals with their meshes, and stand-ins for what cannot be drawn.

The one list that the browser view, the saved page and the pictures of reports draw. A link whose
mesh is not found gets its collision shapes, where those are simple; a part of the robot that still
has nothing gets a bar from joint to joint and a knob for the joint, so that a robot without any
visuals is seen as a skeleton.
"""
from __future__ import annotations

from typing import Iterable, Iterator, NamedTuple, Sequence

import numpy as np

from robodyn_ros.errors import MissingPackageError, RobotFileError
from robodyn_ros.mechanics.kinematics import BASE, body_poses, compose, Pose
from robodyn_ros.robots import geometry
from robodyn_ros.robots.robot import Robot
from robodyn_ros.robots.urdf.meshes import Mesh, read_mesh
from robodyn_ros.robots.urdf.packages import resolved
from robodyn_ros.robots.urdf.visuals import COLLISION, Colour, Visual, visuals_of

MESH_FACES = 40_000
"""Triangles drawn of one mesh; small detail beyond is joined."""
ROBOT_FACES = 400_000
"""Triangles drawn of a whole robot."""
BAR_COLOUR: Colour = (0.45, 0.5, 0.58, 1.0)
KNOB_COLOUR: Colour = (0.95, 0.45, 0.1, 1.0)
BAR_PART = 0.025
"""Radius of a bar as a part of the robot's reach [-]."""
SHORTEST = 1e-3
"""Length from which a bar is worth drawing, as a part of the robot's reach [-]."""


class Part(NamedTuple):
    """A shape that moves with a link."""

    shape: Visual
    mesh: Mesh | None = None
    """Of a shape that is one: scaled, in the shape's frame."""


class Appearance(NamedTuple):
    """What is drawn of a robot."""

    parts: list[Part]
    warnings: list[str]
    """What is not as the file says; a sentence each."""

    @property
    def links(self) -> list[str]:
        """Names of the links that are drawn, each once."""
        return list(dict.fromkeys(part.shape.link for part in self.parts))


def appearance_of(robot: Robot, mesh_faces: int = MESH_FACES) -> Appearance:
    """
    Return what is drawn of a robot.

    :param mesh_faces: triangles of one mesh, at most
    """
    made = _Maker(robot, mesh_faces)
    return Appearance(made.parts, made.warnings)


def link_poses(robot: Robot, links: Iterable[str], q: Sequence[float] | np.ndarray) -> list[Pose]:
    """Return the poses of links at positions q (n,), in plain numbers: nothing is compiled."""
    bodies = body_poses(robot.tree, [float(x) for x in q])
    poses = []
    for link in links:
        frame = robot.tree.frames[link]
        body = bodies[frame.body] if frame.body >= 0 else BASE
        poses.append(compose(body, Pose(frame.rotation, frame.translation)))
    return poses


def corners_of(part: Part) -> np.ndarray:
    """Return points (k, 3) around a part in its link's frame: its own corners, or a box's [m]."""
    shape = part.shape
    if part.mesh is not None:
        own = part.mesh.vertices[:: max(1, len(part.mesh.vertices) // 2000)]
    else:
        half = {'box': np.array(shape.size), 'sphere': np.full(3, 2.0 * shape.size[0]),
                'cylinder': np.array([2.0 * shape.size[0]] * 2 + [shape.size[-1]])
                }[shape.kind] / 2.0
        signs = np.stack(np.meshgrid(*[(-1.0, 1.0)] * 3), axis=-1).reshape(-1, 3)
        own = signs * half
    return own @ shape.rotation.T + shape.position


class _Maker:
    """Collects the parts of one robot."""

    def __init__(self, robot: Robot, mesh_faces: int):
        self.robot, self.frames = robot, robot.tree.frames
        self.parts: list[Part] = []
        self.warnings: list[str] = []
        visuals, complaints = visuals_of(robot.urdf, robot.path)
        meshes = sum(shape.kind == 'mesh' for shape in visuals)
        self.mesh_faces = min(mesh_faces, max(200, ROBOT_FACES // max(1, meshes)))
        missing = self._draw(visuals)
        lost = set(missing) - {part.shape.link for part in self.parts}
        bodies = range(-1, len(robot.tree.bodies))
        bare = {k for k in bodies if not self._drawn(k)}
        if lost or bare:
            simple = [shape for shape in visuals_of(robot.urdf, robot.path, COLLISION).shapes
                      if shape.kind != 'mesh'
                      and (shape.link in lost or self.frames[shape.link].body in bare)]
            self._draw(simple)
        for k in bodies:
            if not self._drawn(k):
                self.parts += self._stand_in(k)
        self._tell(list(missing.values()), complaints)

    def _drawn(self, body: int) -> bool:
        """Tell whether anything is drawn of a body (the base is -1)."""
        return any(self.frames[part.shape.link].body == body for part in self.parts)

    def _draw(self, shapes: list[Visual]) -> dict[str, str]:
        """Add shapes; returns the links of meshes that cannot be read, with the last reason."""
        missing = {}
        for shape in shapes:
            if shape.kind != 'mesh':
                self.parts.append(Part(shape))
                continue
            try:
                mesh = read_mesh(resolved(shape.address, self.robot.path), self.mesh_faces)
            except (RobotFileError, MissingPackageError) as error:
                missing[shape.link] = str(error)
            else:
                self.parts.append(Part(shape, mesh.scaled(shape.size)))
        return missing

    def _tell(self, missing: list[str], complaints: list[str]) -> None:
        """Put what is wrong into one sentence a kind, whatever the number of meshes."""
        if missing:
            many = '' if len(missing) == 1 else \
                f'{len(missing)} links of {self.robot.name} have meshes that cannot be drawn, ' \
                'such as '
            self.warnings.append(f'{many}{missing[0]}; simple shapes stand in')
        if complaints:
            more = f' ({len(complaints) - 1} more like it)' if len(complaints) > 1 else ''
            self.warnings.append(f'{complaints[0]}{more}')

    def _stand_in(self, body: int) -> Iterator[Part]:
        """Yield bars from a body's joint to the next ones, or to its last frame, and a knob."""
        bodies, reach = self.robot.tree.bodies, self._reach
        ends = [np.array(child.translation) for child in bodies if child.parent == body]
        on_it = [np.array(frame.translation) for frame in self.frames.values()
                 if frame.body == body]
        if not ends:
            ends = sorted(on_it, key=lambda place: float(place @ place))[-1:]
        ends = [end for end in ends if np.linalg.norm(end) > SHORTEST * reach]
        for end in ends:
            yield self._cylinder(body, end / 2.0, end, BAR_PART * reach,
                                 float(np.linalg.norm(end)), BAR_COLOUR)
        if (body >= 0 and (ends or not self.parts)) or not (bodies or self.parts or ends):
            yield self._cylinder(body, np.zeros(3), np.array([0.0, 0.0, 1.0]),
                                 1.6 * BAR_PART * reach, 4.0 * BAR_PART * reach, KNOB_COLOUR)

    def _cylinder(self, body: int, middle: np.ndarray, axis: np.ndarray, radius: float,
                  length: float, colour: Colour) -> Part:
        """Return a cylinder that is given in a body's frame, fixed to a link of that body."""
        link, frame = next((name, frame) for name, frame in self.frames.items()
                           if frame.body == body)
        turn, at = np.array(frame.rotation), np.array(frame.translation)
        return Part(Visual(link, 'cylinder', (radius, length),
                           turn.T @ geometry.frame_with_z_along(tuple(axis)),
                           turn.T @ (middle - at), colour))

    @property
    def _reach(self) -> float:
        """Return the length of the longest chain of joints [m]."""
        lengths: list[float] = []
        for body in self.robot.tree.bodies:
            before = lengths[body.parent] if body.parent >= 0 else 0.0
            lengths.append(before + float(np.linalg.norm(np.array(body.translation, float))))
        return max([*lengths, 0.05])
