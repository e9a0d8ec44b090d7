# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What the documentation shows runs as shown."""

import re

from house import ROOT
from robodyn_ros.scenario.loading import scenario_names
from robodyn_ros.share import share_folder


def test_the_guide_runs_from_top_to_bottom():
    """Every Python block of docs/guide.md runs, one after the other, and keeps its promises."""
    text = (ROOT / 'docs' / 'guide.md').read_text()
    blocks = re.findall(r'```python\n(.*?)```', text, re.S)
    names = {}
    for block in blocks:
        exec(compile(block, 'docs/guide.md', 'exec'), names)
    assert names['motion'].violation.max() < 1e-12
    assert abs(names['other'].phi[0, 0] - (0.4 ** 2 - 0.41 ** 2)) < 1e-12
    assert abs(names['end'].q[0] - 0.5) < 0.2
    assert names['reference'].q.shape == (2001, 4)
    goal = names['goal']
    assert abs(names['hanging'][3] - goal[3]) > 0.04  # 2 kg at 400 N/m
    assert abs(names['held'] - goal).max() < 1e-4
    assert abs(abs(names['seen'].memory[-1, 3]) - 2.0 * 9.81) < 0.05
    assert 'keeps state in Python variables' in names['refusal']


def test_links_of_the_papers_lead_somewhere():
    """Relative links in README and docs point at files that exist."""
    for page in [ROOT / 'README.md', ROOT / 'CONTRIBUTING.md', *(ROOT / 'docs').glob('*.md')]:
        for target in re.findall(r'\]\(([^)#:]+)\)', page.read_text()):
            assert (page.parent / target).exists(), f'{page.name}: {target}'


def test_the_readme_lists_every_scenario():
    """A newcomer finds all scenarios by name."""
    text = (ROOT / 'README.md').read_text()
    assert [name for name in scenario_names() if name not in text] == []
    assert share_folder('config') == ROOT / 'config'
