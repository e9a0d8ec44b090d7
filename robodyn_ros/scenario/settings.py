# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Settings: bounds at the fields of dataclasses, which are filled from mappings and YAML.

The one place that checks types and bounds of settings, with one sentence about each slip: those of
files, of --set, of ROS parameters and of dataclasses that were made in Python. `ros2 param
describe` and the reference of all parameters read the same bounds.
"""
from __future__ import annotations

import ast
import collections.abc
import dataclasses
import functools
import inspect
from math import inf
from numbers import Integral
import re
import textwrap
import typing
from typing import Any, Mapping, TypeVar

from robodyn_ros.checks import number, shown
from robodyn_ros.errors import ArgumentError, ScenarioError, UnknownNameError
import yaml

POWER_OF_TEN = re.compile(r'[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+')
"""1e-3, which YAML 1.1 takes for a text (it wants 1.0e-3), but ROS 2 and people for a number."""
LONGEST_TEXT = 1_000_000
"""Letters of a YAML text; a second or two to read."""
DEEPEST = 40
"""Levels of lists and mappings within one another."""
LARGEST_WHOLE = 2 ** 63 - 1
"""Of whole numbers, as ROS 2 has them."""
Settings = TypeVar('Settings')
_hints_of = functools.cache(typing.get_type_hints)


@dataclasses.dataclass(frozen=True)
class Bounds:
    """Range of a number (of each, in a list), or the words there are, told once for all uses."""

    least: float = -inf
    most: float = inf
    words: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """In words, such as 'at least 0'; empty if everything is allowed."""
        if self.words:
            return f'one of {", ".join(self.words)}'
        if self.most == inf:
            return '' if self.least == -inf else f'at least {self.least:g}'
        return f'at most {self.most:g}' if self.least == -inf \
            else f'{self.least:g} .. {self.most:g}'

    def allow(self, value: Any) -> bool:
        """Return whether a value is allowed."""
        return value in self.words if self.words else self.least <= value <= self.most


FREE = Bounds()
NOT_A_SETTING = 'not_a_setting'
"""Metadata of a dataclass field that no file, option or parameter may give."""


def bounded(default: Any, least: float = -inf, most: float = inf,
            words: tuple[str, ...] = ()) -> Any:
    """Return a dataclass field with bounds."""
    return dataclasses.field(default=default, metadata={'bounds': Bounds(least, most, words)})


def bounds_of(field: dataclasses.Field) -> Bounds:
    """Return the bounds of a dataclass field."""
    return field.metadata.get('bounds', FREE)


def settings_from(kind: type, values: Mapping[str, Any], place: str, prefix: str = '') -> Any:
    """
    Build a dataclass; nested dataclasses from nested mappings.

    :param place: file named in complaints; :param prefix: dotted key so far
    """
    arguments = {key: _value(kind, key, value, place, prefix) for key, value in values.items()}
    try:
        return kind(**arguments)
    except TypeError:
        missing = [f.name for f in dataclasses.fields(kind) if f.name not in arguments
                   and f.default is dataclasses.MISSING
                   and f.default_factory is dataclasses.MISSING]
        raise ScenarioError(f'{place}: {prefix}{missing[0] if missing else kind.__name__} is '
                            'missing; give it a value') from None


def _value(kind: type, key: str, value: Any, place: str, prefix: str) -> Any:
    """Return a value as a field of a dataclass holds it, or refuse it."""
    known = _bounds_by_name(kind)
    if key not in known:
        raise UnknownNameError('key', f'{prefix}{key}', (prefix + k for k in known), place)
    found = _converted(_hints_of(kind)[key], value, place, prefix + key)
    for item in found if isinstance(found, tuple) else [found]:
        if known[key] is not FREE and not known[key].allow(item):
            raise _wrong(place, prefix + key, item, known[key].text)
    return found


@functools.cache
def _bounds_by_name(kind: type) -> dict[str, Bounds]:
    return {f.name: bounds_of(f) for f in setting_fields(kind)}


def with_value(settings: Settings, name: str, value: Any, place: str,
               prefix: str = '') -> Settings:
    """Return settings with another value under a dotted name, checked as those of a file."""
    key, _, rest = name.partition('.')
    inside = getattr(settings, key, None)
    if rest and dataclasses.is_dataclass(inside):
        value = with_value(inside, rest, value, place, f'{prefix}{key}.')  # type: ignore[type-var]
    else:
        if rest and isinstance(inside, collections.abc.Mapping):
            value = {**inside, rest: value}
        elif rest:
            key = name  # which no field is called
        value = _value(type(settings), key, value, place, prefix)
    return dataclasses.replace(settings, **{key: value})  # type: ignore[type-var]


def checked(settings: Settings, place: str) -> Settings:
    """Check a dataclass that was made in Python as if its values had come from a file."""
    made = settings_from(type(settings), _values_of(settings), place)
    return dataclasses.replace(settings, **_values_of(made))  # type: ignore[type-var]


def setting_fields(kind: Any) -> list[dataclasses.Field]:
    """Return the fields of a dataclass that are settings."""
    return [f for f in dataclasses.fields(kind) if NOT_A_SETTING not in f.metadata]


def _values_of(settings: Any) -> dict[str, Any]:
    return {f.name: getattr(settings, f.name) for f in setting_fields(settings)}


def merge(data: dict[str, Any], change: str) -> None:
    """Apply one change such as 'dynamics.payload.mass=5' to nested mappings."""
    key, equals, text = change.partition('=')
    if not equals or not key:
        raise ScenarioError(f'--set {change!r}: expected KEY=VALUE, such as '
                            'dynamics.payload.mass=5')
    try:
        value = load_yaml(text, f'--set {change!r}')
    except yaml.YAMLError:
        raise ScenarioError(f'--set {change!r}: {text!r} is not a YAML value') from None
    put(data, key, value, f'--set {change!r}')


def put(data: dict[str, Any], key: str, value: Any, place: str) -> None:
    """Put a value under a dotted key into nested mappings; place: for complaints."""
    *parents, last = key.split('.')
    for parent in parents:
        data = data.setdefault(parent, {})
        if not isinstance(data, dict):
            raise ScenarioError(f'{place}: {parent!r} holds a value, not settings')
    data[last] = value


def _converted(hint: Any, value: Any, place: str, key: str) -> Any:
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    group = dataclasses.is_dataclass(hint)
    if group and isinstance(value, hint):  # type: ignore[arg-type]
        value = _values_of(value)
    if (group or origin is collections.abc.Mapping) and not isinstance(value, dict):
        raise _wrong(place, key, value, 'a group of settings')
    if group:
        return settings_from(hint, value, place, key + '.')  # type: ignore[arg-type]
    if origin is tuple:
        items = value if isinstance(value, (list, tuple)) else [value]
        return tuple(_converted(parts[0], item, place, key) for item in items)
    if origin is collections.abc.Mapping:
        return {str(k): _converted(parts[1], v, place, f'{key}.{k}') for k, v in value.items()}
    if hint is float:
        if isinstance(value, str) and POWER_OF_TEN.fullmatch(value):
            value = float(value)
        try:
            return number(key, value)
        except ArgumentError:
            raise _wrong(place, key, value, 'a finite number') from None
    if hint is int:
        if isinstance(value, bool) or not isinstance(value, Integral) \
                or not -LARGEST_WHOLE - 1 <= int(value) <= LARGEST_WHOLE:
            raise _wrong(place, key, value, 'a whole number')
        return int(value)
    if hint is bool and not isinstance(value, bool):
        raise _wrong(place, key, value, 'true or false')
    if hint is str and not isinstance(value, str):
        raise _wrong(place, key, value, 'a text')
    return value


def _wrong(place: str, key: str, value: Any, expected: str) -> ScenarioError:
    return ScenarioError(f'{place}: {key} is {shown(value)}; expected {expected}')


class Field(typing.NamedTuple):
    """One setting of a dataclass, nested ones by dotted name."""

    name: str
    value: Any
    """As set in the instance it was listed from."""
    text: str
    """Its documentation: the string that stands under the field."""
    bounds: Bounds

    @property
    def allowed(self) -> str:
        """In words what the value may be; of an empty list ROS does not even know the type."""
        listed = 'a list' if isinstance(self.value, (tuple, list)) else ''
        return ', each '.join(filter(None, (listed, self.bounds.text)))


def listed_fields(settings: Any, prefix: str = '') -> list[Field]:
    """Return every setting of a dataclass instance with its value and documentation."""
    result = []
    texts = field_texts(type(settings))
    for item in setting_fields(settings):
        value, name = getattr(settings, item.name), prefix + item.name
        if dataclasses.is_dataclass(value):
            result += listed_fields(value, name + '.')
        elif isinstance(value, collections.abc.Mapping):
            result += [Field(f'{name}.{key}', entry, texts.get(item.name, ''), bounds_of(item))
                       for key, entry in value.items()]
        else:
            result.append(Field(name, value, texts.get(item.name, ''), bounds_of(item)))
    return result


def _read_texts(kind: type) -> dict[str, str]:
    texts = {}
    for base in filter(dataclasses.is_dataclass, reversed(kind.__mro__)):
        body = ast.parse(textwrap.dedent(inspect.getsource(base))).body[0].body  # type: ignore
        for item, below in zip(body, body[1:]):
            if isinstance(item, ast.AnnAssign) and isinstance(below, ast.Expr) \
                    and isinstance(below.value, ast.Constant):
                texts[item.target.id] = ' '.join(str(below.value.value).split())  # type: ignore
    return texts


field_texts: typing.Callable[[type], dict[str, str]] = functools.cache(_read_texts)
"""Return the strings that stand under the fields of a dataclass, by field."""


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """Turn dotted names into nested mappings, as in the file."""
    result: dict[str, Any] = {}
    for name, value in values.items():
        *parents, last = name.split('.')
        place = result
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = value
    return result


def load_yaml(text: str, place: str) -> Any:
    """
    Return the value of a YAML text, in which no key may stand twice; yaml.YAMLError if it is none.

    :param place: what complaints begin with, such as the file
    """
    if len(text) > LONGEST_TEXT:
        raise ScenarioError(f'{place}: has {len(text)} letters; expected at most {LONGEST_TEXT}: '
                            'keep tables of numbers in a CSV file (trajectory.kind table)')
    loader = _Loader(text)
    loader.place = place
    try:
        return loader.get_single_data()
    except (ValueError, OverflowError) as error:  # a date of no calendar, thousands of digits
        raise ScenarioError(f'{place}: a value cannot be read ({error})') from None
    finally:
        loader.dispose()


class _Loader(yaml.SafeLoader):
    """
    Looks at every mapping, at any depth, before anything is built of it.

    YAML forbids a key twice, but PyYAML takes the last one and says nothing: a second section
    `dynamics` would take the payload of the first away. A few aliases of aliases are a value of
    any size; ROS 2's own reader of such files has no aliases at all.
    """

    place = ''
    _depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Refuse aliases, and what lies too deep."""
        event = self.peek_event()
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            raise ScenarioError(f'{self.place}: line {line} has the alias *{event.anchor}, which '
                                'ROS 2 does not read either; write the value out')
        if self._depth >= DEEPEST:
            raise ScenarioError(f'{self.place}: line {line} lies more than {DEEPEST} levels deep; '
                                'settings have four')
        self._depth += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1

    def compose_mapping_node(self, anchor: Any) -> Any:
        """Refuse a key that stood in the same mapping before."""
        node = super().compose_mapping_node(anchor)
        lines: dict[tuple[str, str], int] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue  # a list as a key is refused later
            name, line = (key.tag, key.value), key.start_mark.line + 1
            if name in lines:
                raise ScenarioError(
                    f'{self.place}: the key {shown(key.value)} of line {line} stands in line '
                    f'{lines[name]} already; put both into one, or take one away')
            lines[name] = line
        return node

    def construct_yaml_int(self, node: Any) -> int:
        """Refuse whole numbers that ROS 2 has not."""
        value = super().construct_yaml_int(node)
        if not -LARGEST_WHOLE - 1 <= value <= LARGEST_WHOLE:
            line = node.start_mark.line + 1
            raise ScenarioError(f'{self.place}: line {line} has a whole number of more than '
                                '64 bits; a number with a point has no such limit')
        return value


_Loader.add_constructor('tag:yaml.org,2002:int', _Loader.construct_yaml_int)
