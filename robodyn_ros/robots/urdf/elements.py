# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
From a file to XML elements: bounded in size and time, forgiving where ROS's own reader is.

ROS reads descriptions with TinyXML, which takes what XML does not: prefixes nobody declared,
blanks before <?xml ...?> and anything inside of it, -- inside of a comment, a bare &. Names keep
their prefix (xacro:macro), and namespaces mean nothing, as there.
"""
from __future__ import annotations

import codecs
from pathlib import Path
import re
import stat
from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from robodyn_ros.errors import RobotFileError

LARGEST_FILE = 64_000_000
"""Bytes of a description; those of the largest robots have a few millions."""
MOST_ELEMENTS = 200_000
"""Elements of a file; some seconds to read."""
DEEPEST = 200
"""Elements within one another; a URDF has six."""
COMMENT = re.compile(r'<!--.*?-->', re.DOTALL)
DECLARED = re.compile(rb'^\s*<\?xml[^>]*encoding=["\']([A-Za-z0-9._-]+)["\']')
DECLARATION = re.compile(r'<\?xml\s[^>]*\?>')
BARE = re.compile(r'&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9A-Fa-f]{1,6});)')
"""An & that begins nothing XML knows; TinyXML takes it for itself."""


def read_text(path: str | Path) -> str:
    """Return the text of a description; RobotFileError says why there is none."""
    try:
        status = Path(path).stat()
        if stat.S_ISDIR(status.st_mode):
            raise RobotFileError(f'{path}: is a folder; give the URDF or xacro file in it')
        if not stat.S_ISREG(status.st_mode):
            raise RobotFileError(f'{path}: is no regular file; give a URDF or xacro file')
        if status.st_size > LARGEST_FILE:
            raise RobotFileError(f'{path}: has {status.st_size} bytes; expected a URDF of at most '
                                 f'{LARGEST_FILE}')
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise RobotFileError(f'{path}: there is no such file; give the name of a robot of this '
                             'package (robodyn list) or the path of a URDF file') from None
    except (OSError, ValueError) as error:  # ValueError: a name with a null
        raise RobotFileError(f'{path}: cannot be read as text ({error}); give a URDF '
                             'file') from None
    return _decoded(data, path)


def _decoded(data: bytes, path: str | Path) -> str:
    for mark, encoding in ((codecs.BOM_UTF8, 'utf-8-sig'), (codecs.BOM_UTF16_LE, 'utf-16'),
                           (codecs.BOM_UTF16_BE, 'utf-16'), (b'<\0', 'utf-16-le'),
                           (b'\0<', 'utf-16-be')):
        if data.startswith(mark):
            break
    else:
        found = DECLARED.match(data[:200])
        encoding = found.group(1).decode() if found else 'utf-8'
    # many files claim UTF-8 and hold a degree sign or a name in Latin-1; others are UTF-8
    for attempt in (encoding, 'utf-8', 'latin-1'):
        try:
            text = data.decode(attempt)
        except (UnicodeError, LookupError):
            continue
        if '<' not in text[:200] and b'<' in data[:200]:
            continue
        if '\0' not in text:
            return text
        text = text.rstrip('\0\t\r\n ')  # zeros at the end: of a program in C
        if '\0' in text:
            break
        return text
    raise RobotFileError(f'{path}: cannot be read as text; give a URDF file')


def parsed(text: str, path: str = '<text>') -> Element:
    """Return the outermost element of an XML text; RobotFileError says where it is none."""
    try:
        return _Parser(path).parse(_undeclared(text))
    except expat.ExpatError as error:
        # -- inside of a comment and a bare & are no XML, but TinyXML takes them
        plain = BARE.sub('&amp;', without_comments(text))
        if plain != text:
            try:
                return _Parser(path).parse(_undeclared(plain))
            except expat.ExpatError:
                pass
        raise RobotFileError(f'{path}: is not well-formed XML ({error}); correct it '
                             'there') from None


def _undeclared(text: str) -> str:
    """Return a text whose <?xml ...?> is blanks: its encoding was what the file is read by."""
    text = text.lstrip()
    found = DECLARATION.match(text)
    if found is None:
        return text
    # the lines are counted by those who look for a mistake; blanks in front do no harm then
    return re.sub('[^\n]', ' ', found.group()) + text[found.end():]


def without_comments(text: str) -> str:
    """Return a text whose comments are blanks; lines keep their numbers."""
    return COMMENT.sub(lambda found: '\n' * found.group().count('\n'), text)


class _Parser:
    """Builds elements; refuses what no description needs and what could go on for ever."""

    def __init__(self, path: str):
        self.path, self.depth, self.count = path, 0, 0
        self.builder = TreeBuilder()

    def parse(self, text: str) -> Element:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.builder.data
        parser.EntityDeclHandler = self.refuse_entity
        parser.Parse(text.encode('utf-8', 'replace'), True)
        return self.builder.close()

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        self.count += 1
        if self.count > MOST_ELEMENTS:
            raise RobotFileError(f'{self.path}: has more than {MOST_ELEMENTS} elements; the '
                                 'largest robots have some thousands')
        if self.depth > DEEPEST:
            raise RobotFileError(f'{self.path}: has elements more than {DEEPEST} deep; expected '
                                 'a URDF')
        self.builder.start(tag, attributes)

    def end(self, tag: str) -> None:
        self.depth -= 1
        self.builder.end(tag)

    def refuse_entity(self, name: str, *_: Any) -> None:
        raise RobotFileError(f'{self.path}: declares the XML entity {name!r}; write what it '
                             'stands for, or use xacro')
