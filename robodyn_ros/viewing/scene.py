# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A robot in three dimensions: its links as they look, desired and traced path."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from robodyn_ros.mechanics.kinematics import frame_jacobian, frame_pose, Pose
from robodyn_ros.mechanics.tree import ancestors
from robodyn_ros.robots.appearance import appearance_of, corners_of, link_poses, Part
from robodyn_ros.robots.geometry import quaternion
from robodyn_ros.robots.robot import Robot
from robodyn_ros.robots.urdf.meshes import creased, Mesh

DESIRED_COLOUR, TRACED_COLOUR = (25, 118, 210), (242, 115, 26)
MOST_COLOURS = 24
"""Colours of one mesh."""
POSES = 3
"""At which it is looked how the tool moves: one may be singular."""
SEGMENTS, NODES = 50, 30
"""The traced path: line segments per scene node, and nodes; the oldest node is used again."""


class RobotScene:
    """
    Scene nodes of one robot below /robot; update() moves them.

    :param server: viser.ViserServer
    """

    def __init__(self, server: Any, robot: Robot):
        """Draw the robot where all joints are zero; the path of its tool is traced."""
        self.server, self.robot = server, robot
        self.frame = robot.tool_frame()
        scene = server.scene
        look = appearance_of(robot)
        self.parts = look.parts
        self.warnings = look.warnings
        """What is not drawn as the robot's file says; a sentence each."""
        self.links: dict[str, Any] = {}
        for k, link in enumerate(look.links):  # a number: names of links may be anything
            node = f'/robot/{k}'
            self.links[link] = scene.add_frame(node, show_axes=False)
            for j, part in enumerate(part for part in look.parts if part.shape.link == link):
                _add(scene, f'{node}/{j}', part)
        self.tool = scene.add_frame('/robot/tool', axes_length=0.06, axes_radius=0.003)
        self.tool_pose: Pose | None = None
        self.trace = Trace(scene)
        self.update(np.zeros(robot.n))
        cloud = self.cloud(np.zeros(robot.n))
        self.size = float(np.linalg.norm(cloud.max(axis=0) - cloud.min(axis=0)))
        """Diagonal of a box around the robot [m]."""
        self._add_floor(cloud)

    def _add_floor(self, cloud: np.ndarray) -> None:
        """Draw a grid that suits the robot's size, below one that hangs under its base."""
        low, high = cloud.min(axis=0), cloud.max(axis=0)
        cell = 10.0 ** np.round(np.log10(max(self.size, 0.01))) / 10.0
        height = float(low[2]) if low[2] + high[2] < 0.0 else 0.0
        self.server.scene.add_grid(
            '/grid', width=40.0 * cell, height=40.0 * cell, cell_size=cell,
            section_size=5.0 * cell, fade_distance=60.0 * cell, position=(0.0, 0.0, height))

    def follow(self, frame: str) -> None:
        """Trace another frame from now on; the robot's own tool, if it has no such frame."""
        chosen = self.robot.tool_frame(frame)
        if chosen != self.frame:
            self.frame = chosen
            self.trace.clear()

    def update(self, q: Sequence[float] | np.ndarray, trace: bool = False) -> None:
        """
        Move the links.

        :param q: positions (n,) [rad] or [m]
        :param trace: let the traced path grow to where the tool is
        """
        *links, tool = link_poses(self.robot, [*self.links, self.frame], q)
        for node, pose in zip(self.links.values(), links):
            _place(node, pose)
        _place(self.tool, tool)
        self.tool_pose = tool
        if trace:
            self.trace.grow(np.array(tool.position, dtype=float))

    def cloud(self, q: np.ndarray) -> np.ndarray:
        """Return points (k, 3) on the robot at q, its base among them [m]."""
        return np.concatenate([np.zeros((1, 3)), *_clouds(self.robot, self.parts, q)])

    @property
    def leading(self) -> list[int]:
        """Bodies on the way to the tool, its own first."""
        return ancestors(self.robot.tree, self.robot.find_frame(self.frame).body)

    def led_axes(self) -> tuple[bool, bool, bool]:
        """Tell along which of its own axes the tool can be moved; a planar arm's in a plane."""
        tree, frame = self.robot.tree, self.robot.find_frame(self.frame)
        moved = np.zeros(3)
        for q in np.random.default_rng(0).uniform(-1.0, 1.0, (POSES, self.robot.n)).tolist():
            turn = np.array(frame_pose(tree, frame, q).rotation, float)
            rows = np.array(frame_jacobian(tree, frame, q), float).reshape(6, -1)[:3]
            moved = np.maximum(moved, np.abs(turn.T @ rows).max(axis=1, initial=0.0))
        x, y, z = (moved > 1e-6 * self.size).tolist()
        return x, y, z

    def swept(self, q: np.ndarray, path: np.ndarray) -> np.ndarray:
        """
        Return corners (k, 3) of where the arm comes if its tool goes along a path (k, 3) [m].

        The outer half of its bodies is taken to go with the tool, without turning.
        """
        outer = self.leading[:(len(self.leading) + 1) // 2]
        frames = self.robot.tree.frames
        clouds = _clouds(self.robot, [part for part in self.parts
                                      if frames[part.shape.link].body in outer], q)
        if not clouds or not len(path):
            return np.zeros((0, 3))
        tool = link_poses(self.robot, [self.frame], q)[0]
        ways = _corners(path - np.array(tool.position, float))
        return np.concatenate([(_corners(cloud)[:, None] + ways).reshape(-1, 3)
                               for cloud in clouds])

    def show_path(self, points: np.ndarray) -> None:
        """Draw the desired path through points (k, 3) [m]; fewer than two remove it."""
        segments = np.stack([points[:-1], points[1:]], axis=1) if len(points) > 1 \
            else np.zeros((1, 2, 3))
        self.server.scene.add_line_segments(
            '/desired', segments.astype(np.float32), DESIRED_COLOUR, thickness=2.0,
            thickness_units='screen', visible=len(points) > 1)


class Trace:
    """The path a point has taken: a ring of line nodes that are changed, never added."""

    def __init__(self, scene: Any):
        """Make the nodes, all empty."""
        self.points = np.zeros((NODES, SEGMENTS, 2, 3), dtype=np.float32)
        self.nodes = [scene.add_line_segments(
            f'/traced/{k}', self.points[k], TRACED_COLOUR, thickness=3.0, thickness_units='screen',
            visible=False) for k in range(NODES)]
        self.count = 0
        self.last: np.ndarray | None = None

    def grow(self, point: np.ndarray) -> None:
        """Draw on to a point (3,) [m]; standing still adds nothing."""
        if self.last is None:
            self.last = point
            return
        if np.abs(point - self.last).max() < 1e-5:
            return
        node, place = divmod(self.count % (NODES * SEGMENTS), SEGMENTS)
        if place == 0:
            self.points[node] = point  # what was here before is the oldest part
        self.points[node, place] = self.last, point
        self.points[node, place + 1:] = point
        self.nodes[node].points = self.points[node]
        self.nodes[node].visible = True
        self.last, self.count = point, self.count + 1

    def clear(self) -> None:
        """Begin anew."""
        for node in self.nodes:
            node.visible = False
        self.count, self.last = 0, None


def _add(scene: Any, name: str, part: Part) -> None:
    """Draw a part of a robot."""
    shape = part.shape
    r, g, b, alpha = shape.colour
    common = {'wxyz': np.roll(quaternion(shape.rotation), 1), 'position': shape.position,
              'opacity': None if alpha == 1.0 else alpha}
    if part.mesh is not None:
        for k, (colour, mesh) in enumerate(_by_colour(part.mesh, (r, g, b))):
            cut = creased(mesh)
            # both sides: many public meshes have faces that look inwards
            scene.add_mesh_simple(f'{name}_{k}', cut.vertices, cut.faces, color=colour,
                                  side='double', **common)
    elif shape.kind == 'box':
        scene.add_box(name, dimensions=shape.size, color=(r, g, b), **common)
    elif shape.kind == 'cylinder':
        scene.add_cylinder(name, radius=shape.size[0], height=shape.size[1], color=(r, g, b),
                           **common)
    else:
        scene.add_icosphere(name, radius=shape.size[0], color=(r, g, b), **common)


def _by_colour(mesh: Mesh, otherwise: tuple[float, float, float]
               ) -> list[tuple[tuple[float, ...], Mesh]]:
    """
    Return the pieces of a mesh that have one colour each.

    :param otherwise: of faces without a colour of their own
    """
    if mesh.colours is None:
        return [(otherwise, mesh)]
    colours = np.where(np.isfinite(mesh.colours), mesh.colours, otherwise)
    for levels in (255, 15, 7, 3):  # a texture has more colours than are worth a node each
        found, which = np.unique(np.round(levels * colours), axis=0, return_inverse=True)
        if len(found) <= MOST_COLOURS:
            break
    pieces = []
    for k, colour in enumerate(found / levels):
        faces = mesh.faces[which.reshape(-1) == k]
        used, places = np.unique(faces, return_inverse=True)
        pieces.append((tuple(colour.tolist()),
                       Mesh(mesh.vertices[used], places.reshape(-1, 3), None)))
    return pieces


def _clouds(robot: Robot, parts: Sequence[Part], q: np.ndarray) -> list[np.ndarray]:
    """Return points (k, 3) on each part at q [m]."""
    poses = link_poses(robot, [part.shape.link for part in parts], q)
    return [corners_of(part) @ np.array(pose.rotation, float).T + pose.position
            for part, pose in zip(parts, poses)]


def _corners(points: np.ndarray) -> np.ndarray:
    """Return the corners (8, 3) of the box around points (k, 3)."""
    ends = np.stack([points.min(axis=0), points.max(axis=0)])
    return np.stack(np.meshgrid(*ends.T), axis=-1).reshape(-1, 3)


def _place(node: Any, pose: Pose) -> None:
    node.position = np.array(pose.position, dtype=float)
    node.wxyz = np.roll(quaternion(np.array(pose.rotation, dtype=float)), 1)
