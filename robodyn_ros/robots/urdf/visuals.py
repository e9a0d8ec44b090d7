# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""How a robot looks: the visuals of its URDF, as shapes fixed to links."""
from __future__ import annotations

from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from robodyn_ros.robots.geometry import rotation_from_rpy
from robodyn_ros.robots.urdf.records import ElementReader

GREY = (0.6, 0.6, 0.65, 1.0)
"""Of visuals without a material."""


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
    colour: tuple[float, float, float, float]
    """Red, green, blue, alpha, each 0 .. 1."""
    file: str = ''
    """Of a mesh."""


def visuals_of(urdf: str, path: str = 'the robot') -> list[Visual]:
    """
    Read the visuals of a URDF.

    :param urdf: its text
    :param path: how complaints call it
    """
    return _Reader(path).visuals(ElementTree.fromstring(urdf))


class _Reader(ElementReader):
    """Turns elements into visuals."""

    def visuals(self, root: Element) -> list[Visual]:
        named = {str(material.get('name')): self._colour(material)
                 for material in root.findall('material')}
        result = []
        for link in root.findall('link'):
            for visual in link.findall('visual'):
                shape = visual.find('geometry/*')
                if shape is None:
                    continue
                xyz, rpy = self.origin(visual.find('origin'),
                                       f'a <visual> of link {link.get("name")!r}')
                material, colour = visual.find('material'), None
                if material is not None:
                    colour = self._colour(material) or named.get(str(material.get('name')))
                # a mesh with package:// is nowhere on this disk, and is told as missing
                file = str(shape.get('filename', '')).removeprefix('file://')
                result.append(Visual(str(link.get('name')), str(shape.tag), self._size(shape),
                                     rotation_from_rpy(rpy), np.array(xyz), colour or GREY, file))
        return result

    def _colour(self, material: Element) -> tuple[float, float, float, float] | None:
        found = material.find('color')
        if found is None:
            return None
        r, g, b, a = self.numbers(found.get('rgba', '0.6 0.6 0.65 1'), 4, 'rgba of a <color>')
        return r, g, b, a

    def _size(self, shape: Element) -> tuple[float, ...]:
        if shape.tag in ('box', 'mesh'):
            key, default = ('size', '0 0 0') if shape.tag == 'box' else ('scale', '1 1 1')
            return self.numbers(shape.get(key, default), 3, f'{key} of a <{shape.tag}>')
        keys = ('radius', 'length') if shape.tag == 'cylinder' else ('radius',)
        return tuple(self.number(shape, key, 'a <visual>', 0.0) for key in keys)
