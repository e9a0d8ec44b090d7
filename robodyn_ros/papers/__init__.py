# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The five papers reproduced: one module each, run by `robodyn reproduce`."""
