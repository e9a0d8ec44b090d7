# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A user's own constraint, controller or trajectory, found by its import path.

    controller:
      ros__parameters: {kind: 'parts:spring'}        # parts.py beside the scenario's file

A module is code: naming one in a scenario runs it. So a scenario may name only what was written to
be named: a Constraint; a function decorated with @controller, or annotated to return a Control; a
class, path(t) or object decorated with @trajectory, or of a trajectory class of this package; and
functions and classes that a module beside the scenario, or in the current folder, defines itself.
With ROBODYN_NO_USER_CODE=1, which --no-user-code sets, nothing is imported at all.

Modules beside the scenario's file come first, then installed ones, then those in the current
folder. Those beside a file, and what they import from there, have names of their own in
sys.modules: two scenarios whose modules have the same names do not get one another's.
"""
from __future__ import annotations

import builtins
import hashlib
import importlib
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
import importlib.util
import inspect
import os
import sys
from types import ModuleType
from typing import Any, Sequence, TypeVar

from robodyn_ros.checks import shown
from robodyn_ros.errors import printable, ScenarioError
from robodyn_ros.types import Control

FORBIDDEN = 'ROBODYN_NO_USER_CODE'
"""Environment variable; any value but 0 refuses user code, in nodes as in commands."""
SPACE = 'robodyn_user_code_'
"""What names of modules beside a scenario begin with, in sys.modules."""
CONTROLLER, TRAJECTORY, METRIC = 'controller', 'trajectory', 'metric'
_MARK = 'robodyn_part'
Part = TypeVar('Part')


def controller(function: Part) -> Part:
    """Let scenarios name a function of robot and settings that returns a Control (decorator)."""
    setattr(function, _MARK, CONTROLLER)
    return function


def trajectory(part: Part) -> Part:
    """
    Let scenarios name a path of t, or a class that makes a motion, by this decorator.

    A class is called with trajectory.parameters as keywords; what it makes is a path, called with
    t, or a joint motion, with sample(times).
    """
    setattr(part, _MARK, TRAJECTORY)
    return part


def metric(function: Part) -> Part:
    """Let studies name a function of a Result that returns a number (decorator)."""
    setattr(function, _MARK, METRIC)
    return function


def is_metric(made: Any) -> bool:
    """Tell whether something was written to measure runs."""
    return getattr(made, _MARK, '') == METRIC or inspect.isfunction(made) and _is_own(made)


def is_controller(made: Any) -> bool:
    """Tell whether something was written to make control laws."""
    if getattr(made, _MARK, '') == CONTROLLER or inspect.isfunction(made) and _is_own(made):
        return True
    returned = made.__annotations__.get('return') if inspect.isfunction(made) else None
    return returned is Control or (
        isinstance(returned, str) and returned.rpartition('.')[2] == Control.__name__)


def is_trajectory(made: Any, classes: Sequence[type] = ()) -> bool:
    """Tell whether something was written to be a trajectory; classes: those of this package."""
    kind = made if isinstance(made, type) else type(made)
    own = _is_own(made if isinstance(made, type) or inspect.isfunction(made) else kind)
    return own or getattr(made, _MARK, '') == TRAJECTORY or issubclass(kind, tuple(classes))


def _is_own(made: Any) -> bool:
    """Tell whether a module beside a scenario defines something itself, rather than imports it."""
    return str(getattr(made, '__module__', '')).startswith(SPACE)


def is_import_path(text: str) -> bool:
    """Tell 'my_package.module:name' from the name of something ready-made."""
    return ':' in text


def forbid_user_code() -> None:
    """Refuse user code from now on, here and in processes that are started."""
    os.environ[FORBIDDEN] = '1'


def import_object(text: str, key: str, folder: str = '') -> Any:
    """
    Return what 'package.module:name' names.

    :param key: the setting that holds the path, for the complaint
    :param folder: of the scenario's file, searched first
    """
    module_name, _, name = text.partition(':')
    if os.environ.get(FORBIDDEN, '0') not in ('', '0'):
        raise ScenarioError(f'{key} is {shown(text)}, which is code of a user; it is refused '
                            f'({FORBIDDEN}, --no-user-code): read the module, then allow it')
    words = module_name.split('.')
    if not all(word.isidentifier() for word in (*words, name)):
        raise ScenarioError(f'{key} is {shown(text)}; expected package.module:name')
    try:
        module = _module(module_name, words[0], folder)
        found = getattr(module, name, _MARK)
    except (Exception, SystemExit) as error:  # noqa: B902  a user's module may fail in any way
        raise ScenarioError(f'{key} is {shown(text)}: the module cannot be imported '
                            f'({type(error).__name__}: {printable(error)})') from error
    if found is _MARK:
        raise ScenarioError(f'{key} is {shown(text)}: {module_name} has no {name!r}')
    return found


def unmarked(text: str, key: str, made: Any, expected: str) -> ScenarioError:
    """Return the refusal of something that was not written to be named by scenarios."""
    return ScenarioError(f'{key} is {shown(text)}: it is {shown(made)}; expected {expected}')


def call_object(made: Any, text: str, key: str, *args: Any, **kwargs: Any) -> Any:
    """Call what an import path named; a failure is a sentence with the path and its setting."""
    try:
        return made(*args, **kwargs)
    except (Exception, SystemExit) as error:  # noqa: B902  a user's function may fail in any way
        raise ScenarioError(f'{key} is {shown(text)}: it cannot be called as needed '
                            f'({type(error).__name__}: {printable(error)})') from error


def _module(name: str, top: str, folder: str) -> ModuleType:
    """Import a module: beside the scenario, installed, or from the current folder."""
    if folder and _lies_in(folder, top):
        return importlib.import_module(f'{_space_of(folder)}.{name}')
    if top in sys.stdlib_module_names:
        raise ImportError(f'{top} is part of Python, which has no parts of robots')
    if importlib.util.find_spec(top) is None and _lies_in(os.getcwd(), top):
        return importlib.import_module(f'{_space_of(os.getcwd())}.{name}')
    return importlib.import_module(name)


def _lies_in(folder: str, top: str) -> bool:
    """Tell whether a folder has a module or package of a name."""
    return PathFinder.find_spec(top, [folder]) is not None


def _space_of(folder: str) -> str:
    """Return the package that stands for a folder, made when it is first needed."""
    place = os.path.realpath(folder)
    name = SPACE + hashlib.sha256(os.fsencode(place)).hexdigest()[:16]
    if name not in sys.modules:
        space = ModuleType(name, f'User code in {place}.')
        space.__path__ = [place]
        sys.modules[name] = space
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    return name


class _Finder(MetaPathFinder):
    """Finds modules of such packages as Python would, for a loader that knows their folder."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Find a module whose name is ours."""
        if not fullname.startswith(SPACE):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(fullname, spec.loader.path)
        return spec


class _Loader(SourceFileLoader):
    """Runs a module whose imports, early or late, look beside the scenario first."""

    def exec_module(self, module: ModuleType) -> None:
        """Run it with an import statement of its own, as Python lets any module have."""
        space = module.__name__.partition('.')[0]
        folder = sys.modules[space].__path__[0]

        def import_beside(name: str, globals: Any = None, locals: Any = None,  # noqa: A002
                          fromlist: Any = (), level: int = 0) -> Any:
            top = name.partition('.')[0]
            if level or not _lies_in(folder, top):
                return builtins.__import__(name, globals, locals, fromlist, level)
            found = builtins.__import__(f'{space}.{name}', globals, locals, fromlist)
            return found if fromlist else sys.modules[f'{space}.{top}']

        module.__dict__['__builtins__'] = {**vars(builtins), '__import__': import_beside}
        super().exec_module(module)
