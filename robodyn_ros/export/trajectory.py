# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Interpolation of a JointTrajectory as C, as the controller node does it.

The text follows trajectories/joint_plan.py sum by sum: numpy rounds each of them, and the
controller's reference must have the same bits.
"""
from __future__ import annotations

import numpy as np

from robodyn_ros.codegen.arithmetic import WHOLE
from robodyn_ros.codegen.c_text import number
from robodyn_ros.export.part import CALL, Part, table
from robodyn_ros.robots.robot import Robot
from robodyn_ros.ros_time import NANO
from robodyn_ros.trajectories.joint_plan import JointPlan, Points, ScheduleTable

HEADER = """#define @UP@_DESIRED @ALL@ /* numbers of a desired state */

/*
 * Points of a JointTrajectory in the order of the joints. Positions alone are joined by lines,
 * with velocities by cubics, with accelerations too by quintics. The arrays stay the caller's.
 */
typedef struct {
    int64_t start; /* time of the trajectory's beginning [ns] */
    int count; /* points, 1 or more */
    const int64_t *times; /* time from start of each point, increasing (count) [ns] */
    const double *q; /* positions (count n), point by point [rad] or [m] */
    const double *v; /* velocities (count n) [rad/s] or [m/s], or 0 */
    const double *a; /* accelerations (count n) [rad/s^2] or [m/s^2], or 0; only with v */
@MEMBERS@} @P@_points;

/* A trajectory that is followed from a state on: not to be read or written. */
typedef struct {
    @P@_points points;
    int64_t head_since, blend_since[2], blend_length[2];
    double head[@3N@], turns[@N@], blend[2][@18N@];
    int order, has_head, turned, blends;
} @P@_plan;

/*
 * Begin a trajectory at a state. The way to a first point that is still to come is a piece like
 * the others; what remains of a step in position or velocity is led to zero by a quintic; joints
 * that turn without limits take the nearer way round.
 * points: kept by address
 * now: time of the state [ns]
 * state (@3N@): q (n), v (n), a (n), desired or measured (a of a measured one: 0)
 * blend: time within which a step is led to zero [ns]; 0 keeps the step
 */
void @P@_begin(@P@_plan *plan, const @P@_points *points, int64_t now, const double state[@3N@],
               int64_t blend);

/*
 * Desired state at a time; at a point its own values, after the last one rest.
 * now: [ns]
 * desired (@ALL@): q (n), v (n), a (n)@BESIDE@ (result)
 */
void @P@_sample(const @P@_plan *plan, int64_t now, double desired[@ALL@]);
"""
MEMBERS = """    int64_t spacing; /* time between knots of the schedule [ns] */
    int knots; /* 1 or more */
    const double *schedule; /* what the law reads beside q, v, a (knots @WIDTH@), knot by knot */
"""
SCHEDULE_HEADER = """/*
 * Fill in the schedule: what the law reads beside q, v and a, such as gains, was made by
 * robodyn_ros for the scenario's own trajectory (@KNOTS@ knots); between them it lies on lines.
 */
void @P@_schedule(@P@_points *points);

/* Fill in the last knot of it, all the while: what the law reads at rest there. */
void @P@_schedule_at_rest(@P@_points *points);
"""
SCHEDULE_SOURCE = """@ROWS@
void @P@_schedule(@P@_points *points)
{
    points->spacing = INT64_C(@SPACING@);
    points->knots = @KNOTS@;
    points->schedule = @P@_rows[0];
}

void @P@_schedule_at_rest(@P@_points *points)
{
    @P@_schedule(points);
    points->schedule += (points->knots - 1) * @WIDTH@;
    points->knots = 1;
}

static void @P@_scheduled(const @P@_points *points, int64_t since, double beside[@WIDTH@])
{
    const int64_t last = points->knots - 1, latest = last > 0 ? last - 1 : 0;
    const int64_t at = since < 0 ? 0 : since / points->spacing;
    const int64_t place = at < latest ? at : latest;
    const double part = (double)(since - place * points->spacing) / (double)points->spacing;
    const double share = part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
    const double *first = points->schedule + place * @WIDTH@;
    const double *next = place < last ? first + @WIDTH@ : first;
    int k;
    for (k = 0; k < @WIDTH@; ++k)
        beside[k] = first[k] + share * (next[k] - first[k]);
}
"""
SOURCE = """/* Polynomials of a joint between knots: of q, v and a, each for x^0 to x^5. */
static void @P@_piece(int order, double span, const double *before, const double *after,
                      double c[18])
{
    const double q0 = before[0], q1 = after[0], square = span * span;
    double v0, a0 = 0.0;
    int k;
    for (k = 0; k < 18; ++k)
        c[k] = 0.0;
    c[0] = q0;
    if (order == 0) {
        c[1] = q1 - q0;
        v0 = c[1] / span;
    } else {
        const double rise = before[1] * span, fall = after[1] * span;
        v0 = before[1];
        c[1] = rise;
        if (order == 1) {
            c[2] = 3.0 * (q1 - q0) - 2.0 * rise - fall;
            c[3] = 2.0 * (q0 - q1) + rise + fall;
            a0 = 2.0 * c[2] / square;
        } else {
            const double bend = before[2] * square, straighten = after[2] * square;
            const double way = q1 - q0;
            a0 = before[2];
            c[2] = bend / 2.0;
            c[3] = 10.0 * way - 6.0 * rise - 4.0 * fall - 1.5 * bend + 0.5 * straighten;
            c[4] = -15.0 * way + 8.0 * rise + 7.0 * fall + 1.5 * bend - straighten;
            c[5] = 6.0 * way - 3.0 * (rise + fall) - 0.5 * (bend - straighten);
        }
    }
    /* v0 and a0 as they were given: a point is met bit for bit */
    c[6] = v0;
    for (k = 2; k < 6; ++k)
        c[5 + k] = k * c[k] / span;
    c[12] = a0;
    for (k = 3; k < 6; ++k)
        c[10 + k] = k * (k - 1) * c[k] / square;
}

static double @P@_polynomial(const double *c, double x)
{
    double result = c[5];
    int k;
    for (k = 4; k >= 0; --k)
        result = result * x + c[k];
    return result;
}

/* q, v, a of a joint at a point; what is not given is 0. */
static void @P@_knot(const @P@_plan *plan, int point, int joint, double knot[3])
{
    const int at = point * @N@ + joint;
    knot[0] = plan->points.q[at];
    if (plan->turned)
        knot[0] += plan->turns[joint];
    knot[1] = plan->order > 0 ? plan->points.v[at] : 0.0;
    knot[2] = plan->order > 1 ? plan->points.a[at] : 0.0;
}

/* Find the piece around a time since the start: its first knot (-1: where the plan began) and its
 * ends; 0 before the plan and after it. */
static int @P@_find(const @P@_plan *plan, int64_t since, int *first, int64_t *begin, int64_t *end)
{
    const int64_t *times = plan->points.times;
    int low = 0, high = plan->points.count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (times[middle] <= since)
            low = middle + 1;
        else
            high = middle;
    }
    *first = low - 1;
    *begin = *end = 0;
    if (low == plan->points.count || (low == 0 && !(plan->has_head && since >= plan->head_since)))
        return 0;
    *begin = low ? times[low - 1] : plan->head_since;
    *end = times[low];
    return 1;
}

void @P@_sample(const @P@_plan *plan, int64_t now, double desired[@ALL@])
{
    const int64_t since = now - plan->points.start;
    const int last = plan->points.count - 1;
    int64_t begin, end;
    int first, j, k, b;
    const int inside = @P@_find(plan, since, &first, &begin, &end);
    for (j = 0; j < @N@; ++j) {
        double before[3], after[3], c[18];
        if (inside) {
            const double span = (double)(end - begin) / 1e9;
            const double x = (double)(since - begin) / 1e9 / span;
            if (first >= 0)
                @P@_knot(plan, first, j, before);
            else
                for (k = 0; k < 3; ++k)
                    before[k] = plan->head[k * @N@ + j];
            @P@_knot(plan, first + 1, j, after);
            @P@_piece(plan->order, span, before, after, c);
            for (k = 0; k < 3; ++k)
                after[k] = @P@_polynomial(c + 6 * k, x);
        } else if (since < plan->points.times[last]) {
            @P@_knot(plan, 0, j, after);
            if (plan->has_head)
                after[0] = plan->head[j];
            after[1] = after[2] = 0.0;
        } else {
            @P@_knot(plan, last, j, after);
            if (since != plan->points.times[last])
                after[1] = after[2] = 0.0;
        }
        for (b = 0; b < plan->blends; ++b) {
            const int64_t past = since - plan->blend_since[b];
            if (past >= 0 && past < plan->blend_length[b]) {
                const double x = (double)past / 1e9 / ((double)plan->blend_length[b] / 1e9);
                for (k = 0; k < 3; ++k)
                    after[k] = after[k] + @P@_polynomial(plan->blend[b] + 18 * j + 6 * k, x);
            }
        }
        for (k = 0; k < 3; ++k)
            desired[k * @N@ + j] = after[k];
    }
@AND@}

void @P@_begin(@P@_plan *plan, const @P@_points *points, int64_t now, const double state[@3N@],
               int64_t blend)
{
    static const int turning[@N@] = {@TURNING@};
    const int64_t since = now - points->start, first = points->times[0];
    const int64_t last = points->times[points->count - 1];
    int64_t length = blend, begin, end;
    double apart[@ALL@];
    int j, k, at, any = 0;
    memset(plan, 0, sizeof *plan);
    plan->points = *points;
    plan->order = points->a ? 2 : points->v ? 1 : 0;
    for (j = 0; j < @N@; ++j) {
        /* the nearest whole number of turns: adding 1.5 * 2^52 rounds; no turn has a sign, too */
        const double turns = turning[j] ? (state[j] - points->q[j]) / @TURN@ : 0.0;
        const double nearest = turns + @WHOLE@ - @WHOLE@;
        const double whole = nearest == 0.0 ? 0.0 * turns : nearest;
        plan->turns[j] = @TURN@ * whole;
        plan->turned |= whole != 0.0;
    }
    if (since < first) {
        plan->has_head = 1;
        plan->head_since = since;
        for (k = 0; k < @N@ * (plan->order + 1); ++k)
            plan->head[k] = state[k];
        if ((first - since) / 2 < length)
            length = (first - since) / 2;
    }
    @P@_sample(plan, now, apart);
    for (k = 0; k < @2N@; ++k) {
        apart[k] = state[k] - apart[k];
        any |= apart[k] != 0.0;
    }
    if (length > 0 && any) {
        for (j = 0; j < @N@; ++j) {
            const double still[3] = {0.0, 0.0, 0.0};
            double before[3] = {0.0, 0.0, 0.0};
            before[0] = apart[j];
            before[1] = apart[@N@ + j]; /* accelerations may jump, and nobody measures them */
            @P@_piece(2, (double)length / 1e9, before, still, plan->blend[0] + 18 * j);
        }
        plan->blend_since[0] = since;
        plan->blend_length[0] = length;
        plan->blends = 1;
    }
    if (plan->order || !@P@_find(plan, last - 1 > since ? last - 1 : since, &at, &begin, &end))
        return;
    length = blend < (end - begin) / 2 ? blend : (end - begin) / 2;
    if (length > 0) { /* a line ends at full speed */
        @P@_sample(plan, points->start + last - 1, apart);
        for (j = 0; j < @N@; ++j) {
            const double still[3] = {0.0, 0.0, 0.0};
            double after[3] = {0.0, 0.0, 0.0};
            after[1] = -apart[@N@ + j];
            @P@_piece(2, (double)length / 1e9, still, after, plan->blend[plan->blends] + 18 * j);
        }
        plan->blend_since[plan->blends] = end - length;
        plan->blend_length[plan->blends] = length;
        ++plan->blends;
    }
}
"""
CHECK = """static const int64_t sample_times[@K@] = {@TIMES@};
@TABLES@
static long check_sample(const MODEL *model)
{
    double got[@ALL@];
    long wrong = 0;
    int plans, k;
    (void)model;
    for (plans = 0; plans < 6; ++plans) {
        const int64_t now = plans % 2 ? 1700000000 : 1000000000;
        @P@_points points;
        @P@_plan plan;
        points.start = 1000000000;
        points.count = @K@;
        points.times = sample_times;
        points.q = sample_q[0];
        points.v = plans >= 2 ? sample_v[0] : 0;
        points.a = plans >= 4 ? sample_a[0] : 0;
@SCHEDULE@        @P@_begin(&plan, &points, now, sample_state[0], 100000000);
        for (k = 0; k < @COUNT@; ++k) {
            @P@_sample(&plan, 990000000 + (int64_t)k * 10000000, got);
            wrong += differ(got, sample_expected[plans * @COUNT@ + k], @ALL@);
        }
    }
    return wrong;
}
"""
TIMES = (200_000_000, 500_000_000, 1_100_000_000, 1_603_000_000)
INSTANTS = 180


def add_trajectory(part: Part, prefix: str, robot: Robot, beside: ScheduleTable | None) -> None:
    """
    Write plans and their samples into the part of a controller that follows a trajectory.

    :param beside: what the law reads of the scenario's own trajectory beside q, v and a
    """
    n, turning = robot.n, robot.limits.turning
    width, header, source = 0, HEADER, SOURCE
    words = dict.fromkeys(('MEMBERS', 'BESIDE', 'AND', 'SCHEDULE'), '')
    if beside is not None:
        width = beside.rows.shape[1]
        words = {'MEMBERS': MEMBERS, 'BESIDE': ', then the schedule',
                 'AND': '    @P@_scheduled(&plan->points, since, desired + @3N@);\n',
                 'SCHEDULE': '        @P@_schedule(&points);\n',
                 'ROWS': table(f'{prefix}_rows', beside.rows), 'SPACING': str(beside.spacing),
                 'KNOTS': str(len(beside.rows))}
        header, source = HEADER + '\n' + SCHEDULE_HEADER, SCHEDULE_SOURCE + '\n' + SOURCE
    words |= {'P': prefix, 'UP': prefix.upper(), 'N': str(n), '2N': str(2 * n),
              '3N': str(3 * n), '18N': str(18 * n), 'ALL': str(3 * n + width), 'WIDTH': str(width),
              'TURNING': ', '.join(str(int(x)) for x in turning), 'TURN': number(2.0 * np.pi),
              'WHOLE': number(WHOLE), 'K': str(len(TIMES)), 'COUNT': str(INSTANTS),
              'TIMES': ', '.join(map(str, TIMES)), 'TABLES': _tables(n, turning, beside)}
    texts = []
    for text in (header, source, CHECK):
        for word, meant in words.items():
            text = text.replace(f'@{word}@', meant)
        texts.append(text)
    part.header.append(texts[0])
    part.source.append(texts[1])
    part.checks['sample'] = texts[2]
    part.scheduled = beside is not None
    part.stack = max(part.stack, 4 * CALL + 8 * (3 * n + width + 64))


def _tables(n: int, turning: np.ndarray, beside: ScheduleTable | None) -> str:
    """Return points, a state, and what JointPlan samples: each order, begun early and late."""
    rng = np.random.default_rng(29)
    q, v, a = (rng.uniform(-1.0, 1.0, (len(TIMES), n)) for _ in range(3))
    state = np.concatenate([q[0] + 0.02 + 13.0 * turning, rng.uniform(-0.2, 0.2, 2 * n)])
    none, times = np.zeros((0, n)), np.array(TIMES, dtype=np.int64)
    expected = []
    for order in range(3):
        points = Points(times, q, v if order else none, a if order > 1 else none, beside)
        for now in (NANO, 17 * NANO // 10):
            plan = JointPlan(NANO, points).begun(now, state, 0.1, turning)
            instants = 990_000_000 + np.arange(INSTANTS) * 10_000_000
            expected += [np.concatenate([plan.sample(at), plan.scheduled(at)])
                         for at in instants.tolist()]
    return '\n'.join([table('sample_q', q), table('sample_v', v), table('sample_a', a),
                      table('sample_state', state[None]),
                      table('sample_expected', np.array(expected))])
