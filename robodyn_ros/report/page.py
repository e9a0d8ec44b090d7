# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A report as one HTML page with everything in it: no other file, no other host."""
from __future__ import annotations

from base64 import b64encode
from html import escape
from pathlib import Path
from typing import Any, Sequence

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1d2430; max-width: 60rem; margin: 2rem auto;
       padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: 0; } p.source { color: #5b6573; margin-top: .2rem; }
table { border-collapse: collapse; margin: 1rem 0 2rem; }
th, td { text-align: left; padding: .25rem 1.2rem .25rem 0; border-bottom: 1px solid #dfe3e8; }
td.number { font-variant-numeric: tabular-nums; text-align: right; white-space: nowrap; }
figure { margin: 0 0 2rem; } img, video { max-width: 100%; } figcaption { color: #5b6573; }
p.warning { background: #fff3d6; padding: .5rem .8rem; }
"""
MEDIA_TYPES = {'.png': 'image/png', '.gif': 'image/gif', '.mp4': 'video/mp4'}
RUN_COLUMNS = {
    'duration_s': 'duration [s]', 'samples': 'samples',
    'tool_error_max_m': 'tool error, largest [m]', 'tool_error_rms_m': 'tool error, rms [m]',
    'violation_max': 'constraint violation, largest', 'motor_work_J': 'work of the motors [J]'}
JOINT_COLUMNS = {'error_max': 'error, largest', 'error_rms': 'error, rms',
                 'torque_max': 'torque, largest', 'speed_max': 'speed, largest'}


def page_of(facts: dict[str, Any], pictures: Sequence[tuple[Path, str]]) -> str:
    """
    Return the page.

    :param facts: of summary_of
    :param pictures: PNG, GIF or MP4 files with their captions; their bytes go into the page
    """
    title = escape(facts['scenario'] or facts['robot'])
    warning = '' if facts['source_complete'] else (
        '<p class="warning">The end of the recording is missing: the run was cut off. '
        'What was recorded until then is here.</p>')
    run = ''.join(f'<tr><th>{label}</th>{_number(facts[key])}</tr>'
                  for key, label in RUN_COLUMNS.items() if facts[key] is not None)
    head = ''.join(f'<th>{label}</th>' for label in ('joint', 'unit', *JOINT_COLUMNS.values()))
    joints = ''.join(f'<tr><td>{escape(name)}</td><td>{one["unit"]}</td>'
                     + ''.join(_number(one[key]) for key in JOINT_COLUMNS) + '</tr>'
                     for name, one in facts['joints'].items())
    return '\n'.join([
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<style>{STYLE}</style></head><body>\n<h1>{title}</h1>',
        f'<p class="source">robot {escape(facts["robot"])}, from {escape(facts["source"])}</p>',
        warning, f'<table>{run}</table>', f'<table><tr>{head}</tr>{joints}</table>',
        *(picture(*one) for one in pictures), '</body></html>\n'])


def _number(value: float | None) -> str:
    return f'<td class="number">{"–" if value is None else format(value, ".4g")}</td>'


def picture(path: Path, caption: str) -> str:
    """Return a figure whose bytes are in the page."""
    kind = MEDIA_TYPES[path.suffix]
    source = f'src="data:{kind};base64,{b64encode(path.read_bytes()).decode()}"'
    shown = f'<video controls loop muted {source}></video>' if kind == 'video/mp4' else (
        f'<img alt="{escape(caption)}" {source}>')
    return f'<figure>{shown}<figcaption>{escape(caption)}</figcaption></figure>'
