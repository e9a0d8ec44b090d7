# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Compiled programs have the same bits in a process whose arithmetic a library changed."""

import os
import platform
import shutil
import subprocess
import sys

from house import ROOT
from llvmlite import binding
import pytest
from robodyn_ros.codegen import environment
from robodyn_ros.codegen.llvm_text import UNTYPED

RUN = """
import ctypes, sys, threading
import numpy as np
from robodyn_ros import load_scenario, Simulation
from tracing.recording import program

SUBNORMAL = 2.0 ** -1060
how, tiny, velocity = sys.argv[1], np.array([5e-324]), np.array([4e-320, -2e-319])
simulation = Simulation(load_scenario('two_link_line', [
    'dynamics.gravity=[0, 0, 0]', 'dynamics.constraints=[]', 'controller.kind=none',
    'trajectory.kind=none', 'dynamics.stabilisation.kind=none', 'duration=0.1']))
made = program(lambda x, y: [x * 0.5, x * y, y / 3.0], 2)
plant, start = simulation.plant, simulation.assembly.state

def bits():
    # two ways to call, then a step at subnormal velocities
    functions = made.functions()
    block = np.array([SUBNORMAL, 1.1, 0.0, 0.0, 0.0, 0.0])
    functions['many_evaluate'](1, block[:2].copy(), np.zeros(1), block[2:5])
    found = block.tobytes()
    block[2:] = 0.0
    functions['one_evaluate'].bind(block, short=True)()
    found += block.tobytes()
    motion = plant.in_place(start, 1)
    motion.v[:] = velocity
    motion.step()
    return found + motion.q.tobytes() + motion.v.tobytes()

def changed():
    return 1.0 + tiny[0] > 1.0, (tiny * 1.0)[0] == 0.0

def check():
    before = changed()
    assert before == (how == 'rounding', '-ffast-math.so' in how)
    assert bits() == usual
    assert changed() == before  # the process keeps what it asked for

usual = bits()
if how == 'rounding':
    assert ctypes.CDLL(None).fesetround(int(sys.argv[2])) == 0
else:
    ctypes.CDLL(how)
check()
failed = []
threading.excepthook = failed.append
thread = threading.Thread(target=check)
thread.start()
thread.join()
assert not failed, failed
"""
UPWARDS = {'x86_64': 0x800, 'aarch64': 0x400000}


def library(folder, *options):
    """Return an empty library, linked with options."""
    if shutil.which('gcc') is None:
        pytest.skip('there is no gcc')
    (folder / 'empty.c').write_text('int unused;\n')
    target = folder / f'empty{"".join(options)}.so'
    subprocess.run(['gcc', *options, '-shared', '-fPIC', 'empty.c', '-o', target], cwd=folder,
                   check=True)
    return target


def run(*words):
    """Run it in a process of its own, as what is loaded cannot be taken back."""
    done = subprocess.run([sys.executable, '-c', RUN, *map(str, words)], capture_output=True,
                          text=True, env={**os.environ, 'PYTHONPATH': os.pathsep.join(
                              [str(ROOT / 'test'), os.environ.get('PYTHONPATH', '')])})
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_a_library_of_fast_math_changes_no_bit(tmp_path):
    """Of compiled code, in any thread; a warning says what may change, and it stays in force."""
    said = run(library(tmp_path, '-ffast-math'))
    assert said.count('flushes numbers below 2.3e-308 to zero') == 1
    assert not run(library(tmp_path))


@pytest.mark.skipif(platform.machine() not in UPWARDS, reason='its numbers are not known here')
def test_another_rounding_changes_no_bit():
    """Of compiled code, again with a warning."""
    said = run('rounding', UPWARDS[platform.machine()])
    assert said.count('does not round to nearest') == 1


@pytest.mark.parametrize('triple, words', [
    ('x86_64-unknown-linux-gnu', ('stmxcsr', 'ldmxcsr')),
    ('aarch64-unknown-linux-gnu', ('fpcr', 'msr')), ('riscv64-unknown-linux-gnu', ())])
def test_the_instructions_of_each_processor(triple, words):
    """LLVM takes what is written; where a processor is not known here, it is a plain call."""
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    guard = environment.guarded('outer', 'inner', ['i64 %x'], triple.partition('-')[0], UNTYPED)
    text = '\n'.join([*guard.declared, 'declare i64 @inner(i64)', guard.text])
    machine = binding.Target.from_triple(triple).create_target_machine()
    module = binding.parse_assembly(f'target triple = "{triple}"\n{text}')
    module.verify()
    text = machine.emit_assembly(module).lower()
    assert all(word in text for word in words) and 'inner' in text
