# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The parts of the package import one another in one direction only (docs/architecture.md).

    tracing <- mechanics, codegen <- robots <- constraints, trajectories, controllers
            <- plant <- scenario <- report, nodes <- studies, commands

The plant knows neither trajectories nor controllers, and these do not know one another: `scenario`
wires them. The nodes know one another only through messages and `nodes/common`. No two files
import each other, on whatever detour.
"""

import ast
import re

from house import PACKAGE
import pytest

_ROBOT = {'tracing', 'codegen', 'mechanics', 'robots'}
_MODELS = _ROBOT | {'constraints', 'trajectories', 'controllers', 'plant', 'scenario'}

# part: the parts it may import. A new part needs a line here, that is, a place in the order.
MAY_IMPORT = {
    'errors': set(),
    'imports': set(),
    'interruption': set(),
    'programs': {'nodes', 'commands'},
    'share': set(),
    'checks': set(),
    'ros_time': set(),
    'tolerances': set(),
    'types': {'tracing'},
    'tracing': set(),
    'mechanics': {'tracing'},
    'codegen': {'tracing'},
    'robots': {'tracing', 'codegen', 'mechanics'},
    'constraints': {'tracing', 'mechanics', 'robots'},
    'trajectories': {'tracing', 'codegen', 'mechanics', 'robots'},
    'controllers': {'tracing', 'mechanics', 'robots', 'constraints'},
    'plant': _ROBOT | {'constraints'},
    'scenario': _MODELS,
    'recording': set(),
    'viewing': {'mechanics', 'robots'},
    'report': {'mechanics', 'robots', 'trajectories', 'scenario', 'recording'},
    'identification': _MODELS | {'recording', 'report'},
    'sweeping': _MODELS | {'report'},
    'studies': _MODELS | {'report'},
    'export': _MODELS | {''},
    'launching': {'robots', 'scenario'},
    'nodes/common': {'robots', 'trajectories', 'scenario'},
    'nodes/dynamics': _MODELS | {'nodes/common'},
    'nodes/intake': {'robots', 'trajectories', 'nodes/common'},
    'nodes/controller': _MODELS | {'nodes/common', 'nodes/intake'},
    'nodes/trajectory': _MODELS | {'nodes/common'},
    'nodes/recorder': {'recording', 'nodes/common'},
    'nodes/viewer': {'viewing', 'nodes/common'},
    'nodes/driver_check': {'robots', 'nodes/common'},
    'nodes/single_process': {'scenario', 'nodes/common', 'nodes/dynamics', 'nodes/controller',
                             'nodes/trajectory', 'nodes/recorder', 'nodes/viewer'},
    'commands': _MODELS | {'', 'report', 'recording', 'viewing', 'studies', 'identification',
                           'export', 'sweeping', 'nodes/common',
                           'nodes/single_process', 'nodes/viewer', 'nodes/driver_check'},
    '': _MODELS | {'sweeping'},  # robodyn_ros/__init__.py: the names users import
}
FOR_ALL = {'errors', 'imports', 'interruption', 'types', 'share', 'checks', 'ros_time',
           'tolerances'}

# What is imported in some places only: module, the files that may, and what to say.
ONLY_IN = [
    (r'llvmlite', r'codegen/.*', 'codegen'),
    (r'rclpy|\w+_msgs|std_srvs|builtin_interfaces|rcl_interfaces|simulation_interfaces|tf2_ros',
     r'nodes/(\w+/node|controller/control_interfaces|dynamics/simulator_services|common/\w+'
     r'|single_process)\.py',
     'node.py, the messages of other stacks, nodes/common and single_process'),
    (r'control_msgs', r'nodes/controller/control_interfaces\.py', 'control_interfaces.py'),
    (r'simulation_interfaces', r'nodes/dynamics/simulator_services\.py',
     'simulator_services.py'),
    (r'launch|launch_ros', r'launching\.py', 'launching.py'),
    (r'viser', r'viewing/.*', 'viewing'),
    (r'trimesh|collada', r'robots/urdf/\w+\.py', 'robots/urdf'),
    (r'mcap', r'recording/.*', 'recording'),
    (r'rosbags', r'recording/.*', 'recording'),
    (r'matplotlib', r'report/.*', 'report'),
    (r'pyarrow', r'sweeping/table\.py|commands/sweep\.py', 'sweeping/table.py'),
    (r'distributed|dask', r'sweeping/cluster\.py', 'sweeping/cluster.py'),
    (r'benchmarks|test|oracles', r'(?!)', 'a checkout, it is not installed'),
]


def imports(path, root):
    """Yield (line, dotted name) for everything a file of the package imports, made absolute."""
    package = [root.name, *path.relative_to(root).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = package[:len(package) - node.level + 1] if node.level else []
            module = '.'.join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                yield node.lineno, f'{module}.{alias.name}'
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = getattr(node.func, 'id', getattr(node.func, 'attr', None))
            if called in ('import_module', '__import__'):
                yield node.lineno, str(node.args[0].value)


def part_of(names):
    """Name the part that a path inside the package leads to; '' is the package's `__init__`."""
    return next((part for part in ('/'.join(names[:2]), *names[:1]) if part in MAY_IMPORT), '')


def part_of_file(inside):
    """Name the part that a file belongs to, None where it has no place in the order."""
    names = inside.with_suffix('').parts
    if names in (('__init__',), ('nodes', '__init__')):
        return ''
    return part_of(names) or None


def breaches(root=PACKAGE):
    """List every import that goes against the order, as `file:line: sentence`."""
    found = []
    for path in sorted(root.rglob('*.py')):
        inside = path.relative_to(root)
        part = part_of_file(inside)
        if part is None:
            found.append(f'{inside}: has no place in the order')
            continue
        for line, name in imports(path, root):
            top, *rest = name.split('.')
            other = part_of(rest)
            if top == root.name and other not in MAY_IMPORT[part] | FOR_ALL | {part}:
                found.append(f'{inside}:{line}: {part} may not import {other or name}')
            for pattern, homes, where in ONLY_IN:
                if re.fullmatch(pattern, top) and not re.fullmatch(homes, inside.as_posix()):
                    found.append(f'{inside}:{line}: {top} is for {where} only')
    return list(dict.fromkeys(found))       # two names from one line are one breach


def cycles(root=PACKAGE):
    """List the groups of files that import one another, directly or on a detour."""
    files = {}
    for path in sorted(root.rglob('*.py')):
        names = path.relative_to(root.parent).with_suffix('').parts
        files['.'.join(names[:-1] if names[-1] == '__init__' else names)] = path
    reached = {name: set() for name in files}
    for name, path in files.items():
        for _, imported in imports(path, root):
            while imported and imported not in files:       # a name in a file, not a file
                imported = imported.rpartition('.')[0]
            if imported and imported != name:
                reached[name].add(imported)
    for over in files:              # everything that can be reached (Warshall)
        for name in files:
            if over in reached[name]:
                reached[name] |= reached[over]
    loops = {frozenset(other for other in reached[name] if name in reached[other])
             for name in files if name in reached[name]}
    return sorted(' <-> '.join(sorted(loop)) for loop in loops)


def test_package():
    """No import goes against the order."""
    found = breaches()
    assert not found, '\n'.join(found)


def test_no_two_files_import_each_other():
    """Not within a part either, and not for types only."""
    assert not cycles(), '\n'.join(cycles())


def test_every_line_of_the_table_has_its_part():
    """What the table speaks of is there."""
    parts = {part_of_file(path.relative_to(PACKAGE)) for path in PACKAGE.rglob('*.py')}
    assert parts == set(MAY_IMPORT)


def written(root, **sources):
    """Write files of a made-up package; return its folder."""
    for name, source in sources.items():
        path = root / 'robodyn_ros' / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    return root / 'robodyn_ros'


@pytest.mark.parametrize('file, source, complaint', [
    ('mechanics/tree.py', 'import llvmlite', 'llvmlite is for codegen only'),
    ('mechanics/tree.py', 'from llvmlite.binding import Target', 'llvmlite is for codegen only'),
    ('mechanics/tree.py', 'import importlib\nimportlib.import_module("llvmlite")', 'llvmlite is'),
    ('commands/main.py', 'def run():\n    import rclpy', 'rclpy is for node.py'),
    ('plant/plant.py', 'from sensor_msgs.msg import JointState', 'sensor_msgs is for node.py'),
    ('nodes/dynamics/sensor.py', 'from std_srvs import srv', 'std_srvs is for node.py'),
    ('scenario/schema.py', 'from launch.actions import Shutdown', 'launch is for launching.py'),
    ('commands/run.py', 'from benchmarks import engine', 'benchmarks is for a checkout'),
    ('tracing/graph.py', 'from robodyn_ros import mechanics', 'tracing may not import mechanics'),
    ('robots/robot.py', 'from ..plant import Plant', 'robots may not import plant'),
    ('robots/urdf/xml.py', 'from ...plant import Plant', 'robots may not import plant'),
    ('robots/robot.py', 'import robodyn_ros.commands.main', 'robots may not import commands'),
    ('plant/plant.py', 'from robodyn_ros.controllers import robust', 'may not import controllers'),
    ('plant/plant.py', 'from ..trajectories import paths', 'may not import trajectories'),
    ('plant/plant.py', 'def f():\n    from ..scenario import x', 'may not import scenario'),
    ('controllers/robust.py', 'from robodyn_ros import plant', 'controllers may not import plant'),
    ('trajectories/paths.py', 'from ..controllers import x', 'may not import controllers'),
    ('nodes/viewer/node.py', 'from ..dynamics import node', 'may not import nodes/dynamics'),
    ('nodes/common/qos.py', 'from robodyn_ros.nodes.viewer import node', 'may not import nodes/v'),
    ('report/page.py', 'from robodyn_ros.nodes.common import qos', 'may not import nodes/common'),
    ('robots/robot.py', 'from robodyn_ros import load_robot', 'may not import robodyn_ros.load_r'),
    ('helpers.py', '', 'has no place in the order'),
    ('nodes/helpers.py', '', 'has no place in the order'),
])
def test_a_breach_is_found(tmp_path, file, source, complaint):
    """Every rule has an example that breaks it."""
    root = written(tmp_path, **{file: source})
    assert any(complaint in breach for breach in breaches(root)), breaches(root)


@pytest.mark.parametrize('file, source', [
    ('codegen/emit.py', 'import llvmlite\nfrom robodyn_ros.errors import TracingError'),
    ('mechanics/tree.py', 'from ..tracing import scalar\nfrom . import vector'),
    ('plant/plant.py', 'from robodyn_ros.constraints import loop\nfrom ..types import State'),
    ('scenario/simulation.py', 'from robodyn_ros import controllers, plant, trajectories'),
    ('nodes/dynamics/node.py', 'import rclpy\nfrom std_msgs.msg import String\nfrom . import x'),
    ('commands/main.py', 'from robodyn_ros import __version__, report, studies'),
    ('__init__.py', 'from robodyn_ros.scenario.simulation import simulate'),
])
def test_what_is_allowed_passes(tmp_path, file, source):
    """The order forbids no more than it says."""
    assert breaches(written(tmp_path, **{file: source})) == []


def test_a_cycle_is_found(tmp_path):
    """Three files in a ring, one of them for types only; a fourth that looks at them is fine."""
    root = written(tmp_path, **{
        'plant/a.py': 'from robodyn_ros.plant.b import B',
        'plant/b.py': 'def f():\n    from . import c',
        'plant/c.py': 'from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .a import A',
        'plant/d.py': 'from . import a, b, c'})
    (found,) = cycles(root)
    assert found == ' <-> '.join(f'robodyn_ros.plant.{name}' for name in 'abc')
