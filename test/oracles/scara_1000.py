# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
SCARA with gears, rotors and payload on way-points: closed forms of paper 004.

Pawar, M. and Shen, W., 'Dynamics and Control of a SCARA Manipulator', NYU Tandon School of
Engineering; details the paper leaves open come from public sheets of the same course project.
q = (th1, th2, d3, th4); d3 is positive DOWNWARD. The paper numbers no equations.
"""

import numpy as np

# Parameters printed in the paper [m, kg, kg m^2]; gravity is ours.
D0, A1, A2 = 1.0, 0.5, 0.5
L1, L2 = 0.25, 0.25
M1, M2, M3 = 25.0, 25.0, 10.0
I1, I2, I4 = 5.0, 5.0, 1.0
GRAVITY = 9.81
PAYLOAD = 5.0  # point mass at the tip, unknown to the controller in the robust experiment

# Motors: gear ratio (joint 3 in rad/m), rotor inertia [kg m^2], motor-side friction [N m s/rad].
GEAR_RATIO = np.array([1.0, 1.0, 50.0, 20.0])
ROTOR_INERTIA = np.array([1e-4, 1e-4, 0.01, 0.005])
MOTOR_FRICTION = np.array([1e-4, 1e-4, 0.01, 0.005])
JOINT_FRICTION = GEAR_RATIO**2 * MOTOR_FRICTION

LOWER = np.array([-np.pi / 2, -np.pi / 2, 0.25, -2 * np.pi])
UPPER = np.array([np.pi / 2, np.pi / 4, 1.0, 2 * np.pi])

# Way-points [m], times [s], anticipation [s] and acceleration factor k (a = k L / T^2).
WAY_POINTS = np.array([
    [0.0, -0.8, 0.0], [0.0, -0.8, 0.5], [0.5, -0.6, 0.5], [0.8, 0.0, 0.5], [0.8, 0.0, 0.0]])
WAY_TIMES = np.array([0.0, 0.6, 2.0, 3.4, 4.0])
ANTICIPATION = 0.2
ACCELERATION_FACTOR = 5.0


def link_mass_matrix(q: np.ndarray, payload: float = 0.0) -> np.ndarray:
    """
    Return the part (4, 4) of B that the links and a point payload [kg] at the tip make.

    The paper's b33 lacks the payload, though its b11 and its gravity have it; here it is there.
    """
    c2, m34 = np.cos(q[1]), M3 + payload
    b11 = (L1**2 * M1 + (A1**2 + L2**2 + 2.0 * A1 * L2 * c2) * M2
           + (A1**2 + A2**2 + 2.0 * A1 * A2 * c2) * m34 + I1 + I2 + I4)
    b12 = (L2**2 + A1 * L2 * c2) * M2 + (A2**2 + A1 * A2 * c2) * m34 + I2 + I4
    b22 = L2**2 * M2 + A2**2 * m34 + I2 + I4
    return np.array([
        [b11, b12, 0.0, I4], [b12, b22, 0.0, I4], [0.0, 0.0, m34, 0.0], [I4, I4, 0.0, I4]])


def rotor_mass_matrix() -> np.ndarray:
    """
    Return the part (4, 4) of B that the rotors make: T = sum I_m (z.w_carrier + kr v)^2 / 2.

    Each rotor spins about its joint's axis on the link before it. Axis 3 points down, hence
    B13 = -kr3 Im3.
    """
    spin = np.array([
        [GEAR_RATIO[0], 0.0, 0.0, 0.0],
        [1.0, GEAR_RATIO[1], 0.0, 0.0],
        [-1.0, -1.0, GEAR_RATIO[2], 0.0],
        [1.0, 1.0, 0.0, GEAR_RATIO[3]]])
    return spin.T @ (ROTOR_INERTIA[:, None] * spin)


def mass_matrix(q: np.ndarray, payload: float = 0.0) -> np.ndarray:
    """Return B (4, 4), links, rotors and payload."""
    return link_mass_matrix(q, payload) + rotor_mass_matrix()


def coriolis_matrix(q: np.ndarray, v: np.ndarray, payload: float = 0.0) -> np.ndarray:
    """Return C (4, 4); B' - 2 C is skew; the rotors add nothing, their part of B is constant."""
    C = np.zeros((4, 4))
    k = -(A1 * L2 * M2 + A1 * A2 * (M3 + payload)) * np.sin(q[1])
    C[0, 0], C[0, 1], C[1, 0] = k * v[1], k * (v[0] + v[1]), -k * v[0]
    return C


def gravity_vector(payload: float = 0.0) -> np.ndarray:
    """Return G (4,) = (0, 0, -(m3 + payload) g, 0); d3 points down."""
    return np.array([0.0, 0.0, -(M3 + payload) * GRAVITY, 0.0])


def friction_force(v: np.ndarray) -> np.ndarray:
    """Return the joint-side viscous friction kr^2 Fm v (4,)."""
    return JOINT_FRICTION * v


def bias_force(q: np.ndarray, v: np.ndarray, payload: float = 0.0) -> np.ndarray:
    """Return h = C v + G (4,), without friction."""
    return coriolis_matrix(q, v, payload) @ v + gravity_vector(payload)


def nonlinear_terms(q: np.ndarray, v: np.ndarray, payload: float = 0.0) -> np.ndarray:
    """Return the paper's n = C v + Fv v + G (4,): B a + n = u."""
    return bias_force(q, v, payload) + friction_force(v)


def tool_pose(q: np.ndarray) -> np.ndarray:
    """Return (x, y, z, yaw); z = d0 - d3 (the paper's DH table and 0T4 contradict each other)."""
    th1, th12 = q[0], q[0] + q[1]
    return np.array([
        A1 * np.cos(th1) + A2 * np.cos(th12),
        A1 * np.sin(th1) + A2 * np.sin(th12),
        D0 - q[2],
        th12 + q[3]])


def tool_jacobian(q: np.ndarray) -> np.ndarray:
    """Return J (4, 4) of (x, y, z, yaw); J33 = -1 (the paper prints +1)."""
    s1, s12 = A1 * np.sin(q[0]), A2 * np.sin(q[0] + q[1])
    c1, c12 = A1 * np.cos(q[0]), A2 * np.cos(q[0] + q[1])
    return np.array([
        [-s1 - s12, -s12, 0.0, 0.0],
        [c1 + c12, c12, 0.0, 0.0],
        [0.0, 0.0, -1.0, 0.0],
        [1.0, 1.0, 0.0, 1.0]])


def tool_jacobian_rate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return J' (4, 4); the printed one has constants in rows 3 and 4 and wrong factors above."""
    w1, w12 = v[0], v[0] + v[1]
    s1, s12 = A1 * np.sin(q[0]) * w1, A2 * np.sin(q[0] + q[1]) * w12
    c1, c12 = A1 * np.cos(q[0]) * w1, A2 * np.cos(q[0] + q[1]) * w12
    rate = np.zeros((4, 4))
    rate[0, :2] = -c1 - c12, -c12
    rate[1, :2] = -s1 - s12, -s12
    return rate


def inverse_kinematics(pose: np.ndarray, elbow: int = -1) -> np.ndarray:
    """Return q (4,) for (x, y, z, yaw); elbow = sign of th2, -1 is the one inside the limits."""
    x, y, z, yaw = pose
    c2 = (x * x + y * y - A1 * A1 - A2 * A2) / (2.0 * A1 * A2)
    th2 = elbow * np.arccos(c2)
    th1 = np.arctan2(y, x) - np.arctan2(A2 * np.sin(th2), A1 + A2 * c2)
    return np.array([th1, th2, D0 - z, yaw - th1 - th2])


def trapezoid(t: float, length: float, duration: float) -> tuple[float, float, float]:
    """
    Return s, s', s'' of a rest-to-rest trapezoid of velocity with acceleration k L / T^2.

    Corrects the paper: acceleration 5 L / T^2, blend time with the distance under the root, and
    (tf - t)^2 in the last branch. Before 0 and after T the ends are held.
    """
    acc = ACCELERATION_FACTOR * length / duration**2
    blend = duration / 2.0 * (1.0 - np.sqrt(1.0 - 4.0 / ACCELERATION_FACTOR))
    if t <= 0.0:
        return 0.0, 0.0, 0.0
    if t >= duration:
        return length, 0.0, 0.0
    if t <= blend:
        return acc * t**2 / 2.0, acc * t, acc
    if t <= duration - blend:
        return acc * blend * (t - blend / 2.0), acc * blend, 0.0
    left = duration - t
    return length - acc * left**2 / 2.0, acc * left, -acc


def segment_times(mode: str = 'siciliano') -> np.ndarray:
    """
    Return (start, end) of the four segments, (4, 2) [s].

    'siciliano': every segment is brought forward by the sum of the anticipations before it, as the
    paper prints; the motion ends at 3.4 s. 'fixed_arrival': segments start early but still arrive
    at the given times.
    """
    shift = ANTICIPATION * np.arange(4)
    start, end = WAY_TIMES[:-1], WAY_TIMES[1:]
    if mode == 'siciliano':
        return np.column_stack([start - shift, end - shift])
    if mode == 'fixed_arrival':
        return np.column_stack([start - np.minimum(shift, ANTICIPATION), end])
    raise ValueError(f"unknown mode {mode!r}, expected 'siciliano' or 'fixed_arrival'")


def way_point_path(
        t: float, mode: str = 'siciliano') -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return position, velocity, acceleration, each (x, y, z, yaw) with yaw = 0, at time t."""
    position, velocity, acceleration = np.append(WAY_POINTS[0], 0.0), np.zeros(4), np.zeros(4)
    for j, (start, end) in enumerate(segment_times(mode)):
        step = WAY_POINTS[j + 1] - WAY_POINTS[j]
        length = np.linalg.norm(step)
        s, rate, acc = trapezoid(t - start, length, end - start)
        direction = step / length
        position[:3] += s * direction
        velocity[:3] += rate * direction
        acceleration[:3] += acc * direction
    return position, velocity, acceleration


def clik_acceleration(
        q: np.ndarray, v: np.ndarray, t: float, kp: float, kd: float,
        mode: str = 'siciliano') -> np.ndarray:
    """
    Return q'' (4,) of the second-order closed-loop inverse kinematics.

    q'' = J^-1 (x''_d + kd (x'_d - J v) + kp (x_d - x) - J' v).
    """
    x_d, xd_d, xdd_d = way_point_path(t, mode)
    J = tool_jacobian(q)
    task = (xdd_d + kd * (xd_d - J @ v) + kp * (x_d - tool_pose(q))
            - tool_jacobian_rate(q, v) @ v)
    return np.linalg.solve(J, task)
