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
from pathlib import Path
import platform
import tempfile

import robodyn_ros
from robodyn_ros.codegen.native import instruction_set
from robodyn_ros.errors import ScenarioError
from robodyn_ros.scenario.schema import Scenario
from robodyn_ros.scenario.user_code import is_import_path
from robodyn_ros.scenario.wiring import robot_of
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
    """Of all of it: equal bundles give equal rows."""


def packed(study: Study) -> Bundle:
    """Return a study ready to travel."""
    scenario = study.scenario
    files = {ROBOT: robot_of(scenario).urdf.encode()}
    folder = Path(scenario.folder) if scenario.folder else Path.cwd()
    named = (scenario.controller.kind, scenario.trajectory.kind, *scenario.dynamics.constraints,
             *study.settings.metrics)
    if any(map(is_import_path, named)):
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
    return Bundle(study.settings, scenario, study.place, files, digest.hexdigest())


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
    return Study(bundle.settings, scenario, bundle.place)


def private_folder() -> tempfile.TemporaryDirectory:
    """Return a folder for the files of a bundle, which nobody else can write."""
    return tempfile.TemporaryDirectory(prefix='robodyn_study_')


def fingerprint() -> dict[str, str]:
    """Return what a worker's bits depend on: versions, the package's text, the processor."""
    text, root = hashlib.sha256(), Path(robodyn_ros.__file__).parent
    for path in sorted(root.rglob('*.py')):
        text.update(path.relative_to(root).as_posix().encode() + b'\0' + path.read_bytes())
    return {'robodyn_ros': str(robodyn_ros.__version__), 'source': text.hexdigest()[:16],
            **{name: metadata.version(name) for name in ('numpy', 'scipy', 'numba', 'llvmlite')},
            'machine': platform.machine(), 'instructions': instruction_set()}
