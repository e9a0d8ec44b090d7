# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The closed loop of a scenario in exported C: interpolation, law, motors and plant, step by step.

A program in C reads start, parameters and the points of the trajectory, and writes q, v and tau at
every control instant; `simulate` must have written the same bits.
"""

import numpy as np
from robodyn_ros import load_scenario, Simulation
from robodyn_ros.export.controller import GROUP
from robodyn_ros.export.selection import library_of_scenario
from robodyn_ros.ros_time import NANO
from robodyn_ros.scenario.periods import period_ns

PROGRAM = r"""#include "@P@.h"

#include <stdio.h>
#include <stdlib.h>

/* periods, steps of each, length of a period [ns], points, blend [ns] */
enum { PERIODS, STEPS, PERIOD, POINTS, BLEND, SIZES };

static void *got(size_t size)
{
    void *place = malloc(size ? size : 1);
    if (!place || fread(place, 1, size, stdin) != size)
        exit(3);
    return place;
}

int main(void)
{
    const int64_t *size = (const int64_t *)got(SIZES * sizeof *size);
    const size_t count = (size_t)size[POINTS], width = sizeof(double) * @N@;
    const @P@_parameters *p = (const @P@_parameters *)got(sizeof *p);
    double *state = (double *)got(3 * width), row[3 * @N@];
    double *q = row, *v = row + @N@, *tau = row + 2 * @N@;
    @P@_model model;
    int64_t k, i;
    int j;
@DECLARED@    @P@_prepare(p, &model);
    for (j = 0; j < 3 * @N@; ++j)
        row[j] = state[j];
@BEGIN@    for (k = 0;; ++k) {
        if (k < size[PERIODS]) { /* at the end simulate() tells the torque that was held */
@CONTROL@        }
        if (fwrite(row, sizeof row, 1, stdout) != 1)
            return 4;
        if (k == size[PERIODS])
            return 0;
        for (i = 0; i < size[STEPS]; ++i)
            if (@P@_step(&model, (double)(k * size[STEPS] + i) * @UP@_STEP, q, v, tau, q, v))
                return 5;
    }
}
"""
FOLLOWING = ("""    @P@_points points;
    @P@_plan plan;
    double desired[@UP@_DESIRED];
""", """    points.start = 0;
    points.count = (int)count;
    points.times = (const int64_t *)got(count * sizeof *points.times);
    points.q = (const double *)got(count * width);
    points.v = (const double *)got(count * width);
    points.a = (const double *)got(count * width);
@SCHEDULE@    @P@_begin(&plan, &points, 0, state, size[BLEND]);
""", """            @P@_sample(&plan, k * size[PERIOD], desired);
""")


class ClosedLoop:
    """A scenario beside its exported C."""

    def __init__(self, name, changes, folder):
        """Simulate nothing yet; write the C into a folder."""
        scenario = load_scenario(name, changes)
        self.simulation = simulation = Simulation(scenario)
        self.control, self.folder = simulation.control, folder
        law = ['controller'] if self.control else []
        library = library_of_scenario(scenario, [*law, 'plant'])
        self.name, self.parameters = library.name, library.parameters
        self.points = []
        """Times, q, v and a of the trajectory's points, as the controller would get them."""
        if self.control and self.control.reference_size:
            # without a law the reference is still what was wanted, not what is followed
            plain = Simulation(scenario, with_control=False)
            self.points = [np.ascontiguousarray(part) for part in simulation.desired.points(
                plain.reference, scenario.controller.period).arrays]
        for file, text in {**library.files(), 'loop.c': self._program()}.items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(text)

    @property
    def steps(self):
        """Return the steps of the plant in one run."""
        return self.simulation.periods * self.simulation.period

    def compiled(self, variant):
        """Return the program of a variant."""
        return variant.compiled(self.folder, ['loop.c', f'{self.name}.c'],
                                'loop_' + variant.name.translate(str.maketrans(' ,', '__')))

    def _program(self):
        control, limited = self.control, self.simulation.scenario.dynamics.limit_efforts
        declared, begin, calls = '    (void)count;\n', '', ''
        if control:
            follows, kept = bool(control.reference_size), bool(control.memory)
            if follows:
                declared, begin, calls = FOLLOWING
            if kept:
                declared += '    @P@_state memory;\n'
                begin += '    @P@_start(&memory);\n'
            own = any(name.startswith(GROUP) for name in self.parameters)
            words = [*['&model'] * own, *['&memory'] * kept,
                     '(double)(k * size[STEPS]) * @UP@_STEP', 'q', 'v', *['desired'] * follows,
                     'tau']
            calls += f'            @P@_control({", ".join(words)});\n'
            calls += '            @P@_limit_efforts(tau);\n' if limited else ''
        text = PROGRAM
        schedule = '    @P@_schedule(&points);\n' if control and control.schedule else ''
        for word, meant in (('DECLARED', declared), ('BEGIN', begin), ('CONTROL', calls),
                            ('SCHEDULE', schedule),
                            ('P', self.name), ('UP', self.name.upper()),
                            ('N', str(self.simulation.robot.n))):
            text = text.replace(f'@{word}@', meant)
        return text

    def run(self, changes=None):
        """Return what the program reads, and what it must write (periods + 1, 3 n)."""
        simulation, start = self.simulation, self.simulation.assembly.state
        result = simulation.run(changes)
        values = {**self.parameters, **(changes or {})}
        settings = simulation.scenario.controller
        sizes = [simulation.periods, simulation.period, period_ns(settings.period),
                 len(self.points[0]) if self.points else 0,
                 int(round(settings.blend_time * NANO))]
        given = [np.array(sizes, dtype=np.int64), np.array(list(values.values())), start.q,
                 start.v, np.zeros_like(start.q), *self.points]
        return b''.join(part.tobytes() for part in given), \
            np.concatenate([result.q, result.v, result.tau], axis=1)

    def differences(self, variant, program, run):
        """Return a sentence for a run whose bits differ, or nothing."""
        given, expected = run
        found = np.frombuffer(variant.output(program, given)).reshape(expected.shape)
        wrong = np.argwhere(found.view(np.int64) != expected.view(np.int64))
        if not len(wrong):
            return ''
        k, column = wrong[0]
        n = self.simulation.robot.n
        first = f'{"q v tau".split()[column // n]}[{column % n}] at control instant {k}'
        return (f'{variant.name}: {len(wrong)} numbers differ, first {first}: '
                f'{found[k, column].hex()} instead of {expected[k, column].hex()}')

    def varied(self, rng):
        """Return other run-time parameters: payload, friction, gains, within a few percent."""
        own = self.parameters
        gains = {name: value * rng.uniform(0.97, 1.03) for name, value in own.items()
                 if name.startswith(GROUP)}
        return {**gains, 'payload.mass': own['payload.mass'] + rng.uniform(0.0, 0.2),
                **{f'payload.centre.{axis}': rng.uniform(-0.02, 0.02) for axis in 'xyz'},
                'friction_scale': own['friction_scale'] * rng.uniform(0.8, 1.2)}

    def runs(self, steps, seed=19):
        """Yield runs of so many steps in all: the scenario's own, then others by chance."""
        yield self.run()
        rng, done = np.random.default_rng(seed), self.steps
        while done < steps:
            yield self.run(self.varied(rng))
            done += self.steps
