# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
An example of a driver's loop: C that holds an arm over UDP with the exported law, at 1 kHz.

The arm answers each command with its next state, so law and arm go in step as the nodes do:
commands carry the stamp of the state they answer. What is lost is sent again with the next period.
"""
from __future__ import annotations

from robodyn_ros.types import Control

NAME = 'examples/hold_udp.c'
TEXT = r"""#define _POSIX_C_SOURCE 200809L

#include "@P@.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/*
 * Holds an arm where it stands: hold_udp ADDRESS PORT [SECONDS] [TIMEOUT_MS]
 *
 * Every millisecond it takes the newest state, computes the torque and sends it. Datagrams hold
 * numbers as this machine stores them, joints in the order of @P@.h:
 *   to the arm    stamp of the state that is answered [ns], -1 before the first; tau (n)
 *   from the arm  stamp, increasing [ns]; q (n), v (n)
 * Without a new state for TIMEOUT_MS (20) the torque is 0 and the loop ends: a driver must have
 * its own time-out besides, as this process may die. A signal (ctrl-C) ends it the same way.
 * Exit code: 0 after SECONDS (0: until a signal), 1 if the arm was lost, 2 for wrong arguments.
 */
#define N @UP@_JOINTS
#define PERIOD @PERIOD@ /* of the law [ns] */
#define FIRST_STATE 2000 /* time in which the first state must come [ms] */

typedef struct {
    int64_t stamp;
    double q[N], v[N];
} state_message;

typedef struct {
    int64_t stamp;
    double tau[N];
} command_message;

static volatile sig_atomic_t ended = 0;

static void end(int signal_number)
{
    (void)signal_number;
    ended = 1;
}

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void sleep_until(int64_t when)
{
    struct timespec t;
    t.tv_sec = (time_t)(when / 1000000000);
    t.tv_nsec = (long)(when % 1000000000);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, 0) == EINTR && !ended)
        ;
}

static int is_finite(const double *x)
{
    int k;
    for (k = 0; k < N; ++k)
        if (x[k] - x[k] != 0.0)
            return 0;
    return 1;
}

/* Take all that has come; returns how many states were new, or -1 if nobody listens. */
static int newest(int connection, state_message *state, long *refused)
{
    int count = 0;
    for (;;) {
        union {
            state_message state;
            char bytes[sizeof(state_message) + 1];
        } got;
        const ssize_t size = recv(connection, &got, sizeof got.bytes, MSG_DONTWAIT);
        if (size < 0)
            return errno == ECONNREFUSED ? -1 : count;
        if (size != (ssize_t)sizeof got.state || !is_finite(got.state.q)
            || !is_finite(got.state.v)) {
            ++*refused;
        } else if (got.state.stamp > state->stamp) {
            *state = got.state;
            ++count;
        }
    }
}

static int number(const char *text, long least, long most, long *value)
{
    char *rest;
    errno = 0;
    *value = strtol(text, &rest, 10);
    return rest != text && !*rest && !errno && *value >= least && *value <= most;
}

int main(int count, char **words)
{
@DECLARED@    command_message command = {-1, {0.0}};
    state_message state = {-1, {0.0}, {0.0}};
    struct sockaddr_in place;
    int64_t begun, next, heard, first = 0, worst = 0;
    long port = 0, seconds = 0, patience = 20, cycles = 0, answered = 0, refused = 0;
    const char *reason = 0;
    int connection;
    memset(&place, 0, sizeof place);
    place.sin_family = AF_INET;
    if (count < 3 || count > 5 || inet_pton(AF_INET, words[1], &place.sin_addr) != 1
        || !number(words[2], 1, 65535, &port)
        || (count > 3 && !number(words[3], 0, 1000000, &seconds))
        || (count > 4 && !number(words[4], 1, 60000, &patience))) {
        fprintf(stderr, "usage: %s ADDRESS PORT [SECONDS] [TIMEOUT_MS], such as 127.0.0.1 5005; "
                "0 seconds: until ctrl-C\n", words[0]);
        return 2;
    }
    place.sin_port = htons((uint16_t)port);
    connection = socket(AF_INET, SOCK_DGRAM, 0);
    if (connection < 0 || connect(connection, (struct sockaddr *)&place, sizeof place)) {
        fprintf(stderr, "hold_udp: cannot reach %s: %s\n", words[1], strerror(errno));
        return 1;
    }
    signal(SIGINT, end);
    signal(SIGTERM, end);
@PREPARE@    begun = next = heard = now();
    while (!ended && (!seconds || now() - begun < seconds * INT64_C(1000000000))) {
        const int fresh = newest(connection, &state, &refused);
        const int64_t silent = (now() - heard) / 1000000;
        if (fresh < 0) {
            reason = "nobody listens there; start the arm first";
            break;
        }
        if (fresh > 0) {
            heard = now();
            if (!answered) {
                /* hold what is measured first; the time of the law begins here */
@BEGIN@                first = state.stamp;
            }
@CONTROL@            if (!is_finite(command.tau)) {
                reason = "the law gave a torque that is not finite; torque 0";
                break;
            }
@LIMIT@            command.stamp = state.stamp;
            ++answered;
        } else if (silent > (answered ? patience : FIRST_STATE)) {
            reason = answered ? "no new state within the time-out; torque 0"
                : "no state within 2 s; does the arm answer commands?";
            break;
        }
        if (send(connection, &command, sizeof command, 0) < 0 && errno == ECONNREFUSED) {
            reason = "nobody listens there; start the arm first";
            break;
        }
        ++cycles;
        next += PERIOD;
        if (now() - next > worst)
            worst = now() - next;
        if (now() > next)
            next = now(); /* late: do not hurry afterwards */
        sleep_until(next);
    }
    memset(command.tau, 0, sizeof command.tau);
    command.stamp = state.stamp;
    if (send(connection, &command, sizeof command, 0) < 0 && !reason)
        reason = strerror(errno);
    close(connection);
    printf("%ld cycles, %ld states answered, %ld datagrams refused, at most %.3f ms late\n",
           cycles, answered, refused, (double)worst / 1e6);
    if (reason)
        fprintf(stderr, "hold_udp: %s port %ld: %s\n", words[1], port, reason);
    return reason != 0;
}
"""
RULE = """
examples: examples/hold_udp
examples/hold_udp: examples/hold_udp.c @P@.c @P@.h
\t$(CC) $(WARNINGS) $(CFLAGS) $(ARCH) $(BITS) $(LDFLAGS) -I. -o $@ $< @P@.c $(LIBS)
"""
"""Lines of the Makefile; apart from `all`, as it needs POSIX sockets."""


def hold_udp(prefix: str, control: Control, period: int, limited: bool) -> str:
    """
    Return the text of the example.

    :param period: between control instants [ns]
    :param limited: torques are cut to what the motors can do, as the scenario says
    """
    n = '@UP@_JOINTS'
    declared, prepare, begin = [], [], []
    arguments = ['(double)(state.stamp - first) / 1e9', 'state.q', 'state.v']
    if control.reference_size:
        declared += ['static const int64_t at_once[1] = {0};',
                     f'double rest[3 * {n}] = {{0.0}}, desired[@UP@_DESIRED];',
                     '@P@_points points;', '@P@_plan plan;']
        begin += ['memcpy(rest, state.q, sizeof state.q);', 'points.start = state.stamp;',
                  'points.count = 1;', 'points.times = at_once;', 'points.q = rest;',
                  f'points.v = points.a = rest + {n};',
                  *(['@P@_schedule_at_rest(&points);'] if control.schedule else []),
                  '@P@_begin(&plan, &points, state.stamp, rest, 0);']
        arguments.append('desired')
    if control.memory:
        declared.append('@P@_state memory;')
        prepare.append('@P@_start(&memory);')
        arguments.insert(0, '&memory')
    if control.parameters:
        declared += ['@P@_parameters p;', '@P@_model model;']
        prepare += ['@P@_default_parameters(&p);', '@P@_prepare(&p, &model);']
        arguments.insert(0, '&model')
    calls = [*(['@P@_sample(&plan, state.stamp, desired);'] if control.reference_size else []),
             f'@P@_control({", ".join([*arguments, "command.tau"])});']
    limit = ['@P@_limit_efforts(command.tau);'] if limited else []
    text = TEXT
    for word, lines, indent in (('DECLARED', declared, 4), ('PREPARE', prepare, 4),
                                ('BEGIN', begin, 16), ('CONTROL', calls, 12),
                                ('LIMIT', limit, 12)):
        text = text.replace(f'@{word}@', ''.join(f'{" " * indent}{line}\n' for line in lines))
    return text.replace('@PERIOD@', f'INT64_C({period})').replace('@UP@', prefix.upper()).replace(
        '@P@', prefix)
