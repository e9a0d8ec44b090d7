# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The command `robodyn`: one file per verb."""
from robodyn_ros.interruption import begin_module

begin_module()
