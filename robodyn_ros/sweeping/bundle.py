# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A study as it travels to workers: with its robot, and with modules and tables beside its file.

A worker, here or on another machine, unpacks it into a folder of its own, and needs nothing of the
machine it came from. Workers tell what they run, so that those which might compute other bits are
told apart.
"""
from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from glob import glob
import hashlib
from importlib import metadata
import itertools
import logging
import math
import os
from pathlib import Path
import platform
import tempfile
from typing import Any, Iterator, Mapping

from robodyn_ros.errors import RobodynError, ScenarioError
from robodyn_ros.scenario.schema import Scenario
from robodyn_ros.scenario.wiring import robot_of
from robodyn_ros.sweeping.runs import Runner
from robodyn_ros.sweeping.study import (Brought, robot_key, Study, StudySettings, table_key)

ROBOT, TABLE = 'robodyn_robot_{}.urdf', 'robodyn_table_{}.csv'
"""What robots and tables of motions are called on their way."""
PATH = 'trajectory.parameters.path'
MOST_FILES = 1000
"""Of robots, and of tables."""
MOST_BYTES = 20_000_000
"""Of the files that travel with a study."""


@dataclass(frozen=True)
class Bundle:
    """A study with all files that it needs, by name."""

    settings: StudySettings
    scenario: Scenario
    place: str
    files: dict[str, bytes]
    digest: str
    """Of all of it but the candidates: equal bundles give equal rows."""
    candidates: tuple[Mapping[str, Any], ...] = ()
    """Of tune, see Study."""
    brought: Mapping[str, Brought] = field(default_factory=dict)
    """Names of robots and tables among the files, see Study."""
    encoded: bool = False
    """Rows are asked for as they are kept on disk; else by column, as they are computed."""


def packed(study: Study) -> Bundle:
    """Return a study ready to travel."""
    scenario = study.scenario
    files, brought = _robots_and_tables(study)
    folder = Path(scenario.folder) if scenario.folder else Path.cwd()
    if study.user_code:
        for path in sorted((*folder.glob('*.py'), *folder.glob('*/*.py'))):
            if path.parent == folder or (path.parent / '__init__.py').exists():
                files[path.relative_to(folder).as_posix()] = path.read_bytes()
    size = sum(map(len, files.values()))
    if size > MOST_BYTES:
        raise ScenarioError(f'{study.place}: the files beside {folder} that travel to workers '
                            f'have {size} bytes; expected at most {MOST_BYTES}: keep the modules '
                            'of a study in a folder of their own')
    digest = hashlib.sha256(study.digest.encode())
    for name, data in sorted(files.items()):
        digest.update(name.encode() + b'\0' + hashlib.sha256(data).digest())
    return Bundle(study.settings, scenario, study.place, files, digest.hexdigest(),
                  study.candidates, brought)


def _robots_and_tables(study: Study) -> tuple[dict[str, bytes], dict[str, Brought]]:
    """Return the files of every robot and motion that runs of a study read, and whose they are."""
    scenario = study.scenario
    files = {ROBOT.format(0): study.robot.urdf.encode()}
    brought = {robot_key(scenario): Brought(ROBOT.format(0), study.robot.path)}
    for made in _variants(study, 'robot'):
        if robot_key(made) not in brought:
            try:
                robot = robot_of(made)
            except RobodynError as error:
                raise ScenarioError(f'{study.place}: axis over the robot: {error}') from None
            name = ROBOT.format(len(brought))
            files[name] = robot.urdf.encode()
            brought[robot_key(made)] = Brought(name, robot.path)
    for made in (scenario, *_variants(study, PATH)):
        path = made.trajectory.parameters.get('path')
        if isinstance(path, str) and table_key(made) not in brought and os.path.isfile(path):
            name = TABLE.format(len(brought))
            files[name] = Path(path).read_bytes()
            brought[table_key(made)] = Brought(name, path)
    return files, brought


def _variants(study: Study, setting: str) -> Iterator[Scenario]:
    """Yield a scenario for all values that axes over files give a setting, or its arguments."""
    axes = [one for one in study.axes if one.name == setting
            or setting == 'robot' and one.name.startswith('robot_arguments.')]
    if not axes:
        return
    tried = {name for one in study.candidates for name in one}
    drawn = [one.name for one in axes if one.drawn and one.name not in tried]
    count = math.prod(len(one.values) for one in axes if one.name not in tried)
    if drawn or count > MOST_FILES:
        raise ScenarioError(
            f'{study.place}: axis {drawn[0] if drawn else axes[0].name!r} needs '
            + ('a robot for each draw' if drawn else f'{count} files')
            + f', which travel to the workers; expected at most {MOST_FILES}, given by values')
    fixed = [one for one in axes if one.name not in tried]
    for values in itertools.product(*(one.values for one in fixed)):
        some = dict(zip((one.name for one in fixed), values))
        for candidate in study.candidates or ({},):
            yield study.at({**some, **{one.name: candidate[one.name] for one in axes
                                       if one.name in tried}})


def unpacked(bundle: Bundle, folder: Path) -> Study:
    """Return the study of a bundle, whose files are written into a folder."""
    for name, data in bundle.files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    return Study(bundle.settings, replace(bundle.scenario, folder=str(folder)), bundle.place,
                 bundle.candidates, {key: Brought(str(folder / one.path), one.origin)
                                     for key, one in bundle.brought.items()})


@cache
def fingerprint() -> dict[str, str]:
    """Return what this process's bits depend on: versions, the package's text, the processor."""
    # imported here: workers load kept programs without LLVM
    from robodyn_ros.codegen.llvm_loader import instruction_set
    text, root = hashlib.sha256(), Path(__file__).resolve().parents[1]
    for name in sorted(glob('**/*.py', root_dir=root, recursive=True)):
        text.update(name.encode() + b'\0' + (root / name).read_bytes())
    return {**{name: metadata.version(name) for name in (
        'robodyn_ros', 'numpy', 'scipy', 'llvmlite')}, 'source': text.hexdigest()[:16],
            'machine': platform.machine(), 'instructions': instruction_set()}


def differences(found: Mapping[str, str], expected: Mapping[str, str]) -> str:
    """Return in what two fingerprints differ."""
    return ', '.join(f'{key} {found.get(key)!r} instead of {value!r}'
                     for key, value in expected.items() if found.get(key) != value)


class Unpacked:
    """What a worker keeps of the bundles it gets: the runner of the last one, and its files."""

    def __init__(self) -> None:
        """Keep nothing yet."""
        self._digest = ''
        self._runner: Runner | None = None
        self._folder: tempfile.TemporaryDirectory | None = None

    def runner(self, bundle: Bundle) -> Runner:
        """Return the runner of a bundle; one that differs in candidates only is kept."""
        if bundle.digest != self._digest or self._runner is None:
            logging.getLogger('robodyn_ros').setLevel(logging.ERROR)  # said once, by who sweeps
            if self._folder is not None:
                self._folder.cleanup()
            self._folder = tempfile.TemporaryDirectory(prefix='robodyn_study_')  # ours alone
            self._runner = Runner(unpacked(bundle, Path(self._folder.name)))
            self._digest = bundle.digest
        return self._runner.of(bundle.candidates)
