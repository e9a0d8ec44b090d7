# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The closed loops the tests share, and control laws evaluated without a compiler.

Gains, payload and the model are run-time parameters of these plants, step and control period are
arguments of the compiled loop; so each robot's loop is compiled once, and it is the same one that
its scenario uses.
"""

from functools import cache

import numpy as np
from robodyn_ros import computed_torque, load_robot, Plant, Reference, robust
from robodyn_ros.tracing import evaluate, Graph, inputs
from robodyn_ros.trajectories.joint_space import JointSine

robot = cache(load_robot)

CONTROLS = {
    'scara_450': lambda r: computed_torque(r, natural_frequency=20.0),
    'two_link': lambda r: computed_torque(r, kp=1.0, kd=1.0),
    'irb120': lambda r: computed_torque(r, natural_frequency=20.0, saturate=False,
                                        friction_velocity='measured'),
    'scara_1000': lambda r: robust(r, kp=900.0, kd=60.0, rho=0.0, epsilon=0.06,
                                   friction_velocity='measured'),
}
"""scara_1000's loop has the robust term, off while rho is 0: then it is computed torque."""


@cache
def closed_loop(name, step=1e-3, period=1):
    """Return a robot's plant with its control law compiled in."""
    return Plant(robot(name), control=CONTROLS[name](robot(name)), step=step,
                 control_period=period)


def gain_parameters(name, kp, kd):
    """Return run-time parameters for gains per joint."""
    joints = robot(name).joints
    return {**{f'controller.kp.{j}': float(x) for j, x in zip(joints, kp)},
            **{f'controller.kd.{j}': float(x) for j, x in zip(joints, kd)}}


def sine(name, duration, period, size=0.2, rate=2.0):
    """Return a gentle reference for all joints, about a centre within the limits."""
    r = robot(name)
    centre = np.zeros(r.n)
    if name == 'scara_1000':
        centre = np.array([0.2, -0.8, 0.6, 0.0])
    if name == 'scara_450':
        centre = np.array([0.5, -0.9, 0.4, 0.0])
    motion = JointSine(tuple(size * (0.5 + 0.5 * np.arange(r.n) / r.n)), rate, tuple(centre))
    return Reference(*motion.sample(np.arange(int(round(duration / period)) + 1) * period))


def interpreted(control, n, t, q, v, reference=(), changes=None):
    """Return tau (n,) of a control law by recording it and evaluating with plain floats."""
    graph = Graph()
    names = list(control.parameters)
    t_, q_, v_ = inputs(graph, 't', 1), inputs(graph, 'q', n), inputs(graph, 'v', n)
    r_, p_ = inputs(graph, 'r', control.reference_size), inputs(graph, 'p', len(names))
    tau = control.law(t_[0], q_, v_, r_, dict(zip(names, p_)))
    values = {**control.parameters, **(changes or {})}
    given = [t, *q, *v, *reference, *(values[name] for name in names)]
    return np.array(evaluate(tau, dict(zip([*t_, *q_, *v_, *r_, *p_], given))))


def error_solution(kp, kd, e, rate, t):
    """Return the solution (k,) of e'' + kd e' + kp e = 0 from e, e' at t = 0, any damping."""
    roots = np.roots([1.0, kd, kp]).astype(complex)
    if abs(roots[0] - roots[1]) < 1e-9 * abs(roots[0]):
        return (np.exp(roots[0] * t) * (e + (rate - roots[0] * e) * t)).real
    share = (rate - roots[1] * e) / (roots[0] - roots[1])
    return (share * np.exp(roots[0] * t) + (e - share) * np.exp(roots[1] * t)).real
