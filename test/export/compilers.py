# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The compilers, options and processors that exported C must have the same bits with."""

import functools
import os
from pathlib import Path
import shutil
import subprocess
import tempfile
from typing import NamedTuple

WARNINGS = ('-Wall', '-Wextra', '-Werror', '-pedantic', '-Wconversion')
BITS = ('-ffp-contract=off', '-fno-tree-vectorize', '-fno-tree-slp-vectorize', '-fno-math-errno')
"""As in the Makefile of an exported folder."""
SOFTWARE = '-DRD_SOFTWARE_FMA'
ARM = 'aarch64-linux-gnu'


class Variant(NamedTuple):
    """A compiler with its options, and what runs its programs."""

    name: str
    command: tuple[str, ...]
    runner: tuple[str, ...] = ()
    share: float = 1.0
    """Part of a long comparison that it takes: emulated arithmetic is slow."""

    def missing(self):
        """Return what this machine lacks, in a sentence; nothing if it lacks nothing."""
        for program, package in ((self.command[0], self.command[0]),
                                 *((runner, 'qemu-user') for runner in self.runner[:1])):
            if shutil.which(program) is None:
                return f'there is no {program}: apt install ' \
                    f'{"gcc-aarch64-linux-gnu" if program.startswith(ARM) else package}'
        return cannot_compile(self.command)

    def compiled(self, folder, sources, target, *options):
        """Compile sources of a folder, every warning an error; returns the path of the target."""
        done = subprocess.run([*self.command, *WARNINGS, *options, *sources, '-o', target, '-lm'],
                              cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, f'{self.name}: {done.stderr[:2000]}'
        return folder / target

    def output(self, program, given=b'', *arguments):
        """Run a compiled program; returns what it wrote."""
        done = subprocess.run([*self.runner, str(program), *arguments], input=given,
                              capture_output=True)
        assert done.returncode == 0, f'{self.name}: {done.returncode}, {done.stderr[-2000:]!r}'
        return done.stdout


@functools.lru_cache(maxsize=None)
def cannot_compile(command):
    """Return why a compiler makes no program of an empty main, in a sentence, or nothing."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / 'main.c'
        source.write_text('#include <math.h>\nint main(void) { return 0; }\n')
        done = subprocess.run([*command, str(source), '-o', os.devnull, '-lm'],
                              capture_output=True, text=True)
    return f'{" ".join(command)} fails: {done.stderr.splitlines()[0]}' if done.returncode else ''


def _variants():
    found = []
    arm = ('qemu-aarch64',)
    for compiler in ('gcc', 'clang'):
        cross = (f'{ARM}-gcc',) if compiler == 'gcc' else ('clang', f'--target={ARM}')
        for level in ('-O0', '-O1', '-O2', '-O3'):
            options = ('-std=c99', level, *BITS)
            found.append(Variant(f'{compiler} {level}', (compiler, '-march=native', *options)))
            found.append(Variant(f'{compiler} {level}, aarch64', (*cross, '-static', *options),
                                 arm))
        options = ('-std=c99', '-O2', *BITS, SOFTWARE)
        found.append(Variant(f'{compiler} -O2, software fma', (compiler, *options), (), 0.1))
        found.append(Variant(f'{compiler} -O2, aarch64, software fma',
                             (*cross, '-static', *options), arm, 0.01))
        # contraction is off by the pragmas in the file alone, too
        found.append(Variant(f'{compiler} -O3, no options', (
            compiler, '-std=c99', '-O3', '-march=native'), (), 0.1))
    return {variant.name: variant for variant in found}


VARIANTS = _variants()
