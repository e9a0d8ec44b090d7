# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What was identified, for people and programs: numbers, figures and a page."""
from __future__ import annotations

from functools import partial
from html import escape
import math
from pathlib import Path
from typing import Any, Sequence

import numpy as np

from robodyn_ros.identification.consistency import pseudo_inertia
from robodyn_ros.identification.cross_validation import MORE_EARNED
from robodyn_ros.identification.equations import Equations, samples_of
from robodyn_ros.identification.identify import (Identified, in_payload_frame, judged,
                                                 not_shown)
from robodyn_ros.identification.parameters import TEN
from robodyn_ros.report.drawing import DESIRED_STYLE, Figure, legend, panels
from robodyn_ros.report.page import picture, STYLE

MADE_BY = 'robodyn identify'


def facts_of(found: Identified, sources: Sequence[str]) -> dict[str, Any]:
    """Return everything that was found, as plain values; what is not known is None."""
    fit, chosen = found.fit, found.chosen
    parts = {'fit': found.trained, 'validation': found.judged if found.held_out else None}
    judgements = {name: None if part is None else judged(part, fit.theta)
                  for name, part in parts.items()}
    simple = np.full(len(chosen.turns), 0.1)
    compared = found.judged if found.cutoff is None else found.judged.with_friction(simple)
    plain = judged(compared, found.plain)
    before = judged(found.judged, found.before)
    joints = {}
    for k, joint in enumerate(found.robot.joints):
        joints[joint] = {
            'unit': _unit(found, k),
            **{f'{name}_{key}': None if one is None else _finite(getattr(one, key)[k])
               for name, one in judgements.items() for key in ('relative', 'rms')},
            'plain_least_squares_relative': _finite(plain.relative[k]),
            'file_relative': _finite(before.relative[k]),
            'breakaway_velocity': float(fit.velocity[k])}
    names = fit.base.names(chosen.names)
    lowest = [float(np.linalg.eigvalsh(pseudo_inertia(fit.theta[chosen.of_body(k)]))[0])
              for k in range(chosen.bodies)]
    return {
        'made_by': MADE_BY, 'robot': found.robot.name, 'sources': list(sources),
        'held_out': found.held_out, 'cutoff_hz': found.cutoff,
        'samples': {name: None if part is None else int(part.counted.sum())
                    for name, part in parts.items()},
        'overall': {
            **{name: None if one is None else one.overall for name, one in judgements.items()},
            'plain_least_squares': plain.overall, 'file': before.overall},
        'rotors_and_friction_fitted': None if found.masses is None else {
            'with_masses_of_file': found.masses.file, 'without_masses': found.masses.none,
            'masses_times': found.masses.times,
            'with_masses_times_that': found.masses.multiplied,
            'with_any_bodies': found.masses.free},
        'joints': joints, 'condition': _finite(fit.condition), 'prior_weight': fit.weight,
        'friction_lag_s': fit.lag, 'second_stage': {
            'used': (fit.motion_gain or 0.0) > MORE_EARNED, 'gain': fit.motion_gain},
        'parameters': {name: {'value': float(value), 'deviation': float(deviation),
                              'shown': float(shown)}
                       for name, value, deviation, shown, used in zip(
                           chosen.names, fit.theta, fit.deviation, fit.shown, fit.used) if used},
        'base_parameters': {name: {'value': float(value), 'least_squares': float(least),
                                   'deviation': float(deviation)}
                            for name, value, least, deviation in zip(
                                names, fit.base.reduced(fit.theta), fit.base_theta,
                                fit.base_deviation)},
        'not_shown': not_shown(found), 'physically_consistent': min(lowest) > 0.0,
        'remarks': list(found.remarks)}


def _unit(found: Identified, joint: int) -> str:
    return 'N m' if found.robot.units[joint] == 'rad' else 'N'


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def figures_of(found: Identified) -> list[Figure]:
    """Return the figures of a report."""
    parts = [('fit', 'what was fitted', found.trained)]
    if found.held_out:
        parts.append(('validation', 'what was not fitted', found.judged))
    figures = [Figure(f'torques_{name}', f'Torques of {words}, measured and predicted (dashed).',
                      partial(_torques, found, part)) for name, words, part in parts]
    for against, unit in (('speed', '/s'), ('position', '')):
        figures.append(Figure(f'residuals_over_{against}', f'Residuals over {against}: a shape '
                              'that is left says what the model lacks.',
                              partial(_residuals, found, against, unit)))
    return figures


def _counted(found: Identified) -> list[int]:
    return [k for k in range(found.robot.n) if found.trained.counted[:, k].any()]


def _grid(figure: Any, count: int) -> list[Any]:
    columns = -(-count // 6)
    return panels(figure, -(-count // columns), columns, width=6.4 * min(columns, 2), height=1.5)


def _torques(found: Identified, part: Equations, figure: Any) -> None:
    predicted, shown = part.predicted(found.fit.theta), _counted(found)
    t, breaks = _one_after_another(part.t)
    t, measured, predicted = (np.insert(x.astype(float), breaks, np.nan, axis=0)
                              for x in (t, part.tau, predicted))
    for axes, k in zip(_grid(figure, len(shown)), shown):
        axes.plot(t, measured[:, k], label='measured')
        axes.plot(t, predicted[:, k], color='black', linestyle=DESIRED_STYLE, label='predicted')
        axes.set_ylabel(f'{found.robot.joints[k]}\n[{_unit(found, k)}]')
    legend(figure)


def _one_after_another(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return times of several pieces one behind the other, and where a new one begins."""
    steps = np.diff(t)
    usual = float(np.median(steps[steps > 0.0])) if (steps > 0.0).any() else 0.0
    new = (steps <= 0.0) | (steps > 5.0 * usual)
    steps = np.where(new, 5.0 * usual, steps)
    return np.concatenate([[0.0], np.cumsum(steps)]), np.flatnonzero(new) + 1


def _residuals(found: Identified, against: str, unit: str, figure: Any) -> None:
    shown, part = _counted(found), found.trained
    columns = -(-len(shown) // 6)
    figure.set_size_inches(6.4 * min(columns, 2), 1.7 * -(-len(shown) // columns) + 0.5)
    axes = figure.subplots(-(-len(shown) // columns), columns, squeeze=False)
    residual = part.tau - part.predicted(found.fit.theta)
    # row by row: several recordings have the same times
    letter = 'v' if against == 'speed' else 'q'
    values = np.concatenate([getattr(states, letter)[samples_of(states)]
                             for states in part.states])
    for one, k in zip(axes.flat, shown):
        one.plot(values[:, k], residual[:, k], '.', markersize=2.0)
        one.set_ylabel(f'{found.robot.joints[k]}\n[{_unit(found, k)}]')
        one.set_xlabel(f'{against} [{found.robot.units[k]}{unit}]')


def page_of(facts: dict[str, Any], pictures: Sequence[tuple[Path, str]]) -> str:
    """Return the page: tables, then the figures, everything in one file."""
    title = escape(f'{facts["robot"]}, identified')
    warnings = ''.join(f'<p class="warning">{escape(text)}</p>' for text in facts['remarks'])
    return '\n'.join([
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<style>{STYLE}</style></head><body>\n<h1>{title}</h1>',
        f'<p class="source">from {escape(", ".join(facts["sources"]))}</p>', warnings,
        _table(HEADINGS, rows_of(facts)),
        *(picture(*one) for one in pictures),
        '<h2>Parameters</h2>', _table(
            ('parameter', 'value', 'standard deviation', 'told by the data'),
            [(name, f'{one["value"]:.5g}', f'{one["deviation"]:.2g}', f'{one["shown"]:.0%}')
             for name, one in facts['parameters'].items()]),
        '<h2>What can be told apart</h2>', _table(
            ('base parameter', 'value', 'least squares', 'standard deviation'),
            [(name, f'{one["value"]:.5g}', f'{one["least_squares"]:.5g}',
              f'{one["deviation"]:.2g}') for name, one in facts['base_parameters'].items()]),
        '<h2>What the motion could not show</h2>',
        _table(('base parameter',), [(name,) for name in facts['not_shown']])
        if facts['not_shown'] else '<p>Nothing.</p>', '</body></html>\n'])


HEADINGS = ('joint', 'fit', 'validation', 'rms', 'plain least squares', 'file as it was')


def rows_of(facts: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the table a person can judge by: relative errors of each joint, then of all."""
    def share(value: float | None) -> str:
        return '–' if value is None else f'{100.0 * value:.3g} %'

    rows: list[tuple[str, ...]] = []
    for name, one in facts['joints'].items():
        judging = 'validation' if facts['held_out'] else 'fit'
        rms = one[f'{judging}_rms']
        rows.append((name, share(one['fit_relative']), share(one['validation_relative']),
                     '–' if rms is None else f'{rms:.3g} {one["unit"]}',
                     share(one['plain_least_squares_relative']), share(one['file_relative'])))
    whole = facts['overall']
    rows.append(('all', share(whole['fit']), share(whole['validation']), '',
                 share(whole['plain_least_squares']), share(whole['file'])))
    return rows


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = ''.join(f'<th>{escape(text)}</th>' for text in headings)
    body = ''.join('<tr>' + ''.join(f'<td>{escape(cell)}</td>' for cell in row) + '</tr>'
                   for row in rows)
    return f'<table><tr>{head}</tr>{body}</table>'


def payload_of(found: Identified) -> dict[str, Any]:
    """Return an identified payload as a scenario takes it: mass, centre, inertia."""
    inertia = in_payload_frame(found.robot, found.fit.theta[:TEN])
    mass = float(inertia.mass)  # type: ignore[arg-type]
    centre = np.array(inertia.moment, dtype=float) / mass
    tensor = np.array(inertia.tensor, dtype=float) - mass * (
        centre @ centre * np.eye(3) - np.outer(centre, centre))
    return {'frame': found.robot.tree.payload_frame, 'mass': mass, 'centre': centre.tolist(),
            'inertia': [float(tensor[i, k]) for i, k in (
                (0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))],
            'mass_deviation': float(found.fit.base_deviation[0])}
