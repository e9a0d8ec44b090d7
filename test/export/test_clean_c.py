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
NOT_FINITE = r"""
#include "@P@.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    static const double odd[7] = {NAN, -NAN, INFINITY, -INFINITY, 1.7e308, -1.7e308, 5e-324};
    const int64_t times[2] = {0, 1000000000};
    double q[@N@], v[@N@], tau[@N@], a[@N@], next[2 * @N@], desired[3 * @N@], wide[2 * @N@];
    @P@_parameters p;
    @P@_model model;
    @P@_plan plan;
    @P@_points points = {0, 2, times, wide, 0, 0};
    int i, j, k, place;
    for (i = 0; i < 2 * @FIELDS@ + 1; ++i) { /* each parameter as well */
        @P@_default_parameters(&p);
        if (i)
            ((double *)&p)[(i - 1) / 2] = i % 2 ? NAN : 1e308;
        @P@_prepare(&p, &model);
        for (j = 0; j < 7; ++j)
            for (place = 0; place < 3 * @N@; ++place) {
                memset(q, 0, sizeof q);
                memset(v, 0, sizeof v);
                memset(tau, 0, sizeof tau);
                (place < @N@ ? q : place < 2 * @N@ ? v : tau)[place % @N@] = odd[j];
                for (k = 0; k < 2 * @N@; ++k) {
                    next[k] = 7.0;
                    wide[k] = place % 2 ? odd[j] : 0.1 * k;
                }
                for (k = 0; k < 3 * @N@; ++k)
                    desired[k] = k == place ? odd[j] : 0.0;
                if (@P@_step(&model, 0.0, q, v, tau, next, next + @N@)) {
                    for (k = 0; k < 2 * @N@; ++k)
                        if (next[k] != 7.0)
                            return 1;
                } else {
                    for (k = 0; k < 2 * @N@; ++k)
                        if (!isfinite(next[k]))
                            return 2;
                    if (j < 4)
                        return 3;
                }
                (void)@P@_forward_dynamics(&model, q, v, tau, a);
                @P@_begin(&plan, &points, 500000000, desired, 100000000);
                @P@_sample(&plan, 700000000, desired);
                @CONTROL@
                @P@_limit_efforts(tau);
            }
    }
    return 0;
}
"""
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


@pytest.mark.parametrize('name, n, option', [
    ('irb120_sine', 6, '-march=native'), ('parallel_line', 6, '-DRD_SOFTWARE_FMA')])
def test_numbers_that_are_not_finite_do_no_harm(exported, name, n, option):
    """In states, torques, references and parameters; a step tells and leaves its results alone."""
    folder, prefix = exported(name)
    header = (folder / f'{prefix}.h').read_text()
    fields = header.partition('typedef struct {')[2].partition('}')[0].count('double ')
    text = NOT_FINITE.replace('@CONTROL@', '@P@_control(&model, odd[j], q, v, desired, tau);')
    for word, meant in (('P', prefix), ('N', str(n)), ('FIELDS', str(fields))):
        text = text.replace(f'@{word}@', meant)
    (folder / 'odd.c').write_text(text)
    subprocess.run([*compiler('gcc', *SANITIZERS), '-std=c99', '-O0', option, 'odd.c',
                    f'{prefix}.c', '-o', 'odd', '-lm'], cwd=folder, check=True)
    done = subprocess.run(['./odd'], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, 'LD_PRELOAD': ''})
    assert done.returncode == 0 and not done.stderr, (done.returncode, done.stderr[:2000])


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
