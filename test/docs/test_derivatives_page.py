# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What docs/derivatives.md shows runs as shown."""

import re

from house import ROOT
import numpy as np

TEXT = (ROOT / 'docs' / 'derivatives.md').read_text()


def test_the_blocks_of_the_page():
    """In the page's order, with the shapes and signs it tells."""
    names = {}
    for block in re.findall(r'```python\n(.*?)```', TEXT, re.S):
        exec(compile(block, 'docs/derivatives.md', 'exec'), names)
    robot, state = names['robot'], (names['q'], names['v'], names['tau'])
    assert np.allclose(names['many'].da_dq[999], robot.derivatives(*state).da_dq, rtol=1e-15)
    assert names['linear'].A_step.shape == (12, 12) and names['linear'].B.shape == (12, 6)
    found = names['found']
    assert found.parameters['controller.kp'] < 0.0 < found.cost  # stiffer tracks better
    assert found.reference.shape == (1000, 2)
