# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Everything in this folder is a linter: `make lint` runs the mark."""

from pathlib import Path

import pytest


def pytest_collection_modifyitems(items):
    """Mark the tests of this folder."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.linter)
