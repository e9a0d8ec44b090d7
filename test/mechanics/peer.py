# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The same robot in Pinocchio, built from the same text; joints in our order.

Pinocchio's model has every joint of the file; mimic joints are coupled by G: q = G q_own + offset,
M = G^T M_all G, h = G^T h_all, J = J_all G. Floating and planar joints, which ours holds, rest.
"""

import numpy as np
import pytest

pin = pytest.importorskip('pinocchio', reason='needs Pinocchio (pip install pin)')


class Peer:
    """Pinocchio's answers for the joints of one of our robots."""

    def __init__(self, robot, parameters=None):
        """Build the model; a payload becomes a body at the payload frame."""
        parameters = parameters or robot.parameters
        self.robot, self.model = robot, pin.buildModelFromXML(robot.urdf)
        self.model.gravity.linear = np.array(parameters.gravity)
        self.ids = [self.model.getJointId(name) for name in robot.all_joints]
        order = [self.model.joints[k].idx_v for k in self.ids]
        self.G = np.zeros((self.model.nv, robot.n))
        self.G[order[:robot.n], range(robot.n)] = 1.0
        for k, (_, drive) in zip(order[robot.n:], robot.mimics):
            if drive.joint >= 0:
                self.G[k, drive.joint] = drive.ratio
        if parameters.payload_mass:
            self._load(parameters)
        self.data = self.model.createData()

    def _load(self, parameters):
        frame = self.model.frames[self.model.getFrameId(self.robot.tree.payload_frame)]
        xx, yy, zz, xy, xz, yz = parameters.payload_inertia
        body = pin.Inertia(parameters.payload_mass, np.array(parameters.payload_centre),
                           np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
        self.model.appendBodyToJoint(frame.parentJoint, body, frame.placement)

    def position(self, q):
        """Return Pinocchio's configuration: cosine and sine for a continuous joint."""
        full = pin.neutral(self.model)
        for k, x in zip(self.ids, self.robot.all_positions(np.asarray(q, float))):
            joint = self.model.joints[k]
            full[joint.idx_q:joint.idx_q + joint.nq] = (
                [x] if joint.nq == 1 else [np.cos(x), np.sin(x)])
        return full

    def velocity(self, v):
        """Return Pinocchio's velocity."""
        return self.G @ v

    def mass_and_bias(self, q, v):
        """Return M (n, n) and h = C v + g (n,)."""
        q, v = self.position(q), self.velocity(v)
        upper = np.triu(pin.crba(self.model, self.data, q))
        M = upper + np.triu(upper, 1).T
        h = pin.nonLinearEffects(self.model, self.data, q, v)
        return self.G.T @ M @ self.G, self.G.T @ h

    def inverse_dynamics(self, q, v, a):
        """Return tau (n,) by recursive Newton-Euler."""
        tau = pin.rnea(self.model, self.data, self.position(q), self.velocity(v),
                       self.velocity(a))
        return self.G.T @ tau

    def frame(self, name, q, v):
        """Return rotation, position, velocity, drift and Jacobian of a frame, in base axes."""
        aligned = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        q, v = self.position(q), self.velocity(v)
        pin.forwardKinematics(self.model, self.data, q, v, 0.0 * v)
        pin.computeJointJacobians(self.model, self.data, q)
        pin.updateFramePlacements(self.model, self.data)
        k = self.model.getFrameId(name, pin.FrameType.BODY)  # a joint may have the same name
        place = self.data.oMf[k]
        jacobian = np.zeros((6, 0))
        if self.model.nv:  # without a joint Pinocchio would read what is not there
            jacobian = pin.getFrameJacobian(self.model, self.data, k, aligned).reshape(6, -1)
        drift = pin.getFrameClassicalAcceleration(self.model, self.data, k, aligned)
        speed = pin.getFrameVelocity(self.model, self.data, k, aligned)
        return (place.rotation.copy(), place.translation.copy(), speed.vector.copy(),
                drift.vector.copy(), jacobian @ self.G)

    def energy(self, q, v):
        """Return kinetic and potential energy."""
        q, v = self.position(q), self.velocity(v)
        return (pin.computeKineticEnergy(self.model, self.data, q, v),
                pin.computePotentialEnergy(self.model, self.data, q))
