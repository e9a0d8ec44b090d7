# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What docs/reach.md shows runs as shown."""

import dataclasses
import re

from house import ROOT
import numpy as np
from robodyn_ros import load_scenario, simulate
from robodyn_ros.nodes.common.options import TrajectoryOptions
from robodyn_ros.scenario.desired_motion import PATHS
from robodyn_ros.scenario.result import summary
from robodyn_ros.trajectories.tool_paths import ToolPath

TEXT = (ROOT / 'docs' / 'reach.md').read_text()


def test_the_python_of_the_page_keeps_its_promises():
    """Reached, or a reason; many at once."""
    names = {}
    for block in re.findall(r'```python\n(.*?)```', TEXT, re.S):
        exec(compile(block, 'docs/reach.md', 'exec'), names)
    assert names['found'].reached and names['spin'].reached and names['many'].reached.all()
    assert not names['far'].reached and 'comes no nearer than' in names['far'].reason
    assert np.abs(names['spin'].q[5]) < 1e-3  # the posture's


def test_the_scenario_of_the_page_is_healthy(tmp_path):
    """It runs within its own tolerance."""
    block, = re.findall(r'```yaml\n(.*?)```', TEXT, re.S)
    path = tmp_path / 'my_line.yaml'
    path.write_text(block)
    facts = summary(simulate(load_scenario(str(path))), 1.0)
    assert facts['healthy'] and not facts['beyond_limits'], facts


def test_every_parameter_of_a_path_is_told():
    """Names of kinds, of their fields and of the node's options for goals."""
    kinds = {name: kind for name, kind in PATHS.items() if issubclass(kind, ToolPath)}
    named = [*kinds,
             *(field.name for kind in kinds.values() for field in dataclasses.fields(kind)),
             *(field.name for field in dataclasses.fields(TrajectoryOptions)
               if field.name.startswith('goal_'))]
    assert [name for name in named if f'`{name}`' not in TEXT] == []
