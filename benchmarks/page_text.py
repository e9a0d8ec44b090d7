# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The page docs/benchmarks.md, made from recorded numbers alone; no number is typed by hand."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Mapping

from benchmarks.compare import PEERS
from benchmarks.contender import Contender
from benchmarks.losses import losses
from benchmarks.page_parts import SECTIONS
from benchmarks.with_ours import Ours

HEAD = """# Benchmarks

`make bench` (`robodyn bench all`) measures and writes this page; no number is typed by hand, and
the raw ones are in [benchmarks/results.json](benchmarks/results.json).
`robodyn bench all --quick` measures less, `--only PART` measures one part anew.

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
    path.write_text(page(results), encoding='utf-8')
    return path


def page(results: Mapping[str, Any]) -> str:
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
