# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Parameters of a node: declared once from the scenario's dataclasses, validated whole.

Name, default, unit, bounds and description come from the dataclass; the values of the scenario
file are the defaults, and what ROS is given (--params-file, -p, launch) goes over them. A name the
dataclass does not know is an error. Settings that shape compiled code are read-only.
"""
from __future__ import annotations

from array import array
import dataclasses
import os
from pathlib import Path
from typing import Any, Callable, get_args, get_type_hints, Iterable

from rcl_interfaces.msg import (
    FloatingPointRange, IntegerRange, ParameterDescriptor, SetParametersResult)
from rclpy.parameter import Parameter
from robodyn_ros.errors import RobodynError, UnknownNameError
from robodyn_ros.nodes.common.base_node import BaseNode
from robodyn_ros.nodes.common.options import CHANGEABLE, SHARED
from robodyn_ros.scenario.loading import load_scenario, scenario_names
from robodyn_ros.scenario.schema import Scenario
from robodyn_ros.scenario.settings import Field, FREE, listed_fields, nested, settings_from

ALWAYS = ('scenario', *SHARED)
"""Parameters that a node may be given whether it uses them or not."""
SWITCHES = ('y', 'n', 'yes', 'no', 'on', 'off', 'true', 'false')
"""Words that rcl takes for true or false where they stand in a file without quotes."""


def scenario_of(node: BaseNode, section: str, options: Any,
                given: Scenario | None = None) -> tuple[Scenario, Any]:
    """
    Declare a node's parameters; returns its scenario and its own options as set.

    :param section: 'dynamics', 'controller' or 'trajectory'
    :param options: dataclass of settings that only the node has (rates, time-outs)
    :param given: scenario to use instead of the one the parameter 'scenario' names
    """
    text = 'Scenario of the package, or path of a scenario, URDF or xacro file.'
    name = _declare(node, Field('scenario', _source(given) if given else 'scara_helix', text,
                                FREE))
    scenario = given or load_scenario(str(name))
    shared = {field.name: _declare(node, field) for field in listed_fields(scenario)
              if field.name.split('.')[0] in SHARED}
    shared.update(_declare_open(node, scenario, shared))
    chosen = getattr(scenario, section)
    values = _declare_all(node, chosen, CHANGEABLE[section])
    own = _declare_all(node, options, CHANGEABLE[section])
    _refuse_unknown(node, [*values, *own, *shared, *ALWAYS])
    place = f'parameters of node {node.get_name()}'
    settings = settings_from(type(chosen), nested(values), place)
    own_settings = settings_from(type(options), nested(own), place)
    result = settings_from(Scenario, {**nested(shared), 'name': scenario.name}, place)
    sections = {'dynamics': scenario.dynamics, 'controller': scenario.controller,
                'trajectory': scenario.trajectory, section: settings}
    return dataclasses.replace(result, folder=scenario.folder, **sections), own_settings


def options_of(node: BaseNode, options: Any, changeable: Iterable[str] = ()) -> Any:
    """Declare the parameters of a node that has no scenario; returns its options as set."""
    values = _declare_all(node, options, changeable)
    _refuse_unknown(node, [*values, *ALWAYS])
    return settings_from(type(options), nested(values), f'parameters of node {node.get_name()}')


def on_change(node: BaseNode, settings: Any, check: Callable[[Any], Callable[[], None]]) -> None:
    """
    Let parameters change while the node runs, as a whole or not at all.

    :param settings: dataclass instance whose fields are the parameters
    :param check: returns what applies the new settings; raises for settings that cannot be
    """
    known = {field.name: field.value for field in listed_fields(settings)}

    def checked(parameters: list[Parameter]) -> Callable[[], None] | None:
        values = {p.name: _plain(p.value) for p in parameters if p.name in known}
        if not values:
            return None
        place = f'parameters of node {node.get_name()}'
        return check(settings_from(type(settings), nested({**known, **values}), place))

    def on_set(parameters: list[Parameter]) -> SetParametersResult:
        try:
            checked(parameters)
        except RobodynError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def after_set(parameters: list[Parameter]) -> None:
        apply = checked(parameters)  # again: another callback may have refused the first
        if apply is not None:
            known.update({p.name: _plain(p.value) for p in parameters if p.name in known})
            apply()

    node.add_on_set_parameters_callback(on_set)
    node.add_post_set_parameters_callback(after_set)


def _declare_all(node: BaseNode, settings: Any, changeable: Iterable[str]) -> dict[str, Any]:
    values = {field.name: _declare(node, field, field.name not in changeable,
                                   _is_text(type(settings), field.name))
              for field in listed_fields(settings)}
    return {**values, **_declare_open(node, settings, values)}


def _declare_open(node: BaseNode, settings: Any, known: Iterable[str]) -> dict[str, Any]:
    """Declare entries of open groups (hold, parameters) that only ROS was given."""
    groups = tuple(f.name + '.' for f in dataclasses.fields(settings)
                   if isinstance(getattr(settings, f.name), dict))
    return {name: _declare(node, Field(name, None, 'As given.', FREE))
            for name in node.given if name not in known and name.startswith(groups)}


def _source(scenario: Scenario) -> str:
    """Return what loads a scenario again: its name, or the path of its file."""
    path = Path(scenario.folder) / f'{scenario.name}.yaml'
    ours = scenario.name in scenario_names()
    return str(path) if not ours and os.path.exists(path) else scenario.name


def _declare(node: BaseNode, field: Field, fixed: bool = True, texts: bool = False) -> Any:
    """
    Declare a parameter so that `ros2 param dump` writes what loads again; returns its value.

    :param fixed: it does not change while the node runs
    :param texts: it is a list of texts
    """
    value = node.given.get(field.name, field.value)
    if field.name in node.given and value is None:
        value = ()  # rcl's word for an empty list
    if texts:
        value = _one_text_if_needed(_plain(value, texts))
    elif isinstance(value, (tuple, list)) and all(type(x) in (int, float) for x in value):
        value = array('d', map(float, value))
    elif isinstance(value, tuple):
        value = list(value)
    empty = isinstance(value, (array, list)) and not value
    node.declare_parameter(field.name, [] if empty else value,
                           _descriptor(field, fixed and not empty), ignore_override=True)
    if empty:  # rclpy takes it for one of bytes
        kind = Parameter.Type.STRING_ARRAY if texts else Parameter.Type.DOUBLE_ARRAY
        node.set_parameters([Parameter(field.name, kind, [])])
        node.set_descriptor(field.name, _descriptor(field, fixed))
    return () if value is None else _plain(value, texts)


def _one_text_if_needed(words: Any) -> Any:
    """Return a list of texts as ROS gets it: 'x, y, z', for a bare y in a file is true to rcl."""
    needed = isinstance(words, list) and any(str(word).lower() in SWITCHES for word in words)
    return ', '.join(map(str, words)) if needed else words


def _is_text(kind: Any, name: str) -> bool:
    """Return whether a setting of a dataclass is a list of texts; names of groups are dotted."""
    first, _, rest = name.partition('.')
    hint = get_type_hints(kind).get(first)
    return _is_text(hint, rest) if rest and dataclasses.is_dataclass(hint) \
        else get_args(hint)[:1] == (str,) and not rest


def _plain(value: Any, texts: bool = False) -> Any:
    """Return the value of a parameter as settings have it; a list of texts may be one text."""
    if texts and isinstance(value, str):
        return value.replace(',', ' ').split()
    return list(value) if isinstance(value, (array, tuple)) else value


def _descriptor(field: Field, fixed: bool) -> ParameterDescriptor:
    """Describe a parameter; the type stays open, for 1 must do where 1.0 is meant."""
    made = ParameterDescriptor(description=field.text, read_only=fixed, dynamic_typing=True,
                               additional_constraints=field.allowed)
    least, most = field.bounds.least, field.bounds.most
    if field.bounds is FREE or field.bounds.words:
        return made
    if isinstance(field.value, float):
        made.floating_point_range = [FloatingPointRange(from_value=least, to_value=most)]
    elif isinstance(field.value, int):
        most = min(most, 2.0 ** 31 - 1)
        made.integer_range = [IntegerRange(from_value=int(least), to_value=int(most), step=1)]
    return made


def _refuse_unknown(node: BaseNode, known: Iterable[str]) -> None:
    known = set(known)
    for name in node.given:
        if name not in known:
            raise UnknownNameError('parameter', name, known, f'node {node.get_name()}')
