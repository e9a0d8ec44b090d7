# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Exported C: no warning as C99 and as C++17, nothing found by sanitizers and valgrind."""

import os
import shutil
import subprocess

from export.compilers import cannot_compile, WARNINGS
import pytest
from robodyn_ros import load_robot, load_scenario, robot_names, scenario_names
from robodyn_ros.export.selection import library_of_robot, library_of_scenario

SANITIZERS = '-fsanitize=address,undefined', '-fno-sanitize-recover=all'
MEMORY = ('controller.ki=40', 'controller.observer=20')


@pytest.fixture(scope='module')
def exported(tmp_path_factory):
    """Return what exports once: the folder, and the name of the library."""
    made = {}

    def folder_of(name, *changes):
        if (name, changes) not in made:
            library = library_of_scenario(load_scenario(name, changes)) \
                if name in scenario_names() else library_of_robot(load_robot(name))
            folder = tmp_path_factory.mktemp(name)
            (folder / 'examples').mkdir()
            for file, text in library.files().items():
                (folder / file).write_text(text)
            made[name, changes] = folder, library.name
        return made[name, changes]
    return folder_of


def compiler(*command):
    """Skip where a compiler is missing, or cannot do what is asked of it."""
    if shutil.which(command[0]) is None:
        pytest.skip(f'there is no {command[0]}')
    if cannot_compile(command):
        pytest.skip(cannot_compile(command))
    return list(command)


def compiled(folder, name, command, *options):
    """Compile the check program."""
    subprocess.run([*command, *WARNINGS, *options, f'check_{name}.c', f'{name}.c', '-o', 'checked',
                    '-lm'], cwd=folder, check=True)


@pytest.mark.parametrize('language, compilers', [
    (['-x', 'c', '-std=c99'], ('gcc', 'clang')), (['-x', 'c++', '-std=c++17'], ('g++', 'clang++'))
], ids=['C99', 'C++17'])
@pytest.mark.parametrize('name', [*scenario_names(), *robot_names()])
def test_there_are_no_warnings(exported, name, language, compilers):
    """Of any file, by gcc and by clang."""
    folder, _ = exported(name)
    files = [str(path) for path in sorted(folder.rglob('*.c'))]
    assert len(files) >= 3
    there = [one for one in compilers if shutil.which(one)]
    if not there:
        pytest.skip(f'there is no {" and no ".join(compilers)}')
    for one in there:
        subprocess.run([one, *language, *WARNINGS, '-O0', '-fsyntax-only', '-I.', *files],
                       cwd=folder, check=True)


@pytest.mark.parametrize('name, changes, command', [
    ('scara_helix', MEMORY, 'gcc'), ('irb120_sine', (), 'gcc'), ('parallel_line', (), 'clang')])
def test_sanitizers_find_nothing(exported, name, changes, command):
    """Neither the address nor the undefined-behaviour one, with the software fma too."""
    command = compiler(command, *SANITIZERS)
    folder, prefix = exported(name, *changes)
    for options in (['-O1'], ['-O0', '-DRD_SOFTWARE_FMA']):
        compiled(folder, prefix, command, '-std=c99', *options)
        done = subprocess.run(['./checked'], cwd=folder, capture_output=True, text=True,
                              env={**os.environ, 'LD_PRELOAD': ''})
        assert done.returncode == 0 and not done.stderr, done.stderr[:2000]


@pytest.mark.parametrize('name, changes', [('scara_helix', MEMORY), ('parallel_line', ())])
def test_valgrind_finds_nothing(exported, name, changes):
    """No number is used that was never set."""
    if shutil.which('valgrind') is None:
        pytest.skip('there is no valgrind')
    folder, prefix = exported(name, *changes)
    compiled(folder, prefix, compiler('gcc'), '-std=c99', '-O1', '-g')
    done = subprocess.run(['valgrind', '-q', '--error-exitcode=9', '--leak-check=full',
                           './checked'], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr[:2000]


def test_the_check_tells_that_small_numbers_are_flushed(exported):
    """Something linked with -ffast-math: the file itself cannot see it."""
    folder, prefix = exported('two_link_line')
    compiled(folder, prefix, compiler('gcc'), '-std=c99', '-O1')
    done = subprocess.run(['./checked'], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0 and 'become zero' not in done.stdout
    for source in (f'check_{prefix}', prefix):
        subprocess.run(['gcc', '-O1', '-ffp-contract=off', '-c', f'{source}.c'], cwd=folder,
                       check=True)
    subprocess.run(['gcc', '-ffast-math', f'check_{prefix}.o', f'{prefix}.o', '-o', 'flushing',
                    '-lm'], cwd=folder, check=True)
    done = subprocess.run(['./flushing'], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 1 and 'linked with -ffast-math' in done.stdout
