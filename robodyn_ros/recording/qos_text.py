# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Quality of service of a recorded topic, as rosbag2 of Jazzy writes it into its channels."""

_FOREVER = '{sec: 9223372036, nsec: 854775807}'


def quality_text(depth: int, reliable: bool, latched: bool) -> str:
    """
    Return the YAML text offered_qos_profiles, a list of one profile.

    :param latched: the last message is kept for those who come later (transient local)
    """
    return (f'- history: keep_last\n  depth: {depth}\n'
            f'  reliability: {"reliable" if reliable else "best_effort"}\n'
            f'  durability: {"transient_local" if latched else "volatile"}\n'
            f'  deadline: {_FOREVER}\n  lifespan: {_FOREVER}\n  liveliness: automatic\n'
            f'  liveliness_lease_duration: {_FOREVER}\n'
            '  avoid_ros_namespace_conventions: false\n')
