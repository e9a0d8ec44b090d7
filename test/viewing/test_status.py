# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The page's status line: what plant and controller say, the graver first."""

import pytest
from robodyn_ros.viewing.status import LawReport, PlantReport, SILENCE, status_line

FOLLOWING = LawReport('following', 0.0)


def plant(mode, text=None, paused=False):
    """Return a report of this moment."""
    return PlantReport(mode, paused, text or mode, 0.0)


@pytest.mark.parametrize('said, law, line', [
    (plant('fault', 'joint_4 is beyond its limit', paused=True), FOLLOWING,
     'fault: joint_4 is beyond its limit'),
    (plant('moving', paused=True), FOLLOWING, 'paused'),
    (plant('holding', 'no command in time: hold'), FOLLOWING, 'no command in time: hold'),
    (plant('moving', 'no command in time: zero'), FOLLOWING, 'no command in time: zero'),
    (plant('waiting', 'held until the first command'), LawReport('no trajectory', 0.0),
     'held until the first command'),
    (plant('finished'), None, 'finished'),
    (plant('moving'), FOLLOWING, 'following'),
    (plant('moving'), LawReport('holding at the end of the trajectory', 0.0),
     'holding at the end of the trajectory'),
    (plant('moving'), LawReport('stopped: holding', 0.0), 'stopped: holding'),
    (plant('moving', 'moving; runs at 0.60 times real time, 1 was asked for'), FOLLOWING,
     'following; runs at 0.60 times real time, 1 was asked for'),
    (plant('moving'), None, 'moving'),
    (None, FOLLOWING, 'following'),
    (None, None, '')])
def test_the_graver_word_wins(said, law, line):
    """Fault, pause, hold, then what the controller does, then the plant's mode."""
    assert status_line(said, law, 0.5) == line


def test_a_word_of_long_ago_does_not_count():
    """A controller that is gone follows nothing; a plant that is gone does not move for ever."""
    later = SILENCE + 1.0
    fresh = plant('moving')._replace(wall=later)
    assert status_line(fresh, FOLLOWING, later) == 'moving'
    assert status_line(plant('moving'), FOLLOWING, later) == 'no word from the plant for 4 s'
