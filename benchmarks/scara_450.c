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
#include <math.h>

static const double L1 = 0.2, L2 = 0.25, M4 = 0.5, GRAVITY = 9.81;
static const double RADIUS = 0.05, RATE = 1.2566370614359172, CLIMB = 0.02;
/* lumped inertias of eq. (34) */
static const double ALPHA = 0.27 + 0.1 * 0.1 * 20.0 + 0.2 * 0.2 * 30.5;
static const double BETA = 0.31 + 0.02 + 0.0001 + 0.25 * 0.25 * 15.5 + 15.0 * 0.125 * 0.125;
static const double GAMMA = 0.2 * 0.25 * 15.5 + 0.2 * 15.0 * 0.125;
static const double DELTA = 0.02 + 0.0001;

/* Replace a symmetric positive definite S by its factors L D L^T, D inverted on the diagonal. */
static inline void factor(double S[4][4])
{
    for (int k = 0; k < 4; k++) {
        const double inverse = 1.0 / S[k][k];
        for (int i = k + 1; i < 4; i++) {
            const double l = S[i][k] * inverse;
            for (int j = k + 1; j <= i; j++)
                S[i][j] -= l * S[j][k];
        }
        for (int i = k + 1; i < 4; i++)
            S[i][k] *= inverse;
        S[k][k] = inverse;
    }
}

/* Replace x by S^-1 x. */
static inline void solve(double S[4][4], double x[4])
{
    for (int i = 1; i < 4; i++)
        for (int k = 0; k < i; k++)
            x[i] -= S[i][k] * x[k];
    for (int i = 0; i < 4; i++)
        x[i] *= S[i][i];
    for (int i = 2; i >= 0; i--)
        for (int k = i + 1; k < 4; k++)
            x[i] -= S[k][i] * x[k];
}

/* Acceleration by the equation of the package: M a + h = A^T l, A a = b. */
static inline void constrained(double t, const double *q, const double *v, double *a)
{
    double s1, c1, s2, c2, st, ct;
    sincos(q[0], &s1, &c1);
    sincos(q[1], &s2, &c2);
    sincos(RATE * t, &st, &ct);
    const double s12 = s1 * c2 + c1 * s2, c12 = c1 * c2 - s1 * s2;
    const double w1 = v[0] * v[0], w12 = (v[0] + v[1]) * (v[0] + v[1]), g = GAMMA * s2;
    const double m12 = BETA + GAMMA * c2;
    double M[4][4] = {{ALPHA + BETA + 2.0 * GAMMA * c2, m12, DELTA, 0.0},
                      {m12, BETA, DELTA, 0.0}, {DELTA, DELTA, DELTA, 0.0}, {0.0, 0.0, 0.0, M4}};
    const double A[4][4] = {{-L1 * c1 - L2 * c12, -L2 * c12, 0.0, 0.0},
                            {-L1 * s1 - L2 * s12, -L2 * s12, 0.0, 0.0},
                            {1.0, 1.0, 1.0, 0.0}, {0.0, 0.0, 0.0, 1.0}};
    const double k = RADIUS * RATE * RATE;
    double b[4] = {-k * st - w1 * L1 * s1 - w12 * L2 * s12,
                   -k * ct + w1 * L1 * c1 + w12 * L2 * c12, 0.0, 0.0};
    double W[4][4], S[4][4];  /* W[r] = M^-1 A^T of row r */
    a[0] = g * v[1] * v[0] + g * (v[0] + v[1]) * v[1];
    a[1] = -g * v[0] * v[0];
    a[2] = 0.0;
    a[3] = -M4 * GRAVITY;
    factor(M);
    solve(M, a);
    for (int r = 0; r < 4; r++) {
        for (int i = 0; i < 4; i++) {
            W[r][i] = A[r][i];
            b[r] -= A[r][i] * a[i];
        }
        solve(M, W[r]);
        for (int c = 0; c <= r; c++) {
            S[r][c] = 0.0;
            for (int i = 0; i < 4; i++)
                S[r][c] += A[c][i] * W[r][i];
        }
    }
    factor(S);
    solve(S, b);
    for (int r = 0; r < 4; r++)
        for (int i = 0; i < 4; i++)
            a[i] += W[r][i] * b[r];
}

/* Four rows on four joints determine the motion: A a = b of eq. (49), solved on paper. */
static void shortcut(double t, const double *q, const double *v, double *a)
{
    double s1, c1, s12, c12, st, ct;
    sincos(q[0], &s1, &c1);
    sincos(q[0] + q[1], &s12, &c12);
    sincos(RATE * t, &st, &ct);
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
    sincos(q[1], &s2, &c2);
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
