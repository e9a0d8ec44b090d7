# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Each paper's study is run once per session; its tests look at different sides of it."""

from functools import cache
import json
from pathlib import Path

import pytest
from robodyn_ros.commands.reproduce import STUDIES, study_of

TARGETS = json.loads(
    (Path(__file__).resolve().parents[1] / 'golden' / 'targets.json').read_text())
PAPERS = {f'test_{folder}': paper for paper, folder in STUDIES.items()}


@cache
def run(paper):
    """Run a study."""
    return study_of(paper)(lambda words: None)


@pytest.fixture
def study(request):
    """Return the study of the paper that the test's file is named after."""
    return run(PAPERS[request.path.stem])


@pytest.fixture
def targets(request):
    """Return the reference numbers of the same paper."""
    return TARGETS[PAPERS[request.path.stem]]


@pytest.fixture
def judged(study):
    """Return a function that asserts every row holds and every expected reference is used."""
    def judge(*expected):
        missed = [f'{row.quantity}: {row.ours:.6g}, not {row.reference:.6g} ± {row.tolerance:.2g}'
                  for row in study.rows if not row.holds]
        assert not missed, '\n'.join(missed)
        known = [row.reference for row in study.rows]
        absent = [x for x in flat(expected) if not any(abs(x - y) <= 1e-12 + 1e-9 * abs(x)
                                                       for y in known)]
        assert not absent, f'no row has the reference {absent}'
    return judge


@pytest.fixture
def drawn(study, tmp_path):
    """Return a function that draws every figure and asserts units, names and ink."""
    from matplotlib.image import imread
    from robodyn_ros.report.drawing import write_figure

    def draw():
        assert study.figures
        for figure in study.figures:
            labels = []

            def watched(canvas, draw=figure.draw):
                draw(canvas)
                for axes in canvas.axes:
                    assert axes.lines, f'an empty panel in {figure.name}'
                    labels.append(axes.get_ylabel())
                    labels.extend([axes.get_zlabel()] if axes.name == '3d' else [])
                labels.append(canvas.axes[-1].get_xlabel())

            path = write_figure(figure._replace(draw=watched), tmp_path, 60)
            assert all('[' in label and ']' in label for label in labels), (figure.name, labels)
            assert figure.name.startswith(study.paper) and figure.caption.endswith('.')
            picture = imread(path)[..., :3]
            assert (picture.min(axis=2) < 0.9).mean() > 0.01, f'{path.name} is empty'
    return draw


def flat(values):
    """Yield the numbers of nested lists."""
    for value in values:
        yield from flat(value) if isinstance(value, (list, tuple)) else [value]
