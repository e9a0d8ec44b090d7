# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Where a peer is ahead of us or an aim is not met, found in the recorded numbers, and why.

The reasons are ours to write; whether one is needed is decided by the numbers alone.
"""
from __future__ import annotations

from typing import Any, Iterable, Iterator, Mapping

MOST_OVER_C = 1.2
"""Our time over that of C written by hand that we accept [-]."""
LEAST_LEAD = 12.0
"""MuJoCo's time of an RK4 step over ours that we aim at [-]."""
LEAST_EFFICIENCY, MOST_OVERHEAD = 0.9, 0.2
"""Of two workers of a sweep, and of a sweep beside its compiled loop [-]."""
MOST_OVER_OURS, MOST_INVERSE, MOST_FILE = 1.1, 0.3, 150.0
"""Exported C over our compiled code [-]; inverse dynamics of seven slanted joints [us], [kB]."""
LEAST_SOLVED, MOST_POSE_TIME = 99.9, 50.0
"""Of the field's test of inverse kinematics [%], and mean time of a pose [us]; our aims."""
WHY_SINGLE_CALLS = (
    'A call from Python costs more than the equations. Give all states in one call, or let the '
    'loop run in compiled code.')
WHY_RECORDED = 'Writing every state takes as long as computing it.'
WHY_SLANTED = (
    'Articulated bodies take some 250 operations a joint here, and each joint waits for the one '
    'before; half of it is computed for two stages at once. From 16 joints on the code of a step '
    'is longer than the nearest cache. '
    'Real arms have parallel or crossing axes, of which much folds away.')
WHY_CHAIN = 'Its axes are all slanted, as those of the chains above.'
WHY_ONE_RUN = (
    'One run alone shares no vector registers, and starting threads takes part of its time.')
WHY_C = (
    'The compiled plant takes torques and checks its pivots, and solves the general equation; '
    'whoever writes by hand leaves out what this robot does not need and solves two equations on '
    'paper. -ffast-math gives up that equal inputs give equal bits.')
WHY_LESS_FOLDS = 'There is less to fold away than in a SCARA or a planar chain.'
WHY_ACCURACY = (
    'The peer meets the constraint, or keeps the energy, better than this setting of ours.')
WHY_PROCESSES = 'Plant, controller and trajectory are three processes, the ping-pong is two.'
WHY_FIRST_START = (
    'The equations of a new robot are compiled once. '
    'Peers are compiled before they are shipped.')
WHY_LATER_START = 'Kept programs are only linked; what remains is the import of Python modules.'
WHY_MISSED = (
    'A pose that all random starts miss is given up, so that an answer takes bounded time.')
WHY_ONE_POSE = (
    'A call from Python checks its arguments and prepares the search, which takes longer than the '
    'search itself. Give all poses in one call.')
WHY_EXPORTED = (
    'gcc keeps other numbers in registers than LLVM does, and may not vectorise: it would fuse '
    'additions and subtractions in turn, and the bits would differ.')
WHY_SIZE = 'llvmlite brings a whole compiler (LLVM), scipy much that we do not use.'


def losses(parts: Mapping[str, Any]) -> list[str]:
    """Return one bullet per place where a peer is ahead or an aim is not met."""
    found = [*_engines(parts), *_by_hand(parts), *_accuracy(parts), *_chains(parts),
             *_limits(parts), *_loops(parts), *_startup(parts), *_reach(parts),
             *_derivatives(parts), *_export(parts), *_sweep(parts)]
    return [f'- {line}' for line in found] or ['Nowhere in this run.']


def _of(parts: Mapping[str, Any], name: str) -> Any:
    return parts[name]['found'] if name in parts else []


def _short(ratio: float | None) -> bool:
    """Return whether a lead over MuJoCo's steps is less than we want."""
    return ratio is not None and ratio < LEAST_LEAD


def _listed(items: Iterable[tuple[object, float]]) -> str:
    return ', '.join(f'{name}: {ratio:.3g}' for name, ratio in items)


def _engines(parts: Mapping[str, Any]) -> Iterator[str]:
    for entry in _of(parts, 'engines'):
        work = entry['work']
        behind = [f'{name} takes {peer["ratio"]:.2g} of our time'
                  for name, peer in entry['peers'].items() if peer.get('ratio', 2.0) < 1.0]
        why = (WHY_SINGLE_CALLS if 'one call' in work else
               WHY_RECORDED if 'recorded' in work else WHY_LESS_FOLDS)
        if behind:
            yield f'{entry["robot"]}, {work}: {", ".join(behind)}. {why}'
        ratio = entry['peers'].get('mujoco', {}).get('ratio')
        if entry['unit'] == 'step' and _short(ratio) and ratio >= 1.0:
            yield (f'{entry["robot"]}, {work}: {ratio:.3g} times ahead of MuJoCo; we want '
                   f'{LEAST_LEAD:g}. {why}')


def _by_hand(parts: Mapping[str, Any]) -> Iterator[str]:
    slow = [(f'{entry["plant"]} ({name})', peer['ours_over_theirs'])
            for entry in _of(parts, 'by_hand') for name, peer in entry['peers'].items()
            if peer.get('ours_over_theirs', 0.0) > 1.0]
    if slow:
        aim = 'all within' if max(ratio for _, ratio in slow) <= MOST_OVER_C else 'not all within'
        yield (f'C written by hand for the SCARA is faster, our time over its {_listed(slow)}; '
               f'{aim} the {MOST_OVER_C:g} we aim at. {WHY_C}')


def _accuracy(parts: Mapping[str, Any]) -> Iterator[str]:
    """Find runs of peers that no run of ours beats in violation, energy and time together."""
    for task, points in dict(_of(parts, 'accuracy') or {}).items():
        if not isinstance(points, list):
            continue
        good = [p for p in points if 'failed' not in p and None not in (
            p['violation'], p['energy_error_J'])]
        keys = ('violation', 'energy_error_J', 'us_per_simulated_s')
        ours = [p for p in good if p['engine'] == 'ours']
        unbeaten = [f'{p["engine"]}, {p["setting"]}, {1e3 * p["step_s"]:g} ms' for p in good
                    if p['engine'] != 'ours'
                    and not any(all(q[key] <= p[key] for key in keys) for q in ours)]
        if unbeaten:
            yield (f'Accuracy against cost, {task}: no run of ours is at least as good in '
                   f'violation, energy and time as {"; ".join(unbeaten)}. {WHY_ACCURACY}')


def _chains(parts: Mapping[str, Any]) -> Iterator[str]:
    short = [(f'{row["joints"]} joints', row['ratio']) for row in _of(parts, 'chains')
             if _short(row['ratio'])]
    if short:
        slowest = max(row['compile_cpu_s'] for row in _of(parts, 'chains'))
        yield (f"Slanted chains are less than {LEAST_LEAD:g} times ahead of MuJoCo's step "
               f'({_listed(short)}), and take up to {slowest:.0f} s to compile. {WHY_SLANTED}')


def _limits(parts: Mapping[str, Any]) -> Iterator[str]:
    found = _of(parts, 'limits') or {}
    for kind, text, why in (('rows', 'rows on a chain of five joints', WHY_CHAIN),
                            ('rollouts', 'recorded rollouts', WHY_ONE_RUN),
                            ('duration', 's of simulated time', WHY_LESS_FOLDS),
                            ('recorded', 's of recorded time', WHY_RECORDED)):
        short = [(f'{p["size"]:g}', p['ratio']) for p in found.get(kind, ())
                 if _short(p.get('ratio'))]
        if short:
            yield (f'Less than {LEAST_LEAD:g} times ahead of MuJoCo with so many {text}: '
                   f'{_listed(short)}. {why}')


def _loops(parts: Mapping[str, Any]) -> Iterator[str]:
    slow = [(entry['scenario'], entry['processes']['ratio'])
            for entry in (_of(parts, 'loops') or {}).get('scenarios', ())
            if (entry.get('processes') or {}).get('ratio', 1.0) < 1.0]
    if slow:
        yield (f'Three processes are slower than a bare ping-pong of two ({_listed(slow)}). '
               f'{WHY_PROCESSES}')


def _startup(parts: Mapping[str, Any]) -> Iterator[str]:
    found = _of(parts, 'startup') or {}
    peers = {name: entry for name, entry in found.items() if not name.startswith('ours')}
    if 'ours' not in found:
        return
    for key, what, unit, why in (('cold_s', 'the first start', 's', WHY_FIRST_START),
                                 ('warm_s', 'a later start', 's', WHY_LATER_START),
                                 ('size_MB', 'the installed size', 'MB', WHY_SIZE)):
        ours = found['ours'][key]
        ahead = [f'{name} {entry[key]:.2g}' if unit == 's' else f'{name} {entry[key]:.0f}'
                 for name, entry in peers.items() if entry.get(key) and entry[key] < ours]
        if ahead:
            mine = f'{ours:.2g}' if unit == 's' else f'{ours:.0f}'
            yield f'{what.capitalize()}: ours {mine} {unit}, {", ".join(ahead)}. {why}'


def _reach(parts: Mapping[str, Any]) -> Iterator[str]:
    missed, slow, ahead = [], [], []
    for entry in _of(parts, 'reach'):
        ours = entry['solvers']['ours']
        if min(ours['solved_percent'], ours['many_solved_percent']) < LEAST_SOLVED:
            missed.append((entry['arm'], ours['solved_percent']))
        for what, time in (('one call a pose', ours['mean_us']),
                           ('all in one call', ours['many_us'])):
            if time > MOST_POSE_TIME:
                slow.append((f'{entry["arm"]}, {what}', time))
        for name, peer in entry['solvers'].items():
            for key, sign, unit in (('solved_percent', 1.0, '%'), ('mean_us', -1.0, 'us'),
                                    ('p99_us', -1.0, 'us at 99 %')):
                if name != 'ours' and sign * peer.get(key, -sign * 1e99) > sign * ours[key]:
                    ahead.append(f'{entry["arm"]}, {name} {peer[key]:.4g} {unit}, '
                                 f'ours {ours[key]:.4g}')
    if missed:
        yield (f'Inverse kinematics solves less than {LEAST_SOLVED:g} % of the poses '
               f'({_listed(missed)}). {WHY_MISSED}')
    if slow:
        yield (f'Inverse kinematics takes longer than the {MOST_POSE_TIME:g} us a pose that we '
               f'aim at ({_listed(slow)}). {WHY_ONE_POSE}')
    if ahead:
        yield f'Inverse kinematics, a peer ahead: {"; ".join(ahead)}.'


def _derivatives(parts: Mapping[str, Any]) -> Iterator[str]:
    rows = parts['derivatives']['found']['rows'] if 'derivatives' in parts else []
    behind = [f'{row["robot"]}, {row["of"]}: {row["pinocchio"] / row["one"]:.2f}' for row in rows
              if row['pinocchio'] < row['one']]
    if behind:
        yield (f'Derivatives of a single state, times ahead of Pinocchio: {", ".join(behind)}. '
               f'{WHY_SINGLE_CALLS}')


def _export(parts: Mapping[str, Any]) -> Iterator[str]:
    found = [entry for entry in _of(parts, 'export') if 'us' in entry]
    names = [f'{entry["robot"]}, {entry["work"]}' for entry in found]
    slow = [(name, entry['over_ours']) for name, entry in zip(names, found)
            if entry['over_ours'] > MOST_OVER_OURS]
    if slow:
        yield (f'Exported C takes more than {MOST_OVER_OURS:g} times the time of our compiled '
               f'code ({_listed(slow)}). {WHY_EXPORTED}')
    for name, entry in zip(names, found):
        peer = entry.get('casadi')
        if peer is not None and (entry['us'] > MOST_INVERSE or entry['file_kB'] > MOST_FILE):
            yield (f'Exported C, {name}: {entry["us"]:.3g} us and {entry["file_kB"]:.0f} kB; we '
                   f'want {MOST_INVERSE:g} us and {MOST_FILE:g} kB. {WHY_SLANTED}')
        if peer is not None and peer.get('ratio', 2.0) < 1.0:
            yield f'Exported C, {name}: C of CasADi takes {peer["ratio"]:.2g} of our time.'


def _sweep(parts: Mapping[str, Any]) -> Iterator[str]:
    found = parts['sweep']['found'] if 'sweep' in parts else None
    if found is not None and found['efficiency'] < LEAST_EFFICIENCY:
        yield (f'Two workers of a sweep have an efficiency of {found["efficiency"]:.2f}; we want '
               f'{LEAST_EFFICIENCY:g}. Before they begin the study is read and its equations are '
               'traced, once, and this machine has two cores, on which the table is written, too.')
    if found is not None and found['overhead'] > MOST_OVERHEAD:
        yield (f'A sweep takes {1.0 + found["overhead"]:.2f} times the time of its compiled loop; '
               f'we want {1.0 + MOST_OVERHEAD:g}.')
