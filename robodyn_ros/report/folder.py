# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The folder of a report: a new one or that of a former report, never one with other files."""
from __future__ import annotations

import json
import os
from pathlib import Path

from robodyn_ros.errors import RecordingError
from robodyn_ros.report.summary import MADE_BY

SUMMARY = 'summary.json'
ENDINGS = ('.png', '.gif', '.mp4', '.html', '.json')


def prepare_folder(folder: Path) -> None:
    """Make an empty folder, or empty that of a former report; refuse any other."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        there = list(folder.iterdir())
        if there and not _is_report(folder):
            raise RecordingError(f'{folder}: is not empty and not a former report; give another '
                                 'folder with --output')
        if not os.access(folder, os.W_OK):
            raise PermissionError(13, 'Permission denied')
        for path in there:  # only what a report writes
            if path.is_file() and path.suffix in ENDINGS:
                path.unlink()
        # from now on it is ours, also if the report is cut short
        (folder / SUMMARY).write_text(json.dumps({'made_by': MADE_BY}), encoding='utf-8')
    except OSError as error:
        raise RecordingError(f'{folder}: cannot be used as a folder ({error.strerror}); give '
                             'another one with --output') from None


def _is_report(folder: Path) -> bool:
    try:
        return json.loads((folder / SUMMARY).read_text())['made_by'] == MADE_BY
    except (OSError, ValueError, LookupError, TypeError):
        return False
