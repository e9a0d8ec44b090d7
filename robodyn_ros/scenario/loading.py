# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Read scenario files, by name or path, and settle how long their runs are."""
from __future__ import annotations

import dataclasses
import logging
import os
from pathlib import Path
from typing import Any, Mapping, Sequence

from robodyn_ros.checks import expect, items, number
from robodyn_ros.errors import ArgumentError, ScenarioError, UnknownNameError
from robodyn_ros.scenario.periods import periods_in
from robodyn_ros.scenario.schema import Scenario, SECTIONS
from robodyn_ros.scenario.settings import (listed_fields, load_yaml, LONGEST_TEXT, merge,
                                           nested, put, settings_from)
from robodyn_ros.share import share_folder
import yaml

LOG = logging.getLogger('robodyn_ros')
MOST_PERIODS = 10 ** 8
"""Control periods in a run; what it records would not fit into memory by far."""
ROBOT_FILES = ('.urdf', '.xacro')
"""Endings of files that are robots, not scenarios."""
ROUNDING = 1e-6
"""Part of a period that is taken for rounding."""


def scenario_names() -> list[str]:
    """Names of the scenarios that come with the package."""
    return sorted(path.stem for path in share_folder('config').glob('*.yaml'))


def load_scenario(name_or_path: str | Path,
                  changes: Sequence[str] | Mapping[str, Any] = ()) -> Scenario:
    """
    Read a scenario of this package by name or any file by path.

    A robot file, URDF or xacro, gets a scenario of its own: a gentle motion (drafting.py).

    :param changes: {'dynamics.payload.mass': 5.0}, or 'dynamics.payload.mass=5' as of --set
    """
    text = str(name_or_path)
    path = share_folder('config') / f'{text}.yaml' if text in scenario_names() else Path(text)
    if not path.suffix and not os.path.exists(path):
        raise UnknownNameError('scenario', text, scenario_names(),
                               'this package (or give the path of a YAML file)')
    if path.suffix in ROBOT_FILES:
        from robodyn_ros.scenario.drafting import drafted  # which wires motions, as few runs need
        given: dict[str, Any] = {}
        _apply(given, changes)
        return changed(drafted(path, arguments=given.get('robot_arguments')), changes)
    data = _flattened(read_yaml(path), path)
    _apply(data, changes)
    robot = data.get('robot', '')
    local = path.parent / str(robot)
    if Path(str(robot)).suffix in ('.urdf', '.xacro', '.xml') and os.path.exists(local):
        data['robot'] = str(local)
    place = f'{path} with --set' if changes else str(path)
    scenario = settings_from(Scenario, {**data, 'name': path.stem}, place)
    return dataclasses.replace(scenario, folder=str(path.parent.resolve()))


def changed(scenario: Scenario, changes: Sequence[str] | Mapping[str, Any]) -> Scenario:
    """Return a scenario with other values, such as {'dynamics.payload.mass': 5.0}."""
    data = nested({field.name: field.value for field in listed_fields(scenario)})
    _apply(data, changes)
    made = settings_from(Scenario, data, scenario.name)
    return dataclasses.replace(made, folder=scenario.folder)


def _apply(data: dict[str, Any], changes: Sequence[str] | Mapping[str, Any]) -> None:
    if isinstance(changes, Mapping):
        for name, value in changes.items():
            expect(str, 'a name in set', name, "a setting such as 'dynamics.payload.mass'")
            put(data, name, value, f'set {name!r}')
        return
    for change in items(str, 'set', changes, "texts such as 'dynamics.payload.mass=5'"):
        merge(data, change)


def read_yaml(path: Path) -> Any:
    """Return what a YAML file holds; a file that is none is refused with a sentence."""
    try:
        with open(path, 'rb') as file:  # no more than can be a scenario of any letters
            text = file.read(4 * LONGEST_TEXT + 1).decode('utf-8')
        return load_yaml(text, str(path))
    except FileNotFoundError:
        raise ScenarioError(f'{path}: there is no such file; give a scenario of this package '
                            f'({", ".join(scenario_names())}) or the path of one') from None
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a path with a zero byte
        raise ScenarioError(f'{path}: cannot be read ({error})') from None
    except yaml.YAMLError as error:
        raise ScenarioError(f'{path}: is not YAML ({" ".join(str(error).split())})') from None


def _flattened(data: Any, path: Path) -> dict[str, Any]:
    """Sections without ROS's own layers: shared values at the top, one mapping per node."""
    if not isinstance(data, dict) or not data:
        raise ScenarioError(f'{path}: expected the sections /**, {", ".join(SECTIONS)}')
    result: dict[str, Any] = {}
    for node, body in data.items():
        if node not in ('/**', *SECTIONS):
            raise UnknownNameError('section', node, ('/**', *SECTIONS), str(path))
        values = body.get('ros__parameters') if isinstance(body, dict) else None
        if not isinstance(values, dict) or set(body) != {'ros__parameters'}:
            raise ScenarioError(f'{path}: section {node!r} must hold ros__parameters and nothing '
                                'else, as ROS 2 parameter files do')
        result.update(values) if node == '/**' else result.update({node: dict(values)})
    for key in ('use_sim_time', 'scenario'):  # for the nodes: the clock, and the file's own name
        result.pop(key, None)
    return result


def with_duration(scenario: Scenario, asked: float | None = None) -> Scenario:
    """
    Return the scenario with the duration it will really have: whole control periods.

    A line in the log says where that differs.

    :param asked: value of --duration, instead of the scenario's own [s]
    """
    name = f'duration of {scenario.name}' if asked is None else '--duration'
    seconds = scenario.duration if asked is None else asked
    period = scenario.controller.period
    number(name, seconds, 'a positive number of seconds', above=0.0)
    if not 1.0 - ROUNDING <= seconds / period <= MOST_PERIODS:
        raise ArgumentError(f'{name} is {seconds:g} s; expected {period:g} to '
                            f'{MOST_PERIODS * period:g} s, as controller.period is {period:g} s')
    whole = periods_in(seconds, period) * period
    if abs(whole - seconds) <= ROUNDING * period:
        whole = seconds
    else:
        LOG.warning('%s is %.9g s; the run lasts %.9g s, a whole number of control periods of '
                    '%g s', name, seconds, whole, period)
    return dataclasses.replace(scenario, duration=whole)
