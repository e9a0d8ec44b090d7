# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Which dots of a picture a polygon covers: all polygons of about one size at once.

Each polygon is looked at in a rectangle of dots around it, those of about one size together, so
that numpy does the same arithmetic for thousands of them in one call.
"""
from __future__ import annotations

from typing import Iterator, NamedTuple

import numpy as np

MOST_DOTS = 2_000_000
"""Looked at in one go; keeps the arrays in some megabytes."""
LARGE = 256
"""Side of a square of dots above which each polygon is looked at alone [dots]."""


class Covered(NamedTuple):
    """Dots that polygons cover; one entry per dot and polygon."""

    face: np.ndarray
    """Which polygon (k,)."""
    x: np.ndarray
    """Column of the dot (k,)."""
    y: np.ndarray
    """Row of the dot (k,)."""


def covered(corners: np.ndarray, width: int, height: int) -> Iterator[Covered]:
    """
    Yield the dots of a picture whose middle lies in a convex polygon.

    :param corners: (f, 4, 2) in dots, in either direction around the polygon; of a triangle the
        last corner stands twice
    """
    low = np.clip(np.floor(corners.min(axis=1)), 0, [width, height]).astype(int)
    high = np.clip(np.ceil(corners.max(axis=1)) + 1, 0, [width, height]).astype(int)
    edges, area = _edges(corners - low[:, None, :])
    waiting = (high > low).all(axis=1) & (area > 0.0)
    side = 2
    while waiting.any():
        chosen = np.flatnonzero(waiting & ((high - low).max(axis=1) <= side))
        waiting[chosen] = False
        columns, rows = (high - low)[chosen].max(axis=0, initial=0)
        every = max(1, MOST_DOTS // max(1, columns * rows)) if side <= LARGE else 1
        for begin in range(0, len(chosen), every):
            some = chosen[begin:begin + every]
            columns, rows = (high - low)[some].max(axis=0)
            yield _inside(edges[some], some, low[some], high[some], columns, rows)
        side *= 2


def _edges(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """
    Return a, b, c of each edge (f, 4, 3), a x + b y + c >= 0 on the polygon's side; areas (f,).

    An edge between equal corners is 0 everywhere, which keeps nothing out.
    """
    (ax, ay), (bx, by) = (np.moveaxis(p, 2, 0) for p in (corners, np.roll(corners, -1, axis=1)))
    a, b = by - ay, ax - bx
    area = (ax * by - bx * ay).sum(axis=1)  # twice, with a sign for the direction
    edges = -np.sign(area)[:, None, None] * np.stack([a, b, -a * ax - b * ay], axis=2)
    return edges, np.abs(area) / 2.0


def _inside(edges: np.ndarray, faces: np.ndarray, low: np.ndarray, high: np.ndarray, columns: int,
            rows: int) -> Covered:
    """Return the dots of polygons among so many columns and rows from their lowest dot on."""
    x, y = np.arange(columns) + 0.5, np.arange(rows) + 0.5
    inside = (x < (high - low)[:, :1])[:, None, :] & (y < (high - low)[:, 1:])[:, :, None]
    for a, b, c in np.moveaxis(edges, 1, 0)[..., None].transpose(0, 2, 1, 3):
        inside &= (a * x)[:, None, :] >= (-b * y - c)[:, :, None]
    face, row, column = np.nonzero(inside)
    return Covered(faces[face], low[face, 0] + column, low[face, 1] + row)
