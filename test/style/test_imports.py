# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The parts of the package import one another in one direction only (docs/architecture.md).

    tracing <- mechanics <- robots <- constraints, trajectories, controllers
            <- plant (with its program, parameters, assembly, reference, inverse kinematics)
            <- scenario, build <- simulation, runtime <- report, papers, bench, nodes, cli

Trajectories, controllers and the plant do not know one another; `build` wires them.
"""

import ast
import re

from house import PACKAGE
import pytest

_ROBOT = {'tracing', 'mechanics', 'robots'}
_PLANT = _ROBOT | {'constraints', 'parameter_table', 'plant_program', 'plant_checks',
                   'plant_inputs', 'plant_many', 'plant_misfit', 'plant_nearest', 'plant_run',
                   'plant_stepper', 'plant_variants', 'plant'}
_MODELS = _PLANT | {'assembly', 'reference', 'inverse_kinematics', 'trajectories', 'controllers'}
_WIRING = _MODELS | {'bounds', 'strict_yaml', 'settings', 'importing', 'scenario', 'build'}
_ENGINE = _WIRING | {'simulation', 'runtime'}

# part: the parts it may import. A new part needs a line here, that is, a place in the order.
MAY_IMPORT = {
    'errors': set(),
    'share': set(),
    'arguments': set(),
    'bounds': set(),
    'strict_yaml': set(),
    'settings': {'bounds', 'strict_yaml'},
    'importing': set(),
    'tracing': set(),
    'signals': {'tracing'},
    'mechanics': {'tracing'},
    'robots': {'tracing', 'mechanics'},
    'constraints': _ROBOT,
    'trajectories': _ROBOT,
    'controllers': _ROBOT | {'constraints'},
    'parameter_table': {'tracing'},
    'plant_program': _ROBOT | {'constraints', 'parameter_table'},
    'plant_checks': _ROBOT | {'constraints', 'plant_program'},
    'plant_inputs': _ROBOT,
    'plant_many': {'tracing', 'plant_inputs', 'plant_program', 'plant'},
    'plant_misfit': {'plant_checks', 'plant_nearest', 'plant'},
    'plant_nearest': {'plant'},
    'plant_run': {'tracing', 'plant_program', 'plant_checks', 'plant_misfit', 'plant'},
    'plant_stepper': {'tracing', 'plant_program', 'plant_variants', 'plant'},
    'plant_variants': _ROBOT | {'constraints', 'parameter_table', 'plant_program'},
    'plant': _PLANT,
    'assembly': _PLANT,
    'reference': _PLANT,
    'inverse_kinematics': _PLANT | {'assembly'},
    'scenario': {'bounds', 'strict_yaml', 'settings', 'importing', 'constraints'},
    'build': _WIRING,
    'simulation': _WIRING,
    'runtime': _WIRING | {'simulation'},
    'viewing': _ROBOT,
    'result_file': _WIRING | {'simulation'},
    'simulate_command': _ENGINE | {'result_file'},
    'view_command': _ENGINE | {'nodes'},
    'parameters_command': _ENGINE,
    'run_command': _ENGINE | {'simulate_command', 'view_command', 'nodes'},
    'driver_check_command': _ENGINE | {'nodes'},
    'launching': {'robots', 'scenario'},
    'recording': set(),
    'report': _ENGINE | {'recording'},
    'papers': _ENGINE | {'report'},
    'bench': _ENGINE | {'report'},
    'nodes': _ENGINE | {'recording', 'viewing'},
    'cli': _ENGINE | {'report', 'papers', 'bench', 'nodes', ''},
    '': _ENGINE,        # robodyn_ros/__init__.py: the names users import
}
FOR_ALL = {'errors', 'signals', 'share', 'arguments'}

# module: the only part that may import it.
ONLY_IN = {
    r'numba|llvmlite': 'tracing',
    r'rclpy|\w+_msgs|std_srvs|builtin_interfaces|rcl_interfaces|tf2_ros': 'nodes',
    r'launch|launch_ros': 'launching',
}


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
    """Name the part of the package that a path inside it belongs to; '' is its __init__."""
    return names[0] if names and names[0] in MAY_IMPORT else ''


def breaches(root=PACKAGE):
    """List every import that goes against the order, as `file:line: sentence`."""
    found = []
    for path in sorted(root.rglob('*.py')):
        inside = path.relative_to(root)
        part = inside.with_suffix('').parts[0].replace('__init__', '')
        if part not in MAY_IMPORT:
            found.append(f'{inside}: {part} has no place in the order')
            continue
        for line, name in imports(path, root):
            top, *rest = name.split('.')
            if top == root.name:
                other = part_of(rest)
                if other not in MAY_IMPORT[part] | FOR_ALL | {part}:
                    found.append(f'{inside}:{line}: {part} may not import {other or name}')
            for pattern, home in ONLY_IN.items():
                if re.fullmatch(pattern, top) and part != home:
                    found.append(f'{inside}:{line}: {top} is for {home}/ only')
    return found


def test_package():
    """No import goes against the order."""
    found = breaches()
    assert not found, '\n'.join(found)


@pytest.mark.parametrize('file, source, complaint', [
    ('mechanics/tree.py', 'import numba', 'numba is for tracing/ only'),
    ('mechanics/tree.py', 'from numba.core import types', 'numba is for tracing/ only'),
    ('mechanics/tree.py', 'import importlib\nimportlib.import_module("numba")', 'numba is for'),
    ('commands/main.py', 'def run():\n    import rclpy', 'rclpy is for nodes/ only'),
    ('plant/plant.py', 'from sensor_msgs.msg import JointState', 'sensor_msgs is for nodes/ only'),
    ('plant/plant.py', 'from std_srvs import srv', 'std_srvs is for nodes/ only'),
    ('scenario/schema.py', 'from launch.actions import Shutdown', 'launch is for launching/ only'),
    ('tracing/graph.py', 'from robodyn_ros import mechanics', 'tracing may not import mechanics'),
    ('robots/load.py', 'from ..plant import Plant', 'robots may not import plant'),
    ('robots/load.py', 'import robodyn_ros.cli', 'robots may not import cli'),
    ('robots/__init__.py', 'from .. import simulation', 'robots may not import simulation'),
    ('plant/plant.py', 'from robodyn_ros.controllers import robust', 'plant may not import controllers'),
    ('plant/plant.py', 'from .trajectories import helix', 'plant may not import trajectories'),
    ('controllers/robust.py', 'from robodyn_ros import plant', 'controllers may not import plant'),
    ('trajectories/line.py', 'from ..controllers import x', 'may not import controllers'),
    ('nodes/x.py', 'from robodyn_ros.cli import main', 'nodes may not import cli'),
    ('robots/load.py', 'from robodyn_ros import load_robot', 'may not import robodyn_ros.load_r'),
    ('helpers.py', '', 'helpers has no place in the order'),
])
def test_a_breach_is_found(tmp_path, file, source, complaint):
    """Every rule has an example that breaks it."""
    root = tmp_path / 'robodyn_ros'
    path = root / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source)
    assert any(complaint in breach for breach in breaches(root)), breaches(root)


@pytest.mark.parametrize('file, source', [
    ('codegen/emit.py', 'import numba\nfrom robodyn_ros.errors import TracingError'),
    ('mechanics/tree.py', 'from ..tracing import scalar\nfrom . import vector'),
    ('plant/plant.py', 'from robodyn_ros.constraints import loop\nfrom .signals import State'),
    ('scenario/simulation.py', 'from robodyn_ros import controllers, plant, trajectories'),
    ('nodes/dynamics/node.py', 'import rclpy\nfrom std_msgs.msg import String\nfrom . import x'),
    ('commands/main.py', 'from robodyn_ros import __version__, bench, papers'),
    ('__init__.py', 'from robodyn_ros.simulation import simulate'),
])
def test_what_is_allowed_passes(tmp_path, file, source):
    """The order forbids no more than it says."""
    path = tmp_path / 'robodyn_ros' / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source)
    assert breaches(tmp_path / 'robodyn_ros') == []
