# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Look for the settings that make a metric of a study small, under limits on others.

    scenario: scara_helix               # gains.yaml, a study with a section tune
    duration: 2.0
    axes:                               # the plants for which it shall hold; may be left out
      dynamics.payload.mass: {values: [0, 2, 5]}
    tune:
      parameters:
        controller.natural_frequency: {log_uniform: [5, 80]}
        controller.damping: {uniform: [0.5, 1.5]}
      minimise: error_rms
      limits: {effort_share: 0.9}
      budget: 200
      method: auto                      # along gradients where there are some; or evolution

    robodyn tune gains.yaml --output tuned.yaml

Writes a scenario that runs as it is, and prints a table of before and after. What was tried is
kept until the search is complete: the same command goes on after a kill.
"""
from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from robodyn_ros.commands.options import add_json, print_json, print_table
from robodyn_ros.commands.sweep import add_workers, progress_bar
from robodyn_ros.sweeping.study import read_study
from robodyn_ros.sweeping.tuning import tune


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument('study', type=Path, metavar='STUDY.yaml', help='what to look for')
    parser.add_argument('--output', type=Path, metavar='FILE.yaml',
                        help='scenario to write (default: SCENARIO_tuned.yaml)')
    add_workers(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Search; 0 if the best candidate keeps every limit."""
    study = read_study(arguments.study)
    chosen = study.settings.tune
    path = arguments.output or Path(f'{study.scenario.name}_tuned.yaml')
    bars = progress_bar()
    task = bars.add_task('candidates', total=chosen.budget)

    def show(tried: int, best: float) -> None:
        bars.start()  # once there are workers, as in a sweep
        bars.update(task, completed=tried, description=f'candidates, best {best:.4g}')

    try:
        found = tune(study, path, workers=arguments.workers, cluster=arguments.cluster,
                     progress=show)
    finally:
        bars.stop()
    kept = all(found.after.limits[name] <= most for name, most in chosen.limits.items()) \
        and not found.after.failed
    if arguments.json:
        print_json({'scenario': str(path), 'before': asdict(found.before),
                    'after': asdict(found.after), 'tried': found.tried, 'spent': found.spent,
                    'method': found.method, 'why': found.why, 'limits_kept': kept})
    else:
        rows = [(f'{chosen.minimise}, {chosen.over}', f'{found.before.value:.4g}',
                 f'{found.after.value:.4g}', 'minimised')]
        rows += [(name, f'{found.before.limits[name]:.4g}', f'{found.after.limits[name]:.4g}',
                  f'at most {most:g}') for name, most in chosen.limits.items()]
        rows += [(name, f'{found.before.values[name]:.6g}', f'{value:.6g}', '')
                 if isinstance(value, float) else (name, str(found.before.values[name]),
                                                   str(value), '')
                 for name, value in found.after.values.items()]
        way = f'by evolution: {found.why}' if found.why else 'along gradients'
        print_table(f'{found.tried} candidates tried', ('what', 'before', 'after', 'wanted'), rows,
                    [f'searched {way}; {found.spent} of {chosen.budget} of the budget spent',
                     f'written to {path}: robodyn simulate {path}'
                     + ('' if kept else '; no candidate keeps every limit')])
    return 0 if kept else 1
