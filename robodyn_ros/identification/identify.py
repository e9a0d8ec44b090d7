# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
From recordings to a model and its judgement: what `robodyn identify` does, without files.

Read (reading.py), filter (filtering.py), build the linear equations (regressor.py), fit (fit.py,
consistency.py), predict the torques of recordings that were not fitted.
"""
from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Callable, Sequence

import numpy as np

from robodyn_ros.errors import RecordingError
from robodyn_ros.identification.base_parameters import Base, base_of, STATES
from robodyn_ros.identification.closed_chain import motor_projection
from robodyn_ros.identification.consistency import Prior
from robodyn_ros.identification.coupling import coupled_motors
from robodyn_ros.identification.cross_validation import left_out_error, MORE_EARNED
from robodyn_ros.identification.doubts import Masses, told_by_masses, weight_doubts
from robodyn_ros.identification.equations import Equations, equations_of, thinned
from robodyn_ros.identification.filtering import (found_cutoff, in_step, long_enough, Measured,
                                                  PERIODS, segments, SHORTEST, States, states_of)
from robodyn_ros.identification.fit import FIRST_WEIGHT, Fit, fitted, plain_least_squares
from robodyn_ros.identification.motion import motion_equations
from robodyn_ros.identification.parameters import (JOINT, laws_of, parameter_set, ParameterSet,
                                                   TEN, values_of, with_saturation)
from robodyn_ros.identification.prior import BALL_MASS, BALL_SIZE, prior_of
from robodyn_ros.identification.regressor import Regressor
from robodyn_ros.identification.solving import solved
from robodyn_ros.mechanics.inertia import express, inertia_from, INERTIAL, ten_of
from robodyn_ros.mechanics.tree import Inertia
from robodyn_ros.mechanics.vector import scale, transpose, transpose_times
from robodyn_ros.robots.robot import Robot

HOLD_OUT = 0.3
"""Part of the recordings that is judged and not fitted, where none are given for that."""
SLOW = 1e4
"""Condition number above which a motion shows the parameters badly."""
DOUBTFUL, IMPOSSIBLE = 0.05, 1.5
"""Error of a fit, and by how much it is above that of least squares that knows no bodies, from
which on signs or URDF may be wrong [-]."""
STRANGE = 1.5
"""Error of the file's own model from which on it may be of another robot, or efforts no torques
[-]: without masses it is 1."""
EXACT_SAMPLES = 1500
"""Of an exact recording that are used: more tell no more."""
Progress = Callable[[float, str], None]


@dataclass(frozen=True)
class Judgement:
    """How well a model predicts a recording: errors of each joint (n,)."""

    relative: np.ndarray
    """Norm of the residual over that of the measured torque [-]; NaN without a torque."""
    rms: np.ndarray
    """Root mean square of the residual [N m] or [N]."""
    overall: float
    """Relative error of all joints together [-]."""


@dataclass(frozen=True)
class Identified:
    """A model, and how good it is."""

    robot: Robot
    chosen: ParameterSet
    fit: Fit
    prior: Prior
    cutoff: float | None
    trained: Equations
    judged: Equations
    """What was not fitted; the fitted equations where nothing was held out."""
    held_out: bool
    plain: np.ndarray
    """theta by plain least squares, to be compared with."""
    before: np.ndarray
    """theta of the robot's file."""
    remarks: tuple[str, ...]
    masses: Masses | None = None
    """What the masses of the file tell of the recording."""

    def judgement(self, theta: np.ndarray, equations: Equations) -> Judgement:
        """Judge parameters by their prediction of torques."""
        return judged(equations, theta)


def judged(equations: Equations, theta: np.ndarray) -> Judgement:
    """Judge parameters by their prediction of torques."""
    residual = np.where(equations.counted, equations.tau - equations.predicted(theta), 0.0)
    tau = np.where(equations.counted, equations.tau, 0.0)
    size = np.linalg.norm(tau, axis=0)
    count = np.maximum(equations.counted.sum(axis=0), 1)
    with np.errstate(invalid='ignore', divide='ignore'):
        relative = np.where(size > 0.0, np.linalg.norm(residual, axis=0) / size, np.nan)
    return Judgement(relative, np.sqrt(np.sum(residual ** 2, axis=0) / count),
                     float(np.linalg.norm(residual) / max(float(np.linalg.norm(tau)), 1e-300)))


def identify(robot: Robot, recordings: Sequence[Measured], validation: Sequence[Measured] = (),
             cutoff: float | None = None, hold_out: float = HOLD_OUT, payload: bool = False,
             progress: Progress = lambda part, what: None,
             second_stage: bool = True) -> Identified:
    """
    Identify a robot.

    :param validation: recordings to judge by; without, the last part of each recording
    :param cutoff: of the filter [Hz]; found from the data where not given
    :param hold_out: that part, 0 .. 0.9
    :param payload: look only for what the tool carries; the robot's file is right otherwise
    :param second_stage: fit the motion, too, and take it where that predicts better
    """
    pieces = [piece for one in recordings for piece in segments(one)]
    if not pieces:
        raise RecordingError(f'{recordings[0].source}: samples are missing so often that no '
                             f'{SHORTEST:g} s without a gap are left; record again')
    exact = all(piece.a is not None for piece in (*pieces, *validation)) and cutoff is None
    judging = [piece for one in validation for piece in segments(one)]
    if not judging and hold_out > 0.0:
        judging = [piece.part(slice(_cut(piece, hold_out), None)) for piece in pieces]
        pieces = [piece.part(slice(None, _cut(piece, hold_out))) for piece in pieces]
    if not exact and cutoff is None:
        cutoff = found_cutoff(pieces)
    progress(0.05, 'filtering')
    pieces, judging = long_enough(pieces, cutoff), long_enough(judging, cutoff)
    if not pieces:
        raise RecordingError(f'{recordings[0].source}: no piece without gaps lasts {PERIODS:g} '
                             f'periods of the cut-off frequency of {cutoff:.3g} Hz; record '
                             'longer, or give a higher --cutoff')
    late: list[float] = []
    if cutoff is not None:
        pieces, judging = ([_in_step(piece, cutoff, late) for piece in some]
                           for some in (pieces, judging))
    states, judged_states = ([_states(robot, piece, cutoff) for piece in some]
                             for some in (pieces, judging))
    speeds = np.concatenate([one.v for one in states])
    chosen = with_saturation(parameter_set(robot), robot, speeds)
    regressor = Regressor(chosen, tuple(robot.parameters.gravity))  # type: ignore[arg-type]
    trained = _equations(robot, regressor, states)
    progress(0.2, 'fitting')
    if not (payload or robot.loops or exact):
        regressor, trained = _with_couplings(robot, regressor, trained)
        chosen = regressor.chosen
    judge = _equations(robot, regressor, judged_states) if judged_states else None
    used = _used(robot, chosen, trained)
    before = values_of(chosen, robot)
    remarks = [remark for one in (*recordings, *validation) for remark in one.remarks]
    if any(late):
        remarks.append(f'the velocities come {1000.0 * float(np.median(late)):.2g} ms after the '
                       'positions: they were moved back')
    if payload:
        return _payload(robot, chosen, trained, judge, before, cutoff, remarks)
    masses = told_by_masses(trained, used, before)
    prior = _prior(robot, trained)
    structure = _structure(robot, regressor, trained)
    motion = None
    if second_stage and not (exact or robot.loops):
        motion = partial(motion_equations, regressor, robot.limits.effort)
    fit = fitted(trained, structure, prior, used, True, exact, motion,
                 lambda part: progress(0.2 + 0.7 * part, 'fitting'))
    trained = trained.with_friction(fit.velocity, fit.lag)
    judge_ = None if judge is None else judge.with_friction(fit.velocity, fit.lag)
    # what everybody does, to be compared with: friction of one width, no peak
    simple = np.full(len(chosen.turns), 0.1)
    plain = plain_least_squares(trained.with_friction(simple) if not exact else trained, used)
    if fit.lag:
        instant, whole = (judged(judge_ or trained, fit.theta).overall if lag else judged(
            (judge_ or trained).with_friction(fit.velocity), fit.theta).overall
            for lag in (False, True))
        remarks.append(f'dry friction follows the velocity {1000.0 * fit.lag:.0f} ms late, which '
                       f'a URDF cannot say: without the lag {100.0 * instant:.3g} % of the torque '
                       f'are not explained, with it {100.0 * whole:.3g} %')
    remarks += _doubts(robot, masses, judged(trained, fit.theta).overall, judged(
        trained if exact else trained.with_friction(simple), plain).overall,
        judged(trained, before).overall)
    for motor in chosen.tree.couplings[len(robot.tree.couplings):]:
        names = [chosen.tree.bodies[k].joint for k in (motor.joint, motor.other)]
        remarks.append(f'the motor of {names[0]} turns with {names[1]}, too (ratio '
                       f'{motor.ratio:g}): the model has it as a <coupling>')
    if fit.condition > SLOW:
        remarks.append(f'the motion shows the parameters badly (condition number '
                       f'{fit.condition:.3g}); robodyn excite finds a better one')
    return Identified(robot, chosen, fit, prior, cutoff, trained,
                      trained if judge_ is None else judge_, judge_ is not None, plain, before,
                      tuple(dict.fromkeys(remarks)), masses)


def _doubts(robot: Robot, masses: Masses | None, error: float, plain: float,
            before: float) -> list[str]:
    """
    Return what speaks against recording and file being of one robot, or of one sign.

    :param error: of the fit; :param plain: that of plain least squares, whose bodies need not be
        possible; :param before: that of the file
    """
    found = weight_doubts(robot.path, masses)
    if before > STRANGE and not found:
        found.append(f'by the masses of {robot.path} other torques were expected ('
                     f'{100.0 * before:.3g} % of the measured ones are not explained by them): '
                     'make sure that it is the URDF of this robot, and that efforts are torques '
                     '(--drive-gains for currents)')
    if error > DOUBTFUL and error > IMPOSSIBLE * plain:
        found.append(f'a robot with bodies that can exist leaves {100.0 * error:.3g} % of the '
                     f'fitted torque, one without {100.0 * plain:.3g} %: look at the signs of the '
                     'efforts, the order of the joints, and whether the URDF is of this robot')
    return found


def _equations(robot: Robot, regressor: Regressor, states: Sequence[States]) -> Equations:
    velocity = np.array([law.velocity for law in laws_of(regressor.chosen, robot)])
    return equations_of(regressor, states, robot.limits.effort, velocity)


def _prior(robot: Robot, equations: Equations) -> Prior:
    speeds = np.concatenate([states.v for states in equations.states])
    return prior_of(robot, equations.chosen, np.where(equations.counted, equations.tau, np.nan),
                    speeds)


def _with_couplings(robot: Robot, regressor: Regressor,
                    equations: Equations) -> tuple[Regressor, Equations]:
    """Add motors that turn with two joints where they predict better what is not fitted."""
    chosen = regressor.chosen
    used, prior = _used(robot, chosen, equations), _prior(robot, equations)
    motors = coupled_motors(equations, used, robot)
    if motors:
        _, sigma, _ = solved(equations, prior, FIRST_WEIGHT, used)
    for motor in motors:
        added = chosen.tree.couplings[len(robot.tree.couplings):]
        more = with_saturation(parameter_set(robot, (*added, motor)), robot,
                               np.concatenate([one.v for one in equations.states]))
        larger = regressor.with_parameters(more)
        tried = _equations(robot, larger, equations.states)
        errors = [left_out_error(one, _prior(robot, one), FIRST_WEIGHT,
                                 _used(robot, one.chosen, one), sigma)
                  for one in (equations, tried)]
        if errors[1] < errors[0] - MORE_EARNED:
            chosen, regressor, equations = more, larger, tried
    return regressor, equations


def _cut(piece: Measured, hold_out: float) -> int:
    """Return the sample at which what is judged begins."""
    return int(np.searchsorted(piece.t, piece.t[-1] - hold_out * piece.duration))


def _in_step(piece: Measured, cutoff: float, late: list[float]) -> Measured:
    found, delay = in_step(piece, cutoff)
    late.append(delay)
    return found


def _states(robot: Robot, piece: Measured, cutoff: float | None) -> States:
    states = states_of(piece, cutoff)
    if cutoff is None:
        states = thinned(states, EXACT_SAMPLES)
    if not robot.loops:
        return states
    return replace(states, projection=motor_projection(robot, states.q))


def _used(robot: Robot, chosen: ParameterSet, equations: Equations) -> np.ndarray:
    """Return the parameters to look for: what never moves has no friction and no rotor."""
    used = np.ones(chosen.size, bool)
    for name in ('peak', 'saturating'):  # added where the recording asks for them
        axes = chosen.of_axes(name)
        used[axes] = values_of(chosen, robot)[axes] > 0.0
    used[chosen.of_joints('offset').stop:] = False  # an offset is a joint's
    moved = np.ptp(np.concatenate([states.q for states in equations.states]), axis=0) > 1e-3
    for k, joint in enumerate(robot.joints):
        for name in JOINT:
            place = chosen.of_joints(name).start + k
            if not moved[k] and name != 'offset' or not equations.counted[:, k].any() \
                    and (name == 'offset' or joint not in robot.passive):
                used[place] = False
    for k, row in enumerate(chosen.turns[robot.n:]):
        if not moved[row != 0.0].any():
            used[[chosen.couplings.start + k,
                  *(chosen.of_axes(name).start + robot.n + k for name in JOINT)]] = False
    for place, rotor in zip(range(chosen.rotors.start, chosen.rotors.stop), chosen.tree.rotors):
        drives = chosen.tree.drives
        joint_of = drives[rotor.joint].joint if drives else rotor.joint
        if joint_of < 0 or not moved[joint_of]:
            used[place] = False
    return used


def _structure(robot: Robot, regressor: Regressor, equations: Equations) -> Base:
    """Return the base parameters that a motion of the recorded joints can show."""
    if robot.loops:  # random states would tear the loops: what the recording itself shows
        return base_of(equations.Y[equations.counted], 1e-7)
    random = np.random.default_rng(0)
    lower = np.maximum(robot.limits.lower, -np.pi)
    upper = np.maximum(np.minimum(robot.limits.upper, np.pi), lower + 1e-3)
    q = random.uniform(lower, upper, (STATES, robot.n))
    v, a = random.normal(size=(2, STATES, robot.n))
    held = ~equations.counted.any(axis=0)
    q[:, held], v[:, held], a[:, held] = equations.states[0].q[0, held], 0.0, 0.0
    return base_of(regressor(q, v, a, equations.velocity)[:, ~held].reshape(
        -1, equations.chosen.size))


def drive_gains(robot: Robot, recordings: Sequence[Measured],
                cutoff: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    """
    Return the torque per unit of current of each joint, and its standard deviation (n,).

    A recording of currents tells all parameters but for one factor a joint. The file's masses are
    what sets it here: current = (torque of the file's bodies + rotor, friction, offset) / gain,
    by least squares of each joint, with rotor, friction and offset in units of current. Joints
    that are not recorded have gain one.
    """
    pieces = [piece for one in recordings for piece in segments(one)]
    cutoff = cutoff or found_cutoff(pieces)
    chosen = parameter_set(robot)
    regressor = Regressor(chosen, tuple(robot.parameters.gravity))  # type: ignore[arg-type]
    equations = _equations(robot, regressor, [_states(robot, piece, cutoff) for piece in pieces])
    theta = values_of(chosen, robot)
    theta[chosen.rotors.start:] = 0.0
    rigid = equations.predicted(theta)
    gains, deviations = np.ones(robot.n), np.zeros(robot.n)
    for k, joint in enumerate(robot.joints):
        rows = equations.counted[:, k]
        if not rows.any():
            continue
        others = equations.Y[rows, k][:, chosen.rotors.start:]
        columns = np.column_stack([rigid[rows, k], others[:, np.abs(others).max(axis=0) > 0.0]])
        sizes = np.maximum(np.linalg.norm(columns, axis=0), 1e-300)
        current = equations.tau[rows, k]
        u, s, vt = np.linalg.svd(columns / sizes, full_matrices=False)
        inverse = np.where(s > 1e-7 * s[0], 1.0 / np.maximum(s, 1e-300), 0.0)
        found = (vt.T * inverse) @ (u.T @ current) / sizes
        left = current - columns @ found
        spread = float(np.sqrt(left @ left / max(1, len(left) - len(s))
                               * np.sum((vt[:, 0] * inverse) ** 2))) / sizes[0]
        if not found[0] > 3.0 * spread:
            raise RecordingError(
                f'{recordings[0].source}: the current of {joint} does not show what the masses of '
                f'{robot.path} weigh ({found[0]:.3g} ± {spread:.2g} per N m), so that its drive '
                'gain cannot be found; give --drive-gains as numbers, or a file with inertials')
        gains[k], deviations[k] = 1.0 / found[0], spread / found[0] ** 2
    return gains, deviations


def _payload(robot: Robot, chosen: ParameterSet, trained: Equations, judge: Equations | None,
             before: np.ndarray, cutoff: float | None, remarks: list[str]) -> Identified:
    """Look for ten numbers at the tool's body, and offsets; the arm is as its file says."""
    frame = robot.tree.frames[robot.tree.payload_frame]
    names = (*(f'payload {name}' for name in INERTIAL),
             *(f'{joint} {name}' for name in JOINT for joint in robot.joints))
    own = ParameterSet(chosen.tree._replace(rotors=(), couplings=()), names, 1, np.eye(robot.n),
                       np.ones(robot.n))
    columns = [*range(frame.body * TEN, frame.body * TEN + TEN)]
    for name in JOINT:
        place = chosen.of_joints(name)
        columns += range(place.start, place.stop)
    rest = before  # the arm as its file says
    known = [replace(equations, chosen=own, Y=equations.Y[:, :, columns],
                     known=equations.predicted(rest))
             for equations in (trained, judge) if equations is not None]
    theta = np.zeros(own.size)
    theta[[0, 4, 7, 9]] = BALL_MASS, *[BALL_MASS * BALL_SIZE ** 2] * 3
    theta[:TEN] = ten_of(express(inertia_from(theta[:TEN].tolist()), frame.rotation,
                                 frame.translation))
    spread = np.full(own.size, 0.1 * max(float(np.abs(trained.tau).mean()), 1e-6))
    used = np.zeros(own.size, bool)
    used[:TEN] = True
    used[own.of_joints('offset')] = trained.counted.any(axis=0)
    prior = Prior(np.where(used, theta, 0.0), spread, np.ones(own.size))
    structure = base_of(known[0].Y.reshape(-1, own.size), 1e-8)
    fit = fitted(known[0], structure, prior, used, search=False, exact=cutoff is None)
    return Identified(robot, own, fit, prior, cutoff, known[0], known[-1], judge is not None,
                      plain_least_squares(known[0], used), np.zeros(own.size), tuple(remarks))


def in_payload_frame(robot: Robot, ten: np.ndarray) -> Inertia:
    """Return a payload's inertia about the payload frame, of its ten numbers on its body."""
    frame = robot.tree.frames[robot.tree.payload_frame]
    back = scale(transpose_times(frame.rotation, frame.translation), -1.0)
    return express(inertia_from(ten.tolist()), transpose(frame.rotation), back)


def not_shown(found: Identified) -> list[str]:
    """Return the base parameters that the motion does not tell from zero or from noise."""
    fit = found.fit
    names = fit.base.names(found.chosen.names)
    scale_ = np.abs(fit.base.reduced(fit.theta)) + 1e-12
    return [name for name, deviation, size in zip(names, fit.base_deviation, scale_)
            if deviation > size]
