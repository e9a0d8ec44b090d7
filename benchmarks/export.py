# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Exported C beside our compiled code, and CasADi's C for the same function.

    python -m benchmarks export             a table; ten million calls each for the worst case
    python -m benchmarks export --quick     fewer turns and calls
    python -m benchmarks export --json      a JSON list of entries on stdout, nothing else

`robodyn export` writes the C, its own Makefile's options compile it (CasADi's is compiled with -O3
and may fuse and vectorise), and ours and theirs take turns over the same states. Results must have
our bits, CasADi's agree to 1e-9, before any is timed.
"""
from __future__ import annotations

import argparse
import ctypes
from importlib.util import find_spec
import json
from pathlib import Path
import shutil
import subprocess
import tempfile
from typing import Any, Sequence

from benchmarks import with_casadi
from benchmarks.internals import evaluation_loop
from benchmarks.markdown import number, table
from benchmarks.plants import chain, chain_text
from benchmarks.progress import ProgressBars
from benchmarks.sizes import FULL, QUICK, Sizes
from benchmarks.timing import summarise, take_turns, Task
import numpy as np
from robodyn_ros import load_robot, load_scenario, RobodynError, Simulation
from robodyn_ros.export.library import Library
from robodyn_ros.export.selection import library_of_robot, library_of_scenario
from robodyn_ros.robots.robot import Robot

SLANTED = 7
"""Joints of the arm whose axes are all slanted."""
OPTIONS = ('-O2', '-march=native', '-ffp-contract=off', '-fno-tree-vectorize',
           '-fno-tree-slp-vectorize', '-fno-math-errno')
"""Those of an exported Makefile."""
FREE = ('-O3', '-march=native', '-fno-math-errno')
"""For C that promises no bits."""
TOLERANCE = 1e-9
"""Largest difference of CasADi's torques, relative to the largest of ours [-]."""
CASADI = 'casadi'
HARNESS = r"""
#include <stdint.h>
#include <time.h>
@INCLUDE@
@BEFORE@

void many(long count, const double *x, double *y)
{
    long k;
@PREPARE@    for (k = 0; k < count; ++k, x += @IN@, y += @OUT@) {
@CALL@    }
}

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Each call alone: counts of its nanoseconds (bins), and the longest; empty: without the call. */
void alone(long count, long states, const double *all, double *y, int empty, long bins,
           int64_t *found, int64_t *worst)
{
    long k;
@PREPARE@    for (k = 0; k < count; ++k) {
        const double *x = all + (k % states) * @IN@;
        const int64_t begun = now();
        int64_t took;
        if (!empty) {
@CALL@        }
        took = now() - begun;
        if (took > *worst)
            *worst = took;
        ++found[took < bins ? took : bins - 1];
    }
}
"""


FUNCTIONS = [(f'chain_{SLANTED}', 'inverse_dynamics'), (f'chain_{SLANTED}', 'forward_dynamics'),
             ('irb120', 'inverse_dynamics'), ('irb120', 'mass_and_bias')]
STEPS = ('scara_helix', 'irb120_sine', 'parallel_line')
"""Scenarios whose plant steps are compared."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.add_argument('--json', action='store_true', help='print a JSON list of entries')
    parser.add_argument('--quick', action='store_true', help='fewer turns and calls')


def run(arguments: argparse.Namespace) -> int:
    """Measure and print; returns the exit code."""
    with ProgressBars() as bars:
        found = measure(QUICK if arguments.quick else FULL, bars)
    print(json.dumps(found, indent=2) if arguments.json else '\n'.join(lines_of(found)))
    return 0


def measure(sizes: Sizes, bars: ProgressBars) -> list[dict[str, Any]]:
    """One entry per function; without a compiler, one sentence."""
    compiler = shutil.which('gcc') or shutil.which('cc')
    if compiler is None:
        return [{'cannot': 'there is no C compiler'}]
    bars.begin('exported C', (len(FUNCTIONS) + len(STEPS)) * sizes.repeats)
    found = []
    with tempfile.TemporaryDirectory(prefix='robodyn_bench_') as folder:
        for k, (name, function) in enumerate(FUNCTIONS):
            robot = chain(SLANTED) if name.startswith('chain_') else load_robot(name)
            found.append(_function(compiler, Path(folder) / str(k), robot, function, sizes, bars))
        for name in STEPS:
            found.append(_steps(compiler, Path(folder) / name, name, sizes, bars))
    return found


def _function(compiler: str, folder: Path, robot: Robot, name: str, sizes: Sizes,
              bars: ProgressBars) -> dict[str, Any]:
    """Compare a function of a robot: ours in one call over many states, C in a loop over them."""
    n, count = robot.n, sizes.states
    rng = np.random.default_rng(41)
    q, v, u = rng.uniform(-1, 1, (count, n)), rng.uniform(-1, 1, (count, n)), rng.uniform(
        -1, 1, (count, n))
    given = [q, v, u] if name != 'mass_and_bias' else [q, v]
    outputs = {'mass_and_bias': [n * n, n]}.get(name, [n])
    ours, result = evaluation_loop(robot, name, q, v, u)
    ours()
    expected = result.reshape(count, -1)[:, :sum(outputs)]
    library = library_of_robot(robot, [name])
    x = np.ascontiguousarray(np.concatenate(given, axis=1))
    size = _written(library, folder)
    places = [f'x + {n * k}' for k in range(len(given))] + [
        f'y + {sum(outputs[:k])}' for k in range(len(outputs))]
    call = f'{library.name}_{name}(&model, {", ".join(places)});'
    theirs = _Compiled(compiler, folder, f'#include "{library.name}.h"', '', _model(library), call,
                       x, sum(outputs), [f'{library.name}.c'])
    theirs.many()
    if theirs.y.tobytes() != np.ascontiguousarray(expected).tobytes():
        raise RobodynError(f'exported {name} of {robot.name} has other bits than ours; run '
                           'test/export')
    tasks: dict[str, Task] = {'ours': ours, 'exported': theirs.many}
    entry: dict[str, Any] = {'robot': robot.name, 'work': name.replace('_', ' '), 'unit': 'call',
                             'file_kB': size, **theirs.worst(sizes.lone_calls)}
    if robot.name.startswith('chain_') and name == 'inverse_dynamics':
        entry[CASADI] = _casadi(compiler, folder, x, expected, sizes, tasks)
    return _timed(entry, tasks, count, sizes, bars)


def _casadi(compiler: str, folder: Path, x: np.ndarray, expected: np.ndarray, sizes: Sizes,
            tasks: dict[str, Task]) -> dict[str, Any]:
    """Add CasADi's C to the tasks; returns what is known of it, or why it is absent."""
    if find_spec(CASADI) is None:
        return {'cannot': 'not installed: pip install "robodyn_ros[bench]"'}
    n = expected.shape[1]
    path = with_casadi.write_inverse_dynamics(chain_text(SLANTED), folder, 'casadi_rnea')
    call = (f'const double *arg[3] = {{x, x + {n}, x + {2 * n}}}; double *res[1] = {{y}}; '
            'casadi_rnea(arg, res, 0, work, 0);')
    peer = _Compiled(compiler, folder, '', 'int casadi_rnea(const double **arg, double **res, '
                     'long long *iw, double *w, int mem);\nstatic double work[100000];\n', '',
                     call, x, n, [path.name], FREE)
    peer.many()
    apart = float(np.abs(peer.y - expected).max() / np.abs(expected).max())
    if not apart < TOLERANCE:
        return {'cannot': f'its answer differs from ours by {apart:.2g}, so it is not timed'}
    tasks[CASADI] = peer.many
    return {'difference': apart, 'file_kB': path.stat().st_size / 1e3,
            **peer.worst(sizes.lone_calls)}


def _steps(compiler: str, folder: Path, name: str, sizes: Sizes, bars: ProgressBars
           ) -> dict[str, Any]:
    """Compare steps of a scenario's plant without torque."""
    scenario = load_scenario(name)
    simulation = Simulation(scenario, with_control=False)
    plant, start, n = simulation.plant, simulation.assembly.state, simulation.robot.n
    count = sizes.closure_steps
    library = library_of_scenario(scenario, ['plant'])
    size = _written(library, folder)
    x = np.concatenate([start.q, start.v, np.zeros(n)])[None]
    before = (f'static void steps(const {library.name}_model *model, const double *x, double *y)\n'
              f'{{\n    long k; int j;\n    for (j = 0; j < {2 * n}; ++j)\n        y[j] = x[j];\n'
              f'    for (k = 0; k < {count}; ++k)\n        {library.name}_step(model, k * '
              f'{library.name.upper()}_STEP, y, y + {n}, x + {2 * n}, y, y + {n});\n}}\n')
    theirs = _Compiled(compiler, folder, f'#include "{library.name}.h"', before, _model(library),
                       'steps(&model, x, y);', x, 2 * n, [f'{library.name}.c'])
    end = plant.advance(start, steps=count, parameters=simulation.parameters)
    theirs.many()
    if theirs.y.tobytes() != np.concatenate([end.q, end.v]).tobytes():
        raise RobodynError(f'{count} exported steps of {name} have other bits than ours; run '
                           'test/export')
    tasks: dict[str, Task] = {
        'ours': lambda: plant.advance(start, steps=count, parameters=simulation.parameters),
        'exported': theirs.many}
    return _timed({'robot': name, 'work': 'plant step', 'unit': 'step', 'file_kB': size}, tasks,
                  count, sizes, bars)


def _timed(entry: dict[str, Any], tasks: dict[str, Task], count: int, sizes: Sizes,
           bars: ProgressBars) -> dict[str, Any]:
    turns = take_turns(tasks, dict.fromkeys(tasks, count), sizes.repeats, bars.tick)
    ratio = summarise(turns['exported'] / turns['ours'])
    entry.update(ours_us=summarise(turns['ours']).median, us=summarise(turns['exported']).median,
                 over_ours=ratio.median, quartiles=ratio.quartiles)
    if CASADI in turns:
        over = summarise(turns[CASADI] / turns['exported'])
        entry[CASADI].update(us=summarise(turns[CASADI]).median, ratio=over.median,
                             ratio_quartiles=over.quartiles)
    return entry


def _written(library: Library, folder: Path) -> float:
    """Write a library; returns the size of its C file [kB]."""
    for name, text in library.files().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding='utf-8')
    return (folder / f'{library.name}.c').stat().st_size / 1e3


def _model(library: Library) -> str:
    name = library.name
    return (f'    {name}_parameters p;\n    {name}_model model;\n'
            f'    {name}_default_parameters(&p);\n    {name}_prepare(&p, &model);\n')


class _Compiled:
    """A function in C, in a loop over states, and each call by itself."""

    def __init__(self, compiler: str, folder: Path, include: str, before: str, prepare: str,
                 call: str, x: np.ndarray, outputs: int, sources: list[str],
                 options: Sequence[str] = OPTIONS):
        """Compile the loops around a call that reads x and writes y."""
        self.x, self.y = x, np.zeros((len(x), outputs))
        text = HARNESS
        for word, meant in (('INCLUDE', include), ('BEFORE', before), ('PREPARE', prepare),
                            ('CALL', f'        {call}\n'), ('IN', str(x.shape[1])),
                            ('OUT', str(outputs))):
            text = text.replace(f'@{word}@', meant)
        stem = Path(sources[0]).stem
        (folder / f'time_{stem}.c').write_text(text, encoding='utf-8')
        # apart, not inlined: a driver calls it so
        done = subprocess.run([compiler, *options, '-fPIC', '-shared', f'time_{stem}.c', *sources,
                               '-o', f'time_{stem}.so', '-lm'], cwd=folder, capture_output=True,
                              text=True)
        if done.returncode:
            raise RobodynError(f'{compiler} failed: {done.stderr.splitlines()[0]}')
        self.library = ctypes.CDLL(str(folder / f'time_{stem}.so'))
        self._many = (ctypes.c_long(len(x)), ctypes.c_void_p(x.ctypes.data),
                      ctypes.c_void_p(self.y.ctypes.data))

    def many(self) -> None:
        """Run over all states."""
        self.library.many(*self._many)

    def worst(self, calls: int) -> dict[str, float]:
        """Time calls one by one; the clock's own time is taken off the median, not the worst."""
        bins = 100_000
        middle, longest = [], []
        for empty in (1, 0):
            counts, worst = np.zeros(bins, dtype=np.int64), ctypes.c_int64(0)
            self.library.alone(ctypes.c_long(calls), ctypes.c_long(len(self.x)),
                               ctypes.c_void_p(self.x.ctypes.data),
                               ctypes.c_void_p(self.y.ctypes.data), ctypes.c_int(empty),
                               ctypes.c_long(bins), ctypes.c_void_p(counts.ctypes.data),
                               ctypes.byref(worst))
            longest.append(1e-3 * worst.value)
            total = np.cumsum(counts)
            middle.append([int(np.searchsorted(total, share * calls)) for share in (0.5, 0.9999)])
        return {'calls': calls, 'median_us': 1e-3 * (middle[1][0] - middle[0][0]),
                'most_us': 1e-3 * middle[1][1], 'worst_us': longest[1],
                'clock_worst_us': longest[0]}


def lines_of(found: list[dict[str, Any]]) -> list[str]:
    """Return the tables as Markdown."""
    rows, alone = [], []
    for entry in found:
        if 'cannot' in entry:
            return [f'Not measured: {entry["cannot"]}.']
        peer = entry.get(CASADI, {})
        theirs = peer.get('cannot', '–')
        if 'us' in peer:
            theirs = f'{number(peer["us"])} us, {number(peer["file_kB"])} kB'
        rows.append([entry['robot'], entry['work'], f'{number(entry["ours_us"])} us',
                     f'{number(entry["us"])} us',
                     f'**{entry["over_ours"]:.2f}** ({entry["quartiles"][0]:.2f}–'
                     f'{entry["quartiles"][1]:.2f})', f'{number(entry["file_kB"])} kB', theirs])
        alone += [[entry['robot'], f'{entry["work"]}{name}', str(one['calls']),
                   *(f'{number(one[key])} us' for key in (
                       'median_us', 'most_us', 'worst_us', 'clock_worst_us'))]
                  for name, one in (('', entry), (', CasADi', peer)) if 'worst_us' in one]
    return [*table(['robot or scenario', 'function', 'our compiled code', 'exported C',
                    'exported over ours', 'C file', 'C of CasADi'], rows), '',
            *table(['robot', 'function', 'calls one by one', 'median', '99.99 % within', 'worst',
                    'worst of the clock alone'], alone)]
