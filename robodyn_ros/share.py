# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Where the files of the package lie: a source tree, a pip prefix or a ROS 2 workspace."""
from __future__ import annotations

import os
from pathlib import Path
import sys


def share_folder(kind: str) -> Path:
    """
    Folder of the package's own files of one kind: 'urdf', 'config', 'launch' or 'rviz'.

    Looked for in the source tree (told by its package.xml), then where pip and colcon put data
    files.
    """
    top = Path(__file__).resolve().parent.parent
    candidates = [top / kind] if (top / 'package.xml').is_file() else []
    prefixes = [p for p in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep) if p]
    # installed: <prefix>/lib/pythonX.Y/site-packages/robodyn_ros/share.py
    prefixes = [str(p) for p in Path(__file__).resolve().parents[3:6]] + prefixes + [sys.prefix]
    candidates += [Path(p) / 'share' / 'robodyn_ros' / kind for p in prefixes]
    return next((c for c in candidates if c.is_dir()), candidates[-1])
