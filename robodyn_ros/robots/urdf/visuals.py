# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""How a robot looks: the visuals of its URDF, as shapes fixed to links."""
from __future__ import annotations

from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np

from robodyn_ros.robots.geometry import rotation_from_rpy

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


def visuals_of(urdf: str, folder: str | Path = '.') -> list[Visual]:
    """
    Read the visuals of a URDF.

    :param urdf: its text
    :param folder: where relative file names of meshes begin
    """
    root = ElementTree.fromstring(urdf)
    named = {str(m.get('name')): _colour(m) for m in root.findall('material')}
    result = []
    for link in root.findall('link'):
        for visual in link.findall('visual'):
            shape = visual.find('geometry/*')
            if shape is None:
                continue
            origin, material = visual.find('origin'), visual.find('material')
            colour = None
            if material is not None:
                colour = _colour(material) or named.get(str(material.get('name')))
            result.append(Visual(
                str(link.get('name')), str(shape.tag), _size(shape),
                rotation_from_rpy(tuple(_numbers(origin, 'rpy'))),
                np.array(_numbers(origin, 'xyz')), colour or GREY, _file(shape, Path(folder))))
    return result


def _numbers(element: ElementTree.Element | None, key: str, default: str = '0 0 0'
             ) -> list[float]:
    text = default if element is None else element.get(key, default)
    return [float(word) for word in text.split()]


def _colour(material: ElementTree.Element) -> tuple[float, float, float, float] | None:
    found = material.find('color')
    if found is None:
        return None
    r, g, b, a = _numbers(found, 'rgba', '0.6 0.6 0.65 1')
    return r, g, b, a


def _size(shape: ElementTree.Element) -> tuple[float, ...]:
    if shape.tag == 'box':
        return tuple(_numbers(shape, 'size'))
    if shape.tag == 'mesh':
        return tuple(_numbers(shape, 'scale', '1 1 1'))
    keys = ('radius', 'length') if shape.tag == 'cylinder' else ('radius',)
    return tuple(_numbers(shape, key, '0')[0] for key in keys)


def _file(shape: ElementTree.Element, folder: Path) -> str:
    name = str(shape.get('filename', ''))
    if not name or name.startswith('package://'):
        return name
    return str(folder / name.removeprefix('file://'))
