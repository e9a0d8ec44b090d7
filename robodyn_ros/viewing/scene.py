# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A robot in three dimensions: its links from the URDF's visuals, desired and traced path."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from robodyn_ros.mechanics.kinematics import BASE, body_poses, compose, Pose
from robodyn_ros.robots.geometry import quaternion
from robodyn_ros.robots.robot import Robot
from robodyn_ros.robots.urdf.visuals import Visual, visuals_of
import trimesh

DESIRED_COLOUR, TRACED_COLOUR = (25, 118, 210), (242, 115, 26)
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
        scene.add_grid('/grid', width=4.0, height=4.0, cell_size=0.1, section_size=0.5,
                       fade_distance=6.0)
        self.links: dict[str, Any] = {}
        self.missing: list[str] = []
        """Files of meshes that cannot be read."""
        for k, visual in enumerate(visuals_of(robot.urdf, robot.path)):
            if visual.link not in self.links:
                self.links[visual.link] = scene.add_frame(f'/robot/{visual.link}',
                                                          show_axes=False)
            if not _add(scene, f'/robot/{visual.link}/{k}', visual):
                self.missing.append(visual.file)
        self.tool = scene.add_frame('/robot/tool', axes_length=0.06, axes_radius=0.003)
        self.trace = Trace(scene)
        self.update(np.zeros(robot.n))

    def update(self, q: Sequence[float] | np.ndarray, trace: bool = False) -> None:
        """
        Move the links.

        :param q: positions (n,) [rad] or [m]
        :param trace: let the traced path grow to where the tool is
        """
        bodies = body_poses(self.robot.tree, [float(x) for x in q])
        for link, node in self.links.items():
            _place(node, self._pose(link, bodies))
        tool = self._pose(self.frame, bodies)
        _place(self.tool, tool)
        if trace:
            self.trace.grow(np.array(tool.position, dtype=float))

    def _pose(self, frame: str, bodies: list[Pose]) -> Pose:
        found = self.robot.tree.frames[frame]
        body = bodies[found.body] if found.body >= 0 else BASE
        return compose(body, Pose(found.rotation, found.translation))

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


def extent(robot: Robot, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest and highest corner of a box around all visuals at q, each (3,) [m]."""
    angles = [float(x) for x in q]
    corners = [np.zeros(3)]
    for visual in visuals_of(robot.urdf, robot.path):
        at = robot.pose(visual.link, angles)  # in plain numbers: nothing is compiled for a picture
        centre = np.array(at.position) + np.array(at.rotation) @ visual.position
        reach = max(visual.size) / 2.0 if visual.kind != 'mesh' else 0.0
        corners += [centre - reach, centre + reach]
    return np.min(corners, axis=0), np.max(corners, axis=0)


def _add(scene: Any, name: str, visual: Visual) -> bool:
    """Draw a visual; returns False where its mesh cannot be read."""
    wxyz = np.roll(quaternion(visual.rotation), 1)
    r, g, b, alpha = visual.colour
    common = {'color': (r, g, b), 'wxyz': wxyz, 'position': visual.position,
              'opacity': None if alpha == 1.0 else alpha}
    if visual.kind == 'box':
        scene.add_box(name, dimensions=visual.size, **common)
    elif visual.kind == 'cylinder':
        scene.add_cylinder(name, radius=visual.size[0], height=visual.size[1], **common)
    elif visual.kind == 'sphere':
        scene.add_icosphere(name, radius=visual.size[0], **common)
    else:
        mesh = _mesh(visual)
        if mesh is None:
            return False
        scene.add_mesh_simple(name, mesh.vertices * visual.size, mesh.faces, **common)
    return True


def _mesh(visual: Visual) -> trimesh.Trimesh | None:
    """Read a mesh file; None where it cannot be (the view goes on without it)."""
    try:
        found = trimesh.load(visual.file, force='mesh')
    except Exception:  # noqa: B902 any reader of trimesh may raise anything
        return None
    return found if isinstance(found, trimesh.Trimesh) and len(found.vertices) else None


def _place(node: Any, pose: Pose) -> None:
    node.position = np.array(pose.position, dtype=float)
    node.wxyz = np.roll(quaternion(np.array(pose.rotation, dtype=float)), 1)
