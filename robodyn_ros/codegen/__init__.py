# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""From recordings to code: routines, the back ends that read them, and the cache."""
