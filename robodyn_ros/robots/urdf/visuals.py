# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
How a robot looks: the visuals of its URDF, as shapes fixed to links.

Mechanics needs none of this, so a visual that cannot be understood is left out and told about; it
is never a reason not to load a robot.
"""
from __future__ import annotations

import contextlib
from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from robodyn_ros.errors import RobotFileError
from robodyn_ros.robots.geometry import rotation_from_rpy
from robodyn_ros.robots.urdf.elements import parsed
from robodyn_ros.robots.urdf.records import ElementReader

GREY = (0.6, 0.6, 0.65, 1.0)
"""Of visuals without a material."""
VISUAL, COLLISION = 'visual', 'collision'
Colour = tuple[float, float, float, float]


class Visual(NamedTuple):
    """A shape in its link's frame."""

    link: str
    kind: str
    """box, cylinder (axis z), sphere or mesh."""
    size: tuple[float, ...]
    """Box: x, y, z; cylinder: radius, length; sphere: radius [m]; mesh: scale x, y, z [-]."""
    rotation: np.ndarray
    """From the shape's frame to the link's (3, 3)."""
    position: np.ndarray
    """Of the shape's centre (3,) [m]."""
    colour: Colour
    """Red, green, blue, alpha, each 0 .. 1."""
    address: str = ''
    """Of a mesh, as the file gives it: package://, file:// or a path."""


class Visuals(NamedTuple):
    """The shapes of a file, and what is wrong with others."""

    shapes: list[Visual]
    complaints: list[str]
    """One sentence each."""


def visuals_of(urdf: str, path: str = 'the robot', tag: str = VISUAL) -> Visuals:
    """
    Read the visuals of a URDF.

    :param urdf: its text
    :param path: how complaints call it
    :param tag: VISUAL, or COLLISION for the shapes that touch
    """
    return _Reader(path).visuals(parsed(urdf, path), tag)


class _Reader(ElementReader):
    """Turns elements into visuals."""

    def visuals(self, root: Element, tag: str) -> Visuals:
        found = Visuals([], [])
        named: dict[str, Colour] = {}
        for material in root.iter('material'):  # also those told at the first visual to use them
            try:
                colour = self._colour(material)
            except RobotFileError as error:
                if tag == VISUAL:
                    found.complaints.append(f'{error}; drawn in grey')
                continue
            if colour is not None:
                named.setdefault(str(material.get('name')), colour)
        for link in root.findall('link'):
            for visual in link.findall(tag):
                try:
                    found.shapes.extend(self._shapes(visual, str(link.get('name')), named))
                except RobotFileError as error:
                    found.complaints.append(f'{error}; not drawn')
        return found

    def _shapes(self, visual: Element, link: str, named: dict[str, Colour]) -> list[Visual]:
        xyz, rpy = self.origin(visual.find('origin'), f'a <{visual.tag}> of link {link!r}')
        material, colour = visual.find('material'), None
        if material is not None:
            with contextlib.suppress(RobotFileError):  # told already
                colour = self._colour(material)
            colour = colour or named.get(str(material.get('name')))
        return [Visual(link, 'cylinder' if shape.tag == 'capsule' else str(shape.tag),
                       self._size(shape, link), rotation_from_rpy(rpy), np.array(xyz),
                       colour or GREY, str(shape.get('filename', '')))
                for shape in visual.findall('geometry/*')]

    def _colour(self, material: Element) -> Colour | None:
        found = material.find('color')
        if found is None:
            return None
        r, g, b, a = (min(max(x, 0.0), 1.0) for x in self.numbers(
            found.get('rgba', '0.6 0.6 0.65 1'), 4, 'rgba of a <color>'))
        return r, g, b, a

    def _size(self, shape: Element, link: str) -> tuple[float, ...]:
        """Return the size of a shape: all numbers above 0, but a mesh may be mirrored."""
        where = f'a <{shape.tag}> of link {link!r}'
        if shape.tag == 'mesh':
            if not shape.get('filename'):
                raise self.fail(f'{where} has no filename; name its file')
            size = self.numbers(shape.get('scale', '1 1 1'), 3, f'scale of {where}')
            if not all(size):
                raise self.fail(f'scale of {where} is {shape.get("scale")!r}; expected 3 numbers '
                                'other than 0')
            return size
        keys = {'box': ('size',), 'cylinder': ('radius', 'length'), 'sphere': ('radius',),
                'capsule': ('radius', 'length')}.get(str(shape.tag))
        if keys is None:
            raise self.fail(f'link {link!r} has the shape <{shape.tag}>; expected box, cylinder, '
                            'sphere, capsule or mesh')
        size = self.numbers(' '.join(shape.get(key, '') for key in keys),
                            3 if shape.tag == 'box' else len(keys),
                            f'{" and ".join(keys)} of {where}')
        if min(size) <= 0.0:
            raise self.fail(f'{" and ".join(keys)} of {where} is {list(size)}; expected numbers '
                            'above 0')
        return size
