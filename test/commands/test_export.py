# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""`robodyn export`: C that compiles without a warning and has the bits of the package."""

import ctypes
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from robodyn_ros import load_robot, RobodynError
from robodyn_ros.commands.main import main
from robodyn_ros.export.library import Library
from robodyn_ros.export.part import Part
from robodyn_ros.export.selection import library_of_robot
from robodyn_ros.share import share_folder

needs_gcc = pytest.mark.skipif(shutil.which('gcc') is None or shutil.which('make') is None,
                               reason='there is no gcc, or no make')
STRICT = ['-Wall', '-Wextra', '-Werror', '-pedantic', '-Wconversion', '-ffp-contract=off']
MEMORY = ['controller.ki=40', 'controller.observer=20']
CASES = [('irb120', []), ('scara_450', []), ('scara_helix', MEMORY), ('irb120_sine', []),
         ('scara_helix_constrained', []), ('parallel_line', [])]
OWN_LAW = """
from robodyn_ros import Control, controller
from robodyn_ros.tracing import atan2, clip, exp, where

@controller
def own(robot, settings):
    def law(t, q, v, reference, values, memory):
        error = [d - x for d, x in zip(reference, q)]
        total = [clip(z + 0.01 * e, -1.0, 1.0) for z, e in zip(memory, error)]
        return [where(e < 0.0, values['low'], values['high']) * e + atan2(z, 1.0) * exp(-t) - w
                for e, z, w in zip(error, total, v)], total
    return Control(law, 3 * robot.n, {'low': 3.0, 'high': 7.0}, memory=(0.0,) * robot.n)
"""


def exported(folder, name, changes=(), *more):
    """Export to a folder; returns the name that all names in C begin with."""
    words = [word for change in changes for word in ('--set', change)]
    assert main(['--quiet', 'export', name, '--output', str(folder), *words, *more]) == 0
    return next(path.stem for path in folder.glob('*.h'))


def checked(folder, name, *command):
    """Compile the check program and run it; returns what it says."""
    compiler, *flags = command
    files = [f'check_{name}.c', f'{name}.c']
    if compiler == 'g++':
        files = ['-x', 'c++', *files]
    subprocess.run([compiler, *flags, *STRICT, *files, '-o', 'checked', '-lm'], cwd=folder,
                   check=True)
    done = subprocess.run(['./checked'], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    return done.stdout


def loaded(folder, name, *flags):
    """Compile the library and load it."""
    subprocess.run(['gcc', '-std=c99', *STRICT, *flags, '-shared', '-fPIC', f'{name}.c', '-o',
                    'lib.so', '-lm'], cwd=folder, check=True)
    return ctypes.CDLL(str(folder / 'lib.so'))


def doubles(values):
    """Return numbers as C takes them."""
    values = np.asarray(values, dtype=float).ravel()
    return (ctypes.c_double * max(1, values.size))(*values)


def prepared(library, name, count, changes=None):
    """Return a model of the default parameters, or of changed ones (place: value)."""
    parameters = doubles(np.zeros(count))
    getattr(library, f'{name}_default_parameters')(parameters)
    for place, value in (changes or {}).items():
        parameters[place] = value
    model = doubles(np.zeros(4096))  # more than any model here needs
    getattr(library, f'{name}_prepare')(parameters, model)
    return model


@needs_gcc
@pytest.mark.parametrize('name, changes', CASES)
def test_the_check_program_finds_the_same_bits(tmp_path, name, changes):
    """As C99 and as C++17, without optimisation and with all, with and without fused products."""
    prefix = exported(tmp_path, name, changes)
    said = checked(tmp_path, prefix, 'gcc', '-std=c99', '-O0', '-DRD_SOFTWARE_FMA')
    assert said.count('the same bits') == len(said.splitlines()) >= 4
    if prefix in ('irb120', 'scara_helix'):  # the compiler takes a while
        assert checked(tmp_path, prefix, 'gcc', '-std=c99', '-O3', '-march=native') == said
        if shutil.which('g++'):
            assert checked(tmp_path, prefix, 'g++', '-std=c++17', '-O1') == said
    subprocess.run(['make', '-s', 'all', 'check'], cwd=tmp_path, check=True,
                   stdout=subprocess.DEVNULL)
    assert subprocess.run(['./example'], cwd=tmp_path, capture_output=True).returncode == 0


@needs_gcc
def test_a_function_of_dynamics_comes_alone(tmp_path):
    """Where a driver needs no other, the file is short."""
    name = exported(tmp_path, 'irb120', (), '--what', 'inverse_dynamics')
    assert checked(tmp_path, name, 'gcc', '-std=c99', '-O1') == 'inverse_dynamics: the same bits\n'
    assert 'forward_dynamics' not in (tmp_path / f'{name}.h').read_text()


@needs_gcc
def test_a_damaged_number_is_found(tmp_path):
    """The check program can fail: one digit of one constant is enough."""
    prefix = exported(tmp_path, 'two_link', (), '--what', 'dynamics')
    text = (tmp_path / f'{prefix}.c').read_text()
    begin = text.index(f'{prefix}_own_mass_and_bias')
    found = re.compile(r'\d\.\d{3,}').search(text, begin)
    text = text[:found.start() + 3] + '7' + text[found.start() + 3:]
    (tmp_path / f'{prefix}.c').write_text(text)
    done = subprocess.run(['make', '-s', 'check'], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode != 0 and 'numbers differ' in done.stdout


@needs_gcc
@pytest.mark.parametrize('name', ['irb120', 'scara_450'])
def test_dynamics_of_many_states_have_the_bits_of_the_robot(tmp_path, name):
    """Python's own functions at 500 random states, with no payload and with one."""
    robot = load_robot(name)
    n, rng = robot.n, np.random.default_rng(3)
    library = loaded(tmp_path, exported(tmp_path, name), '-O2')
    for payload in ({}, {'payload.mass': 1.7, 'payload.centre.z': 0.1}):
        model = prepared(library, name, 14, {3: 1.7, 6: 0.1} if payload else None)
        q, v, u = rng.uniform(-3, 3, (500, n)), rng.uniform(-4, 4, (500, n)), \
            rng.uniform(-9, 9, (500, n))
        tau, a = robot.inverse_dynamics(q, v, u, payload), robot.forward_dynamics(q, v, u, payload)
        mass, bias = robot.mass_matrix(q, payload), robot.dynamics(q, v, payload)[1]
        for k in range(500):
            state = doubles(q[k]), doubles(v[k])
            y, matrix = doubles(np.zeros(n)), doubles(np.zeros(n * n))
            getattr(library, f'{name}_inverse_dynamics')(model, *state, doubles(u[k]), y)
            assert list(y) == tau[k].tolist()
            assert getattr(library, f'{name}_forward_dynamics')(
                model, *state, doubles(u[k]), y) == 0
            assert list(y) == a[k].tolist()
            getattr(library, f'{name}_mass_and_bias')(model, *state, matrix, y)
            assert list(matrix) == mass[k].ravel().tolist() and list(y) == bias[k].tolist()


@needs_gcc
def test_a_users_own_law_is_exported(tmp_path, monkeypatch):
    """With its memory, its parameters, and the functions of the C library that it calls."""
    (tmp_path / 'own_law.py').write_text(OWN_LAW)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, 'path', list(sys.path))
    name = exported(tmp_path / 'c', 'scara_helix', ['controller.kind=own_law:own'], '--what',
                    'controller')
    said = checked(tmp_path / 'c', name, 'gcc', '-std=c99', '-O2')
    assert said.splitlines() == ['control: the same bits', 'sample: the same bits']
    header = (tmp_path / 'c' / f'{name}.h').read_text()
    assert 'double controller_low; /* controller.low, 3.0 unless changed */' in header
    assert 'exp, atan2 of the C library' in header and 'double memory[4];' in header


@needs_gcc
def test_joints_that_turn_without_limits_take_the_nearer_way(tmp_path):
    """The check program begins two turns away from the first point, as JointPlan would."""
    robot = tmp_path / 'turning.urdf'
    text = share_folder('urdf').joinpath('two_link.urdf').read_text()
    robot.write_text(text.replace('type="revolute"', 'type="continuous"'))
    name = exported(tmp_path / 'c', 'two_link_line', [
        f'robot={robot}', 'controller.kind=computed_torque',
        'controller.natural_frequency=20'], '--what', 'controller')
    assert 'turning[2] = {1, 1}' in (tmp_path / 'c' / f'{name}.c').read_text()
    assert 'sample: the same bits' in checked(tmp_path / 'c', name, 'gcc', '-std=c99', '-O2')


@needs_gcc
def test_nothing_of_the_mathematical_library_is_needed(tmp_path):
    """Of an arm without friction: no symbol is left open but those for copying memory."""
    name = exported(tmp_path, 'scara_450')
    for flags in (['-O2', '-march=native'], ['-O2'], ['-O0']):
        subprocess.run(['gcc', '-std=c99', '-fno-math-errno', *flags, *STRICT, '-c', f'{name}.c'],
                       cwd=tmp_path, check=True)
        left = subprocess.run(['nm', '-u', f'{name}.o'], cwd=tmp_path, capture_output=True,
                              text=True, check=True).stdout.split()
        assert set(left) - {'U'} <= {'memset', 'memcpy', '_GLOBAL_OFFSET_TABLE_'}


@needs_gcc
def test_no_call_needs_more_stack_than_the_header_says(tmp_path):
    """Even without optimisation, the deepest frames together: public, kernel, sine, fma."""
    for name in ('irb120_sine', 'scara_helix'):
        folder = tmp_path / name
        exported(folder, name)
        subprocess.run(['gcc', '-std=c99', '-O0', '-DRD_SOFTWARE_FMA', '-fstack-usage', '-c',
                        f'{name}.c'], cwd=folder, check=True)
        usage = {row.split('\t')[0].split(':')[-1]: int(row.split('\t')[1])
                 for row in (folder / f'{name}.su').read_text().splitlines()}
        inner = {word for word in usage if word.startswith('rd_')}
        public = sorted((usage[word] for word in usage if word not in inner), reverse=True)
        stated = int(re.search(r'at most (\d+) bytes', (folder / f'{name}.h').read_text())[1])
        inner_most = usage['rd_sincos'] + usage['rd_fma'] + usage['rd_sticky']
        assert public[0] + 4 * 256 + inner_most <= stated


def test_the_header_tells_what_it_was_made_from():
    """Joints, limits, version and a hash; equal exports are equal files."""
    robot = load_robot('irb120')
    first, again = (library_of_robot(robot, ['kinematics']).files() for _ in range(2))
    header = first['irb120.h']
    assert first == again and all(joint in header for joint in robot.joints)
    assert re.search(r'sha256 of what it was made from: [0-9a-f]{64}', header)
    other = library_of_robot(robot, ['kinematics'], [robot.frames[2]]).files()
    assert other['irb120.h'] != header


@pytest.mark.parametrize('words, sentence', [
    (['irb120', '--what', 'controller'], "--what names 'controller', but irb120 is a robot"),
    (['irb120', '--what', 'wheels'], "unknown part 'wheels'"),
    (['irb120', '--what', 'kinematics', '--frame', 'moon'], "'moon'"),
    (['irb120', '--set', 'duration=1'], '--set changes a scenario'),
    (['scara_helix', '--what', 'controller', '--set', 'controller.kind=none'],
     'controller.kind of scenario .* is none'),
    (['nobody'], "unknown scenario or robot 'nobody' in this package.*irb120.*scara_helix"),
    (['irb120', '--what', ' ,'], '--what is empty; give some of controller'),
    (['irb120', '--what', 'dynamics', '--frame', 'tool0'], "--frame names 'tool0', but --what"),
])
def test_what_cannot_be_exported_is_refused_in_one_sentence(tmp_path, capsys, words, sentence):
    """And nothing is written."""
    folder = tmp_path / 'out'
    assert main(['export', *words, '--output', str(folder)]) == 2
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert re.search(sentence, said), said
    assert not folder.exists()


def test_a_plant_that_looks_for_ranks_is_refused(tmp_path, capsys, monkeypatch):
    """With the reason; by default the rest is exported without it."""
    (tmp_path / 'rows.py').write_text(
        'from robodyn_ros import constraint\n\n@constraint\ndef twice(robot, q, t):\n'
        '    return [q[0] - 0.1, q[0] - 0.1, q[1], q[1], q[0] + q[1] - 0.1]\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, 'path', list(sys.path))
    words = ['export', 'two_link_line', '--set', 'dynamics.constraints=["rows:twice"]', '--set',
             'trajectory.kind=none', '--set', 'controller.kind=none', '--set',
             'dynamics.initial_position=[0.1, 0.0]', '--set', 'dynamics.initial_velocity=[0, 0]',
             '--output']
    assert main([*words, 'refused', '--what', 'plant']) == 2
    assert 'looks for the rank of the rows' in capsys.readouterr().err
    assert main([*words, 'rest']) == 0
    assert '_step(' not in (tmp_path / 'rest' / 'two_link_line.h').read_text()


@pytest.mark.parametrize('law, sentence', [
    ('return [1.0 if x > 0.0 else 0.0 for x in q]', 'the control law'),
    ('return [float(x) for x in q]', 'the control law'),
    ('import random\n        return [random.random() * x for x in q]', 'keeps state in Python')])
def test_a_law_that_is_no_trace_is_refused(tmp_path, capsys, monkeypatch, law, sentence):
    """Branches on values, numbers made of them, and another law at every call."""
    (tmp_path / f'no_trace_{len(law)}.py').write_text(
        'from robodyn_ros import Control, controller\n\n@controller\ndef own(robot, settings):\n'
        f'    def law(t, q, v, reference, values):\n        {law}\n'
        '    return Control(law, 3 * robot.n, {})\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, 'path', list(sys.path))
    assert main(['export', 'scara_helix', '--what', 'controller', '--set',
                 f'controller.kind=no_trace_{len(law)}:own', '--output', 'out']) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert len(said) == 1 and sentence in said[0] and not (tmp_path / 'out').exists()


@needs_gcc
def test_joints_that_are_no_names_in_c_are_mapped_and_told(tmp_path, capsys):
    """A robot of spaces, dashes and words of C++; the file compiles and has the same bits."""
    text = share_folder('urdf').joinpath('two_link.urdf').read_text()
    text = re.sub(r'<robot name="[^"]*"', '<robot name="6-axis arm"', text)
    path = tmp_path / '6-axis arm.urdf'
    path.write_text(text.replace('"joint_1"', '"axis-1"').replace('"joint_2"', '"class"'))
    robot = load_robot(path)
    assert robot.joints == ('axis-1', 'class')
    scenario = tmp_path / '6-axis run.yaml'
    scenario.write_text(share_folder('config').joinpath('two_link_line.yaml').read_text())
    words = [str(scenario), '--set', f'robot={path}', '--set', 'controller.kind=computed_torque',
             '--set', 'controller.natural_frequency=20']
    assert main(['--quiet', 'export', *words, '--what', 'controller,plant', '--output',
                 str(tmp_path / 'c')]) == 0
    told = capsys.readouterr().err
    name = next((tmp_path / 'c').glob('*.h')).stem
    assert name == 'n6_axis_run' and '6-axis run is called n6_axis_run in C' in told
    assert 'controller.kp.axis-1 is called controller_kp_axis_1 in C' in told
    assert 'the same bits' in checked(tmp_path / 'c', name, 'gcc', '-std=c99', '-O1')


def test_a_folder_that_cannot_be_written_is_told(tmp_path, capsys):
    """In a sentence that names it."""
    (tmp_path / 'file').write_text('')
    folder = tmp_path / 'file' / 'out'
    assert main(['--quiet', 'export', 'two_link', '--what', 'kinematics', '--output',
                 str(folder)]) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert len(said) == 1 and 'cannot read or write' in said[0]
    assert str(tmp_path / 'file') in said[0]


def test_a_folder_is_looked_at_before_anything_takes_long(tmp_path, capsys, monkeypatch):
    """An empty one, one that is a file, one below a file, one that nobody may write."""
    (tmp_path / 'file').write_text('')
    monkeypatch.setattr('robodyn_ros.commands.export._library', None)
    monkeypatch.setattr('os.access', lambda path, mode: 'closed' not in str(path))
    (tmp_path / 'closed').mkdir()
    for folder, sentence in (('', '--output is empty'), (tmp_path / 'file', 'which is a file'),
                             (tmp_path / 'file' / 'out', 'Not a directory'),
                             (tmp_path / 'closed' / 'out', 'Permission denied')):
        assert main(['export', 'irb120', '--output', str(folder)]) == 2
        said = capsys.readouterr().err.strip().splitlines()
        assert len(said) == 1 and sentence in said[0] and str(folder)[:-4] in said[0]


def test_either_all_files_are_written_or_none(tmp_path, capsys):
    """Something in the way of one leaves the folder as it was; links that lead nowhere count."""
    words = ['--quiet', 'export', 'two_link', '--what', 'kinematics', '--output', str(tmp_path)]
    (tmp_path / 'Makefile').symlink_to(tmp_path / 'elsewhere')
    assert main(words) == 2 and 'Makefile is there already' in capsys.readouterr().err
    (tmp_path / 'example.c').mkdir()
    assert main([*words, '--force']) == 2 and 'example.c is a folder' in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ['Makefile', 'example.c']
    (tmp_path / 'example.c').rmdir()
    assert main([*words, '--force']) == 0
    assert (tmp_path / 'Makefile').is_symlink() and (tmp_path / 'elsewhere').is_file()
    assert len(list(tmp_path.iterdir())) == 6


@needs_gcc
@pytest.mark.parametrize('name', ['example', 'check', 'Math', '_math', 'sample', 'errno'])
def test_names_of_our_own_files_and_of_headers_are_avoided(tmp_path, name):
    """A robot may have any name."""
    text = share_folder('urdf').joinpath('two_link.urdf').read_text()
    (tmp_path / 'r.urdf').write_text(re.sub(r'<robot name="[^"]*"', f'<robot name="{name}"', text))
    assert main(['--quiet', 'export', str(tmp_path / 'r.urdf'), '--what',
                 'kinematics,inverse_dynamics', '--output', str(tmp_path / 'c')]) == 0
    done = subprocess.run(['make', '-s', 'CFLAGS=-O0 -Werror -I.', 'all', 'check'],
                          cwd=tmp_path / 'c', capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.count('the same bits') == 2, done.stderr


def test_names_that_are_none_in_c_are_mapped_and_told():
    """Two that would become one are refused."""
    robot = load_robot('two_link')
    one = Library('x', 'a test', robot, [Part({'kp.joint-1': 1.0, 'payload.mass': 0.0})], {})
    assert one.renamed() == {'kp.joint-1': 'kp_joint_1'}
    both = one._replace(parts=[*one.parts, Part({'kp.joint_1': 1.0})])
    with pytest.raises(RobodynError, match="'kp.joint-1' and 'kp.joint_1' would both be called"):
        both.renamed()


def test_files_that_are_there_are_kept(tmp_path, capsys):
    """Unless --force is given; a file is no folder."""
    words = ['--quiet', 'export', 'two_link', '--what', 'kinematics', '--output', str(tmp_path)]
    assert main(words) == 0
    (tmp_path / 'two_link.h').write_text('mine')
    assert main(words) == 2 and 'is there already' in capsys.readouterr().err
    assert (tmp_path / 'two_link.h').read_text() == 'mine'
    assert main([*words, '--force']) == 0 and (tmp_path / 'two_link.h').read_text() != 'mine'
    assert main([*words[:-1], str(tmp_path / 'two_link.h')]) == 2
    assert 'which is a file' in capsys.readouterr().err
