# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Control laws."""
