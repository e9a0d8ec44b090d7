# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The axes of a study, and the point of every run on them.

Axes with a list or range of values span a grid; axes with a distribution are drawn, all together,
so many times. Every draw is made at every place of the grid, so that places can be compared. Run
number i is at

    i = (place on the grid * draws + draw) * repetitions + repetition

and its values depend on the study and i only.
"""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
import math
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from robodyn_ros.checks import LARGEST, shown
from robodyn_ros.errors import ScenarioError
from robodyn_ros.interruption import INTERRUPTION

GRID = ('values', 'range', 'log_range')
DRAWN = ('uniform', 'log_uniform', 'normal')
SAMPLINGS = ('random', 'latin_hypercube', 'sobol')
MOST_VALUES = 1_000_000
"""Values of one axis of the grid."""
MOST_WHOLE = 2 ** 63
MOST_DRAWS = 10_000_000
"""Of a Latin hypercube, all are made at once, by every worker."""
DRAWS_AT_ONCE = 4096
"""Of the other samplings; a power of two, as Sobol's wants it."""
BLOCKS_KEPT = 16
LARGEST_STRIDE = 2 ** 62
"""Of a grid; what is larger than any place gives the first value as well."""
TINY = 2.0 ** -53
"""Least share of a distribution: at its very border a normal one is infinite."""
EXAMPLE = '{values: [1, 2, 5]}, {range: [0, 5], count: 11} or {uniform: [0, 5]}'


@dataclass(frozen=True)
class Axis:
    """A setting of the scenario, or one number of it, and the values it takes."""

    name: str
    kind: str
    values: tuple[Any, ...]
    """Of an axis of the grid: all of them; of a drawn one: its two parameters."""

    @property
    def drawn(self) -> bool:
        """Tell whether its values are drawn."""
        return self.kind in DRAWN

    @cached_property
    def kinds(self) -> set[type]:
        """Types of its values."""
        return {float} if self.drawn else set(map(type, self.values))

    def quantile(self, share: np.ndarray) -> np.ndarray:
        """Return the values below which these shares of a drawn axis lie."""
        low, high = self.values
        if self.kind == 'uniform':
            return low + (high - low) * share
        if self.kind == 'log_uniform':
            return np.exp(np.log(low) + (np.log(high) - np.log(low)) * share)
        from scipy.special import ndtri
        return low + high * ndtri(share)

    def at(self, share: float) -> Any:
        """Return the value at a share of the axis, from 0 to 1."""
        if self.drawn:
            return float(self.quantile(np.array([min(max(share, TINY), 1.0 - TINY)]))[0])
        return self.values[min(int(share * len(self.values)), len(self.values) - 1)]

    def slope(self, share: float) -> float:
        """Return how fast the value of a drawn axis changes with the share."""
        low, high = self.values
        if self.kind == 'uniform':
            return high - low
        if self.kind == 'log_uniform':
            return self.at(share) * math.log(high / low)
        z = (self.at(share) - low) / high if high else 0.0  # d quantile = deviation / density(z)
        return high * math.sqrt(2.0 * math.pi) * math.exp(0.5 * z * z)

    @property
    def extremes(self) -> tuple[Any, ...]:
        """Values to try before anything runs: all of a short list, else its ends."""
        if self.kind == 'normal':
            return self.values[:1]
        return self.values if len(self.values) <= 100 else (*self.values[:1], *self.values[-1:])


def axis(name: str, given: Any, place: str) -> Axis:
    """
    Read an axis.

    :param given: such as {'range': [0, 5], 'count': 11}, or a list of values
    :param place: what complaints begin with
    """
    where = f'{place}: axis {name!r}'
    if isinstance(given, (list, tuple)):
        given = {'values': given}
    if not isinstance(given, Mapping):
        raise ScenarioError(f'{where} is {shown(given)}; expected a group such as {EXAMPLE}')
    kinds = [kind for kind in (*GRID, *DRAWN) if kind in given]
    ranged = kinds in (['range'], ['log_range'])
    known = {*kinds, 'count'} if ranged else set(kinds)
    if len(kinds) != 1 or set(given) != known:
        raise ScenarioError(f'{where} has {", ".join(map(str, given)) or "nothing"}; expected one '
                            f'of {", ".join((*GRID, *DRAWN))}, with count for a range: {EXAMPLE}')
    kind, = kinds
    items = given[kind]
    if not isinstance(items, (list, tuple)) or not items:
        raise ScenarioError(f'{where}: {kind} is {shown(items)}; expected a list that is not '
                            'empty')
    if kind == 'values':
        if len(items) > MOST_VALUES:
            raise ScenarioError(f'{where} has {len(items)} values; expected at most {MOST_VALUES}')
        large = [x for x in items if type(x) is int and not -MOST_WHOLE <= x < MOST_WHOLE]
        if large:
            raise ScenarioError(f'{where} has the value {shown(large[0])}; expected whole numbers '
                                'of 64 bits, as a table holds them')
        return Axis(name, kind, tuple(tuple(x) if isinstance(x, list) else x for x in items))
    numbers = _two(items, kind, where)
    if kind == 'normal' and numbers[1] < 0.0:
        raise ScenarioError(f'{where}: normal is {list(items)}; expected a mean and a standard '
                            'deviation that is not negative')
    if kind.startswith('log') and min(numbers) <= 0.0:
        raise ScenarioError(f'{where}: {kind} is {list(items)}; expected two numbers above 0')
    if not ranged:
        return Axis(name, kind, numbers)
    count = given['count']
    if type(count) is not int or not 1 <= count <= MOST_VALUES:
        raise ScenarioError(f'{where}: count is {shown(count)}; expected 1 to {MOST_VALUES}')
    space: Callable[..., np.ndarray] = np.geomspace if kind == 'log_range' else np.linspace
    return Axis(name, kind, tuple(space(*numbers, count).tolist()))


def _two(items: Sequence[Any], kind: str, where: str) -> tuple[float, float]:
    try:
        numbers = tuple(float(item) for item in items)
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) != 2 or not all(abs(x) <= LARGEST for x in numbers):
        raise ScenarioError(f'{where}: {kind} is {shown(list(items))}; expected two finite '
                            'numbers')
    return numbers[0], numbers[1]


class Points:
    """The values of every run, found from its number."""

    def __init__(self, axes: Sequence[Axis], sampling: str, draws: int, seed: int,
                 repetitions: int):
        """Draw what is drawn."""
        self.axes = tuple(axes)
        self._grid = [one for one in axes if not one.drawn]
        drawn = [one for one in axes if one.drawn]
        self.draws, self.repetitions = draws if drawn else 1, repetitions
        self.places = math.prod(len(one.values) for one in self._grid)
        """Places on the grid."""
        self._drawn = Draws(drawn, sampling, self.draws, seed) if drawn else None
        self._floats = {one.name: np.array(one.values) for one in self._grid
                        if one.kinds == {float}}

    def __len__(self) -> int:
        """Return how many runs there are."""
        return self.places * self.draws * self.repetitions

    def values(self, runs: np.ndarray) -> dict[str, Any]:
        """Return the values of some runs on every axis: an array, or a list if not all floats."""
        places, found = runs // (self.draws * self.repetitions), {}
        draws = runs // self.repetitions % self.draws
        stride = self.places
        for one in self._grid:  # the last axis varies fastest
            stride //= len(one.values)
            chosen = places // min(stride, LARGEST_STRIDE) % len(one.values)
            floats = self._floats.get(one.name)
            found[one.name] = [one.values[k] for k in chosen.tolist()] \
                if floats is None else floats[chosen]
        if self._drawn is not None:
            found |= self._drawn.values(draws)
        return {one.name: found[one.name] for one in self.axes}

    def repetition(self, runs: np.ndarray) -> np.ndarray:
        """Return which repetition each run is."""
        return runs % self.repetitions


class Draws:
    """Values of all drawn axes, some thousands at a time, so that memory does not grow."""

    def __init__(self, axes: Sequence[Axis], sampling: str, count: int, seed: int):
        """Draw nothing yet."""
        self._axes, self._sampling, self._count, self._seed = axes, sampling, count, seed
        self._size = count if sampling == 'latin_hypercube' else DRAWS_AT_ONCE
        self._block = lru_cache(BLOCKS_KEPT)(self._drawn)

    def values(self, draws: np.ndarray) -> dict[str, np.ndarray]:
        """Return the values of some draws on every axis."""
        blocks, places = np.divmod(draws, self._size)
        found = np.empty((len(self._axes), len(draws)))
        for block in np.unique(blocks).tolist():
            here = blocks == block
            found[:, here] = self._block(block)[:, places[here]]
        return {one.name: row for one, row in zip(self._axes, found)}

    def _drawn(self, block: int) -> np.ndarray:
        """Return the values of a block of draws (axes, draws)."""
        shares = np.clip(self._shares(block * self._size), TINY, 1.0 - TINY)
        return np.array([one.quantile(np.ascontiguousarray(shares[:, k]))
                         for k, one in enumerate(self._axes)])

    def _shares(self, first: int) -> np.ndarray:
        """Return points of the unit cube (draws, axes), from one on."""
        width = len(self._axes)
        if self._sampling == 'random':
            bits = np.random.PCG64(self._seed)
            bits.advance(first * width)
            return np.random.Generator(bits).random((self._size, width))
        if self._sampling == 'latin_hypercube':
            from scipy.stats import qmc
            return qmc.LatinHypercube(width, seed=self._seed).random(self._count)
        found = sobol(width, self._seed)
        if first:
            found.fast_forward(first)
        return found.random(self._size)


def sobol(width: int, seed: int) -> Any:
    """Return scipy's sequence in the unit cube."""
    from scipy.stats import qmc
    with INTERRUPTION.held():  # it reads a file in C, which would write what it cannot pass on
        return qmc.Sobol(width, seed=seed)


class Candidates:
    """Points of a study once for each candidate, one candidate after another."""

    def __init__(self, points: Points, candidates: Sequence[Mapping[str, Any]]):
        """
        Put them together.

        :param candidates: values beside those of the study's axes, the same names in each
        """
        self._points, self._candidates = points, tuple(candidates)

    def __len__(self) -> int:
        """Return how many runs there are."""
        return len(self._points) * len(self._candidates)

    def values(self, runs: np.ndarray) -> dict[str, Any]:
        """Return the values of some runs on every axis, and of their candidates."""
        found = self._points.values(runs % len(self._points))
        chosen = [self._candidates[k] for k in runs // len(self._points)]
        return {**found, **{name: [one[name] for one in chosen] for name in self._candidates[0]}}

    def repetition(self, runs: np.ndarray) -> np.ndarray:
        """Return which repetition each run is."""
        return self._points.repetition(runs % len(self._points))
