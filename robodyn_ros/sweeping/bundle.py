# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A study as it travels to workers: with its robot, and with modules and tables beside its file.

A worker, here or on another machine, unpacks it into a folder of its own, and needs nothing of the
machine it came from. Workers tell what they run, so that those which might compute other bits are
told apart.
"""
from __future__ import annotations

from dataclasses import dataclass, replace
import hashlib
from importlib import metadata
import logging
from pathlib import Path
import platform
import tempfile
from typing import Any, Mapping

from robodyn_ros.codegen.native import instruction_set
from robodyn_ros.errors import ScenarioError
from robodyn_ros.scenario.schema import Scenario
from robodyn_ros.scenario.user_code import is_import_path
from robodyn_ros.sweeping.runs import Runner
from robodyn_ros.sweeping.study import Study, StudySettings

ROBOT = 'robot.urdf'
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


def packed(study: Study) -> Bundle:
    """Return a study ready to travel."""
    scenario = study.scenario
    files = {ROBOT: study.robot.urdf.encode()}
    folder = Path(scenario.folder) if scenario.folder else Path.cwd()
    if any(map(is_import_path, (*user_parts(scenario), *_words(study), *study.settings.metrics))):
        for path in sorted((*folder.glob('*.py'), *folder.glob('*/*.py'))):
            if path.parent == folder or (path.parent / '__init__.py').exists():
                files[path.relative_to(folder).as_posix()] = path.read_bytes()
    table = scenario.trajectory.parameters.get('path')
    if isinstance(table, str) and Path(table).is_file():
        files[Path(table).name] = Path(table).read_bytes()
    size = sum(map(len, files.values()))
    if size > MOST_BYTES:
        raise ScenarioError(f'{study.place}: the files beside {folder} that travel to workers '
                            f'have {size} bytes; expected at most {MOST_BYTES}: keep the modules '
                            'of a study in a folder of their own')
    digest = hashlib.sha256(study.digest.encode())
    for name, data in sorted(files.items()):
        digest.update(name.encode() + b'\0' + hashlib.sha256(data).digest())
    return Bundle(study.settings, scenario, study.place, files, digest.hexdigest(),
                  study.candidates)


def user_parts(scenario: Scenario) -> tuple[str, ...]:
    """Return the settings of a scenario that may name a user's own parts."""
    return (scenario.controller.kind, scenario.trajectory.kind, *scenario.dynamics.constraints)


def _words(study: Study) -> list[str]:
    """Return the words that axes of the grid, and candidates of tune, take."""
    given = [value for one in study.axes if not one.drawn for value in one.values]
    flat = [word for value in given
            for word in (value if isinstance(value, tuple) else (value,))]
    return [word for word in flat if isinstance(word, str)]


def unpacked(bundle: Bundle, folder: Path) -> Study:
    """Return the study of a bundle, whose files are written into a folder."""
    for name, data in bundle.files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    scenario = replace(bundle.scenario, robot=str(folder / ROBOT), robot_arguments={},
                       folder=str(folder))
    table = scenario.trajectory.parameters.get('path')
    if isinstance(table, str) and Path(table).name in bundle.files:
        parameters = {**scenario.trajectory.parameters, 'path': str(folder / Path(table).name)}
        scenario = replace(scenario, trajectory=replace(scenario.trajectory,
                                                        parameters=parameters))
    return Study(bundle.settings, scenario, bundle.place, bundle.candidates)


def fingerprint() -> dict[str, str]:
    """Return what a worker's bits depend on: versions, the package's text, the processor."""
    text, root = hashlib.sha256(), Path(__file__).resolve().parents[1]
    for path in sorted(root.rglob('*.py')):
        text.update(path.relative_to(root).as_posix().encode() + b'\0' + path.read_bytes())
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
        if bundle.candidates != self._runner.study.candidates:
            self._runner.study = self._runner.study.trying(bundle.candidates)
        return self._runner
