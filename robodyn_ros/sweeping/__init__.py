# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""From one run to a million: studies over the parameters of a scenario, on many workers."""
