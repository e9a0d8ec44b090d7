# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Paper 002: direct and inverse dynamics of a parallel manipulator with more motors than freedoms.

Three RR chains meet in a point O that runs along a line. The paper's parameter table and
equations are lost; the standard equations with our inertias stand in for them.
"""
from __future__ import annotations

from typing import Mapping

import numpy as np

from robodyn_ros.constraints.constraint import Constraint
from robodyn_ros.constraints.ready_made import follow
from robodyn_ros.constraints.stabilisation import stabilisation
from robodyn_ros.controllers.constraint_following import constraint_following
from robodyn_ros.plant.assembly import assemble_start
from robodyn_ros.plant.plant import Plant
from robodyn_ros.robots.robot import load_robot, Robot
from robodyn_ros.studies.parallel_manipulator.figures import figures
from robodyn_ros.studies.parallel_manipulator.runs import (ABSOLUTE, ANGLES, chain_tips, DAMPING,
                                                           desired, drag, DURATION, LINE,
                                                           on_line, OnLine, RELATIVE, START)
from robodyn_ros.studies.runs import acting_continuously
from robodyn_ros.studies.study import Progress, Row, Study
from robodyn_ros.studies.table import at_most
from robodyn_ros.types import State

REMARKS = (
    'The paper says that the torques of the passive joints are close to zero. The plain equation '
    'knows no motors and loads every joint: with our inertias the passive torques are 0.21 of '
    'the active ones (rms), and a robot that applied the active part alone would miss the '
    'acceleration of O by up to 0.19 of 0.79 m/s^2. Keeping closure (the pin does it) and line '
    '(the motors must do it) apart gives motor torques with passive joints exactly free.',
    'The paper says that chains 2 and 3 move with half the period of chain 1. On a sinusoid along '
    'the line all angles share one period; this cannot be reproduced.',
    'The paper says that active and passive accelerations are opposite. This holds exactly for '
    'chain 1 when the line lies at y = 0.25 m, as here, and not for chains 2 and 3.',
    "The paper's geometry, inertias, line and working mode are lost: bases and links are those of "
    'the GPM2002 manipulator, masses, motion and working mode are our choice.',
    'A non-ideal closure does work only along motions that the rows leave open: with the six rows '
    'of the paper (closure and line) the term is zero, with the four closure rows it damps.',
)


def run(progress: Progress) -> Study:
    """Run the study: four compiled plants of one robot."""
    robot = load_robot('parallel_2dof')
    task = follow('tool0', LINE, 'x y', name='line')
    bare = stabilisation('baumgarte', 0.0, 0.0)  # gains of 0: the bare equation, gains at run time
    motors = acting_continuously(
        constraint_following(robot, [task], kp=0.0, kd=0.0, saturate=False))

    progress('inverse dynamics: closure and line as six rows')
    six = Plant(robot, [task, drag], stabilisation=bare, step=0.0025)
    start = assemble_start(six, State(0.0, np.array(START), np.zeros(6))).state
    plain = six.rollout(start, DURATION, every=2).constraint_force @ RELATIVE
    dragged = six.rollout(start, DURATION, every=2, parameters={'drag.coefficient': DAMPING})
    progress('direct dynamics: the loops closed, three motors driving')
    driven = Plant(robot, [motors], stabilisation=bare, step=0.0025)
    line = on_line(robot, driven.rollout(start, DURATION, every=2), plain)
    progress('free motion, and a closure that drags')
    loose = Plant(robot, [drag], stabilisation=bare, step=1e-3)

    rows = [*_motion_rows(line), *_torque_rows(line), *_accuracy_rows(robot, task, motors, start)]
    change = np.abs(dragged.constraint_force @ RELATIVE - plain).max()
    damping, energies = _non_ideal_rows(robot, loose, line, change)
    rows += damping
    return Study('002', 'Redundantly actuated parallel manipulator: direct and inverse dynamics',
                 rows, figures(line, energies), REMARKS)


def _motion_rows(line: OnLine) -> list[Row]:
    degrees = np.degrees(line.q)
    rows = []
    for name, low, high in (('qa1', 40.69, 64.51), ('qa2', 162.25, 178.38), ('qb2', 46.04, 85.09)):
        column = degrees[:, ANGLES.index(name)]
        rows += [Row(f'smallest {name} [deg]', column.min(), low, 6e-3),
                 Row(f'largest {name} [deg]', column.max(), high, 6e-3)]
    mirrored = np.abs(line.q[:, 2:4] + line.q[:, 5:3:-1]).max()
    opposite = np.abs(line.a[:, 0] + line.a[:, 1]).max()
    return [*rows,
            at_most('chain 3 mirrors chain 2, largest difference [rad]', mirrored, 0.0,
                    tolerance=1e-12),
            at_most('|acceleration qa1 + qb1|, largest [rad/s^2]', opposite, 0.0, 'opposite',
                    1e-11)]


def _torque_rows(line: OnLine) -> list[Row]:
    low = (-0.1549, -0.0306, -0.0655, -0.0511, -0.2191, -0.0092)
    high = (0.1684, 0.0553, 0.1428, 0.0282, 0.2311, -2.6e-5)
    rows = []
    for k, name in enumerate(ANGLES):
        said = 'close to zero' if name[1] == 'b' else ''
        force = line.plain[:, k]
        rows += [Row(f'plain force on {name}, smallest [N m]', force.min(), low[k], 6e-5, said),
                 Row(f'plain force on {name}, largest [N m]', force.max(), high[k],
                     6e-5 if abs(high[k]) > 1e-3 else 6e-7, said)]
    passive, active = line.plain[:, 1::2], line.plain[:, ::2]
    rows.append(Row('plain force, passive over active rms [-]',
                    np.sqrt((passive ** 2).mean() / (active ** 2).mean()), 0.21, 6e-3,
                    'close to zero'))
    for k, (least, most, rms) in enumerate(((-0.1394, 0.1923, 0.1169), (-0.0705, 0.1631, 0.0857),
                                            (-0.2399, 0.3177, 0.1996))):
        torque = line.motors[:, k]
        rows += [Row(f'motor {k + 1}, smallest torque [N m]', torque.min(), least, 6e-5),
                 Row(f'motor {k + 1}, largest torque [N m]', torque.max(), most, 6e-5),
                 Row(f'motor {k + 1}, rms torque of 801 samples [N m]',
                     np.sqrt((torque ** 2).mean()), rms, 6e-5)]
    wanted = [('lost', "O's acceleration missed by the active part alone [m/s^2]", 0.19, 6e-3),
              ('pin 12', 'largest pin force of chain 2 [N]', 0.265, 6e-4),
              ('pin 13', 'largest pin force of chain 3 [N]', 0.356, 6e-4),
              ('singular 123', 'smallest singular value, three motors [1/m]', 4.14, 6e-3),
              ('singular 12', 'smallest singular value, motors 1 and 2 [1/m]', 1.69, 6e-3),
              ('singular 13', 'smallest singular value, motors 1 and 3 [1/m]', 2.95, 6e-3),
              ('singular 23', 'smallest singular value, motors 2 and 3 [1/m]', 1.58, 6e-3),
              ('condition', 'largest condition number of closure and line [-]', 5.4, 0.06)]
    rows += [Row(text, line.numbers[key], value, room) for key, text, value, room in wanted]
    return rows + [
        at_most('torque left on passive joints [N m]', line.numbers['passive'], 0.0, 'zero',
                1e-15),
        at_most('motors and pins balance the motion, largest rest [N m]', line.numbers['balance'],
                2.5e-16, tolerance=1e-14),
        at_most('two formulas for the motors, largest difference [N m]', line.numbers['formulas'],
                1.7e-15, tolerance=1e-14)]


def _accuracy_rows(robot: Robot, task: Constraint, motors: Constraint, start: State) -> list[Row]:
    """Forward integration by RK4: largest closure error, largest distance of O from its path."""
    bare, servo = stabilisation('baumgarte', 0.0, 0.0), {'motors.kp': 100.0, 'motors.kd': 20.0}
    both = {**servo, 'stabilisation.alpha': 20.0, 'stabilisation.beta': 100.0}
    exact = stabilisation('projection')
    rows = []
    for text, items, chosen, values, step, closure, tracking, room in (
            ('six rows', [task, drag], bare, {}, 0.01, 2.1e-8, 1.2e-8, 6e-10),
            ('six rows', [task, drag], bare, {}, 0.002, 3.4e-11, 2.0e-11, 6e-13),
            ('motors', [motors], bare, {}, 0.01, 2.1e-8, 1.2e-8, 6e-10),
            ('motors', [motors], bare, {}, 0.002, 3.4e-11, 2.0e-11, 6e-13),
            ('motors, baumgarte 20/100', [motors], bare, both, 0.01, 5.0e-9, 1.2e-8, 6e-10),
            ('motors, projection', [motors], exact, servo, 0.01, 0.0, 1.2e-8, 6e-10)):
        motion = Plant(robot, items, stabilisation=chosen, step=step).rollout(
            start, DURATION, parameters=values)
        off = robot.frame('tool0', motion.q).position[:, :2] - desired(motion.t)
        name = f'{text}, step {step:g} s'
        rows += [Row(f'closure error, {name} [m]', np.abs(motion.phi[:, :4]).max(), closure,
                     room if closure else 1e-14, at_most=not closure),
                 Row(f'tracking error, {name} [m]', np.abs(off).max(), tracking, room)]
    return rows


def _non_ideal_rows(robot: Robot, loose: Plant, line: OnLine, change: float
                    ) -> tuple[list[Row], Mapping[float, tuple[np.ndarray, np.ndarray]]]:
    """Non-ideal closure C = -0.02 v in absolute angles; also kinetic energies over time."""
    heavy = {'drag.coefficient': DAMPING}
    here = State(0.3, RELATIVE @ line.q[60], RELATIVE @ line.v[60])  # on the line at 0.3 s
    ideal, real = loose.observe(here), loose.observe(here, parameters=heavy)
    work = -DAMPING * line.v[60] @ ABSOLUTE
    first, basis = np.concatenate(
        np.linalg.inv(chain_tips(robot, np.array([RELATIVE @ line.q[0], here.q]))), axis=1)
    pushed = State(0.0, RELATIVE @ line.q[0], first @ [0.05, 0.03])
    energies, closed = {}, 0.0
    for coefficient in (0.0, DAMPING):
        motion = loose.rollout(pushed, 1.5, parameters={'drag.coefficient': coefficient})
        energies[coefficient] = (motion.t, robot.energy(motion.q, motion.v)[0])
        closed = max(closed, motion.violation.max())
    free, damped = energies[0.0][1], energies[DAMPING][1]
    effect = (real.constraint_force - ideal.constraint_force) @ RELATIVE
    along = basis.T @ (real.constraint_force[0] - work)
    return [
        at_most('free motion, relative energy drift in 1.5 s [-]',
                np.abs(free / free[0] - 1.0).max(), 4e-14, tolerance=1e-13),
        at_most('free motion, closure error [m]', closed, 1.2e-13),
        at_most('non-ideal closure, change with six rows [N m]', change, 3e-17, tolerance=1e-14),
        Row('non-ideal closure, change with four rows at 0.3 s [N m]', np.abs(effect).max(), 0.027,
            6e-4),
        at_most('ideal force along free motions, N^T Qc [N]',
                np.abs(basis.T @ ideal.constraint_force[0]).max(), 6e-17, tolerance=1e-14),
        at_most('non-ideal force along free motions, N^T (Qc - C) [N]', np.abs(along).max(),
                3e-17, tolerance=1e-14),
        Row('energy left after 1.5 s of dragging [-]', damped[-1] / damped[0], 0.222, 6e-4),
    ], energies
