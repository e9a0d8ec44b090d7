# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Paper 002: direct and inverse dynamics of a parallel manipulator with more motors than freedoms.

Three RR chains meet in a point O that runs along a line. The paper's authors, parameter table and
equations are missing in the copy at hand; the standard equations with our inertias stand in. The
robot file counts joint angles from link to link; the paper, and every number here, from the x axis
(absolute): q_rel = T q_abs, so a generalized force in the paper's angles is T^T times that of the
joints.
"""
from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np

from robodyn_ros.constraints.constraint import Constraint, non_ideal
from robodyn_ros.constraints.ready_made import follow
from robodyn_ros.constraints.stabilisation import stabilisation
from robodyn_ros.controllers.constraint_following import constraint_following
from robodyn_ros.plant.assembly import assemble_start
from robodyn_ros.plant.plant import Plant
from robodyn_ros.report.drawing import Draw, Figure, overlaid, panels, PANELS_HEIGHT
from robodyn_ros.robots.robot import load_robot, Robot
from robodyn_ros.studies.runs import acting_continuously
from robodyn_ros.studies.study import at_most, Progress, Row, Study
from robodyn_ros.tracing import Number
from robodyn_ros.trajectories.paths import SineLine
from robodyn_ros.types import Rollout, State

RELATIVE = np.kron(np.eye(3), np.array([[1.0, 0.0], [-1.0, 1.0]]))
ABSOLUTE = np.linalg.inv(RELATIVE)
ANGLES = ('qa1', 'qb1', 'qa2', 'qb2', 'qa3', 'qb3')
LINE = SineLine(0.21, 0.25, 0.37, 0.25, np.pi)
START = (1.1259398, -2.2518796, 3.1133220, -1.6282963, -1.4850257, -1.6282963)
DURATION = 4.0
DAMPING = 0.02
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
    return [*rows, *line.checks]


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


@non_ideal
def drag(robot: Robot, q: Sequence[Number], v: Sequence[Number], t: Number, *,
         coefficient: float = 0.0) -> list[Number]:
    """C = -coefficient times the ABSOLUTE rates, as forces on the joints of the file (6,)."""
    force: list[Number] = []
    for k in range(0, 6, 2):
        far = -(v[k] + v[k + 1]) * coefficient
        force += [far - v[k] * coefficient, far]
    return force


def desired(t: np.ndarray) -> np.ndarray:
    """Wanted position of O (k, 2) [m]."""
    return np.column_stack([0.29 - 0.08 * np.cos(np.pi * t), np.full_like(t, 0.25)])


class OnLine(NamedTuple):
    """The motion along the line at 801 instants, in the paper's absolute angles."""

    t: np.ndarray
    tip: np.ndarray
    """O (k, 2) [m]"""
    q: np.ndarray
    """(k, 6) [rad], with v and a"""
    v: np.ndarray
    a: np.ndarray
    plain: np.ndarray
    """Generalized force of the plain equation, all six rows (k, 6) [N m]."""
    motors: np.ndarray
    """Torques of the motors, of smallest norm (k, 3) [N m]."""
    checks: Sequence[Row]
    """Of the inverse dynamics, where it is computed."""


def on_line(robot: Robot, path: Rollout, plain: np.ndarray) -> OnLine:
    """
    Inverse dynamics (N^T S^T) tau = N^T (M a + h) along a motion driven by constraint following.

    N: joint rates = N times the velocity of O; S picks the motors; A_s, A_t: closure, line.
    """
    tips = chain_tips(robot, path.q)
    basis = np.concatenate(np.linalg.inv(tips), axis=1)
    zero = np.zeros_like(tips[0])
    closure = np.block([[tips[0], -tips[1], zero], [tips[0], zero, -tips[2]]])
    rows = np.concatenate([closure, np.block([tips[0], zero, zero])], axis=1)
    load = robot.inverse_dynamics(path.q, path.v, path.a)
    reach = basis[:, ::2].transpose(0, 2, 1)
    motors = _times(np.linalg.pinv(reach), _times(basis.transpose(0, 2, 1), load))
    rest = load.copy()
    rest[:, ::2] -= motors
    pins = _times(np.linalg.pinv(closure.transpose(0, 2, 1)), rest)
    law = path.constraint_force - _times(closure.transpose(0, 2, 1), path.multipliers)
    # what the passive part of the plain force does to O: N^T M N lost = N^T (passive part)
    passive = plain * np.array([0.0, 1.0] * 3) @ ABSOLUTE
    moved = basis.transpose(0, 2, 1) @ robot.mass_matrix(path.q) @ basis
    lost = _times(np.linalg.inv(moved), _times(basis.transpose(0, 2, 1), passive))
    checks = [Row(text, ours, reference, room) for text, ours, reference, room in (
        ("O's acceleration missed by the active part alone [m/s^2]", np.abs(lost).max(), 0.19,
         6e-3),
        ('largest pin force of chain 2 [N]', np.linalg.norm(pins[:, :2], axis=1).max(), 0.265,
         6e-4),
        ('largest pin force of chain 3 [N]', np.linalg.norm(pins[:, 2:], axis=1).max(), 0.356,
         6e-4),
        *((f'smallest singular value, {name} [1/m]', np.linalg.svd(
            reach[:, :, chosen], compute_uv=False)[:, -1].min(), value, 6e-3)
          for name, chosen, value in (
              ('three motors', [0, 1, 2], 4.14), ('motors 1 and 2', [0, 1], 1.69),
              ('motors 1 and 3', [0, 2], 2.95), ('motors 2 and 3', [1, 2], 1.58))),
        ('largest condition number of closure and line [-]',
         np.linalg.cond(rows @ RELATIVE).max(), 5.4, 0.06))]
    checks += [
        at_most('torque left on passive joints [N m]', np.abs(law[:, 1::2]).max(), 0.0, 'zero',
                1e-15),
        at_most('motors and pins balance the motion, largest rest [N m]',
                np.abs(_times(closure.transpose(0, 2, 1), pins) - rest).max(), 2.5e-16,
                tolerance=1e-14),
        at_most('two formulas for the motors, largest difference [N m]',
                np.abs(law[:, ::2] - motors).max(), 1.7e-15, tolerance=1e-14)]
    tip = robot.frame('tool0', path.q).position[:, :2]
    return OnLine(path.t, tip, path.q @ ABSOLUTE.T, path.v @ ABSOLUTE.T, path.a @ ABSOLUTE.T,
                  plain, motors, checks)


def chain_tips(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Jacobians of the three chains' ends, each by its own two joints (3, k, 2, 2)."""
    return np.array([robot.frame(f'tip_{k}', q).jacobian[:, :2, 2 * k - 2:2 * k]
                     for k in (1, 2, 3)])


def _times(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    return np.einsum('kij,kj->ki', matrices, vectors)


def figures(line: OnLine, energies: Mapping[float, tuple[np.ndarray, np.ndarray]]
            ) -> list[Figure]:
    """
    Figures 3 to 16 of the paper in five, and one of ours.

    :param energies: by coefficient of drag, times [s] and kinetic energies [J] of a free motion
    """
    def tip(figure: Any) -> None:
        for k, axes in enumerate(panels(figure, 2, height=PANELS_HEIGHT / 2)):
            overlaid(axes, line.t, {'actual': line.tip[:, k], 'desired': desired(line.t)[:, k]},
                     f'{"xy"[k]} of O [m]')
            axes.legend(loc='upper right')
        axes.set_ylim(0.2, 0.3)

    def chains(values: np.ndarray, letter: str, unit: str, motors: bool = False) -> Draw:
        def draw(figure: Any) -> None:
            for k, axes in enumerate(panels(figure, 3, height=PANELS_HEIGHT / 3)):
                named = {f'{letter}a{k + 1}': values[:, 2 * k],
                         f'{letter}b{k + 1}': values[:, 2 * k + 1]}
                if motors:
                    named[f'motor {k + 1} alone'] = line.motors[:, k]
                overlaid(axes, line.t, named, f'chain {k + 1} [{unit}]')
                axes.legend(loc='upper right')
        return draw

    def energy(figure: Any) -> None:
        axes, = panels(figure, 1, height=PANELS_HEIGHT)
        for coefficient, (t, values) in energies.items():
            axes.plot(t, values * 1e3, label=f'C = -{coefficient:g} v' if coefficient else 'ideal')
        axes.set_ylabel('kinetic energy [mJ]')
        axes.set_ylim(0.0, None)
        axes.legend()

    return [
        Figure('002_tip', 'x and y of the point O (figures 3 and 4).', tip),
        Figure('002_angles', 'Active and passive joint angles (figures 5 to 7).',
               chains(line.q, 'q', 'rad')),
        Figure('002_velocities', 'Angular velocities (figures 8 to 10).',
               chains(line.v, 'rate of q', 'rad/s')),
        Figure('002_accelerations', 'Angular accelerations (figures 11 to 13).',
               chains(line.a, 'acceleration of q', 'rad/s^2')),
        Figure('002_torques', 'Plain torques of active and passive joints (figures 14 to 16), and '
               'motors that drive alone.', chains(line.plain, 'f', 'N m', motors=True)),
        Figure('002_non_ideal', 'Kinetic energy of a free motion, ideal and dragging closure.',
               energy)]
