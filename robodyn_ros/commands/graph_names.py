# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Names of topics and namespaces, checked before rcl, whose answers are riddles; no ROS."""
from __future__ import annotations

import re

from robodyn_ros.errors import StateError

NAME = re.compile(r'/?[A-Za-z_]\w*(/[A-Za-z_]\w*)*', re.ASCII)
LONGEST = 200
"""Letters of a name; DDS has room for somewhat more, and a namespace may come before it."""


def check_name(option: str, name: str, example: str) -> None:
    """
    Refuse what ROS cannot use as a name.

    :param option: where it was given, such as '--states-topic'
    :param example: of a good one
    """
    if not NAME.fullmatch(name) or len(name) > LONGEST:
        raise StateError(f'{option} is {name!r}; expected a ROS name such as {example}: words of '
                         f'letters, digits and _, none begun by a digit, with / between them, at '
                         f'most {LONGEST} letters')
