# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The five papers reproduced by `robodyn reproduce`, one folder each.

In a folder, study.py has the rows, the remarks and the study's `run`, runs.py the system and its
motions, figures.py the figures. What they share stands beside the folders.
"""
