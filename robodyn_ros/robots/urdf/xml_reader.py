# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Names, numbers and single children of XML elements, each checked; complaints name the file."""
from __future__ import annotations

from typing import Optional, Tuple
from xml.etree.ElementTree import Element

from robodyn_ros.errors import RobotFileError

Triple = Tuple[float, float, float]
LARGEST_NUMBER = 1e30
"""No robot has a number this large; products of such numbers would not be finite."""


class ElementReader:
    """Reads elements of one file, which its complaints name."""

    def __init__(self, path: str):
        """Remember the file's name."""
        self.path = path

    def fail(self, what: str) -> RobotFileError:
        """Return an error about the file, to be raised."""
        return RobotFileError(f'{self.path}: {what}')

    def single(self, element: Element, tag: str, where: str) -> Optional[Element]:
        """Return the only child of a tag, None if there is none; two are refused."""
        found = element.findall(tag)
        if len(found) > 1:
            raise self.fail(f'{where} has {len(found)} elements <{tag}>; keep one')
        return found[0] if found else None

    def number(self, element: Element, attribute: str, where: str,
               default: Optional[float] = None) -> float:
        """Return the number an attribute holds; without a default it must be there."""
        text = element.get(attribute)
        if text is None:
            if default is None:
                raise self.fail(f'<{element.tag}> of {where} has no {attribute}; give it a number')
            return default
        return self.numbers(text, 1, f'{attribute} of <{element.tag}> of {where}')[0]

    def numbers(self, text: str, count: int, where: str) -> Tuple[float, ...]:
        """Return the numbers of a text; there must be count of them, all finite."""
        try:
            values = tuple(float(word) for word in text.split())
        except ValueError:
            values = ()
        if len(values) != count or not all(abs(value) < LARGEST_NUMBER for value in values):
            wanted = 'a finite number' if count == 1 else f'{count} finite numbers'
            raise self.fail(f'{where} is {text!r}; expected {wanted} below {LARGEST_NUMBER:g}')
        return values

    def origin(self, element: Optional[Element], where: str) -> Tuple[Triple, Triple]:
        """Return xyz [m] and rpy [rad] of an <origin>; zeros without one."""
        xyz: Triple = (0.0, 0.0, 0.0)
        rpy: Triple = (0.0, 0.0, 0.0)
        if element is not None:
            xyz = self.numbers(element.get('xyz', '0 0 0'), 3,  # type: ignore[assignment]
                               f'xyz of <origin> of {where}')
            rpy = self.numbers(element.get('rpy', '0 0 0'), 3,  # type: ignore[assignment]
                               f'rpy of <origin> of {where}')
        return xyz, rpy

    def name(self, element: Element) -> str:
        """Return the name of an element, which must have one."""
        name = element.get('name', '')
        if not name:
            raise self.fail(f'a <{element.tag}> has no name; give it one')
        if not name.isprintable():
            raise self.fail(f'a <{element.tag}> has the name {name!r}; use printable characters')
        return name
