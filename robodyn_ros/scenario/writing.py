# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A scenario as the text of a file: what differs from the defaults, each with its comment."""
from __future__ import annotations

import dataclasses
from typing import Any, Mapping

from robodyn_ros.scenario.schema import Scenario, SECTIONS
from robodyn_ros.scenario.settings import field_texts, setting_fields
import yaml

COMMENT_AT = 44
"""Column at which comments begin."""
ALWAYS = {'dynamics': ('step', 'integrator'), 'controller': ('kind', 'period'),
          'trajectory': ('kind', 'frame')}
"""What is written though it is the default: what people change first."""


def scenario_text(scenario: Scenario, robot: str, about: str) -> str:
    """
    Return the text of a scenario file.

    :param robot: how the file names its robot
    :param about: a line for its beginning
    """
    lines = [f'# {line}' for line in about.splitlines()]
    lines += ['/**:', '  ros__parameters:', _line('robot', robot, 'the robot', 4)]
    lines += _lines(scenario, 4, ('name', 'robot', *SECTIONS), ('duration', 'tolerance'))
    for section in SECTIONS:
        inside = _lines(getattr(scenario, section), 4, (), ALWAYS.get(section, ()))
        lines += [f'{section}:', '  ros__parameters:', *inside]
    return '\n'.join(lines) + '\n'


def _lines(settings: Any, indent: int, without: tuple[str, ...],
           always: tuple[str, ...]) -> list[str]:
    """Return a line for each setting that is not its default, and for those always written."""
    texts, plain, result = field_texts(type(settings)), _defaults(type(settings)), []
    for field in setting_fields(settings):
        value = getattr(settings, field.name)
        if field.name in without or (value == plain[field.name] and field.name not in always):
            continue
        if hasattr(value, '__dataclass_fields__'):
            result += [f'{" " * indent}{field.name}:', *_lines(value, indent + 2, (), ())]
        elif isinstance(value, Mapping) and field.name == 'parameters':
            result.append(f'{" " * indent}{field.name}:')
            result += [_line(key, one, '', indent + 2) for key, one in value.items()]
        else:
            result.append(_line(field.name, value, texts.get(field.name, ''), indent))
    return result


def _defaults(kind: type) -> dict[str, Any]:
    return {field.name: field.default if field.default is not dataclasses.MISSING
            else field.default_factory() if field.default_factory is not dataclasses.MISSING
            else None for field in setting_fields(kind)}


def _line(key: str, value: Any, comment: str, indent: int) -> str:
    """Return `key: value  # comment`, the comment above where there is no room beside."""
    plain = list(value) if isinstance(value, tuple) else value
    text = yaml.safe_dump(plain, default_flow_style=True, width=10 ** 6,
                          allow_unicode=True).removesuffix('...\n').strip()
    line = f'{" " * indent}{key}: {text}'
    if not comment:
        return line
    if len(line) < COMMENT_AT and COMMENT_AT + len(comment) < 97:
        return f'{line:{COMMENT_AT}}# {comment}'
    return f'{" " * indent}# {comment}\n{line}'
