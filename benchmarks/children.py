# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Python processes of this checkout, which find its packages whatever the working directory is."""
from __future__ import annotations

import compileall
import os
from pathlib import Path
import subprocess
import sys
from typing import Mapping

from robodyn_ros import RobodynError

ROOT = Path(__file__).resolve().parents[1]
"""Of the checkout: benchmarks, robodyn_ros and docs lie in it."""


def keep_bytecode() -> None:
    """Let our modules be translated before starts are timed, as pip does it for a package."""
    for folder in ('robodyn_ros', 'benchmarks'):
        compileall.compile_dir(ROOT / folder, quiet=2)  # in a folder that may only be read: later


def environment(**changes: str) -> dict[str, str]:
    """Return the environment of a child: ours with some variables changed."""
    paths = [str(ROOT), *filter(None, [os.environ.get('PYTHONPATH')])]
    return {**os.environ, 'PYTHONPATH': os.pathsep.join(paths), **changes}


def start_module(module: str, *arguments: str, env: Mapping[str, str] | None = None,
                 stdout: int | None = None, stderr: int | None = None) -> subprocess.Popen:
    """Start `python -m module arguments`."""
    return subprocess.Popen([sys.executable, '-m', module, *arguments], cwd=ROOT,
                            env=environment() if env is None else env, stdout=stdout,
                            stderr=stderr, text=True)


def output_of(module: str, *arguments: str, env: Mapping[str, str] | None = None,
              timeout: float | None = None) -> str:
    """Run `python -m module arguments` to its end, at most timeout [s]; returns its output."""
    done = subprocess.run([sys.executable, '-m', module, *arguments], cwd=ROOT,
                          env=environment() if env is None else env, capture_output=True,
                          text=True, timeout=timeout)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ['no message'])[-1]
        raise RobodynError(f'the process {" ".join((module, *arguments))} failed: {last}')
    return done.stdout
