# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A million steps of every scenario as exported C, beside `simulate`, to the last bit; one table.

    make bits                                        every compiler that is there; half an hour
    make bits BITS='--steps 100000'                  minutes
    make bits BITS='--scenarios scara_helix --only "gcc -O2" "clang -O3"'

Interpolation, law, motors and plant run in a closed loop: each scenario once as it is, then with
payloads, friction and gains by chance, until the steps are done. Emulated processors and the
software fma take a share of them. The exit code is 0 if no bit differed.
"""

import argparse
from pathlib import Path
import sys
import tempfile
import time

from export.closed_loop import ClosedLoop
from export.compilers import VARIANTS
from rich.console import Console
from rich.table import Table
from robodyn_ros import RobodynError, scenario_names


def main(arguments=None):
    """Compare everything; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--steps', type=int, default=1_000_000, help='of each scenario')
    parser.add_argument('--scenarios', nargs='+', default=scenario_names())
    parser.add_argument('--only', nargs='+', default=list(VARIANTS), metavar='VARIANT',
                        help=f'some of {"; ".join(VARIANTS)}')
    chosen = parser.parse_args(arguments)
    variants = []
    for name in chosen.only:
        if name not in VARIANTS:
            parser.error(f'there is no variant {name!r}; give some of {"; ".join(VARIANTS)}')
        reason = VARIANTS[name].missing()
        if reason:
            say(f'{name} is left out: {reason}')
        else:
            variants.append(VARIANTS[name])
    table = Table('variant', *chosen.scenarios, title='steps with the same bits')
    cells = {variant.name: [] for variant in variants}
    failed = not variants
    with tempfile.TemporaryDirectory(prefix='robodyn_bits_') as folder:
        for name in chosen.scenarios:
            found, wrong = compared(name, Path(folder) / name, variants, chosen.steps)
            failed |= wrong
            for variant in variants:
                cells[variant.name].append(found[variant.name])
    for name, row in cells.items():
        table.add_row(name, *row)
    Console().print(table)
    return int(failed)


def compared(name, folder, variants, steps):
    """Compare a scenario; returns a cell per variant, and whether any bit differed."""
    begun = time.monotonic()
    try:
        loop = ClosedLoop(name, [], folder)
    except RobodynError as error:
        say(f'{name} is refused: {error}')
        return dict.fromkeys((variant.name for variant in variants), 'refused'), False
    programs = {variant: loop.compiled(variant) for variant in variants}
    done, wrong = dict.fromkeys(programs, 0), {}
    for run in loop.runs(steps):
        for variant, program in programs.items():
            if done[variant] < variant.share * steps and variant not in wrong:
                done[variant] += loop.steps
                sentence = loop.differences(variant, program, run)
                if sentence:
                    wrong[variant] = say(f'{name}: {sentence}')
    say(f'{name}: {sum(done.values())} steps in {time.monotonic() - begun:.0f} s')
    return {variant.name: 'DIFFERS' if variant in wrong else str(done[variant])
            for variant in variants}, bool(wrong)


def say(sentence):
    """Tell what is going on; returns the sentence."""
    print(sentence, file=sys.stderr, flush=True)
    return sentence


if __name__ == '__main__':
    sys.exit(main())
