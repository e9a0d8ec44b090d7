# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
One of the two processes that test_isolation.py starts; pytest does not collect it by itself.

It says its name on a topic all the time and notes every name it hears. The two wait for each
other through files: `<name>.ready` (I hear myself, so DDS works) and `<name>.done`
(I know enough).
"""

from collections import Counter
import json
import os
from pathlib import Path
import time

import pytest

rclpy = pytest.importorskip('rclpy')
String = pytest.importorskip('std_msgs.msg').String

OWN_WORDS = 100     # heard from myself while both talk: 2 s or more, ten times a usual discovery
DEADLINE = 120.0    # [s] only a broken machine gets there
WORKERS = {'gw0': 'alice', 'gw1': 'bob'}


def test_talk():
    """Talk until both know what there is to know."""
    me = os.environ.get('TALK_ME') or WORKERS[os.environ['PYTEST_XDIST_WORKER']]
    other, = set(WORKERS.values()) - {me}
    folder, meet = Path(os.environ['TALK_FOLDER']), os.environ['TALK_MEET'] == 'yes'
    heard = Counter()

    rclpy.init()
    node = rclpy.create_node(me)
    node.create_subscription(String, 'who_is_there', lambda word: heard.update([word.data]), 100)
    voice = node.create_publisher(String, 'who_is_there', 100)
    voice_timer = node.create_timer(0.02, lambda: voice.publish(String(data=me)))

    def talk_until(condition):
        end = time.monotonic() + DEADLINE
        while not condition():
            assert time.monotonic() < end, f'{me} heard {dict(heard)} and gave up'
            rclpy.spin_once(node, timeout_sec=0.1)

    talk_until(lambda: heard[me])
    (folder / f'{me}.ready').touch()
    talk_until((folder / f'{other}.ready').exists)
    enough = heard[me] + OWN_WORDS
    talk_until(lambda: heard[other] if meet else heard[me] >= enough)
    (folder / f'{me}.done').touch()
    talk_until((folder / f'{other}.done').exists)       # audible until the other is through too

    voice_timer.cancel()
    node.destroy_node()
    rclpy.try_shutdown()
    (folder / f'{me}.json').write_text(json.dumps({
        'heard': sorted(heard),
        'domain': os.environ['ROS_DOMAIN_ID'],
        'range': os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'],
    }))
