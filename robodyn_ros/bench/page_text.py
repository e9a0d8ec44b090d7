# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The page docs/benchmarks.md, made from recorded numbers alone; no number is typed by hand."""
from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Mapping, Sequence

from robodyn_ros.bench.compare import PEERS
from robodyn_ros.bench.contender import Contender
from robodyn_ros.bench.losses import losses
from robodyn_ros.bench.with_ours import Ours

HEAD = """# Benchmarks

`make bench` (`robodyn bench all`) measures and writes this page; no number is typed by hand, and
the raw ones are in [benchmarks/results.json](benchmarks/results.json).
`robodyn bench all --quick` takes about two minutes, `--only PART` measures one part anew.

- Engines of one row take turns, so a slow second of the machine meets all of them. Times are
  medians by the thread's own clock where one thread works; a ratio is the median of the turns'
  ratios, with its quartiles in brackets. **A ratio above 1 means that we are faster.**
- An engine's answer is compared with ours before it is timed; the difference stands in the table.
  A wrong answer is not timed.
- Every engine is used from Python as its documentation recommends, see the list of engines.
"""
NAMES = [kind.name for kind in PEERS]


def write_page(results: Mapping[str, Any], folder: Path) -> Path:
    """Write benchmarks.md."""
    path = folder / 'benchmarks.md'
    path.write_text(page(results), encoding='utf-8')
    return path


def page(results: Mapping[str, Any]) -> str:
    """Return the text of the page."""
    parts = results['parts']
    makers: dict[str, Callable[[Any], list[str]]] = {
        'engines': _engines, 'by_hand': _by_hand, 'accuracy': _accuracy, 'chains': _chains,
        'limits': _limits, 'allocation': _allocation, 'loops': _loops, 'startup': _startup}
    lines = [HEAD, *_machine(results.get('machine', {}), parts)]
    for name, make in makers.items():
        if name in parts:
            lines += ['', *make(parts[name]['found'])]
    lines += ['', '## Where we lose', '', *losses(parts)]
    engines: tuple[type[Contender], ...] = (Ours, *PEERS)
    lines += ['', '## The engines', '', *(f'- **{kind.name}** (`{kind.package}`): {kind.usage}.'
                                          for kind in engines)]
    return '\n'.join(lines) + '\n'


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a Markdown table."""
    lines = ['| ' + ' | '.join(columns) + ' |', '|' + '---|' * len(columns)]
    return lines + ['| ' + ' | '.join(row) + ' |' for row in rows]


def number(value: Any) -> str:
    """Three digits, without exponents; a dash for nothing."""
    if value is None:
        return '–'
    return f'{value:.0f}' if abs(value) >= 100.0 else f'{value:.3g}'


def _machine(facts: Mapping[str, Any], parts: Mapping[str, Any]) -> list[str]:
    versions = ', '.join(f'{name} {version}' for name, version
                         in facts.get('packages', {}).items())
    times = '; '.join(f'{name} {part["date"]}, {part["load"]}' for name, part in parts.items())
    quick = [name for name, part in parts.items() if part['effort'] == 'quick']
    return ['## The machine', '',
            f'{facts.get("processor")}, {facts.get("cores")} cores, {facts.get("memory_GB")} GB; '
            f'{facts.get("system")}; Python {facts.get("python")}; {facts.get("compiler")}.',
            f'{versions}.', '',
            f'When each part began, and the load average then (above 1: other work on the '
            f'machine): {times}.'
            + (f' Quick, so less certain: {", ".join(quick)}.' if quick else '')]


def _ratio(peer: Mapping[str, Any]) -> str:
    if 'ratio' not in peer:
        return peer.get('cannot', 'not measured')
    low, high = peer['ratio_quartiles']
    return f'**{number(peer["ratio"])}** ({number(low)}–{number(high)})'


def _engines(found: Any) -> list[str]:
    rows = [[entry['robot'], entry['work'], f'{number(entry["ours_us"])} us',
             *(_ratio(entry['peers'].get(name, {})) for name in NAMES)] for entry in found]
    apart = [[entry['robot'], entry['work'],
              *(f'{entry["peers"][name]["difference"]:.0e}, '
                f'{entry["peers"][name]["integrator"]}'
                if 'difference' in entry['peers'].get(name, {}) else '–' for name in NAMES)]
             for entry in found]
    return ['## The same work in every engine', '',
            "Ours per state or step, and each peer's time over ours.", '',
            *table(['robot', 'work', 'ours', *NAMES], rows), '',
            '![Ratios](benchmarks/engines.png)', '',
            'Largest difference of the results from ours, and the integrator: soft constraints '
            'and integrators of lower order differ by their nature.', '',
            *table(['robot', 'work', *NAMES], apart)]


def _by_hand(found: Any) -> list[str]:
    rows = []
    for entry in found:
        for name, peer in entry['peers'].items():
            rows.append([entry['plant'], name, f'{number(entry["ours_us"])} us',
                         *([f'{number(peer["us"])} us', f'**{number(peer["ours_over_theirs"])}**',
                            f'{peer["difference"]:.0e}'] if 'us' in peer
                           else [peer['cannot'], '–', '–'])])
    return ['## Beside C written by hand', '',
            'RK4 steps of the SCARA, ours beside '
            '[benchmarks/scara_450.c](../benchmarks/scara_450.c): the free arm; the arm held on '
            'its helix by the same equation as ours; and the shortcut that holds for four rows on '
            'four joints, which needs no mass matrix.', '',
            *table(['plant', 'by hand', 'ours', 'theirs', 'ours over theirs', 'difference'],
                   rows)]


def _accuracy(found: Any) -> list[str]:
    lines = ['## Accuracy against cost', '',
             f'{number(found["duration_s"])} s of constrained motion; largest violation of any '
             'constraint row and largest error of the energy, against the time per simulated '
             'second. Engines without a line here have no such constraint.', '',
             '![Accuracy against cost](benchmarks/accuracy.png)']
    for task, points in found.items():
        if isinstance(points, list):
            lines += ['', f'### {task}', '', *table(
                ['engine', 'setting', 'step [ms]', 'ms per simulated s', 'violation',
                 'energy error [J]'],
                [[p['engine'], p['setting'], number(1e3 * p['step_s']),
                  *([p['failed'], '–', '–'] if 'failed' in p else
                    [number(1e-3 * p['us_per_simulated_s']), _small(p['violation']),
                     _small(p['energy_error_J'])])] for p in points])]
    return lines


def _small(value: float | None) -> str:
    return 'not finite' if value is None else f'{value:.1e}'


def _chains(found: Any) -> list[str]:
    rows = [[str(row['joints']), str(row['operations']), number(row['trace_s']),
             number(row['compile_cpu_s']), number(row['memory_MB']), number(row['cache_kB']),
             number(row['ours_us']), number(row['peer_us']), number(row['ratio']),
             number(row['pinocchio_aba_us'])] for row in found]
    return ['## Growth with the robot', '',
            'Free chains whose axes are all slanted, so that nothing folds away; compiled in a '
            'fresh process with an empty cache.', '',
            *table(['joints', 'operations', 'trace [s]', 'compile [s]', 'peak [MB]', 'kept [kB]',
                    'RK4 step [us]', 'mujoco [us]', 'ratio', 'pinocchio aba [us]'], rows), '',
            '![Growth with the robot](benchmarks/chains.png)']


def _limits(found: Any) -> list[str]:
    rows = [[str(p['rows']), str(p['operations']), number(p['ours_us']),
             number(p.get('mujoco_us')), number(p.get('ratio'))] for p in found['rows']]
    runs = [[str(p['rollouts']), number(1e3 * p['ours_s']), number(p['recorded_MB']),
             number(p['memory_MB']), number(1e3 * p['mujoco_s'] if 'mujoco_s' in p else None),
             number(p.get('ratio'))] for p in found['rollouts']]
    times = [[number(p['simulated_s']), number(1e3 * p['ours_s']), number(p['memory_MB']),
              number(1e3 * p['recorded_s']), number(p['recorded_MB'])] for p in found['duration']]
    return ['## Growth with rows, rollouts and time', '', '![Growth](benchmarks/limits.png)', '',
            *table(['rows', 'operations', 'ours, RK4 step [us]', 'mujoco [us]', 'ratio'], rows),
            '',
            *table(['rollouts of 1 s on all cores, every step recorded', 'ours [ms]',
                    'recorded [MB]', 'process grew [MB]', 'mujoco [ms]', 'ratio'], runs), '',
            *table(['simulated [s]', 'ours [ms]', 'process grew [MB]', 'recorded [ms]',
                    'process grew [MB]'], times)]


def _allocation(found: Any) -> list[str]:
    rows = [[str(steps), number(1e6 * seconds / steps), number(peak), number(grown)]
            for row in found
            for steps, seconds, peak, grown in zip(*(row[key] for key in (
                'steps', 'seconds', 'traced_peak_kB', 'memory_growth_kB')))]
    return ['### No allocation per step', '',
            *table(['steps in one call', 'us per step', 'traced peak [kB]',
                    'process grew [kB]'], rows)]


def _loops(found: Any) -> list[str]:
    rows = [[entry['scenario'], *(number(entry.get(key)) for key in (
        'without_ros', 'one_process', 'three_processes'))] for entry in found['scenarios']]
    bare = found.get('bare_ping_pong')
    return ['## Closed loops', '',
            'Simulated seconds per second with the control law at 1 kHz. A bare ping-pong of the '
            f'same messages between two rclpy processes makes {number(bare)}. These runs follow '
            'one another, so compare them only roughly; `robodyn bench ros` takes turns.', '',
            *table(['scenario', 'no ROS, one compiled call', 'ROS nodes in one process',
                    'ROS nodes in three processes'], rows), '',
            '![Closed loops](benchmarks/loops.png)']


def _startup(found: Any) -> list[str]:
    rows = [[name, *(number(entry.get(key)) for key in ('cold_s', 'warm_s', 'size_MB'))]
            for name, entry in found.items()]
    return ['## Start-up and size', '',
            'From a command to the first state of the SCARA in a fresh process. Cold: nothing '
            'compiled before (ours), first start (peers). Size: the package and all it requires, '
            'without ROS.', '',
            *table(['engine', 'cold [s]', 'warm [s]', 'installed [MB]'], rows)]
