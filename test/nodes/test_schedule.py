# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""When a motion is sent: with a lead on a running clock, at once on a waiting one, for ever."""

from robodyn_ros.nodes.trajectory.schedule import Schedule

LENGTH, PERIOD, DELAY = 1000, 10, 300


def test_nothing_before_the_clock_then_once():
    """A clock that stands still starts the motion at its own time; then there is silence."""
    schedule = Schedule(LENGTH, PERIOD, DELAY)
    assert schedule.look(0, False) == []
    assert schedule.look(55, False) == []  # does it move? not known yet
    assert schedule.look(55, False) == [60]
    assert schedule.look(60, False) == schedule.look(1500, False) == []


def test_a_running_clock_gets_a_lead_and_a_newcomer_everything_again():
    """The start is a whole number of periods ahead; who comes later gets the same stamp."""
    schedule = Schedule(LENGTH, PERIOD, DELAY)
    schedule.look(50, False)
    assert schedule.look(101, False) == [410]
    assert schedule.look(600, True) == [410]


def test_repeats_join_without_a_gap_and_catch_up():
    """The next lap is sent in the second half of the running one; missed laps are left out."""
    schedule = Schedule(LENGTH, PERIOD, DELAY, repeat=True)
    schedule.look(50, False)
    first, = schedule.look(101, False)
    assert schedule.look(first + 499, False) == []
    assert schedule.look(first + 500, False) == [first + LENGTH]
    assert schedule.look(first + 501, True) == [first, first + LENGTH]
    assert schedule.look(first + 5 * LENGTH + 1, False) == [first + 6 * LENGTH]


def test_a_clock_that_begins_anew_starts_the_motion_again():
    """The plant was restarted: the old start lies far ahead of its clock."""
    schedule = Schedule(LENGTH, PERIOD, DELAY)
    schedule.look(9000, False)
    schedule.look(9100, False)
    assert schedule.look(100, False) == [400]
