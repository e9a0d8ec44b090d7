# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Paper 004: Pawar and Shen, "Dynamics and Control of a SCARA Manipulator".

NYU Tandon School of Engineering; no year is given.
"""
