# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Paper 000: Xu and Liu (2017), "Dynamic modeling of SCARA robot based on Udwadia-Kalaba theory".

Advances in Mechanical Engineering 9(10), doi 10.1177/1687814017728450.
"""
