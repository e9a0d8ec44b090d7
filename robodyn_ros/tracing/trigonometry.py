# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Sine and cosine together, in arithmetic alone.

Compiled into every program: about ten times faster than two library calls in straight-line code
(the compiler runs several angles side by side), and the same bits on every machine, which calls to
the system's library do not promise. Reduction by pi/2 in three parts (Cody & Waite), minimax
polynomials of fdlibm; error below 1 ulp up to 8e5 rad, then growing with the spacing of x itself.
"""


def sincos(x):
    """Return (sin x, cos x) [rad]."""
    # --- compiled part: everything below is copied into each program ---
    # adding and taking away 1.5 * 2^52 rounds to a whole number, faster than floor()
    k = (x * 0.6366197723675814 + 6755399441055744.0) - 6755399441055744.0
    r = ((x - k * 1.5707963267341256) - k * 6.077100506303966e-11) - k * 2.0222662487959506e-21
    z = r * r
    s = r + r * z * (-0.16666666666666632 + z * (
        0.00833333333332249 + z * (-0.0001984126982985795 + z * (
            2.7557313707070068e-06 + z * (
                -2.5050760253406863e-08 + z * 1.58969099521155e-10)))))
    half = 0.5 * z
    c = 1.0 - half
    c = c + (((1.0 - c) - half) + z * z * (0.0416666666666666 + z * (
        -0.001388888888887411 + z * (2.480158728947673e-05 + z * (
            -2.7557314351390663e-07 + z * (
                2.087572321298175e-09 + z * -1.1359647557788195e-11))))))
    quadrant = int(k)
    swap = quadrant & 1
    s, c = (c if swap else s), (-s if swap else c)
    flip = quadrant & 2
    return (-s if flip else s), (-c if flip else c)
