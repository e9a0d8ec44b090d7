# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What a constraint is, ready-made ones, and how their errors are kept small."""
