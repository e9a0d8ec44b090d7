# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Studies: every point once, draws that are the same again, and mistakes that are told."""

from dataclasses import replace
import pickle
import re

import numpy as np
import pytest
from robodyn_ros import RobodynError
from robodyn_ros.share import share_folder
from robodyn_ros.sweeping.axes import axis, Points
from robodyn_ros.sweeping.bundle import packed, Unpacked
from robodyn_ros.sweeping.plan import refuse_too_many
from robodyn_ros.sweeping.runs import Runner
from robodyn_ros.sweeping.study import make_study, read_study
from robodyn_ros.sweeping.sweep import chunks_of
from scipy import stats


def study(axes, **more):
    """Return a short study of the SCARA."""
    return make_study({'scenario': 'scara_helix', 'duration': 0.1, 'axes': axes, **more})


def test_a_grid_has_every_point_once():
    """Places, draws and repetitions are counted through, the last axis fastest."""
    made = study({'dynamics.payload.mass': {'values': [0, 1, 2]},
                  'controller.damping': {'range': [0.5, 1.0], 'count': 2},
                  'dynamics.friction_scale': {'uniform': [0.0, 2.0]}}, draws=4,
                 repetitions=5, set={'dynamics.noise.position': 1e-5})
    assert made.count == len(made.points) == 3 * 2 * 4 * 5
    values = made.points.values(np.arange(made.count))
    rows = set(zip(*values.values(), made.points.repetition(np.arange(made.count)).tolist()))
    assert len(rows) == made.count
    assert values['dynamics.payload.mass'][:40] == [0] * 40
    # every draw at every place: places can be compared
    draws = np.array(values['dynamics.friction_scale']).reshape(6, 4, 5)
    assert (draws == draws[:1, :, :1]).all()
    # and a run's values do not depend on who is asked for beside it
    some = np.array([119, 3, 64])
    assert {name: list(column) for name, column in made.points.values(some).items()} == {
        name: [column[k] for k in some] for name, column in values.items()}


@pytest.mark.parametrize('sampling', ['random', 'latin_hypercube', 'sobol'])
def test_draws_have_their_distribution(sampling):
    """By Kolmogorov and Smirnov's test, with a fixed seed; another seed gives other draws."""
    kinds = {'a': ('uniform', [2.0, 3.0], stats.uniform(2.0, 1.0)),
             'b': ('log_uniform', [0.1, 10.0], stats.loguniform(0.1, 10.0)),
             'c': ('normal', [1.0, 0.5], stats.norm(1.0, 0.5))}
    axes = [axis(name, {kind: given}, 'x') for name, (kind, given, _) in kinds.items()]
    found = Points(axes, sampling, 1024, 3, 1).values(np.arange(1024))
    for name, (_, _, law) in kinds.items():
        assert stats.kstest(found[name], law.cdf).pvalue > 1e-3
    again, other = (Points(axes, sampling, 1024, seed, 1).values(np.arange(1024))
                    for seed in (3, 4))
    for name, values in found.items():
        assert np.array_equal(values, again[name]) and not np.array_equal(values, other[name])


@pytest.mark.parametrize('count', [1, 15, 16, 17, 1000, 5000, 100_001])
def test_chunks_cover_all_runs_once(count):
    """And are cut the same for any number of workers; those of long runs have fewer."""
    made = study({'dynamics.payload.mass': {'range': [0.0, 1.0], 'count': count}})
    runs = [run for _, first, behind in chunks_of(made) for run in range(first, behind)]
    assert runs == list(range(count))
    made.scenario = replace(made.scenario, duration=1000.0)
    assert max(behind - first for _, first, behind in chunks_of(made)) <= 16


BAD = [
    ({'axes': {'dynamics.paylod.mass': {'values': [1]}}}, 'dynamics.paylod.mass'),
    ({'axes': {'dynamics.payload.mass': {'values': []}}}, 'not empty'),
    ({'axes': {'dynamics.payload.mass': {'values': [*range(99), 10 ** 30, *range(99)]}}},
     '64 bits'),
    ({'axes': {'dynamics.payload.mass': {'values': [-1.0]}}}, 'at least 0|0 ..'),
    ({'axes': {'dynamics.payload.mass': {'range': [0, 1]}}}, 'count'),
    ({'axes': {'dynamics.payload.mass': {'range': [0, 1], 'count': 0}}}, 'count is 0'),
    ({'axes': {'dynamics.payload.mass': {'log_uniform': [0, 1]}}}, 'above 0'),
    ({'axes': {'dynamics.payload.mass': {'normal': [0, -1]}}}, 'standard deviation'),
    ({'axes': {'dynamics.payload.mass': {'gaussian': [0, 1]}}}, 'expected one of values'),
    ({'axes': {'dynamics.payload.mass': 3}}, 'expected a group'),
    ({'axes': {'dynamics.payload.mass': {'uniform': [0, float('inf')]}}}, 'two finite numbers'),
    ({'axes': {'dynamics.initial_position.elbow': {'values': [1.0]}}}, 'joint_1'),
    ({'axes': {}, 'repetitions': 3}, 'nothing in a run is random'),
    ({'axes': {}, 'metrics': ['eror']}, 'error_max'),
    ({'axes': {}, 'metrics': ['error_max', 'error_max']}, 'each once'),
    ({'axes': {}, 'smapling': 'sobol'}, 'sampling'),
    ({'axes': {}, 'sampling': 'dice'}, 'latin_hypercube'),
    ({'axes': {}, 'draws': 10 ** 12}, '1 .. 1e'),
    ({'axes': {f'controller.{name}': {'range': [0.5, 1], 'count': 10 ** 6}
               for name in ('damping', 'rho')}},
     r'1e\+12 runs, which would take .* years .* TB; expected at most'),
]


@pytest.mark.parametrize('data, words', BAD)
def test_what_no_study_can_say_is_told_before_anything_runs(data, words):
    """In one sentence."""
    with pytest.raises(RobodynError, match=words):
        made = make_study({'scenario': 'scara_helix', **data})
        Runner(made)
        refuse_too_many(made)


def test_a_file_that_is_no_study(tmp_path):
    """Is named."""
    path = tmp_path / 'study.yaml'
    for text in ('[1, 2]', 'scenario: [', 'axes: {}', 'scenario: nowhere'):
        path.write_text(text)
        with pytest.raises(RobodynError, match='study.yaml|nowhere'):
            read_study(path)
    with pytest.raises(RobodynError, match='no such file'):
        read_study(tmp_path / 'none.yaml')


@pytest.mark.parametrize('sampling', ['random', 'sobol', 'latin_hypercube'])
def test_draws_are_the_same_some_at_a_time(sampling):
    """As drawn all at once by numpy and scipy, in any order."""
    axes, count = [axis('a', {'uniform': [0, 1]}, ''), axis('b', {'uniform': [0, 2]}, '')], 5000
    points = Points(axes, sampling, count, 7, 1)
    whole = {'random': lambda: np.random.default_rng(7).random((count, 2)),
             'sobol': lambda: stats.qmc.Sobol(2, seed=7).random_base2(13)[:count],
             'latin_hypercube': lambda: stats.qmc.LatinHypercube(2, seed=7).random(count)
             }[sampling]()
    runs = np.array([4999, 3, 4096, 4095])
    found = points.values(runs)
    assert np.array_equal(found['a'], whole[runs, 0])
    assert np.array_equal(found['b'], 2.0 * whole[runs, 1])


# --- what travels ----------------------------------------------------------------------------


def rows_elsewhere(study, remove):
    """Return the rows of a study here, and of a worker on which none of its files are."""
    here = Runner(study).rows(np.arange(study.count))
    bundle = pickle.loads(pickle.dumps(packed(study)))
    for path in remove:
        path.unlink()
    kept = Unpacked()
    return here, kept.runner(bundle).rows(np.arange(len(here['run'])))


def test_robots_of_an_axis_travel_with_the_study(tmp_path):
    """Also where one of them fails, in the same words."""
    text = (share_folder('urdf') / 'scara_450.urdf').read_text()
    heavy, odd = tmp_path / 'heavy.urdf', tmp_path / 'odd.urdf'
    heavy.write_text(re.sub('<mass value="(.*?)"', lambda found: (
        f'<mass value="{1.1 * float(found[1])}"'), text))
    odd.write_text((share_folder('urdf') / 'two_link.urdf').read_text())
    study = make_study({'scenario': 'scara_helix', 'duration': 0.05, 'metrics': ['effort_max'],
                        'axes': {'robot': ['scara_450', str(heavy), str(odd)],
                                 'dynamics.payload.mass': [0.5, 1.0]}})
    here, there = rows_elsewhere(study, [heavy, odd])
    assert repr(here) == repr(there) and here['finished'] == [True] * 4 + [False] * 2
    assert here['effort_max'][0] < here['effort_max'][2] and here['reason'][4]


def test_tables_of_an_axis_travel_with_the_study(tmp_path):
    """And a name that two of them share is no matter."""
    places = [tmp_path / name / 'way.csv' for name in 'abc']
    for k, path in enumerate(places):
        path.parent.mkdir()
        path.write_text(f't,joint_1,joint_2,joint_3,joint_4\n0,0,0,0.4,0\n'
                        f'1,0.{k + 1},0,0.4,0\n2,0,0.{k + 1},0.4,0\n')
    places[2].write_text('t,joint_1\n0,none\n')
    arm = tmp_path / 'arm.yaml'
    arm.write_text(
        '/**: {ros__parameters: {robot: scara_450, duration: 2.0}}\n'
        'controller: {ros__parameters: {kind: computed_torque, natural_frequency: 20.0}}\n'
        'trajectory: {ros__parameters: {kind: table, parameters: {path: ' f'{places[0]}}}}}}}\n')
    study = make_study({'scenario': str(arm), 'duration': 0.05, 'metrics': ['energy'],
                        'axes': {'trajectory.parameters.path': list(map(str, places))}})
    here, there = rows_elsewhere(study, places)
    assert repr(here) == repr(there)
    assert here['finished'] == [True, True, False] and str(places[2]) in here['reason'][2]
    assert here['energy'][0] != here['energy'][1]


def test_a_robot_of_an_axis_that_cannot_travel_is_refused(tmp_path):
    """Before anything runs, in one sentence."""
    for axes, words in (
            ({'robot': ['scara_450', str(tmp_path / 'none.urdf')]}, 'none.urdf'),
            ({'robot': [f'robot_{k}' for k in range(1001)]}, '1001 files'),
            ({'robot_arguments.size': {'uniform': [0.0, 1.0]}}, 'a robot for each draw')):
        study = make_study({'scenario': 'scara_helix', 'axes': axes})
        with pytest.raises(RobodynError, match=words) as told:
            packed(study)
        assert '\n' not in str(told.value)
