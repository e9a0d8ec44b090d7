# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Parameters of a node: declared once from the scenario's dataclasses, validated whole.

Name, default, unit and description come from the dataclass; the values of the scenario file are
the defaults, and what ROS is given (--params-file, -p, launch) goes over them. A name the
dataclass does not know is an error. Settings that shape compiled code are read-only.
"""
from __future__ import annotations

from array import array
import dataclasses
from typing import Any, Callable, Iterable

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter
from robodyn_ros.errors import RobodynError, UnknownNameError
from robodyn_ros.scenario import load_scenario, Scenario
from robodyn_ros.settings import listed_fields, nested, settings_from

SHARED = ('robot', 'duration', 'tolerance')
ALWAYS = ('scenario', 'use_sim_time', *SHARED)


def scenario_of(node: Node, section: str, options: Any, changeable: Iterable[str],
                given: Scenario | None = None) -> tuple[Scenario, Any]:
    """
    Declare a node's parameters; returns its scenario and its own options as set.

    :param section: 'dynamics', 'controller' or 'trajectory'
    :param options: dataclass of settings that only the node has (rates, time-outs)
    :param changeable: dotted names of the section that may change while running
    :param given: scenario to use instead of the one the parameter 'scenario' names
    """
    text = 'Scenario of the package, or path of a scenario file.'
    default = given.name if given else 'scara_helix'
    name = node.declare_parameter('scenario', default, _descriptor(text, True)).value
    scenario = given or load_scenario(str(name))
    shared = {key: getattr(scenario, key) for key in SHARED}
    texts = {field.name: field.text for field in listed_fields(scenario)}
    for key in SHARED:
        shared[key] = _declare(node, key, shared[key], texts[key], True)
    chosen = getattr(scenario, section)
    values = _declare_all(node, chosen, changeable)
    own = _declare_all(node, options, ())
    _refuse_unknown(node, [*values, *own, *ALWAYS])
    place = f'parameters of node {node.get_name()}'
    settings = settings_from(type(chosen), nested(values), place)
    own_settings = settings_from(type(options), nested(own), place)
    result = settings_from(Scenario, {**shared, 'name': scenario.name}, place)
    sections = {'dynamics': scenario.dynamics, 'controller': scenario.controller,
                'trajectory': scenario.trajectory, section: settings}
    return dataclasses.replace(result, **sections), own_settings


def on_change(node: Node, settings: Any, apply: Callable[[Any], None]) -> None:
    """
    Call apply(settings) when parameters change; its error refuses the change as a whole.

    apply must check everything before it changes anything.
    """
    known = {field.name: field.value for field in listed_fields(settings)}

    def changed(parameters: list[Parameter]) -> SetParametersResult:
        values = {**known, **{p.name: _plain(p.value) for p in parameters if p.name in known}}
        try:
            apply(settings_from(type(settings), nested(values), node.get_name()))
        except RobodynError as error:
            return SetParametersResult(successful=False, reason=str(error))
        known.update(values)
        return SetParametersResult(successful=True)

    node.add_on_set_parameters_callback(changed)


def _declare_all(node: Node, settings: Any, changeable: Iterable[str]) -> dict[str, Any]:
    fields = {field.name: field for field in listed_fields(settings)}
    values = {name: _declare(node, name, field.value, field.text, name not in set(changeable))
              for name, field in fields.items()}
    # entries of open groups (hold, parameters) that only ROS was given
    groups = [f.name + '.' for f in dataclasses.fields(settings)
              if isinstance(getattr(settings, f.name), dict)]
    for name in list(node._parameter_overrides):
        if name not in values and any(name.startswith(group) for group in groups):
            values[name] = _declare(node, name, None, '', True)
    return values


def _declare(node: Node, name: str, value: Any, text: str, fixed: bool) -> Any:
    if isinstance(value, tuple):
        value = list(value) if value and isinstance(value[0], str) else array('d', value) \
            if all(isinstance(x, float) for x in value) and value else list(value) or None
    if isinstance(value, list) and value and all(isinstance(x, (int, float)) for x in value):
        value = array('d', map(float, value))
    found = node.declare_parameter(name, value, _descriptor(text, fixed)).value
    return () if found is None else _plain(found)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, array) else value


def _descriptor(text: str, fixed: bool) -> ParameterDescriptor:
    return ParameterDescriptor(description=text, read_only=fixed, dynamic_typing=True)


def _refuse_unknown(node: Node, known: Iterable[str]) -> None:
    known = set(known)
    for name in node._parameter_overrides:
        if name not in known and not name.startswith('qos_overrides.') \
                and not name.startswith('diagnostic_updater.'):
            raise UnknownNameError('parameter', name, known, f'node {node.get_name()}')
