/* Copyright 2026 robodyn_ros developers
 * SPDX-License-Identifier: Apache-2.0
 *
 * The SCARA of paper 000 held on its helix, written by hand: what the compiled plant is measured by.
 *
 * Equations (34)-(36), (40), (43), (49) of Xu and Liu (2017) as in test/oracles/scara_450.py, rows in
 * the order x, y, yaw, z. Classical RK4, no stabilisation, and nothing that this robot does not need:
 * no payload, no torque, gravity along z.
 *
 *     cc -O3 -march=native -shared -fPIC -o scara_450.so scara_450.c -lm
 */
#define _GNU_SOURCE /* sincos */
#include <math.h>

static const double L1 = 0.2, L2 = 0.25, GRAVITY = 9.81;
static const double RADIUS = 0.05, RATE = 1.2566370614359172;
/* lumped inertias of eq. (34) */
static const double ALPHA = 0.27 + 0.1 * 0.1 * 20.0 + 0.2 * 0.2 * 30.5;
static const double BETA = 0.31 + 0.02 + 0.0001 + 0.25 * 0.25 * 15.5 + 15.0 * 0.125 * 0.125;
static const double GAMMA = 0.2 * 0.25 * 15.5 + 0.2 * 15.0 * 0.125;
static const double DELTA = 0.02 + 0.0001;

/* Sine and cosine of one angle in one call, where the C library has that. */
static inline void both(double x, double *sine, double *cosine)
{
#ifdef __GLIBC__
    sincos(x, sine, cosine);
#else
    *sine = sin(x);
    *cosine = cos(x);
#endif
}

/* Acceleration by the equation of the package, M a + h = A^T l, A a = b, as one solves it by hand:
 * yaw and z are coordinates of their own, which their rows hold, and what is left is 2 by 2. */
static void constrained(double t, const double *q, const double *v, double *a)
{
    double s1, c1, s2, c2, st, ct;
    both(q[0], &s1, &c1);
    both(q[1], &s2, &c2);
    both(RATE * t, &st, &ct);
    const double s12 = s1 * c2 + c1 * s2, c12 = c1 * c2 - s1 * s2;
    const double w1 = v[0] * v[0], w12 = (v[0] + v[1]) * (v[0] + v[1]), g = GAMMA * s2;
    /* M of (q1, q2) with the yaw as third coordinate, and its inverse */
    const double m11 = ALPHA + BETA + 2.0 * GAMMA * c2 - DELTA, m12 = BETA + GAMMA * c2 - DELTA;
    const double m22 = BETA - DELTA, m = 1.0 / (m11 * m22 - m12 * m12);
    const double i11 = m * m22, i12 = -m * m12, i22 = m * m11;
    const double f1 = g * v[1] * v[0] + g * (v[0] + v[1]) * v[1], f2 = -g * v[0] * v[0];
    const double free1 = i11 * f1 + i12 * f2, free2 = i12 * f1 + i22 * f2;
    /* rows x and y */
    const double x2 = -L2 * c12, x1 = x2 - L1 * c1, y2 = -L2 * s12, y1 = y2 - L1 * s1;
    const double k = RADIUS * RATE * RATE;
    const double bx = -k * st - w1 * L1 * s1 - w12 * L2 * s12 - x1 * free1 - x2 * free2;
    const double by = -k * ct + w1 * L1 * c1 + w12 * L2 * c12 - y1 * free1 - y2 * free2;
    /* W = M^-1 A^T, S = A W, l = S^-1 (b - A a_free) */
    const double wx1 = i11 * x1 + i12 * x2, wx2 = i12 * x1 + i22 * x2;
    const double wy1 = i11 * y1 + i12 * y2, wy2 = i12 * y1 + i22 * y2;
    const double sxx = x1 * wx1 + x2 * wx2, sxy = y1 * wx1 + y2 * wx2;
    const double syy = y1 * wy1 + y2 * wy2, s = 1.0 / (sxx * syy - sxy * sxy);
    const double lx = s * (syy * bx - sxy * by), ly = s * (sxx * by - sxy * bx);
    a[0] = free1 + wx1 * lx + wy1 * ly;
    a[1] = free2 + wx2 * lx + wy2 * ly;
    a[2] = -a[0] - a[1];
    a[3] = 0.0;
}

/* Four rows on four joints determine the motion: A a = b of eq. (49), solved on paper. */
static void shortcut(double t, const double *q, const double *v, double *a)
{
    double s1, c1, s12, c12, st, ct;
    both(q[0], &s1, &c1);
    both(q[0] + q[1], &s12, &c12);
    both(RATE * t, &st, &ct);
    const double w1 = v[0] * v[0], w12 = (v[0] + v[1]) * (v[0] + v[1]);
    const double k = RADIUS * RATE * RATE;
    const double bx = -k * st - w1 * L1 * s1 - w12 * L2 * s12;
    const double by = -k * ct + w1 * L1 * c1 + w12 * L2 * c12;
    /* rows x and y: u L1 (c1, s1) + w L2 (c12, s12) = -(bx, by) with u = a1, w = a1 + a2 */
    const double det = s12 * c1 - c12 * s1;
    const double u = (-bx * s12 + by * c12) / (L1 * det);
    const double w = (-by * c1 + bx * s1) / (L2 * det);
    a[0] = u;
    a[1] = w - u;
    a[2] = -w;
    a[3] = 0.0;
}

/* Acceleration of the free arm, M a = -h. */
static void free_arm(double t, const double *q, const double *v, double *a)
{
    double s2, c2;
    (void)t;
    both(q[1], &s2, &c2);
    const double k = GAMMA * s2;
    const double h1 = -k * v[1] * v[0] - k * (v[0] + v[1]) * v[1], h2 = k * v[0] * v[0];
    /* the third row says DELTA (a1 + a2 + a3) = 0: what is left is 2 by 2 */
    const double m11 = ALPHA + BETA + 2.0 * GAMMA * c2 - DELTA, m12 = BETA + GAMMA * c2 - DELTA;
    const double m22 = BETA - DELTA, det = m11 * m22 - m12 * m12;
    a[0] = (-h1 * m22 + h2 * m12) / det;
    a[1] = (-h2 * m11 + h1 * m12) / det;
    a[2] = -a[0] - a[1];
    a[3] = -GRAVITY;
}

typedef void rate(double, const double *, const double *, double *);

static inline __attribute__((always_inline)) void run(rate *f, long steps, double h, double *x)
{
    for (long n = 0; n < steps; n++) {
        const double t = (double)n * h;
        double q[4], v[4], a[4], dq[4], dv[4], sq[4], sv[4];
        for (int i = 0; i < 4; i++) {
            q[i] = x[i];
            v[i] = x[4 + i];
            sq[i] = sv[i] = 0.0;
        }
        for (int stage = 0; stage < 4; stage++) {
            const double ahead = stage < 2 ? 0.5 * h : h, weight = stage % 3 ? 2.0 : 1.0;
            f(t + (stage == 0 ? 0.0 : stage == 3 ? h : 0.5 * h), q, v, a);
            for (int i = 0; i < 4; i++) {
                dq[i] = v[i];
                dv[i] = a[i];
                sq[i] += weight * dq[i];
                sv[i] += weight * dv[i];
                q[i] = x[i] + ahead * dq[i];
                v[i] = x[4 + i] + ahead * dv[i];
            }
        }
        for (int i = 0; i < 4; i++) {
            x[i] += h / 6.0 * sq[i];
            x[4 + i] += h / 6.0 * sv[i];
        }
    }
}

/* Take steps from x = q(4), v(4) at t = 0; x is replaced by the last state. */
void constrained_steps(long steps, double h, double *x) { run(constrained, steps, h, x); }
void shortcut_steps(long steps, double h, double *x) { run(shortcut, steps, h, x); }
void free_steps(long steps, double h, double *x) { run(free_arm, steps, h, x); }
