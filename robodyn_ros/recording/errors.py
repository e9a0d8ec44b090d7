# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What can be wrong with a recording."""
from robodyn_ros.errors import RobodynError


class RecordingError(RobodynError):
    """A recording that cannot be written, or a file that is none."""
