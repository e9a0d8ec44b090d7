# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What a robot does, in one line for the page, from what plant and controller say."""
from __future__ import annotations

from typing import NamedTuple

SILENCE = 3.0
"""Wall time after which a word no longer counts; each node reports once a second [s]."""


class PlantReport(NamedTuple):
    """What the plant said of itself."""

    mode: str
    """'waiting', 'moving', 'holding', 'finished' or 'fault'"""
    paused: bool
    text: str
    """Mode or the reason for it, then what else there is to complain about; parts end with ';'."""
    wall: float
    """When it was said, wall time [s]."""


class LawReport(NamedTuple):
    """What the controller said of itself."""

    text: str
    wall: float
    """When it was said, wall time [s]."""


def status_line(plant: PlantReport | None, law: LawReport | None, now: float) -> str:
    """
    Return what goes on: the plant's fault or pause, its hold and why, else the controller's word.

    :param plant: None if there is none, as with hardware
    :param law: None if there is none
    :param now: wall time [s]
    """
    followed = law.text if law is not None and now - law.wall <= SILENCE else ''
    if plant is None:
        return followed
    if now - plant.wall > SILENCE:
        return f'no word from the plant for {now - plant.wall:.0f} s'
    if plant.mode == 'fault':
        return f'fault: {plant.text}'
    if plant.paused:
        return 'paused'
    said, _, complaints = plant.text.partition('; ')
    if plant.mode != 'moving' or said != plant.mode or not followed:
        return plant.text
    return '; '.join(filter(None, (followed, complaints)))
