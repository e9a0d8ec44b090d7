# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The page docs/benchmarks.md, made from recorded numbers alone; no number is typed by hand."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable, Mapping

from benchmarks import derivatives, sweeps
from benchmarks.compare import PEERS
from benchmarks.contender import Contender
from benchmarks.export import lines_of
from benchmarks.ik_solvers import SOLVERS
from benchmarks.inverse_kinematics import rows_of
from benchmarks.losses import losses
from benchmarks.markdown import number, ratio, small, spread, table
from benchmarks.with_ours import Ours

PEER_NAMES = [kind.name for kind in PEERS]
USUAL_INTEGRATOR = 'RK4'
"""The integrator that needs no remark."""
HEAD = """# Benchmarks

`make bench` (`python -m benchmarks all` in a checkout) measures and writes this page; no number is
typed by hand, and the raw ones are in [benchmarks/results.json](benchmarks/results.json).
`python -m benchmarks all --quick` measures less, `--only PART` measures one part anew.

- Engines of one row take turns, so a slow second of the machine meets all of them. Times are
  medians, by the thread's own clock where one thread works; a ratio is the median of the turns'
  ratios. Quartiles are in brackets. **A ratio above 1 means that we are faster.** Where something
  was not measured in turns, the section says so.
- An engine's answer is compared with ours before it is timed; a wrong one is not timed.
- Every engine is used from Python as its documentation recommends, see the list of engines.
"""


def write_page(results: Mapping[str, Any], folder: Path) -> Path:
    """Write benchmarks.md."""
    path = folder / 'benchmarks.md'
    path.write_text(page_of(results), encoding='utf-8')
    return path


def page_of(results: Mapping[str, Any]) -> str:
    """Return the text of the page."""
    parts = results['parts']
    lines = [HEAD, *_machines(parts)]
    for name, make in SECTIONS.items():
        if name in parts:
            lines += ['', *make(parts[name]['found'])]
    lines += ['', '## Where we lose', '', *losses(parts)]
    engines: tuple[type[Contender], ...] = (Ours, *PEERS)
    lines += ['', '## The engines', '', *(f'- **{kind.name}** (`{kind.package}`): {kind.usage}.'
                                          for kind in engines)]
    return '\n'.join(lines) + '\n'


def _machines(parts: Mapping[str, Any]) -> list[str]:
    """Describe what the parts ran on; those that ran on the same share a paragraph."""
    groups: dict[str, list[str]] = {}
    for name, part in parts.items():
        groups.setdefault(json.dumps(part['machine'], sort_keys=True), []).append(name)
    lines = ['## The machine']
    for text, names in groups.items():
        facts = json.loads(text)
        versions = ', '.join(f'{name} {version}' for name, version in facts['packages'].items())
        which = f'{", ".join(names)}: ' if len(groups) > 1 else ''
        lines += ['', f'{which}{facts["processor"]}, {facts["cores"]} cores, '
                  f'{facts["memory_GB"]} GB; {facts["system"]}; Python {facts["python"]}; '
                  f'{facts["compiler"]}. {versions}. Our sources: {facts["sources"]}.']
    times = '; '.join(f'{name} {part["date"]}, {part["load"]}' for name, part in parts.items())
    quick = [name for name, part in parts.items() if part['effort'] == 'quick']
    return [*lines, '', 'When each part began, and the load average of the minute before; the '
            f'parts themselves keep one core busy, some both: {times}.'
            + (f' Quick, so less certain: {", ".join(quick)}.' if quick else '')]


def _engines(found: Any) -> list[str]:
    def cell(peer: dict[str, Any]) -> str:
        other = peer.get('integrator', USUAL_INTEGRATOR)
        named = 'ratio' in peer and other != USUAL_INTEGRATOR
        return ratio(peer) + (f', {other}' if named else '')

    rows = [[entry['robot'], entry['work'], f'{number(entry["ours_us"])} us',
             *(cell(entry['peers'].get(name, {})) for name in PEER_NAMES)] for entry in found]
    apart = [[entry['robot'], entry['work'],
              *(f'{entry["peers"][name]["difference"]:.0e}'
                if 'difference' in entry['peers'].get(name, {}) else '–' for name in PEER_NAMES)]
             for entry in found]
    fewer = {f'{name} {peer["units"]} of {entry["units"]} {entry["unit"]}s'
             for entry in found for name, peer in entry['peers'].items()
             if peer.get('units', entry['units']) < entry['units']}
    less = f' Where many runs would take minutes, a part is timed: {", ".join(sorted(fewer))}.'
    return ['## The same work in every engine', '',
            "Ours per state or step, on one core, and each peer's time over ours. Where an engine "
            'has a function for many states, they go into one call (ours, pinocchio, '
            'roboticstoolbox); "one call a state" and "one call a step" are loops in Python, '
            'which copy each result. An integrator other than RK4 is named.'
            + (less if fewer else ''), '',
            *table(['robot', 'work', 'ours', *PEER_NAMES], rows), '',
            '![Ratios](benchmarks/engines.png)', '',
            'Largest difference of the results from ours, relative to the largest of ours, or '
            'after a run to how far ours went, positions and velocities apart. Soft constraints '
            'and integrators of lower order differ by their nature.', '',
            *table(['robot', 'work', *PEER_NAMES], apart)]


def _by_hand(found: Any) -> list[str]:
    rows = []
    for entry in found:
        for name, peer in entry['peers'].items():
            rows.append([entry['plant'], name, f'{number(entry["ours_us"])} us',
                         *([f'{number(peer["us"])} us',
                            f'**{number(peer["ours_over_theirs"])}**{spread(peer["quartiles"])}',
                            f'{peer["difference"]:.0e}'] if 'us' in peer
                           else [peer['cannot'], '–', '–'])])
    return ['## Beside C written by hand', '',
            'RK4 steps of the SCARA, ours beside '
            '[benchmarks/scara_450.c](../benchmarks/scara_450.c): the free arm; the arm held on '
            'its helix by the same equation as ours, written out for this arm; and the shortcut '
            'that holds for four rows on four joints, which needs no mass matrix. Here a ratio '
            'below 1 means that we are faster.', '',
            *table(['plant', 'by hand', 'ours', 'theirs', 'ours over theirs', 'difference'],
                   rows)]


def _accuracy(found: Any) -> list[str]:
    lines = ['## Accuracy against cost', '',
             f'{number(found["duration_s"])} s of constrained motion; largest violation of any '
             'constraint row (m, of the yaw rad) and largest error of the energy, against the '
             f'time per simulated second, timed in turns over {number(found["timed_s"])} s. On '
             'the helix the exact energy is that of the states that satisfy the rows, solved for '
             'without integrating. Drake and the Robotics Toolbox have no constraint to a moving '
             'point, and the Toolbox no loops: those lines are missing.', '',
             '![Accuracy against cost](benchmarks/accuracy.png)']
    for task, points in found.items():
        if isinstance(points, list):
            lines += ['', f'### {task}', '', *table(
                ['engine', 'setting', 'step [ms]', 'ms per simulated s', 'violation',
                 'energy error [J]'],
                [[p['engine'], p['setting'], number(1e3 * p['step_s']),
                  *([p['failed'], '–', '–'] if 'failed' in p else
                    [number(1e-3 * p['us_per_simulated_s'])
                     + spread([1e-3 * value for value in p['quartiles_us']]),
                     small(p['violation']), small(p['energy_error_J'])])] for p in points])]
    return lines


def _chains(found: Any) -> list[str]:
    rows = [[str(row['joints']), str(row['operations']), number(row['trace_s']),
             number(row['compile_cpu_s']), number(row['memory_MB']), number(row['cache_kB']),
             number(row['ours_us']), number(row['peer_us']), ratio(row),
             number(row['pinocchio_aba_us']), number(row['ours_MB']),
             number(row.get('mujoco_MB'))] for row in found]
    return ['## Growth with the robot', '',
            'Free chains whose axes are all slanted, so that nothing folds away; compiled in a '
            'fresh process with an empty cache, once. Memory: while compiling, and the peak of a '
            'whole process that takes steps.', '',
            *table(['joints', 'operations', 'trace [s]', 'compile [s]', 'compile [MB]',
                    'kept [kB]', 'RK4 step [us]', 'mujoco [us]', 'ratio', 'pinocchio aba [us]',
                    'ours [MB]', 'mujoco [MB]'], rows), '',
            '![Growth with the robot](benchmarks/chains.png)']


def _robots(found: Any) -> list[str]:
    rows = [[row['name'].partition('.')[0], str(row['joints']), str(row['operations']),
             number(row['compile_cpu_s']), number(row['ours_us']),
             number(row['peer_us']) if row['peer_us'] is not None
             else row.get('peer_refuses', '–'), ratio(row)] for row in found]
    return ['## Robots that nobody here made', '',
            'From the wheel example-robot-data, without shapes, transmissions and mimics; every '
            'joint moves freely. Compiled once from nothing: processor time.', '',
            *table(['robot', 'joints', 'operations', 'compile [s]', 'RK4 step [us]',
                    'mujoco [us]', 'ratio'], rows)]


def _limits(found: Any) -> list[str]:
    def grown(kind: str, title: str, scale: float, unit: str) -> list[str]:
        return ['', *table(
            [title, f'ours [{unit}]', f'mujoco [{unit}]', 'ratio', 'ours [MB]', 'mujoco [MB]'],
            [[number(p['size']), number(scale * p['ours']['us']),
              number(scale * p['mujoco']['us'] if 'mujoco' in p else None), ratio(p),
              number(p['ours']['peak_MB']), number(p.get('mujoco', {}).get('peak_MB'))]
             for p in found[kind]])]

    return ['## Growth with rows, rollouts and time', '',
            'Memory is the peak of a fresh process that does the work once, Python and libraries '
            'included. Our recordings also hold accelerations, torques and the forces of the '
            'constraints.', '', '![Growth](benchmarks/limits.png)',
            *grown('rows', 'rows on a chain of five joints, RK4 step', 1.0, 'us'),
            *grown('rollouts', 'rollouts of 1 s on all cores, every step recorded', 1e-3, 'ms'),
            *grown('duration', 'simulated [s], nothing recorded', 1e-3, 'ms'),
            *grown('recorded', 'simulated [s], every step recorded', 1e-3, 'ms')]


def _allocation(found: Any) -> list[str]:
    rows = [[str(steps), number(1e6 * seconds / steps), number(peak), number(grown)]
            for row in found
            for steps, seconds, peak, grown in zip(*(row[key] for key in (
                'steps', 'seconds', 'traced_peak_kB', 'memory_growth_kB')))]
    return ['### No allocation per step', '',
            'One call; a double per step would be eight bytes for each.', '',
            *table(['steps in one call', 'us per step', "Python's allocations, peak [kB]",
                    'process grew [kB]'], rows)]


def _loops(found: Any) -> list[str]:
    def speed(way: Any) -> str:
        return '–' if way is None else number(way['speed']) + spread(way.get('quartiles'))

    rows = [[entry['scenario'], speed(entry['without_ros']), speed(entry.get('one_process')),
             speed(entry.get('processes')) + ('' if entry['driven'] else ', one process'),
             number((entry.get('processes') or {}).get('bare')),
             ratio(entry.get('processes') or {})] for entry in found['scenarios']]
    return ['## Closed loops', '',
            'Simulated seconds per second with the control law at 1 kHz, by the wall clock. Three '
            'processes in lockstep take turns with a bare ping-pong of the same messages between '
            'two rclpy processes; the ratio is our speed over that. The other columns were '
            'measured one after another. Without a controller the constraints alone move the '
            'plant, in a single process: there one call computes the whole motion, and with ROS '
            'publishing every state takes the time.', '',
            *table(['scenario', 'no ROS, one compiled call', 'ROS nodes in one process',
                    'ROS nodes in three processes', 'bare ping-pong', 'ratio'], rows), '',
            '![Closed loops](benchmarks/loops.png)']


def _startup(found: Any) -> list[str]:
    rows = [[name, number(entry['cold_s']),
             number(entry['warm_s']) + spread(entry['warm_quartiles_s']),
             number(entry.get('size_MB'))] for name, entry in found.items()]
    return ['## Start-up and size', '',
            'From a command to the first state of the SCARA in a fresh process; as ROS nodes to '
            'the first joint state that a listener gets. First: nothing compiled before (ours); '
            'the files of all were in the memory of the system already. Size: the package and all '
            'it requires, without ROS.', '',
            *table(['engine', 'first [s]', 'later [s]', 'installed [MB]'], rows)]


def _reach(found: Any) -> list[str]:
    return ['## Inverse kinematics of a pose', '',
            "The field's test (`python -m benchmarks ik`): poses of random configurations, every "
            'search from the middle of the joint limits, 1e-5 m and rad. Solved is what our '
            'forward kinematics finds there, inside all limits. '
            'Solvers take turns, 100 poses each, one call from Python a pose; times are means '
            "over the poses, by the thread's own clock, and of TRAC-IK, which works in two "
            'threads, by the wall clock. Solvers that take long get every twentieth pose.', '',
            *rows_of(found), '',
            *(f'- **{kind.name}** (`{kind.package}`): {kind.usage}.' for kind in SOLVERS)]


def _derivatives(found: Any) -> list[str]:
    return ['## Derivatives', '',
            'Of accelerations and of torques by q, v and the other of the two '
            '([derivatives.md](derivatives.md)), from Python. Pinocchio takes a state a call; '
            'behind our times, its time over ours. CasADi differentiates the recording of our '
            'forward dynamics and runs that in its virtual machine. Answers agree to 1e-9.', '',
            *derivatives.lines_of(found)]


def _export(found: Any) -> list[str]:
    return ['## Exported C', '',
            'What `robodyn export` writes ([export.md](export.md)), compiled by gcc with the '
            'options of its Makefile, beside our compiled code: the same states, in turns, the '
            'same bits. Each function has a file of its own here, which holds the code for the '
            "robot's own payload and friction, which is timed, and that for any. The arm of seven "
            'joints has slanted axes, so that nothing folds away; CasADi writes C of recursive '
            'Newton–Euler equations for it, which promises no bits and is compiled with -O3. '
            'Calls one by one are timed by the wall clock on a machine without real-time '
            'priorities; the last column is the worst of as many readings of the clock without a '
            'call.', '',
            *lines_of(found)]


def _sweep(found: Any) -> list[str]:
    return ['## Sweeps', '',
            f'{found["runs"]} closed loops of scara_helix, computed torque at 1 kHz, 2 s each, '
            'every one with another payload ([sweep.md](sweep.md)). MuJoCo takes the same law and '
            'reference step by step from Python; its motion is ours to 1e-6. The best of three '
            'turns counts.', '', *sweeps.lines_of(found)]


SECTIONS: dict[str, Callable[[Any], list[str]]] = {
    'engines': _engines, 'by_hand': _by_hand, 'accuracy': _accuracy, 'chains': _chains,
    'robots': _robots,
    'limits': _limits, 'allocation': _allocation, 'loops': _loops, 'startup': _startup,
    'reach': _reach, 'derivatives': _derivatives, 'export': _export, 'sweep': _sweep}
