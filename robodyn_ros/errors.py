# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Every mistake a user can make, as one sentence.

All errors derive from :class:`RobodynError`. Each message names what was read (file, element,
joint, row), the value found, what was expected and what to do; nodes and the command line print
it as it is, without a traceback.
"""
from __future__ import annotations

import re
from typing import Any

LONGEST_WORD, LONGEST_SENTENCE = 500, 4000
"""Letters, beyond which the middle is left out: sentences quote files, which may hold anything."""


def printable(text: object) -> str:
    """
    Return a text as one line of letters that any terminal, log or encoding can show.

    Names from files may hold anything: a newline would forge a line of the log, an escape
    sequence would command the terminal, half a surrogate pair cannot be written at all.
    """
    found = str(text)
    if found.isprintable():
        return found
    return ''.join(x if x.isprintable() else ' ' if x in '\n\t\r' else
                   x.encode('unicode_escape', 'surrogatepass').decode() for x in found)


def shortened(text: str, most: int) -> str:
    """Return a text without its middle if it has more letters than can be read."""
    return text if len(text) <= most else f'{text[:2 * most // 3]} … {text[-most // 4:]}'


class RobodynError(Exception):
    """Base of all errors this package raises on purpose."""

    partial: Any = None
    """What was recorded until then (a Rollout), if anything."""
    state: Any = None
    """The last good State of a simulation that stopped."""

    def __str__(self) -> str:
        """Return the sentence, on one line, whatever names of files and links it quotes."""
        text = printable(super().__str__())
        if len(text) <= LONGEST_WORD:
            return text
        words = re.sub(rf'\S{{{LONGEST_WORD + 1},}}',
                       lambda word: shortened(word[0], LONGEST_WORD), text)
        return shortened(words, LONGEST_SENTENCE)


class TracingError(RobodynError):
    """A traced function did something a recording cannot follow (a branch, a float(), ...)."""


class MissingPackageError(RobodynError):
    """A package that an optional part needs is not installed."""


class RobotFileError(RobodynError):
    """A robot file is missing, is not XML, or says something that is no robot."""


class UnknownNameError(RobodynError):
    """A joint, frame, robot, constraint or parameter that does not exist; lists those that do."""

    def __init__(self, kind: str, name: object, known: object, place: str = ''):
        """Build the sentence from what was asked for and what there is."""
        self.kind, self.name, self.known = kind, name, sorted(map(str, known))  # type: ignore
        where = f' in {place}' if place else ''
        listed = ', '.join(self.known) or '(none)'
        super().__init__(f'unknown {kind} {name!r}{where}: use one of {listed}')


class SizeError(RobodynError):
    """An array whose size does not fit the robot."""

    def __init__(self, what: str, expected: object, got: object, hint: str = ''):
        """Build the sentence from the expected and the given shape."""
        self.what, self.expected, self.got = what, expected, got
        tail = f'; {hint}' if hint else ''
        super().__init__(f'wrong size of {what}: expected {expected}, got {got}{tail}')


class StateError(RobodynError):
    """A state, torque or parameter that is not finite or not possible."""


class ArgumentError(StateError):
    """An argument or option that is not what a function or a command takes."""


class SingularMassError(RobodynError):
    """The mass matrix is not positive definite in this configuration."""


class ConstraintError(RobodynError):
    """A constraint that cannot be traced, is contradictory, or cannot be assembled."""


class SimulationError(RobodynError):
    """An integration that left the finite numbers; carries the last good time and state."""


class LimitError(RobodynError):
    """A planned motion that leaves a joint's limits."""

    def __init__(self, joint: str, time: float, kind: str, value: float, lower: float,
                 upper: float):
        """Build the sentence from the joint, the time and the limit it breaks."""
        self.joint, self.time, self.kind, self.value = joint, time, kind, value
        self.lower, self.upper = lower, upper
        super().__init__(f'{kind} of {joint!r} would be {value:.6g} at t = {time:.6g} s, outside '
                         f'{lower:.6g} .. {upper:.6g}; change the motion, or allow it with '
                         'ignore_limits')


class SingularityError(RobodynError):
    """A path on which the arm loses a direction."""


class RecordingError(RobodynError):
    """A recording that cannot be written, or a file that is none."""


class ScenarioError(RobodynError):
    """A scenario file that says something no run can use."""


class MessageRefused(RobodynError):
    """A message that was refused; the sentence names topic, value and remedy."""
