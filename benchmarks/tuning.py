# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The search of robodyn tune along gradients beside evolution, at equal budget.

    python -m benchmarks tune               frequencies of every joint, damping, model
    python -m benchmarks tune --json

The gradient of a run counts as eight runs of the budget, which this measures, too: its time over
that of a run side by side with others, in turns.
"""
from __future__ import annotations

import argparse
import json
from pathlib import Path
import tempfile
import time
from typing import Any

from benchmarks.engine import positive
from benchmarks.markdown import table
import numpy as np
from robodyn_ros import tune
from robodyn_ros.sweeping.axes import axis
from robodyn_ros.sweeping.gradients import Gradients
from robodyn_ros.sweeping.runs import Runner
from robodyn_ros.sweeping.study import make_study

LIMITS = {'scara_helix': 0.152, 'irb120_sine': 0.4}
"""Largest effort shares of the limited searches: little above the least that is possible."""
BUDGETS = (60, 200)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.add_argument('--json', action='store_true', help='print the numbers as JSON')
    parser.add_argument('--seeds', type=positive, default=3, help='searches of each kind')


def run(arguments: argparse.Namespace) -> int:
    """Measure and print; returns the exit code."""
    found = measure(arguments.seeds)
    print(json.dumps(found, indent=1) if arguments.json else '\n'.join(lines_of(found)))
    return 0


def lines_of(found: dict[str, Any]) -> list[str]:
    """Return the table of the page: medians, and how often gradients ended lower."""
    rows = [[f'`{one["scenario"]}`, budget {one["budget"]}'
             + (f', `effort_share` at most {one["limit"]}' if one['limit'] else ''),
             f'{np.median(one["evolution"]):.3g}', f'{np.median(one["gradient"]):.3g}',
             f'{sum(a < b for a, b in zip(one["gradient"], one["evolution"]))} of '
             f'{len(one["gradient"])}',
             f'{one["gradient_s"] / one["evolution_s"]:.2g}'] for one in found['searches']]
    ratios = ', '.join(f'{name} {one:.2g}' for name, one in found['gradient_in_runs'].items())
    return [*table(['Lowest `error_rms`, median', 'evolution', 'gradients', 'gradients lower in',
                    'their time'], rows), '',
            f'A gradient takes as long as so many runs side by side: {ratios}.']


def study_of(scenario: str, **tuned: Any) -> dict[str, Any]:
    """Return a study of a seven- or nine-dimensional search, for two payloads."""
    count = 4 if scenario == 'scara_helix' else 6
    parameters: dict[str, Any] = {
        f'controller.natural_frequency.joint_{k + 1}': {'log_uniform': [5, 80]}
        for k in range(count)}
    parameters |= {'controller.damping': {'uniform': [0.5, 1.5]},
                   'controller.model.payload.mass': {'uniform': [0, 2]},
                   'controller.model.friction_scale': {'uniform': [0, 2]}}
    return {'scenario': scenario, 'duration': 0.5, 'seed': tuned.pop('seed', 0),
            'axes': {'dynamics.payload.mass': {'values': [0.5, 1.0]}},
            'tune': {'parameters': parameters, 'minimise': 'error_rms', **tuned}}


def measure(seeds: int) -> dict[str, Any]:
    """Search with every seed in turns."""
    searches = []
    for scenario, most in LIMITS.items():
        for limits in ({}, {'effort_share': most}):
            for budget in BUDGETS:
                one: dict[str, Any] = {'scenario': scenario, 'budget': budget, 'evolution_s': 0.0,
                                       'limit': most if limits else None, 'gradient_s': 0.0,
                                       'evolution': [], 'gradient': []}
                for seed in range(seeds):
                    for method in ('evolution', 'gradient'):
                        _search(one, method, study_of(
                            scenario, seed=seed, budget=budget, limits=limits, method=method))
                searches.append(one)
    return {'searches': searches, 'gradient_in_runs': {name: _in_runs(name) for name in LIMITS}}


def _search(one: dict[str, Any], method: str, study: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory(prefix='robodyn_bench_') as folder:
        begin = time.perf_counter()
        found = tune(study, Path(folder) / 'tuned.yaml', workers=1)
        one[f'{method}_s'] += time.perf_counter() - begin
    # where no candidate keeps the limits, this is far above the metric
    one[method].append(found.after.cost)


def _in_runs(scenario: str) -> float:
    """Return the time of a candidate's first gradient over that of a run side by side."""
    study = make_study(study_of(scenario))
    axes = [axis(name, given, study.place)
            for name, given in study.settings.tune.parameters.items()]
    rng, best = np.random.default_rng(0), [np.inf, np.inf]
    some = [{one.name: one.at(float(x)) for one, x in zip(axes, rng.random(len(axes)))}
            for _ in range(40)]
    runs = np.arange(2 * 8)
    runner = Runner(study.trying(some[:8]))
    gradients = Gradients(runner, axes)
    gradients.of('error_rms', some[0], 0)
    for turn in range(4):
        mine = some[8 * turn + 8:8 * turn + 16]
        runner.study = study.trying(mine)
        begin = time.perf_counter()
        runner.rows(runs)
        middle = time.perf_counter()
        gradients.of('error_rms', mine[0], 0)
        taken = (middle - begin) / len(runs), time.perf_counter() - middle
        best = [min(pair) for pair in zip(best, taken)]
    return best[1] / best[0]
