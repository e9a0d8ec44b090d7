# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The papers' figures: drawn as all figures of this package are, written as PNG files."""
from __future__ import annotations

from pathlib import Path
from typing import Any, Mapping, Sequence

import numpy as np

from robodyn_ros.report.drawing import curves, DESIRED_STYLE, empty_figure, require
from robodyn_ros.studies.study import Figure

PRINT_DPI, PAGE_DPI = 200, 110
PANELS_HEIGHT = 3.5
"""Of all panels together, in a figure of the style's size [inch]."""


def require_matplotlib() -> None:
    """Raise if there is nothing to draw with."""
    require('matplotlib', 'the figures', ', or leave them out with --no-figures')


def write(figures: Sequence[Figure], folder: Path, dpi: int = PRINT_DPI,
          largest: int | None = None) -> list[Path]:
    """
    Write figures as PNG files; returns their paths.

    :param largest: size in bytes above which a file is written again with fewer dots
    """
    require_matplotlib()
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for figure in figures:
        with empty_figure() as canvas:
            figure.draw(canvas)
            path, dots = folder / f'{figure.name}.png', dpi
            canvas.savefig(path, dpi=dots)
            while largest is not None and path.stat().st_size > largest and dots > 50:
                dots = int(0.85 * dots)
                canvas.savefig(path, dpi=dots)
        paths.append(path)
    return paths


def compared(axes: Any, t: np.ndarray, values: np.ndarray, theory: np.ndarray,
             labels: Sequence[str], unit: str, *, first_colour: int = 0) -> None:
    """Draw columns over time as curves does, with what theory says dashed on top."""
    curves(axes, t, values, labels, unit, first_colour=first_colour)
    curves(axes, t, theory, ['theoretical'] * len(labels), unit, color='black',
           linestyle=DESIRED_STYLE)


def overlaid(axes: Any, t: np.ndarray, named: Mapping[str, np.ndarray], unit: str) -> None:
    """Draw up to three curves (k,) over time: solid, dashed, dotted in black."""
    for (name, values), style in zip(named.items(), ('-', '--', 'k:')):
        axes.plot(t, values, style, label=name)
    axes.set_ylabel(unit)
