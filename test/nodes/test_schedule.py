# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""When a motion is sent: with a lead on a running clock, at once on a waiting one, for ever."""

from robodyn_ros.nodes.trajectory.schedule import Schedule

LENGTH, PERIOD, DELAY = 1000, 10, 300


def test_nothing_before_the_clock_and_the_arm_then_once():
    """A clock that stands still starts the motion at its own time; then there is silence."""
    schedule = Schedule(LENGTH, PERIOD, DELAY)
    assert schedule.look(0, False, 0) == []
    assert schedule.look(55, False, 0) == []  # does it move? not known yet
    assert schedule.look(55, False, None) == []  # where is the arm?
    assert schedule.look(55, False, 0) == [60]
    assert schedule.look(60, False, 0) == schedule.look(1500, False, 0) == []


def test_a_running_clock_gets_a_lead_and_a_newcomer_everything_again():
    """The start is a whole number of periods ahead; who comes later gets the same stamp."""
    schedule = Schedule(LENGTH, PERIOD, DELAY)
    schedule.look(50, False, 0)
    assert schedule.look(101, False, 0) == [410]
    assert schedule.look(600, True, None) == [410]


def test_repeats_join_without_a_gap_and_catch_up():
    """The next lap is sent in the second half of the running one; missed laps are left out."""
    schedule = Schedule(LENGTH, PERIOD, DELAY, repeat=True)
    schedule.look(50, False, 0)
    first, = schedule.look(101, False, 0)
    assert schedule.look(first + 499, False, None) == []
    assert schedule.look(first + 500, False, None) == [first + LENGTH]
    assert schedule.look(first + 501, True, None) == [first, first + LENGTH]
    assert schedule.look(first + 5 * LENGTH + 1, False, None) == [first + 6 * LENGTH]


def test_a_clock_that_begins_anew_starts_the_motion_again():
    """The plant was restarted: the old start lies far ahead of its clock."""
    schedule = Schedule(LENGTH, PERIOD, DELAY)
    schedule.look(9000, False, 0)
    schedule.look(9100, False, 0)
    assert schedule.look(100, False, None) == [] and schedule.due
    assert schedule.look(110, False, 0) == [410]


def test_a_clock_that_is_set_back_ends_the_motion_where_it_must_be_asked_for():
    """A clock of the wall, or a plant that is started by hand: nothing begins by itself."""
    schedule = Schedule(LENGTH, PERIOD, DELAY, repeat=True, anew=False)
    schedule.look(9000, False, 0)
    assert schedule.look(9100, False, 0)
    assert not any(schedule.look(now, False, 0) for now in range(100, 20_000, 50))


def test_nothing_moves_unasked():
    """Without autostart the motion waits for its word, however long the clock runs."""
    schedule = Schedule(LENGTH, PERIOD, DELAY, repeat=True, asked=False)
    assert not any(schedule.look(now, now % 30 == 0, 0) for now in range(0, 5000, 10))
    schedule.ask()
    assert schedule.look(5000, False, 0) == [5300]


def test_the_way_to_the_start_comes_before_the_motion():
    """The motion begins when the arm is there; a repeat begins with the motion, not the way."""
    schedule = Schedule(LENGTH, PERIOD, DELAY, repeat=True)
    schedule.look(100, False, None)
    assert schedule.look(200, False, 2000) == [2500]
    assert schedule.look(210, False, None) == []
    assert schedule.look(3000, False, None) == [3500]


def test_after_a_reset_the_motion_begins_behind_it():
    """The clock may not have heard of the reset yet."""
    schedule = Schedule(LENGTH, PERIOD, DELAY)
    schedule.look(100, False, 0)
    assert schedule.look(200, False, 0) == [500]
    schedule.ask(earliest=900)
    assert schedule.look(700, False, 0) == [1200]
