# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Nothing rests on another project's private names: a release of it may rename them without a word.

A name with a leading underscore is ours if the package defines it somewhere: as a function, class,
variable, parameter, slot, or attribute of self. All others are foreign. rclpy.impl is private to
rclpy although its name does not say so.
"""

import ast

from house import PACKAGE, ROOT
import pytest

FOLDERS = [PACKAGE, ROOT / 'launch', ROOT / 'benchmarks']
PUBLIC = {'_replace', '_asdict', '_fields', '_make', '_field_defaults', '_exit'}
"""Documented names: of NamedTuple, underscored so as not to clash with fields; os._exit."""
OURS = {'robodyn_ros', 'benchmarks'}
PRIVATE_MODULES = ('rclpy.impl',)


def private(name):
    """Tell if a name is somebody's own business."""
    return name.startswith('_') and not name.endswith('__') and name not in PUBLIC and name != '_'


def defined(tree):
    """Yield the private names that a file defines."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.alias) and node.asname:
            yield node.asname
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) \
                and isinstance(node.value, ast.Name) and node.value.id in ('self', 'cls'):
            yield node.attr
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == 'object.__setattr__':
            # how a frozen dataclass sets its attributes
            yield from (c.value for c in node.args[1:2] if isinstance(c, ast.Constant))
        elif isinstance(node, ast.Assign) and any(
                isinstance(t, ast.Name) and t.id == '__slots__' for t in node.targets):
            yield from (c.value for c in ast.walk(node.value) if isinstance(c, ast.Constant))


def imported(node):
    """Return the dotted names that a statement imports from elsewhere."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and not node.level:
        return [f'{node.module}.{alias.name}' for alias in node.names]
    return []


def used(node):
    """Return the attributes that a node reads, sets or passes by name."""
    if isinstance(node, ast.Attribute):
        return [node.attr]
    if not isinstance(node, ast.Call):
        return []
    names = [keyword.arg for keyword in node.keywords if keyword.arg]
    if getattr(node.func, 'id', None) in ('getattr', 'setattr', 'hasattr', 'delattr') \
            and len(node.args) > 1 and isinstance(node.args[1], ast.Constant):
        names.append(str(node.args[1].value))
    return names


def overridden(tree):
    """Yield (line, name) of methods reached through super(), which belong to a base class."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Call) \
                and getattr(node.value.func, 'id', None) == 'super':
            yield node.lineno, node.attr


def breaches(folders=FOLDERS):
    """List every use of a foreign private name, as `file:line: name`."""
    trees = {path: ast.parse(path.read_text()) for folder in folders
             for path in sorted(folder.rglob('*.py'))}
    definitions = [name for tree in trees.values() for name in defined(tree) if private(name)]
    own, found = set(definitions), []
    for path, tree in trees.items():
        for node in ast.walk(tree):
            for name in imported(node):
                top, *rest = name.split('.')
                hidden = any(map(private, rest)) or private(top)
                if top not in OURS and (hidden or name.startswith(PRIVATE_MODULES)):
                    found.append(f'{path}:{node.lineno}: {name}')
            found += [f'{path}:{node.lineno}: {name}' for name in used(node)
                      if private(name) and name not in own]
        found += [f'{path}:{line}: super().{name}' for line, name in overridden(tree)
                  if private(name) and definitions.count(name) < 2]
    return found


def test_package():
    """No foreign private name is used."""
    found = breaches()
    assert not found, '\n'.join(found)


@pytest.mark.parametrize('source, complaint', [
    ('from rclpy.impl.implementation_singleton import rclpy_implementation', 'rclpy.impl'),
    ('import rclpy.impl', 'rclpy.impl'),
    ('from numpy import _core', 'numpy._core'),
    ('from numpy._core import multiarray', 'numpy._core.multiarray'),
    ('def wait(executor):\n    return executor._tasks', ':2: _tasks'),
    ('def wait(executor):\n    executor._tasks = []', ':2: _tasks'),
    ('def wait(executor):\n    return getattr(executor, "_tasks")', ':2: _tasks'),
    ('def wait(executor):\n    executor.wait(_quietly=True)', ':2: _quietly'),
    ('class Mine(Theirs):\n    def _spin(self):\n        super()._spin()', ':3: super()._spin'),
])
def test_a_breach_is_found(tmp_path, source, complaint):
    """Every rule has an example that breaks it."""
    (tmp_path / 'x.py').write_text(source)
    found = breaches([tmp_path])
    assert any(complaint in breach for breach in found), found


@pytest.mark.parametrize('source', [
    'from robodyn_ros.codegen import _native\nimport numpy as _numpy\nfrom . import _x',
    'class A:\n    __slots__ = ("_a",)\ndef f(a):\n    return a._a, a.__dict__, a._replace(_b=1)\n'
    'def g(_b):\n    """Take it."""',
    'class A:\n    def __init__(self):\n        self._a = 0\n    def same(self, other):\n'
    '        return self._a == other._a',
    'class A:\n    def __post_init__(self):\n        object.__setattr__(self, "_a", 1)\n'
    'def f(a):\n    return a._a',
    'class A:\n    def _f(self):\n        pass\nclass B(A):\n    def _f(self):\n'
    '        super()._f()',
])
def test_what_is_allowed_passes(tmp_path, source):
    """Our own names, and those that are public in spite of their look."""
    (tmp_path / 'x.py').write_text(source)
    assert breaches([tmp_path]) == []
