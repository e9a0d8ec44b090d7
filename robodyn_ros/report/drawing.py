# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
One style for every figure, readable in print, drawn without a display.

Colours are Okabe and Ito's, which stay apart in grey and for the colour-blind; curves that lie on
one another differ in their dashes too.
"""
from __future__ import annotations

from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Sequence

import numpy as np

from robodyn_ros.errors import MissingPackageError, printable

COLOURS = ('#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9')
STYLE: dict[str, Any] = {
    'font.size': 9.0, 'axes.titlesize': 9.0, 'axes.labelsize': 9.0, 'legend.fontsize': 8.0,
    'xtick.labelsize': 8.0, 'ytick.labelsize': 8.0, 'lines.linewidth': 1.2, 'axes.grid': True,
    'grid.color': '#d0d0d0', 'grid.linewidth': 0.5, 'axes.axisbelow': True,
    'axes.formatter.limits': (-2, 4), 'axes.formatter.use_mathtext': True,
    'figure.figsize': (6.4, 4.0), 'figure.facecolor': 'white', 'legend.frameon': True,
    'legend.framealpha': 0.9, 'axes.xmargin': 0.0,
}
DESIRED_STYLE = (0, (4, 3))
"""Line style of what theory or the trajectory says; what is computed is solid."""
PRINT_DPI, PAGE_DPI = 200, 110
PANELS_HEIGHT = 3.5
"""Of all panels together, in a figure of the style's size [inch]."""
Draw = Callable[[Any], None]
"""Draws onto an empty matplotlib figure."""


class Figure(NamedTuple):
    """A figure of a report or of a study."""

    name: str
    """File name without ending, such as '000_joint_responses'."""
    caption: str
    draw: Draw


def require(package: str, use: str, hint: str = '') -> None:
    """
    Raise if a package of the extra view is missing.

    :param use: who needs it, such as 'the figures'
    :param hint: what else can be done
    """
    if find_spec(package) is None:
        raise MissingPackageError(f'{use} need {package}, which is not installed; run pip install '
                                  f'"robodyn_ros[view]"{hint}')


@contextmanager
def empty_figure() -> Iterator[Any]:
    """Give an empty matplotlib figure in the style, not tied to any display."""
    from cycler import cycler
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Drawn

    style: Any = {**STYLE, 'axes.prop_cycle': cycler(color=COLOURS)}
    with matplotlib.rc_context(style):
        figure = Drawn(layout='constrained')
        FigureCanvasAgg(figure)
        yield figure


def write_figure(figure: Figure, folder: Path, dpi: int = PRINT_DPI,
                 largest: int | None = None) -> Path:
    """
    Draw a figure into a PNG file; returns its path.

    :param largest: size in bytes above which the file is written again with fewer dots
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f'{figure.name}.png'
    with empty_figure() as canvas:
        figure.draw(canvas)
        canvas.savefig(path, dpi=dpi)
        while largest is not None and path.stat().st_size > largest and dpi > 50:
            dpi = int(0.85 * dpi)
            canvas.savefig(path, dpi=dpi)
    return path


def panels(figure: Any, rows: int, columns: int = 1, *, width: float = 6.4,
           height: float = 1.9) -> list[Any]:
    """
    Return the axes of panels over time, row by row.

    :param height: of each panel [inch]
    """
    figure.set_size_inches(width, rows * height + 0.5)
    axes = figure.subplots(rows, columns, sharex=True, squeeze=False)
    for one in axes[-1]:
        one.set_xlabel('t [s]')
    return list(axes.flat)


def literal(name: str) -> str:
    """Return a name as matplotlib draws it letter by letter: between two $ it would read TeX."""
    return printable(name).replace('$', r'\$')


def curves(axes: Any, t: np.ndarray, values: np.ndarray, labels: Sequence[str], unit: str, *,
           first_colour: int = 0, **options: Any) -> None:
    """
    Draw columns of values (k, m) over time, one colour each.

    :param unit: label of the vertical axis, with its unit in brackets
    :param options: further options of matplotlib's plot
    """
    columns = np.asarray(values).reshape(len(t), -1).T
    for k, (column, label) in enumerate(zip(columns, labels)):
        colour = COLOURS[(first_colour + k) % len(COLOURS)]
        axes.plot(t, column, **{'color': colour, 'label': literal(label), **options})
    axes.set_ylabel(literal(unit))


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


def space_curves(axes: Any, lines: Sequence[tuple[np.ndarray, str, Any]]) -> None:
    """Draw curves in space, each with points (k, 3) [m], label and line style."""
    for k, (points, label, style) in enumerate(lines):
        axes.plot(*points.T, linestyle=style, label=literal(label), color=COLOURS[k])
    for name in 'xyz':
        getattr(axes, f'set_{name}label')(f'{name} [m]')
        axes.tick_params(axis=name, labelsize=7)
    axes.ticklabel_format(style='plain')
    axes.set_box_aspect(None, zoom=0.78)


def legend(figure: Any, columns: int = 4) -> None:
    """Name every curve once, above the panels."""
    named: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels()):
            named.setdefault(label, handle)
    figure.legend(list(named.values()), list(named), loc='outside upper center',
                  ncols=min(columns, len(named)))
