# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Object files that are linked without LLVM: same bits, no page both written and run, no crash."""

import ctypes
import random
import re
import subprocess
import sys

import numpy as np
import pytest
from robodyn_ros.codegen import llvm, llvm_loader, native, object_files, program as whole
from robodyn_ros.codegen.object_files import Loaded, Unfamiliar
from robodyn_ros.codegen.processor import x86_64_linux
from robodyn_ros.plant.plant import Plant
from robodyn_ros.robots.robot import load_robot
from robodyn_ros.tracing import exp, sin, tan, tanh
from robodyn_ros.types import State
from tracing.recording import program

pytestmark = pytest.mark.skipif(not x86_64_linux(), reason='LLVM links programs here')
OPERATIONS = 700


def long(x, y):
    """Be a function of so many operations that it is no part of its callers."""
    for k in range(OPERATIONS // 4):
        x = (x * y + float(k)) / (1.0 + x * x)
    return [x]


PROGRAMS = {
    'arithmetic': lambda: program(lambda x, y: [2.0 * x + y, sin(x)], 2),
    'calls of the library': lambda: program(lambda x, y: [tanh(x), exp(y) + tan(x)], 2),
    'a function of its own': lambda: program(long, 2),
}


def values(functions):
    """Evaluate a program of two inputs at some places."""
    x, y = np.linspace(-3.0, 3.0, 100), np.zeros(100)
    assert functions['many_evaluate'](50, x, np.zeros(1), y) == 0
    return y.tobytes()


def refuse(objects):
    """Be a loader that knows nothing."""
    raise Unfamiliar('anything')


@pytest.mark.parametrize('name', PROGRAMS)
@pytest.mark.parametrize('pieces', [False, True])
def test_both_loaders_give_the_same_bits(name, pieces, monkeypatch):
    """Also when a program is several files, cut into pieces, or calls the library."""
    if pieces:
        monkeypatch.setattr(llvm, 'LONG', 0)
    made = PROGRAMS[name]()
    code = made.machine_code()
    assert len(code.objects) == 1 + (pieces or name == 'a function of its own')
    ours = native.link(code, made.signatures)
    monkeypatch.setattr(object_files, 'Loaded', refuse)
    theirs = native.link(code, made.signatures)
    assert isinstance(ours['many_evaluate']._keep, Loaded)
    assert isinstance(theirs['many_evaluate']._keep, llvm_loader.Loaded)
    assert values(ours) == values(theirs)


def test_where_files_are_unfamiliar_llvm_links_a_plant(monkeypatch):
    """Its motion has the same bits, alone and beside others."""
    def ends():
        monkeypatch.setattr(whole, '_loaded', {})
        plant = Plant(load_robot('two_link'))
        starts = [State(0.0, np.array([0.3, -0.1 * k]), np.zeros(2)) for k in range(20)]
        return [motion.q[-1].tobytes() for motion in plant.rollouts(starts, steps=200)]

    ours = ends()
    monkeypatch.setattr(object_files, 'Loaded', refuse)
    assert ends() == ours


def test_code_is_not_written_and_numbers_are_not_run():
    """Of the pages of a program, as the system lists them."""
    made = PROGRAMS['a function of its own']()
    loaded = Loaded(made.machine_code().objects)
    with open('/proc/self/maps') as file:
        pages = [(int(begin, 16), int(end, 16), rights) for begin, end, rights in
                 re.findall(r'^(\w+)-(\w+) (\S+)', file.read(), re.MULTILINE)]
    memory = loaded._base, loaded._base + len(loaded._memory)
    assert {rights for begin, end, rights in pages if begin < memory[1] and end > memory[0]} <= {
        'r-xp', 'r--p', 'rw-p'}
    for place in loaded.addresses.values():
        assert memory[0] <= place < memory[1] and [
            rights for begin, end, rights in pages if begin <= place < end] == ['r-xp']


def test_memory_lives_as_long_as_an_entry():
    """Programs that nobody holds are gone; a bound call holds one."""
    made = PROGRAMS['arithmetic']()
    block = np.array([1.0, 2.0, 0.0, 0.0, 0.0])
    call = native.link(made.machine_code(), made.signatures)['one_evaluate'].bind(block)
    for _ in range(50):
        native.link(made.machine_code(), made.signatures)
    call()
    assert block[2] == 4.0


@pytest.fixture(scope='module')
def one():
    """Return an object file."""
    return PROGRAMS['calls of the library']().machine_code().objects[0]


def test_a_function_that_this_process_has_not_is_for_others_to_find(one):
    """Its name is in the sentence."""
    with pytest.raises(Unfamiliar, match="'tanx'"):
        Loaded([one.replace(b'\0tanh\0', b'\0tanx\0')])


@pytest.mark.parametrize('what, at, value', [
    ('another format', 0, b'\xce\xfa\xed\xfe'), ('32 bits', 4, b'\1'), ('big end first', 5, b'\2'),
    ('a library', 16, b'\3'), ('another processor', 18, b'\xb7'), ('odd sections', 58, b'\7')])
def test_other_kinds_of_files_are_unfamiliar(what, at, value, one):
    """They are refused by their header."""
    with pytest.raises(Unfamiliar):
        Loaded([one[:at] + value + one[at + len(value):]])


def test_another_relocation_is_unfamiliar(one):
    """Only addresses of eight bytes are written."""
    known = re.compile(rb'(?s)(?=(.{8})\x01\0\0\0(.)\0\0\0(.{8}))')
    places = [found.start() for found in known.finditer(one) if found.start() % 8 == 0]
    told = set()
    for at in places:
        data = bytearray(one)
        data[at + 8] = 2
        try:
            Loaded([bytes(data)])
        except Unfamiliar as error:
            told.add(str(error).partition(' at ')[0])
    assert 'relocation 2' in told


def test_nothing_that_is_damaged_ends_the_process(one):
    """A thousand files with random changes, and every cut: linked, or Unfamiliar; not run."""
    source = random.Random(21)
    refused = 0
    for k in range(1000):
        data = bytearray(one)
        for _ in range(source.randrange(1, 6)):
            data[source.randrange(len(data))] = source.choice((0, 1, 0x7f, 0xff,
                                                               source.randrange(256)))
        data = data[:source.randrange(len(data))] if k % 4 == 0 else data
        try:
            Loaded([bytes(data)])
        except Unfamiliar:
            refused += 1
    assert 100 < refused < 1000


STARTED = """
import sys
import numpy as np
from robodyn_ros import load_robot, Plant, State
plant = Plant(load_robot('two_link'))
state = plant.advance(State(0.0, np.array([0.3, -0.4]), np.zeros(2)), steps=100)
print(state.q.tobytes().hex(), 'llvmlite.binding' in sys.modules)
"""


def test_a_start_from_the_cache_has_no_llvm_and_the_same_bits(tmp_path, monkeypatch):
    """The first process compiles; the second one does not even load the compiler."""
    monkeypatch.setenv('ROBODYN_CACHE_DIR', str(tmp_path / 'programs'))
    first, second = (subprocess.run([sys.executable, '-c', STARTED], capture_output=True,
                                    text=True, check=True).stdout.split() for _ in range(2))
    assert first[0] == second[0] and (first[1], second[1]) == ('True', 'False')


def test_the_library_is_the_one_of_this_process():
    """As LLVM's loader finds it: an exponential has the bits of the math module's."""
    made = program(lambda x: [exp(x)], 1)
    functions = native.link(made.machine_code(), made.signatures)
    y, library = np.empty(1), ctypes.CDLL(None)
    library.exp.restype, library.exp.argtypes = ctypes.c_double, [ctypes.c_double]
    for x in np.linspace(-5.0, 5.0, 101):
        functions['many_evaluate'](1, np.array([x]), np.zeros(1), y)
        assert y[0] == library.exp(x)
