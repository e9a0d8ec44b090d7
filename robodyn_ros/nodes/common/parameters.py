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
from typing import Any, Callable, Iterable

from rcl_interfaces.msg import (
    FloatingPointRange, IntegerRange, ParameterDescriptor, SetParametersResult)
from rclpy.parameter import Parameter
from robodyn_ros.errors import RobodynError, UnknownNameError
from robodyn_ros.nodes.common.base_node import BaseNode
from robodyn_ros.nodes.common.options import CHANGEABLE, SHARED
from robodyn_ros.scenario.loading import load_scenario
from robodyn_ros.scenario.schema import Scenario
from robodyn_ros.scenario.settings import Field, FREE, listed_fields, nested, settings_from

ALWAYS = ('scenario', *SHARED)
"""Parameters that a node may be given whether it uses them or not."""


def scenario_of(node: BaseNode, section: str, options: Any,
                given: Scenario | None = None) -> tuple[Scenario, Any]:
    """
    Declare a node's parameters; returns its scenario and its own options as set.

    :param section: 'dynamics', 'controller' or 'trajectory'
    :param options: dataclass of settings that only the node has (rates, time-outs)
    :param given: scenario to use instead of the one the parameter 'scenario' names
    """
    text = 'Scenario of the package, or path of a scenario file.'
    name = _declare(node, Field('scenario', given.name if given else 'scara_helix', text, FREE))
    scenario = given or load_scenario(str(name))
    shared = {field.name: _declare(node, field) for field in listed_fields(scenario)
              if field.name in SHARED}
    chosen = getattr(scenario, section)
    values = _declare_all(node, chosen, CHANGEABLE[section])
    own = _declare_all(node, options, CHANGEABLE[section])
    _refuse_unknown(node, [*values, *own, *ALWAYS])
    place = f'parameters of node {node.get_name()}'
    settings = settings_from(type(chosen), nested(values), place)
    own_settings = settings_from(type(options), nested(own), place)
    result = settings_from(Scenario, {**shared, 'name': scenario.name}, place)
    sections = {'dynamics': scenario.dynamics, 'controller': scenario.controller,
                'trajectory': scenario.trajectory, section: settings}
    return dataclasses.replace(result, folder=scenario.folder, **sections), own_settings


def options_of(node: BaseNode, options: Any) -> Any:
    """Declare the parameters of a node that has no scenario; returns its options as set."""
    values = _declare_all(node, options, CHANGEABLE[node.get_name()])
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
    values = {field.name: _declare(node, field, field.name not in changeable)
              for field in listed_fields(settings)}
    # entries of open groups (hold, parameters) that only ROS was given
    groups = [f.name + '.' for f in dataclasses.fields(settings)
              if isinstance(getattr(settings, f.name), dict)]
    for name in node.given:
        if name not in values and any(name.startswith(group) for group in groups):
            values[name] = _declare(node, Field(name, None, 'As given.', FREE))
    return values


def _declare(node: BaseNode, field: Field, fixed: bool = True) -> Any:
    value = field.value
    if isinstance(value, (tuple, list)) and all(isinstance(x, (int, float)) for x in value):
        value = array('d', map(float, value)) if value else None
    elif isinstance(value, tuple):
        value = list(value)
    found = node.declare_parameter(field.name, value, _descriptor(field, fixed)).value
    return () if found is None else _plain(found)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, array) else value


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
