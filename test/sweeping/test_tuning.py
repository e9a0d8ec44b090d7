# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Tune finds better parameters under limits, the same again, and goes on after a kill."""

import pytest
from robodyn_ros import load_scenario, RobodynError, simulate, tune
from robodyn_ros.sweeping.tuning import Tuned

pytest.importorskip('pyarrow')
STUDY = {
    'scenario': 'scara_helix', 'duration': 0.5,
    'axes': {'dynamics.payload.mass': {'values': [0.5, 1.0]}},
    'tune': {'parameters': {'controller.natural_frequency': {'log_uniform': [5, 80]},
                            'controller.damping': {'uniform': [0.5, 1.5]}},
             'minimise': 'error_rms', 'budget': 40, 'limits': {'effort_share': 0.5}}}


def test_a_search_is_better_the_same_again_and_resumable(tmp_path, monkeypatch):
    """Cut off half-way, it ends where the whole one does."""
    whole = tune(STUDY, tmp_path / 'a.yaml', workers=1)
    assert isinstance(whole, Tuned) and not (tmp_path / 'a.yaml.tried').exists()
    assert whole.after.value < 0.2 * whole.before.value
    assert whole.after.limits['effort_share'] <= 0.5
    assert tune(STUDY, tmp_path / 'b.yaml', workers=2).after == whole.after

    tried = []

    def cut(count, _):
        tried.append(count)
        if count > 15:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tune(STUDY, tmp_path / 'c.yaml', workers=1, progress=cut)
    known = len((tmp_path / 'c.yaml.tried').read_text().splitlines()) - 1
    assert known > 10
    assert tune(STUDY, tmp_path / 'c.yaml', workers=1).after == whole.after

    # what is written runs as it is, with the numbers that were told
    made = load_scenario(tmp_path / 'a.yaml')
    assert made.controller.natural_frequency == (
        whole.after.values['controller.natural_frequency'],)
    worst = max((simulate(made, set={'dynamics.payload.mass': mass}).error ** 2).mean() ** 0.5
                for mass in (0.5, 1.0))
    assert worst == pytest.approx(whole.after.value, 1e-12)
    with pytest.raises(RobodynError, match='is there already'):
        tune(STUDY, tmp_path / 'a.yaml', workers=1)


@pytest.mark.parametrize('change, words', [
    ({'parameters': {}}, 'no parameters'), ({'minimise': ''}, 'no metric'),
    ({'minimise': 'speed'}, 'error_max'), ({'limits': {'speed': 1.0}}, 'error_max'),
    ({'minimise': 'settled'}, 'cannot minimise'),
    ({'parameters': {'dynamics.payload.mass': {'uniform': [0, 1]}}}, 'an axis and a parameter'),
    ({'budget': 0}, 'at least 1|1 ..')])
def test_what_cannot_be_looked_for(change, words, tmp_path):
    """Is told in one sentence."""
    with pytest.raises(RobodynError, match=words):
        tune({**STUDY, 'tune': {**STUDY['tune'], **change}}, tmp_path / 'x.yaml', workers=1)


@pytest.mark.parametrize('change', [{'over': 'mean'}, {'limits': {'effort_share': 0.3}}])
def test_what_another_search_tried_is_not_taken(change, tmp_path):
    """What is kept of a candidate was judged as that search was told to."""
    def cut(count, _):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tune(STUDY, tmp_path / 'a.yaml', workers=1, progress=cut)
    kept = (tmp_path / 'a.yaml.tried').read_bytes()
    with pytest.raises(RobodynError, match='what another search tried'):
        tune({**STUDY, 'tune': {**STUDY['tune'], **change}}, tmp_path / 'a.yaml', workers=1)
    assert (tmp_path / 'a.yaml.tried').read_bytes() == kept


def test_a_budget_is_kept(tmp_path):
    """Also where it ends in the midst of a generation."""
    tuned = tune({**STUDY, 'duration': 0.05, 'tune': {**STUDY['tune'], 'budget': 19}},
                 tmp_path / 'a.yaml', workers=1)
    assert tuned.tried == 19
