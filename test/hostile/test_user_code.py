# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A scenario may name parts of robots, and nothing else; each gets the modules beside it."""

import subprocess
import sys

from house import clean_environment
import pytest
from robodyn_ros import load_scenario, RobodynError, Simulation
from robodyn_ros.scenario.user_code import FORBIDDEN

HEAD = '/**:\n  ros__parameters: {robot: two_link, duration: 0.01}\n'
MODULE = """
from robodyn_ros import constraint, Control, controller, trajectory
from helper import NUMBER

@controller
def drive(robot, settings):
    from late import LATE
    return Control(lambda t, q, v, r, p: [p['kp']] * robot.n, 0, {'kp': NUMBER + LATE})
"""


def scenario(folder, **kinds):
    """Write a scenario; returns its path."""
    folder.mkdir(exist_ok=True)
    path = folder / 'mine.yaml'
    path.write_text(HEAD + ''.join(
        f'{node}:\n  ros__parameters: {{{settings}}}\n' for node, settings in kinds.items()))
    return path


@pytest.mark.parametrize('kinds', [
    {'trajectory': "kind: 'subprocess:Popen', parameters: {args: [touch, PLACE], shell: false}"},
    {'trajectory': "kind: 'os:system'"},
    {'trajectory': "kind: 'pathlib:Path'"},
    {'trajectory': "kind: 'builtins:eval'"},
    {'controller': "kind: 'os:system'"},
    {'controller': "kind: 'subprocess:call'"},
    {'controller': "kind: 'numpy:save'"},
    {'controller': "kind: 'robodyn_ros.commands.main:main'"},
    {'controller': "kind: 'robodyn_ros.scenario.loading:load_scenario'"},
    {'trajectory': "kind: 'robodyn_ros.scenario.result:ResultFile', parameters: {path: PLACE}"},
    {'trajectory': "kind: 'robodyn_ros:Simulation', parameters: {scenario: scara_helix}"},
    {'trajectory': "kind: 'llvmlite.binding:load_library_permanently'"},
    {'dynamics': "constraints: ['os:system']"},
    {'trajectory': "kind: 'antigravity:x'"},
    {'trajectory': "kind: '..mine:x'"},
    {'trajectory': "kind: '/etc/passwd:x'"},
    {'trajectory': "kind: ':x'"},
    {'trajectory': "kind: 'parts:__class__'"},
    {'trajectory': "kind: 'a:b:c'"},
    {'trajectory': 'kind: "a\\e[31m:b\\n"'},
])
def test_only_parts_can_be_named(kinds, tmp_path):
    """Nothing is called that was not written to be; one sentence says what is expected."""
    place = tmp_path / 'touched.npz'
    kinds = {node: text.replace('PLACE', str(place)) for node, text in kinds.items()}
    path = scenario(tmp_path / 'here', **kinds)
    (tmp_path / 'here' / 'parts.py').write_text('x = 1\n')
    with pytest.raises(RobodynError) as caught:
        Simulation(load_scenario(path))
    assert str(caught.value).isprintable() and not place.exists()
    assert 'antigravity' not in sys.modules


def test_a_name_that_is_no_part_is_told_how_to_become_one(tmp_path):
    """The decorator stands in the sentence."""
    (tmp_path / 'parts.py').write_text(
        'from shutil import rmtree as law\nfrom subprocess import Popen as Path\n')
    for kinds, word in (({'controller': "kind: 'parts:law'"}, '@controller'),
                        ({'trajectory': "kind: 'parts:Path'"}, '@trajectory'),
                        ({'dynamics': "constraints: ['parts:law']"}, '@constraint')):
        with pytest.raises(RobodynError, match=word):
            Simulation(scenario(tmp_path, **kinds))


@pytest.mark.parametrize('text', [
    'from robodyn_ros import Control\ndef law(robot, settings) -> Control:\n    BODY',
    'from __future__ import annotations\nimport robodyn_ros\nfrom robodyn_ros import Control\n'
    'def law(robot, settings) -> robodyn_ros.Control:\n    BODY',
    'from robodyn_ros import Control, controller\n@controller\n'
    'def law(robot, settings):\n    BODY',
    'from robodyn_ros import Control, controller\n@controller\nclass law:\n'
    '    def __new__(cls, robot, settings):\n        BODY',
])
def test_a_law_is_marked_by_decorator_or_annotation(text, tmp_path):
    """Whatever is easier to write."""
    body = 'return Control(lambda t, q, v, r, p: [0.0] * robot.n, 0, {})'
    (tmp_path / 'parts.py').write_text(text.replace('BODY', body) + '\n')
    assert Simulation(scenario(tmp_path, controller="kind: 'parts:law'")).control is not None


@pytest.mark.parametrize('text', [
    'from robodyn_ros import trajectory\n@trajectory\ndef move(t):\n    return [0.5, 0.1]',
    'from robodyn_ros import trajectory\n@trajectory\nclass move:\n'
    '    def __call__(self, t):\n        return [0.5, 0.1]',
    'from robodyn_ros import trajectory\n@trajectory\nclass Base:\n'
    '    def __call__(self, t):\n        return [0.5, 0.1]\nclass move(Base):\n    pass',
    'from robodyn_ros.trajectories.paths import SineLine\nclass move(SineLine):\n    pass',
    'from robodyn_ros.trajectories.paths import SineLine\nmove = SineLine',
])
def test_a_trajectory_is_marked_or_a_kind_of_ours(text, tmp_path):
    """A decorated function or class, a subclass of one, or of a class of this package."""
    from robodyn_ros.scenario.desired_motion import DesiredMotion
    from robodyn_ros.scenario.schema import TrajectorySettings
    (tmp_path / 'parts.py').write_text(text + '\n')
    parameters = {} if 'SineLine' not in text else {
        'start': (0.5, 0.1), 'end': (0.6, 0.1), 'duration': 1.0}
    try:
        made = DesiredMotion(TrajectorySettings('parts:move', parameters=parameters, axes='xz'),
                             str(tmp_path))
    except RobodynError as error:
        assert 'cannot be called as needed' in str(error)  # accepted, with other parameters
    else:
        assert made.in_space


@pytest.mark.parametrize('text', [
    'raise SystemExit(3)', 'def rec():\n    rec()\nrec()', 'import no_such_module', '1 +', '\\0',
    'def __getattr__(name):\n    raise ValueError("\\x1b[31m\\n")', 'law = None', ''])
def test_modules_that_fail_are_one_sentence(text, tmp_path):
    """However they do."""
    (tmp_path / 'parts.py').write_text(text + '\n')
    with pytest.raises(RobodynError, match='parts:law') as caught:
        Simulation(scenario(tmp_path, controller="kind: 'parts:law'"))
    assert str(caught.value).isprintable()


def test_two_scenarios_with_modules_of_one_name_get_their_own(tmp_path, monkeypatch):
    """Also what those import, early and late; the current folder does not win."""
    paths = []
    for k, folder in enumerate(('one', 'two', 'current')):
        paths.append(scenario(tmp_path / folder, controller="kind: 'parts:drive'"))
        (tmp_path / folder / 'parts.py').write_text(MODULE)
        (tmp_path / folder / 'helper.py').write_text(f'NUMBER = {k}.0\n')
        (tmp_path / folder / 'late.py').write_text(f'LATE = {k}0.0\n')
    monkeypatch.chdir(tmp_path / 'current')
    before = list(sys.path)
    found = [Simulation(path).control.parameters['kp'] for path in (*paths, paths[0])]
    assert found == [0.0, 11.0, 22.0, 0.0]
    assert sys.path == before and not {'parts', 'helper', 'late'} & set(sys.modules)


def test_packages_beside_a_scenario_import_one_another(tmp_path):
    """With and without dots, a name or a module, under another name."""
    path = scenario(tmp_path, controller="kind: 'arms.laws:drive'")
    arms = tmp_path / 'arms'
    arms.mkdir()
    (arms / '__init__.py').write_text('import arms.numbers as others\n')
    (arms / 'numbers.py').write_text('A = 1.0\n')
    (arms / 'laws.py').write_text(
        'import arms.numbers\nfrom arms import numbers\nfrom .numbers import A\n'
        'import numpy as np\nfrom robodyn_ros import Control\n'
        'def drive(robot, settings) -> Control:\n'
        '    return Control(lambda t, q, v, r, p: [p["x"]] * robot.n, 0,\n'
        '                   {"x": A + arms.numbers.A + numbers.A + float(np.ones(1)[0])})\n')
    assert Simulation(path).control.parameters == {'x': 4.0}


def test_user_code_can_be_forbidden(tmp_path, monkeypatch):
    """Before anything of it runs; what comes with the package is no user code."""
    path = scenario(tmp_path, controller="kind: 'parts:drive'")
    (tmp_path / 'parts.py').write_text(f'open({str(tmp_path / "ran")!r}, "w")\n')
    monkeypatch.setenv(FORBIDDEN, '1')
    with pytest.raises(RobodynError, match='--no-user-code'):
        Simulation(path)
    assert not (tmp_path / 'ran').exists()
    Simulation('scara_helix')


@pytest.mark.parametrize('words', [['--no-user-code', 'simulate'], ['simulate', '--no-user-code']])
def test_the_verbs_can_forbid_it(words, tmp_path):
    """Before the verb or after it."""
    path = scenario(tmp_path, controller="kind: 'parts:drive'")
    (tmp_path / 'parts.py').write_text(f'open({str(tmp_path / "ran")!r}, "w")\n')
    done = subprocess.run([sys.executable, '-m', 'robodyn_ros.commands.main', *words, str(path)],
                          env=clean_environment(), capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and '--no-user-code' in done.stderr, done.stderr
    assert not (tmp_path / 'ran').exists() and 'Traceback' not in done.stderr
