# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Find a user's own constraint, controller or trajectory by its import path."""
from __future__ import annotations

import importlib
import os
import sys
from typing import Any

from robodyn_ros.errors import ScenarioError


FOLDERS: list[str] = []
"""Folders of scenario files, where a user's own modules may lie beside them."""


def is_import_path(text: str) -> bool:
    """Tell 'my_package.module:name' from the name of something ready-made."""
    return ':' in text


def import_object(text: str, key: str) -> Any:
    """
    Return what 'package.module:name' names; the scenario's folder and this one are searched too.

    :param key: the setting that holds the path, for the complaint
    """
    module_name, _, name = text.partition(':')
    for folder in (os.getcwd(), *FOLDERS):
        if folder not in sys.path:
            sys.path.append(folder)
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # noqa: B902  a user's module may fail in any way
        raise ScenarioError(f'{key} is {text!r}: the module cannot be imported '
                            f'({type(error).__name__}: {error})') from error
    if not hasattr(module, name):
        raise ScenarioError(f'{key} is {text!r}: {module_name} has no {name!r}')
    return getattr(module, name)
