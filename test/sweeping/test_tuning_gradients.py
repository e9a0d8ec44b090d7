# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Tune along gradients: they are those of the sweep's metrics, and are worth their budget."""

import numpy as np
import pytest
from robodyn_ros import RobodynError, tune
from robodyn_ros.sweeping.axes import axis
from robodyn_ros.sweeping.descent import descend, Slopes
from robodyn_ros.sweeping.gradients import Gradients
from robodyn_ros.sweeping.runs import Runner
from robodyn_ros.sweeping.slopes import SLOPES
from robodyn_ros.sweeping.study import make_study
from robodyn_ros.sweeping.tuning import Tried

pytest.importorskip('pyarrow')
MODEL = {'controller.damping': {'uniform': [0.5, 1.5]},
         'controller.model.payload.mass': {'uniform': [0, 2]},
         'controller.model.friction_scale': {'uniform': [0, 2]}}


def study_of(scenario, joints, parameters=MODEL, settings=None, **tuned):
    """Return a study for two payloads, with a natural frequency of each joint."""
    each = {f'controller.natural_frequency.joint_{k}': {'log_uniform': [5, 80]} for k in joints}
    return {'scenario': scenario, 'duration': 0.3, 'set': settings or {},
            'axes': {'dynamics.payload.mass': {'values': [0.5, 1.0]}},
            'tune': {'parameters': {**each, **parameters}, 'minimise': 'error_rms', **tuned}}


ADAPTED = {'controller.ki': {'uniform': [1, 400]}, 'dynamics.friction_scale': {'uniform': [0, 2]},
           'controller.model.gravity.z': {'normal': [-9.8, 0.1]}}
CASES = {
    'gains of joints, model': study_of('scara_helix', (1, 2, 3)),
    'integral, plant': study_of('irb120_sine', (1, 5), ADAPTED),
    'closed chain, rows': study_of('parallel_line', (), {
        'controller.kp': {'log_uniform': [50, 1000]}, 'controller.kd': {'uniform': [5, 60]},
        'controller.leakage': {'uniform': [0.1, 2.0]}},
        {'dynamics.stabilisation.kind': 'velocity_correction'}),
    'closed chain, projected': study_of('parallel_line', (), {
        'controller.kp': {'log_uniform': [50, 1000]}, 'controller.kd': {'uniform': [5, 60]}}),
}


@pytest.mark.parametrize('name', CASES)
def test_gradients_are_those_of_the_sweeps_metrics(name):
    """By every setting, against fourth-order central differences of its rows."""
    given = {**CASES[name], 'metrics': list(SLOPES)}
    study = make_study(given)
    axes = [axis(key, value, 'test') for key, value in given['tune']['parameters'].items()]
    shares = np.random.default_rng(3).random(len(axes))
    values = {one.name: one.at(x) for one, x in zip(axes, shares)}
    h, stencil = 1e-4, ((1, 8.0), (-1, -8.0), (2, -1.0), (-2, 1.0))
    sides = [{**values, one.name: one.at(x + k * h)} for one, x in zip(axes, shares)
             for k, _ in stencil]
    trial = study.trying(sides)
    runner = Runner(trial)
    rows = runner.rows(np.arange(trial.count))
    assert all(rows['finished'])
    runner.study = study.trying([values])
    gradients = Gradients(runner, axes)
    compared = 0
    for metric in SLOPES:
        assert gradients.missing(metric) == ''
        found = np.reshape(rows[metric], (len(axes), len(stencil), 2))
        slopes = np.einsum('ask,s->ak', found, [c for _, c in stencil]) / (12.0 * h)
        for run in (0, 1):
            ours = gradients.of(metric, values, run)
            ours = np.array([ours[one.name] * one.slope(x) for one, x in zip(axes, shares)])
            scale = np.abs(slopes[:, run]).max()
            assert np.abs(ours - slopes[:, run]).max() <= 1e-6 * scale + 1e-12, (metric, run)
            compared += scale > 1e-9
    assert compared >= 6


@pytest.mark.parametrize('scenario, joints, limits', [
    ('scara_helix', range(1, 5), {}), ('irb120_sine', range(1, 7), {}),
    ('irb120_sine', range(1, 7), {'effort_share': 0.42})])
def test_gradients_are_better_at_equal_budget(scenario, joints, limits, tmp_path):
    """Lower than evolution, with what gradients cost counted, and limits kept."""
    found = {method: tune(study_of(scenario, joints, budget=80, limits=limits, method=method),
                          tmp_path / f'{method}.yaml', workers=1)
             for method in ('evolution', 'gradient')}
    assert found['gradient'].after.cost < found['evolution'].after.cost
    assert found['gradient'].tried < found['gradient'].spent <= 80
    assert found['evolution'].spent == found['evolution'].tried == 80
    assert all(found['gradient'].after.limits[name] <= most for name, most in limits.items())
    assert (found['gradient'].method, found['gradient'].why) == ('gradient', '')
    assert (found['evolution'].method, found['evolution'].why) == ('evolution', 'as asked for')


@pytest.mark.parametrize('over', ['worst', 'mean', 'quantile'])
def test_the_same_again_and_resumable(over, tmp_path):
    """By two workers, and after a kill, in which gradients are not computed again."""
    given = study_of('scara_helix', range(1, 5), budget=50, over=over, quantile=0.7)
    whole = tune(given, tmp_path / 'a.yaml', workers=1)
    assert whole.method == 'gradient'
    assert tune(given, tmp_path / 'b.yaml', workers=2).after == whole.after

    def cut(spent, _):
        if spent > 30:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tune(given, tmp_path / 'c.yaml', workers=1, progress=cut)
    kept = (tmp_path / 'c.yaml.tried').read_text()
    # of a quantile between two runs, candidates aside cost no more than two gradients
    assert ('"slopes"' in kept) == (over == 'worst')
    again = tune(given, tmp_path / 'c.yaml', workers=1)
    assert (again.after, again.spent, again.tried) == (whole.after, whole.spent, whole.tried)


@pytest.mark.parametrize('change, words', [
    ({'minimise': 'violation_max'}, 'violation_max is not smooth'),
    ({'minimise': 'energy'}, 'energy is not smooth'),
    ({'parameters': {'controller.damping': {'values': [0.5, 1.0]}}}, 'takes single values'),
    ({'parameters': {'dynamics.noise.position': {'uniform': [0, 1e-6]}}}, 'noise'),
    ({'parameters': {'trajectory.parameters.climb': {'uniform': [0.01, 0.02]}}},
     'changes the code')])
def test_why_there_is_no_gradient(change, words, tmp_path):
    """Is told by auto, which searches all the same, and refused by gradient."""
    given = study_of('scara_helix', (), budget=6)
    given['tune'] |= change
    with pytest.raises(RobodynError, match=f'method is gradient, but .*{words}'):
        tune({**given, 'tune': {**given['tune'], 'method': 'gradient'}}, tmp_path / 'a.yaml',
             workers=1)
    if 'parameters' in change:
        return  # what is a search of words or noise is not at stake
    (tmp_path / 'a.yaml.tried').unlink()
    found = tune(given, tmp_path / 'a.yaml', workers=1)
    assert found.method == 'evolution' and words in found.why


def test_a_start_that_depends_on_settings_is_told(tmp_path):
    """One that is put onto rows."""
    given = study_of('scara_helix_constrained', (), {
        'dynamics.friction_scale': {'uniform': [0, 1]}}, budget=5, method='gradient')
    given['axes'] = {}
    with pytest.raises(RobodynError, match='method is gradient, but the start is put onto rows'):
        tune(given, tmp_path / 'a.yaml', workers=1)


def test_a_descent_goes_along_limits_and_down_a_kink():
    """The minimum of a maximum under a limit, of functions whose answer is known."""
    tried = []

    def runs(x):
        return [np.exp(x[0] - x[1]), np.exp(x[1] - x[0] + 0.2)]

    def at(x):
        tried.append(x)
        worst = sorted(enumerate(runs(x)), key=lambda one: -one[1])
        return Tried({}, worst[0][1], {'sum': float(x.sum())}, 0, 0.0, {}, list(map(list, worst)))

    def of(x, metric, rank):
        if metric == 'sum':
            return np.ones(2)
        run, value = at(x).worst[rank]
        return value * np.array([1.0, -1.0] if run == 0 else [-1.0, 1.0])
    descend(Slopes(at, of), np.array([0.9, 0.3]), 'rms', {'sum': 1.0}, {})
    best = min((x for x in tried if x.sum() <= 1.0), key=lambda x: max(runs(x)))
    assert max(runs(best)) == pytest.approx(np.exp(0.1), 1e-4)
