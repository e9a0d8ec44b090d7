# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Print every parameter of every node as Markdown, from the declarations themselves.

    robodyn parameters                       all nodes
    robodyn parameters controller            one of them
    robodyn parameters > docs/parameters.md  the reference in the docs

The defaults are those without a scenario file; a scenario's values go over them.
"""
from __future__ import annotations

import argparse
import dataclasses
import inspect
import re
import textwrap
from typing import Any, Iterator, NamedTuple

from robodyn_ros.errors import UnknownNameError
from robodyn_ros.nodes.common.options import (CHANGEABLE, ControllerOptions, DynamicsOptions,
                                              RecorderOptions, SHARED, TrajectoryOptions,
                                              ViewerOptions)
from robodyn_ros.scenario.desired_motion import JOINT_MOTIONS, PATHS
from robodyn_ros.scenario.schema import (ControllerSettings, DynamicsSettings, Scenario,
                                         TrajectorySettings)
from robodyn_ros.scenario.settings import bounds_of, Field, field_texts, listed_fields

NODES: dict[str, tuple[Any, ...]] = {
    'dynamics': (DynamicsSettings(), DynamicsOptions()),
    'controller': (ControllerSettings(), ControllerOptions()),
    'trajectory': (TrajectorySettings(), TrajectoryOptions()),
    'viewer': (ViewerOptions(),),
    'recorder': (RecorderOptions(),),
}
HEAD = """# Parameters of the nodes

Made by `robodyn parameters > docs/parameters.md` from the declarations; `ros2 param describe`
shows the same of a running node. Names with a dot are groups in a parameter file:

```yaml
controller:
  ros__parameters:
    natural_frequency: [25.0]
    model: {payload: {mass: 2.0}}
```

"Run" marks those that may change while the node runs; they are checked together before any of
them applies. Every node also has `use_sim_time`, and `qos_overrides` of joint_states and
joint_commands. Topics and services: [nodes.md](nodes.md).

`ros2 param dump /dynamics > dynamics.yaml` makes a file that loads again with `--params-file`. A
list of texts may also be given as one, `axes: x, y, z`; it is kept so where one of them, such as a
bare `y` in a file, would mean true or false to ROS.
"""
PLACES = """
A scenario file may hold the parameters of dynamics, controller and trajectory in the sections of
these names, and {shared} in the section `/**`. Only nodes have the
following, and a scenario file with one of them is refused; give them with `-p` or `--params-file`:
{own}, and all of viewer and recorder.
"""
MOTIONS = """
## Motions of trajectory

`parameters.*` of the node trajectory are the fields of its `kind`. A path in space moves `frame`
along `axes`; further axes are held by `hold`, such as `hold: {yaw: 0.0}`. Lists of points are flat
lists, one point after the other, as parameter files have no lists of lists.
"""
UNIT = re.compile(r'\[([^\]]+)\](?! or)')


class Row(NamedTuple):
    """One parameter."""

    name: str
    kind: str
    default: str
    unit: str
    bounds: str
    changes: bool
    text: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument('node', nargs='?', help=', '.join(NODES))


def run(arguments: argparse.Namespace) -> int:
    """Print the reference."""
    if arguments.node is not None and arguments.node not in NODES:
        raise UnknownNameError('node', arguments.node, NODES)
    print(HEAD + places() if arguments.node is None else '', end='')
    for node in [arguments.node] if arguments.node else NODES:
        print('\n'.join(section(node)))
        if node == 'trajectory':
            print(MOTIONS + '\n'.join(motions()))
    return 0


def places() -> str:
    """Return what says where each parameter may be given."""
    own = dict.fromkeys(field.name for node in ('dynamics', 'controller', 'trajectory')
                        for field in listed_fields(NODES[node][-1]))
    quoted = [', '.join(f'`{name}`' for name in names) for names in (SHARED, own)]
    return PLACES.format(shared=quoted[0], own=textwrap.fill(quoted[1], 99))


def motions() -> Iterator[str]:
    """Yield the lines of the motions' table, a line per field."""
    yield ''
    for kind, made in {**PATHS, **JOINT_MOTIONS}.items():
        yield f'- **{kind}**: {" ".join(inspect.getdoc(made).split())}'  # type: ignore[union-attr]
    yield ''
    yield '| kind | parameter | default | unit | |'
    yield '|---|---|---|---|---|'
    for kind, made in {**PATHS, **JOINT_MOTIONS}.items():
        texts = field_texts(made)
        for field in dataclasses.fields(made):
            needed = field.default is dataclasses.MISSING \
                and field.default_factory is dataclasses.MISSING
            row = _row(Field(field.name, None if needed else field.default,
                             texts.get(field.name, ''), bounds_of(field)), False)
            default = '(needed)' if needed else row.default
            yield f'| {kind} | `{field.name}` | {default} | {row.unit} | {row.text} |'


def rows(node: str) -> Iterator[Row]:
    """Yield the parameters of a node, as declared."""
    if node in ('dynamics', 'controller', 'trajectory'):
        yield from (_row(field, False) for field in listed_fields(
            Scenario('scara_helix', 'scara_450')) if field.name in SHARED)
    for settings in NODES[node]:
        for field in listed_fields(settings):
            yield _row(field, field.name in CHANGEABLE[node])


def section(node: str) -> list[str]:
    """Return the lines of a node's table."""
    lines = ['', f'## {node}', '', '| parameter | type | default | unit | allowed | run | |',
             '|---|---|---|---|---|---|---|']
    for row in rows(node):
        lines.append(f'| `{row.name}` | {row.kind} | {row.default} | {row.unit} | {row.bounds} | '
                     f'{"yes" if row.changes else ""} | {row.text} |')
    return lines


def _row(field: Field, changes: bool) -> Row:
    value = field.value
    default = ', '.join(f'{x:g}' if isinstance(x, float) else str(x) for x in value) \
        if isinstance(value, tuple) else f'{value:g}' if isinstance(value, float) \
        else str(value).lower() if isinstance(value, bool) else str(value)
    units = ' or '.join(UNIT.findall(field.text.replace('] or [', '][')))
    text = re.sub(r' *\[[^\]]+\](?: or \[[^\]]+\])*', '', field.text).replace('|', '\\|')
    return Row(field.name, _kind(value), default or '(none)', units, field.allowed, changes,
               '' if text == '.' else text)


def _kind(value: Any) -> str:
    if isinstance(value, tuple):
        return 'list of texts' if value and isinstance(value[0], str) else 'list'
    return {bool: 'bool', int: 'int', float: 'double', str: 'string'}.get(type(value), '')
