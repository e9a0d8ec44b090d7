# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Where a peer is ahead of us, found in the recorded numbers, and why.

The reasons are ours to write; whether one is needed is decided by the numbers alone.
"""
from __future__ import annotations

from typing import Any, Iterator, Mapping

WITHIN = 1.2
"""How near to C written by hand we want to be [-]."""
WANTED = 12.0
"""How far ahead of MuJoCo's RK4 steps we want to be [-]."""
SINGLY = ('A call from Python costs more than the equations. Give all states in one call, or let '
          'the loop run in compiled code.')
SLANTED = ('Straight-line code grows with the square of the joints, while recursive algorithms '
           'grow with the joints: the longer the chain, the smaller the lead, and the longer it '
           'takes to compile.')
BY_HAND = ('The compiled plant takes torques and checks its pivots, and solves the general '
           'equation; whoever writes by hand leaves out what this robot does not need and solves '
           'two equations on paper.')
NEAR = 'There is less to fold away than in a SCARA or a planar chain.'
COMPILE = ('The equations of a new robot are compiled once, by a compiler that takes half a '
           'second to import. Peers are compiled before they are shipped.')
LATER = 'Kept programs are linked in milliseconds; what remains is the import of Python modules.'
SIZE = 'numba brings a whole compiler (LLVM), scipy much that we do not use.'


def losses(parts: Mapping[str, Any]) -> list[str]:
    """Return one bullet per place where a peer is ahead or a wish is not met."""
    found = [*_engines(parts), *_by_hand(parts), *_growth(parts), *_startup(parts)]
    return [f'- {line}' for line in found] or ['Nowhere in this run.']


def _of(parts: Mapping[str, Any], name: str) -> Any:
    return parts[name]['found'] if name in parts else []


def _engines(parts: Mapping[str, Any]) -> Iterator[str]:
    for entry in _of(parts, 'engines'):
        behind = [f'{name} takes {peer["ratio"]:.2g} of our time'
                  for name, peer in entry['peers'].items() if peer.get('ratio', 2.0) < 1.0]
        if behind:
            why = SINGLY if 'one call' in entry['work'] else ''
            yield f'{entry["robot"]}, {entry["work"]}: {", ".join(behind)}. {why}'.strip()
        ratio = entry['peers'].get('mujoco', {}).get('ratio')
        if entry['work'].endswith('RK4 step') and ratio is not None and 1.0 <= ratio < WANTED:
            yield (f'{entry["robot"]}, {entry["work"]}: {ratio:.3g} times ahead of MuJoCo; we '
                   f'want {WANTED:g}. {NEAR}')


def _by_hand(parts: Mapping[str, Any]) -> Iterator[str]:
    slow = [(entry['plant'], name, peer['ours_over_theirs'])
            for entry in _of(parts, 'by_hand') for name, peer in entry['peers'].items()
            if peer.get('ours_over_theirs', 0.0) > WITHIN]
    if slow:
        text = '; '.join(f'{plant}, {name}: {ratio:.2g}' for plant, name, ratio in slow)
        yield f'C written by hand for the SCARA is faster, our time over its ({text}). {BY_HAND}'


def _growth(parts: Mapping[str, Any]) -> Iterator[str]:
    for row in _of(parts, 'chains'):
        evaluations = row.get('pinocchio_aba_us')
        if row['ratio'] is not None and row['ratio'] < 2.0:
            yield (f'A slanted chain of {row["joints"]} joints: {row["ratio"]:.2g} times MuJoCo '
                   f'only, {row["compile_cpu_s"]:.0f} s to compile. {SLANTED}')
        elif evaluations and evaluations < row['ours_evaluation_us']:
            yield (f'A slanted chain of {row["joints"]} joints: one evaluation takes '
                   f'{row["ours_evaluation_us"]:.2g} us, aba of Pinocchio {evaluations:.2g} us.')


def _startup(parts: Mapping[str, Any]) -> Iterator[str]:
    found = _of(parts, 'startup') or {}
    peers = {name: entry for name, entry in found.items() if not name.startswith('ours')}
    if 'ours' not in found:
        return
    for key, what, unit, why in (('cold_s', 'the first start', 's', COMPILE),
                                 ('warm_s', 'a later start', 's', LATER),
                                 ('size_MB', 'the installed size', 'MB', SIZE)):
        ours = found['ours'][key]
        ahead = [f'{name} {entry[key]:.2g}' if unit == 's' else f'{name} {entry[key]:.0f}'
                 for name, entry in peers.items() if entry.get(key) and entry[key] < ours]
        if ahead:
            mine = f'{ours:.2g}' if unit == 's' else f'{ours:.0f}'
            yield f'{what.capitalize()}: ours {mine} {unit}, {", ".join(ahead)}. {why}'
