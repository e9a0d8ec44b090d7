# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
YAML in which no key may stand twice.

YAML forbids it, but PyYAML takes the last one and says nothing: a second section `dynamics` would
take the payload of the first away.
"""
from __future__ import annotations

from typing import Any

from robodyn_ros.errors import ScenarioError
import yaml


def load_yaml(text: str, place: str) -> Any:
    """
    Return the value of a YAML text; yaml.YAMLError if it is none.

    :param place: what complaints begin with, such as the file
    """
    loader = _Loader(text)
    loader.place = place
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()


class _Loader(yaml.SafeLoader):
    """Looks at the keys of every mapping, at any depth, before anything is built of them."""

    place = ''

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
                    f'{self.place}: the key {key.value!r} of line {line} stands in line '
                    f'{lines[name]} already; put both into one, or take one away')
            lines[name] = line
        return node
