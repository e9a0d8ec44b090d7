# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Paper 003: Truc and Lam (2020), a model of the ABB IRB 120, checked and controlled.

"Quasi-physical modeling of robot IRB 120 using Simscape Multibody for dynamic and control
simulation".
"""
