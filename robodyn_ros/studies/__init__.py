# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The five papers reproduced by `robodyn reproduce`, three modules each.

runs_* has the system and its motions, paper_* the rows, the remarks and the study's `run`,
drawings_* the figures.
"""
