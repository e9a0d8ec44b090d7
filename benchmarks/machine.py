# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What the measurements ran on: processor, system, versions, and how busy it was."""
from __future__ import annotations

import datetime
import hashlib
from importlib import metadata
import os
from pathlib import Path
import platform
import shutil
import subprocess
from typing import Any

from benchmarks.children import ROOT

PACKAGES = ('numpy', 'llvmlite', 'mujoco', 'pin', 'drake', 'pybullet',
            'roboticstoolbox-python', 'casadi', 'pytracik', 'pin-pink', 'mink', 'ros-jazzy-rclpy')


def describe() -> dict[str, Any]:
    """Return all facts by name."""
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = 'not installed'
    return {'processor': _processor(), 'cores': os.cpu_count(), 'memory_GB': _memory(),
            'system': f'{platform.system()} {platform.release()}',
            'python': platform.python_version(), 'compiler': _compiler(), 'packages': versions,
            'sources': _sources()}


def now() -> dict[str, Any]:
    """Return the date and how many processes wanted a core during the last minute."""
    return {'date': datetime.datetime.now().astimezone().isoformat(timespec='minutes'),
            'load': round(os.getloadavg()[0], 1)}


def _sources() -> str:
    """Return a short hash of the code that was measured and of that which measured it."""
    total = hashlib.sha256()
    for folder in ('robodyn_ros', 'benchmarks'):
        for path in sorted((ROOT / folder).rglob('*.py')):
            total.update(path.read_bytes())
    return total.hexdigest()[:12]


def _field(path: str, key: str) -> str | None:
    try:
        lines = Path(path).read_text().splitlines()
    except OSError:
        return None
    return next((line.partition(':')[2].strip() for line in lines if line.startswith(key)), None)


def _processor() -> str:
    return _field('/proc/cpuinfo', 'model name') or platform.processor() or platform.machine()


def _memory() -> float | None:
    text = _field('/proc/meminfo', 'MemTotal')
    return None if text is None else round(int(text.split()[0]) * 1024 / 1e9, 1)


def _compiler() -> str:
    compiler = shutil.which('cc')
    if compiler is None:
        return 'none'
    done = subprocess.run([compiler, '--version'], capture_output=True, text=True)
    return (done.stdout.splitlines() or ['unknown'])[0]
