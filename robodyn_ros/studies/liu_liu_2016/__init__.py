# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Paper 001: Liu and Liu (2016), a two-link arm under a trajectory constraint, corrected in velocity.

"Simple method to the dynamic modeling of industrial robot subject to constraint".
"""
