# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Programs are kept apart by processor: whatever machine code depends on is in their names."""

import os

import numpy as np
import pytest
from robodyn_ros.codegen import cache, processor
from robodyn_ros.codegen.llvm_loader import processor as as_llvm_says

DESCRIBED = """processor\t: 0
vendor_id\t: GenuineIntel
cpu family\t: 6
model\t\t: 106
model name\t: some name
stepping\t: 6
cpu MHz\t\t: {speed}
flags\t\t: fpu sse2 {flags}

processor\t: 1
vendor_id\t: another
flags\t\t: none
"""


@pytest.fixture(autouse=True)
def not_remembered():
    """Look anew in each test."""
    processor.identity.cache_clear()
    yield
    processor.identity.cache_clear()


@pytest.fixture
def described(tmp_path, monkeypatch):
    """Return how to describe a processor, as Linux would."""
    monkeypatch.setattr(processor, 'DESCRIPTION', str(tmp_path / 'cpuinfo'))
    monkeypatch.setattr(processor, 'x86_64_linux', lambda: True)

    def describe(flags='avx2', speed=2000.0, text=DESCRIBED):
        (tmp_path / 'cpuinfo').write_text(text.format(flags=flags, speed=speed))
        processor.identity.cache_clear()
        return cache.digest('a program')

    return describe


def test_instructions_count_and_the_clock_does_not(described):
    """Another core of the same processor, or another moment, has the same programs."""
    usual = described()
    assert described(speed=3000.0) == usual == described()
    assert described(flags='avx2 avx512f') != usual


def test_what_the_process_really_has_counts_too(described, monkeypatch):
    """Under valgrind the description is that of the machine; numpy asks the processor itself."""
    usual, shown = described(), np.show_config(mode='dicts')
    monkeypatch.setattr(np, 'show_config', lambda mode: {
        **shown, 'SIMD Extensions': {'baseline': ['SSE'], 'found': []}})
    assert described() != usual


@pytest.mark.parametrize('text', ['', 'Processor: ARMv7', 'vendor_id : x\nflags : y\n'])
def test_without_such_a_description_llvm_is_asked(text, described):
    """As on other systems and processors."""
    described(text=text)
    assert processor.identity() == as_llvm_says()


def test_an_old_numpy_or_another_system_asks_llvm_too(described, monkeypatch):
    """Nothing is guessed."""
    described()
    with monkeypatch.context() as within:
        within.setattr(np, 'show_config', lambda: None)
        processor.identity.cache_clear()
        assert processor.identity() == as_llvm_says()
    monkeypatch.setattr(processor, 'x86_64_linux', lambda: False)
    processor.identity.cache_clear()
    assert processor.identity() == as_llvm_says()


def test_this_processor_is_always_the_same():
    """Whatever core the process runs on."""
    found = set()
    allowed = os.sched_getaffinity(0)
    try:
        for core in allowed:
            os.sched_setaffinity(0, {core})
            processor.identity.cache_clear()
            found.add(processor.identity())
    finally:
        os.sched_setaffinity(0, allowed)
    assert len(found) == 1
