# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Fill in the inertials that a description lacks, from its shapes and a mass or a density.

Every link has the same density: the one given, or the one at which the whole robot has the mass
given, less what the file states. That is an estimate: motors are heavier than covers, castings are
hollow. It is good enough to simulate an arm, and not to tune one.
"""
from __future__ import annotations

from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np

from robodyn_ros.errors import ArgumentError, MissingPackageError, RobotFileError
from robodyn_ros.robots import geometry
from robodyn_ros.robots.robot import Robot
from robodyn_ros.robots.solids import joined, mesh_solid, shape_solid, Solid
from robodyn_ros.robots.urdf.elements import parsed
from robodyn_ros.robots.urdf.meshes import read_mesh
from robodyn_ros.robots.urdf.packages import resolved
from robodyn_ros.robots.urdf.records import Inertial, parse_urdf
from robodyn_ros.robots.urdf.visuals import COLLISION, VISUAL, Visual, visuals_of

DENSITY_RANGE = (1.0, 25_000.0)
"""Lighter than any plastic foam, heavier than any metal: the sizes must be wrong [kg/m^3]."""
LARGEST_LINK = 20.0
"""Size of a link above which its mesh is probably in millimetres [m]."""


class LinkEstimate(NamedTuple):
    """One link and where its inertia comes from."""

    link: str
    mass: float
    """[kg]"""
    source: str
    inertial: Inertial | None
    """What is to be written; None: the file's own stays, or there is nothing to tell from."""


class Estimates(NamedTuple):
    """All links of a robot."""

    links: tuple[LinkEstimate, ...]
    density: float
    """Of what was filled in [kg/m^3]."""
    warnings: tuple[str, ...]


def estimated(robot: Robot, mass: float | None = None, density: float | None = None,
              impossible: bool = False) -> Estimates:
    """
    Estimate what is missing.

    :param mass: of the whole robot [kg], or
    :param density: of its links [kg/m^3]
    :param impossible: replace inertias too that no body can have
    """
    if (mass is None) == (density is None):
        raise ArgumentError('give the mass of the whole robot or the density of its links, one '
                            'of the two')
    links = parse_urdf(robot.urdf, robot.path).links
    shapes = _shapes(robot)
    known: dict[str, float] = {}
    solids: dict[str, Solid] = {}
    sources: dict[str, str] = {}
    warnings: list[str] = []
    for link in links:
        inertial = link.inertial
        bad = inertial is not None and impossible and (
            inertial.mass <= 0.0
            or bool(geometry.impossible_inertia(inertial.tensor, allow_point=False)))
        if inertial is not None and not bad and (inertial.mass or any(inertial.tensor)):
            known[link.name], sources[link.name] = inertial.mass, 'the file'
            continue
        solid, sources[link.name] = _link_solid(shapes, link.name, robot.path, warnings)
        if solid is not None:
            solids[link.name] = solid
            size = float(np.sqrt(np.trace(solid.second) / solid.volume))
            if size > LARGEST_LINK:
                warnings.append(f'link {link.name!r} is about {size:.0f} m large; give its mesh '
                                'scale="0.001 0.001 0.001" if it is in millimetres')
    total = sum(solid.volume for solid in solids.values())
    if mass is not None:
        rest = mass - sum(known.values())
        if solids and not rest > 0.0:
            raise ArgumentError(f'the mass of {robot.name} is {mass:g} kg, but its file has '
                                f'{sum(known.values()):g} kg already; give the mass of the whole '
                                'robot, or a density')
        density = rest / total if total else 0.0
        if solids and not DENSITY_RANGE[0] <= density <= DENSITY_RANGE[1]:
            warnings.append(f'{rest:g} kg in {total:.3g} m^3 is {density:.3g} kg/m^3, which no '
                            'robot has; look at the mass and at the scale of the meshes')
    assert density is not None
    found = []
    for link in links:
        if link.name in solids:
            made = _inertial(solids[link.name], density)
            found.append(LinkEstimate(link.name, made.mass, sources[link.name], made))
        else:
            found.append(LinkEstimate(link.name, known.get(link.name, 0.0), sources[link.name],
                                      None))
    return Estimates(tuple(found), density, tuple(warnings))


def filled_text(robot: Robot, estimates: Estimates) -> str:
    """Return the text of the robot's URDF with what was estimated written into it."""
    root = parsed(robot.urdf, robot.path)
    made = {item.link: item.inertial for item in estimates.links if item.inertial is not None}
    for link in root.findall('link'):
        inertial = made.get(str(link.get('name')))
        if inertial is None:
            continue
        write_inertial(link, inertial)
    ElementTree.indent(root)
    note = (f'Inertials of {len(made)} links estimated by robodyn inertials from shapes of '
            f'{estimates.density:.6g} kg/m^3')
    return (f'<?xml version="1.0"?>\n<!-- {note} -->\n'
            f'{ElementTree.tostring(root, encoding="unicode")}\n')


def write_inertial(link: ElementTree.Element, inertial: Inertial, digits: int = 9) -> None:
    """
    Give a <link> an inertial in the place of those it has; its rpy is zero.

    :param digits: 17 for numbers that are read back to the same bits
    """
    for old in link.findall('inertial'):
        link.remove(old)
    element = ElementTree.Element('inertial')
    ElementTree.SubElement(element, 'origin', rpy='0 0 0',
                           xyz=' '.join(f'{value:.{digits}g}' for value in inertial.xyz))
    ElementTree.SubElement(element, 'mass', value=f'{inertial.mass:.{digits}g}')
    ElementTree.SubElement(element, 'inertia', {
        key: f'{value:.{digits}g}' for key, value in zip(
            ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'), inertial.tensor)})
    link.insert(0, element)


def _shapes(robot: Robot) -> tuple[dict[str, list[Visual]], ...]:
    """Return the shapes of each link that are seen, and those that touch."""
    both: tuple[dict[str, list[Visual]], ...] = {}, {}
    for tag, found in zip((VISUAL, COLLISION), both):
        for shape in visuals_of(robot.urdf, robot.path, tag).shapes:
            found.setdefault(shape.link, []).append(shape)
    return both


def _link_solid(shapes: tuple[dict[str, list[Visual]], ...], link: str, near: str,
                warnings: list[str]) -> tuple[Solid | None, str]:
    """Measure what is seen of a link, or what touches where that tells nothing."""
    tried = [_solid(found[link], near, warnings) for found in shapes if link in found]
    for solid, source in tried:
        if solid is not None:
            return solid, source
    return tried[0] if tried else (None, 'no shape: left without')


def _solid(shapes: list[Visual], near: str, warnings: list[str]) -> tuple[Solid | None, str]:
    """Return what shapes enclose together, and in words where that comes from."""
    solids, sources, lost = [], [], []
    for shape in shapes:
        if shape.kind != 'mesh':
            solids.append(shape_solid(shape.kind, shape.size)
                          .placed(shape.rotation, shape.position))
            sources.append(shape.kind)
            continue
        try:
            path = resolved(shape.address, near)
            solid, word = mesh_solid(read_mesh(path).scaled(shape.size))
        except (RobotFileError, MissingPackageError) as error:
            if str(error) not in warnings:
                warnings.append(str(error))
            lost.append(f'{Path(shape.address).name} cannot be read')
            continue
        if solid is None:
            lost.append(f'{path.name} is {word}')
            continue
        solids.append(solid.placed(shape.rotation, shape.position))
        sources.append(f'{word} {path.name}')
    if solids:
        return joined(solids), ', '.join([*sources, *lost])
    return None, ', '.join(lost)


def _inertial(solid: Solid, density: float) -> Inertial:
    tensor = solid.tensor * density
    return Inertial(solid.volume * density, tuple(solid.centre.tolist()),  # type: ignore[arg-type]
                    (0.0, 0.0, 0.0),
                    tuple(float(tensor[i, k]) for i in range(3)  # type: ignore[arg-type]
                          for k in range(i, 3)))
