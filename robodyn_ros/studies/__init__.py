# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The five papers reproduced by `robodyn reproduce`, one file each: rows, runs and figures.

What several papers share stands beside them: study.py, runs.py and ode45.py.
"""
