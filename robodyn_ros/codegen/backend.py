# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What the loops ask of a back end, and the one that leaves everything as Python.

A loop in loops/ is an ordinary Python function inside the function that makes it: the numbers of a
layout and the kernels of a plant are its free variables. compiler.py compiles it with them as
constants; here it stays as it is (ROBODYN_INTERPRET=1): slow, and the same bits.
"""
from __future__ import annotations

from typing import Any, Callable, Protocol

import numpy as np

from robodyn_ros.codegen.native import Entry, Signature
from robodyn_ros.codegen.python_text import python_function
from robodyn_ros.codegen.routines import Routine


class Backend(Protocol):
    """Makes kernels and loops into something that runs."""

    def kernel(self, routine: Routine, lanes: int = 1) -> Callable[..., None]:
        """Return name(x, i, w, y, j) of a routine; lanes: numbers of so many runs side by side."""

    def function(self, function: Callable) -> Callable:
        """Return a function that other loops call."""

    def entry(self, name: str, signature: Signature) -> Callable[[Callable], None]:
        """Mark a function for calls from Python; it begins with export()."""

    def room(self, count: int) -> Any:
        """Return an array of so many numbers, a constant, until the function returns."""

    def export(self) -> None:
        """Make the function it stands in callable."""

    def cells(self, array: Any) -> Any:
        """Return the array that an entry's argument stands for."""


class Interpreter:
    """The back end that compiles nothing."""

    def __init__(self) -> None:
        """Know no function yet."""
        self.entries: dict[str, Entry] = {}

    kernel = staticmethod(python_function)

    def function(self, function: Callable) -> Callable:
        """Leave a function as it is."""
        return function

    def entry(self, name: str, signature: Signature) -> Callable[[Callable], None]:
        """Keep a function for calls."""
        def mark(function: Callable) -> None:
            self.entries[name] = Entry(name, signature, function)
        return mark

    room = staticmethod(np.empty)

    def export(self) -> None:
        """Do nothing: every function can be called."""

    def cells(self, array: Any) -> Any:
        """Return an array as it is."""
        return array
