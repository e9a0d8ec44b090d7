# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The papers' closed forms in plain numpy, to test the engine against.

Nothing here imports the package: the two routes to a number share no code. One module per
robot, named like its URDF, plus ``udwadia_kalaba`` and ``control_laws``. Every function is pure.
SI units, angles in radians. Letters: ``q v a`` position, velocity, acceleration; ``A b c phi``
constraint rows (A a = b, A v = c, phi = 0).
"""
