# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Figures of the benchmark page, drawn from the recorded numbers without a display."""
from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any, Mapping

from robodyn_ros import RobodynError

COLOURS = {'ours': '#0072B2', 'mujoco': '#D55E00', 'pinocchio': '#009E73', 'drake': '#CC79A7',
           'pybullet': '#E69F00', 'roboticstoolbox': '#56B4E9'}
"""Okabe and Ito's, which stay apart in grey and for the colour-blind."""
STYLE: Any = {'font.size': 9.0, 'axes.grid': True, 'grid.color': '#d0d0d0',
              'grid.linewidth': 0.5, 'axes.axisbelow': True, 'legend.fontsize': 7.0}
DOTS_PER_INCH = 110
SMALLEST_ERROR = 1e-16
"""Errors are drawn no smaller than this."""


def require_matplotlib() -> None:
    """Refuse to draw without it."""
    if find_spec('matplotlib') is None:
        raise RobodynError('the figures need matplotlib: pip install "robodyn_ros[bench]", or '
                           'leave them out with --no-figures')


def write_figures(parts: Mapping[str, Any], folder: Path) -> list[Path]:
    """Draw every figure whose part was measured."""
    require_matplotlib()
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    makers = {'engines': (engines, (7.5, 5.6)), 'accuracy': (accuracy, (7.5, 6.0)),
              'chains': (chains, (7.5, 3.0)), 'limits': (limits, (7.5, 3.0)),
              'loops': (loops, (7.5, 3.6))}
    paths = []
    for name, (draw, size) in makers.items():
        if name not in parts:
            continue
        with matplotlib.rc_context(STYLE):
            figure = Figure(figsize=size, layout='constrained')
            FigureCanvasAgg(figure)
            draw(figure, parts[name]['found'])
            paths.append(folder / f'{name}.png')
            figure.savefig(paths[-1], dpi=DOTS_PER_INCH)
    return paths


def engines(figure: Any, found: Any) -> None:
    """Bars of how many times longer each peer takes."""
    axes = figure.subplots()
    names = [name for name in COLOURS if name != 'ours']
    labels = [f'{entry["robot"]}\n{entry["work"]}' for entry in found]
    for k, name in enumerate(names):
        places, ratios = [], []
        for row, entry in enumerate(found):
            if 'ratio' in entry['peers'].get(name, {}):
                places.append(row + 0.15 * (k - 2))
                ratios.append(entry['peers'][name]['ratio'])
        axes.barh(places, ratios, height=0.14, color=COLOURS[name], label=name)
    axes.axvline(1.0, color=COLOURS['ours'], label='ours')
    axes.set_yticks(range(len(labels)), labels, fontsize=7)
    axes.invert_yaxis()
    axes.set_xscale('log')
    axes.set_xlabel("peer's time over ours")
    figure.legend(loc='outside upper center', ncols=6)


def accuracy(figure: Any, found: Any) -> None:
    """Violation and energy error over the time per simulated second, one line per setting."""
    tasks = [name for name, points in found.items() if isinstance(points, list)]
    axes = figure.subplots(len(tasks), 2, squeeze=False)
    for row, task in zip(axes, tasks):
        lines: dict[tuple[str, str], list[dict]] = {}
        for point in found[task]:
            if 'failed' not in point and point['violation'] is not None:
                lines.setdefault((point['engine'], point['setting']), []).append(point)
        seen: dict[str, int] = {}
        for (engine, setting), points in lines.items():
            kind = seen[engine] = seen.get(engine, -1) + 1
            for one, key in zip(row, ('violation', 'energy_error_J')):
                one.plot([p['us_per_simulated_s'] / 1e6 for p in points],
                         [max(SMALLEST_ERROR, p[key] or 0.0) for p in points], 'os^v'[kind],
                         linestyle=('-', '--', ':', '-.')[kind], color=COLOURS[engine],
                         markersize=4, linewidth=1.0, label=f'{engine}, {setting}')
        for one, label in zip(row, ('constraint violation [m, rad]', 'energy error [J]')):
            one.set_xscale('log')
            one.set_yscale('log')
            one.set_xlabel('seconds per simulated second')
            one.set_ylabel(label)
            one.set_title(task, fontsize=8)
        row[1].legend(loc='center left', bbox_to_anchor=(1.0, 0.5))


def chains(figure: Any, found: Any) -> None:
    """Time per step and time to compile over the number of joints."""
    step, start = figure.subplots(1, 2)
    joints = [row['joints'] for row in found]
    step.plot(joints, [row['ours_us'] for row in found], 'o-', color=COLOURS['ours'],
              label='ours, RK4 step')
    if all(row['peer_us'] for row in found):
        step.plot(joints, [row['peer_us'] for row in found], 's-', color=COLOURS['mujoco'],
                  label='mujoco, RK4 step')
    if all(row['pinocchio_aba_us'] for row in found):
        step.plot(joints, [4.0 * row['pinocchio_aba_us'] for row in found], '^-',
                  color=COLOURS['pinocchio'], label='pinocchio, 4 aba from Python')
    start.plot(joints, [row['trace_s'] for row in found], 'o--', color='#777777', label='trace')
    start.plot(joints, [row['compile_cpu_s'] for row in found], 'o-', color='black',
               label='compile, once')
    for axes, label in ((step, 'us'), (start, 's')):
        axes.set_xscale('log', base=2)
        axes.set_yscale('log')
        axes.set_xlabel('joints of a slanted chain')
        axes.set_ylabel(label)
        axes.legend()


def limits(figure: Any, found: Any) -> None:
    """Time over rows, over rollouts, over simulated time."""
    rows, rollouts, duration = figure.subplots(1, 3)
    _grown(rows, found['rows'], 1.0, 'constraint rows', 'us per step')
    _grown(rollouts, found['rollouts'], 1e-6, 'recorded rollouts', 's')
    _grown(duration, found['duration'], 1e-6, 'simulated time [s]', 's')
    _grown(duration, found['recorded'], 1e-6, 'simulated time [s]', 's', ', recorded', '--')
    for axes in (rollouts, duration):
        axes.set_xscale('log')
        axes.set_yscale('log')


def _grown(axes: Any, points: Any, scale: float, label: str, unit: str, note: str = '',
           line: str = '-') -> None:
    """Draw the time of both engines over the size."""
    for name, mark in (('ours', 'o'), ('mujoco', 's')):
        seen = [p for p in points if name in p]
        axes.plot([p['size'] for p in seen], [scale * p[name]['us'] for p in seen], mark + line,
                  color=COLOURS[name], label=name + note)
    axes.set_xlabel(label)
    axes.set_ylabel(unit)
    axes.legend()


def loops(figure: Any, found: Any) -> None:
    """Draw simulated seconds per second of every scenario, in three ways, and the ping-pong."""
    axes = figure.subplots()
    names = [entry['scenario'] for entry in found['scenarios']]
    ways = (('without_ros', 'speed', 'one compiled call, no ROS', '#0072B2'),
            ('one_process', 'speed', 'ROS nodes, one process', '#009E73'),
            ('processes', 'speed', 'ROS nodes, a process each', '#E69F00'),
            ('processes', 'bare', 'bare rclpy ping-pong, two processes', '#999999'))
    for k, (way, key, label, colour) in enumerate(ways):
        axes.barh([row + 0.2 * (k - 1.5) for row in range(len(names))],
                  [(entry.get(way) or {}).get(key, 0.0) for entry in found['scenarios']],
                  height=0.19, color=colour, label=label)
    axes.axvline(1.0, color='#777777', linestyle=':', label='real time')
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xscale('log')
    axes.set_xlabel('simulated seconds per second')
    figure.legend(loc='outside upper center', ncols=3)
