# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The command: tables, JSON, figures, document and exit code, on studies that are made up."""

import argparse
import json
import math

import numpy as np
import pytest
from robodyn_ros.commands import reproduce
from robodyn_ros.errors import RobodynError
from robodyn_ros.report import drawing
from robodyn_ros.report.drawing import Figure, write_figure
from robodyn_ros.studies.study import Row, Study, to_digits

GOOD = Row('speed [m/s]', 1.0001, 1.0, 1e-3, 'about 1')
BOUND = Row('error |e| [m]', 1e-9, 1e-6, 0.0, at_most=True)
BAD = Row('torque [N m]', np.float32(3.0), np.float64(2.0), 0.5)  # numpy's numbers will do
LOST = Row('angle [rad]', math.nan, 2.0, 0.5)


def draw(figure):
    """Draw a line."""
    axes, = drawing.panels(figure, 1)
    drawing.curves(axes, [0.0, 1.0, 2.0], [[1.0], [2.0], [0.0]], ['q1'], 'q [rad]')
    drawing.legend(figure)


@pytest.fixture
def command(monkeypatch, tmp_path):
    """Return a function that runs the command on studies with the rows given."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, rows=(GOOD, BOUND)):
        def study_of(paper):
            def study(progress):
                progress('working')
                return Study(paper, 'A study', rows, [Figure(f'{paper}_q', 'The angle.', draw)],
                             ['Nothing [here] is tuned.'])
            return study

        monkeypatch.setattr(reproduce, 'study_of', study_of)
        parser = argparse.ArgumentParser()
        reproduce.add_arguments(parser)
        return reproduce.run(parser.parse_args(arguments))
    return run


def test_table_shows_numbers_and_verdict(command, capsys):
    """Every column is there; brackets are not taken for markup; figures go to ./reproduction."""
    assert command('000') == 0
    said = capsys.readouterr().out
    for words in ('speed [m/s]', 'about 1', '1.0001', '≤ 1e-06', '2 of 2 rows hold',
                  'Nothing [here] is tuned.', 'Every row holds.', '1 figures in reproduction'):
        assert words in said
    assert 'MISSES' not in said


@pytest.mark.parametrize('row', [BAD, LOST])
def test_a_row_that_misses_fails_the_command(command, capsys, row):
    """The exit code is 1 and the verdict says so, also for what is not a number."""
    assert command('001', '--no-figures', rows=(GOOD, row)) == 1
    said = capsys.readouterr().out
    assert 'MISSES' in said and '1 of 2 rows hold' in said
    assert 'Rows miss their reference in: 001.' in said


def test_json_is_alone_on_stdout(command, capsys, tmp_path):
    """A list of studies, valid JSON even where a number is not finite."""
    assert command('all', '--json', '--output', 'there', rows=(GOOD, LOST, BAD)) == 1
    studies = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert [study['paper'] for study in studies] == list(reproduce.PAPERS)
    first, second, third = studies[0]['rows']
    assert first == {'quantity': 'speed [m/s]', 'paper': 'about 1', 'reference': 1.0,
                     'ours': 1.0001, 'tolerance': 1e-3, 'at_most': False, 'holds': True}
    assert second['ours'] is None and not second['holds'] and not studies[0]['holds']
    assert third['ours'] == 3.0 and third['holds'] is False
    assert [(tmp_path / path).is_file() for path in studies[0]['figures']] == [True]


def test_figures_are_written_unless_unwanted(command, tmp_path):
    """PNG files of 200 dots per inch; --no-figures leaves no folder."""
    from matplotlib.image import imread
    command('002', '--no-figures')
    assert list(tmp_path.iterdir()) == []
    command('002', '000', '002')
    assert sorted(p.name for p in (tmp_path / 'reproduction').iterdir()) == [
        '000_q.png', '002_q.png']
    assert imread(tmp_path / 'reproduction' / '000_q.png').shape[1] == 6.4 * 200


def test_document_names_its_command_and_shows_everything(command, tmp_path):
    """The page escapes what Markdown would eat, and its pictures are small and beside it."""
    assert command('all', '--document', 'docs', rows=(GOOD, BOUND, BAD)) == 1
    page = (tmp_path / 'docs' / 'papers.md').read_text()
    assert '`robodyn reproduce all --document docs`' in page.split('\n\n')[1]
    assert r'| error \|e\| [m] |  | ≤ 1e-06 | 1e-09 |  | holds |' in page
    assert '| torque [N m] |  | 2 | 3 | 0.5 | MISSES |' in page
    assert '![The angle.](papers/004_q.png)' in page and '- Nothing [here] is tuned.' in page
    pictures = list((tmp_path / 'docs' / 'papers').iterdir())
    assert len(pictures) == 5
    assert all(p.stat().st_size < reproduce.LARGEST_PICTURE for p in pictures)
    assert not (tmp_path / 'reproduction').exists()


def test_a_picture_that_is_too_large_gets_fewer_dots(tmp_path):
    """The size of a document's picture is bounded by its resolution."""
    one = Figure('q', 'The angle.', draw)
    large = write_figure(one, tmp_path / 'large').stat().st_size
    small = write_figure(one, tmp_path / 'small', largest=large // 2).stat().st_size
    assert small <= large // 2


def test_unknown_papers_and_missing_matplotlib_are_one_sentence(command, monkeypatch):
    """Both are said before any work."""
    with pytest.raises(RobodynError, match="unknown paper '005': use one of 000, 001, .*, all"):
        command('000', '005')
    monkeypatch.setattr(drawing, 'find_spec', lambda name: None)
    with pytest.raises(RobodynError, match=r'pip install "robodyn_ros\[view\]"'):
        command('000')
    assert command('000', '--no-figures') == 0


def test_rows_from_digits():
    """The tolerance is half a unit of the last digit the reference shows."""
    row = to_digits('x [m]', 1.0934e-3, '1.093e-3')
    assert row.reference == 1.093e-3 and row.tolerance == pytest.approx(0.5e-6) and row.holds
    assert not to_digits('x [m]', 1.0936e-3, '1.093e-3').holds
    assert to_digits('x [m]', -13.04, '-13.0').holds
    assert to_digits('x [m]', 159.4, '159').tolerance == pytest.approx(0.5)
