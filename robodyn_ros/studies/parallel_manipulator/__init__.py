# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Paper 002: Udwadia-Kalaba approach to a redundantly actuated planar parallel manipulator.

Its authors, equations and parameters are missing in the copy at hand; see the remarks in study.py.
"""
