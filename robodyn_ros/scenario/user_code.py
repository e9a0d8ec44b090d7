# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A user's own constraint, controller or trajectory, found by its import path."""
from __future__ import annotations

import importlib
import os
import sys
from typing import Any

from robodyn_ros.errors import ScenarioError


def is_import_path(text: str) -> bool:
    """Tell 'my_package.module:name' from the name of something ready-made."""
    return ':' in text


def import_object(text: str, key: str, folder: str = '') -> Any:
    """
    Return what 'package.module:name' names.

    :param key: the setting that holds the path, for the complaint
    :param folder: of the scenario's file, searched after sys.path and the current folder; both
        stay on sys.path, as a user's function may import more when it is called
    """
    module_name, _, name = text.partition(':')
    for place in (os.getcwd(), folder):
        if place and place not in sys.path:
            sys.path.append(place)
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # noqa: B902  a user's module may fail in any way
        raise ScenarioError(f'{key} is {text!r}: the module cannot be imported '
                            f'({type(error).__name__}: {error})') from error
    if not hasattr(module, name):
        raise ScenarioError(f'{key} is {text!r}: {module_name} has no {name!r}')
    return getattr(module, name)


def call_object(made: Any, text: str, key: str, *args: Any, **kwargs: Any) -> Any:
    """Call what an import path named; a failure is a sentence with the path and its setting."""
    try:
        return made(*args, **kwargs)
    except (Exception, SystemExit) as error:  # noqa: B902  a user's function may fail in any way
        raise ScenarioError(f'{key} is {text!r}: it cannot be called as needed '
                            f'({type(error).__name__}: {error})') from error
