# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Write what was identified into the robot's URDF, to the last bit.

A body's inertia goes to the link behind its joint; links welded to it are part of it and lose
their own. Viscous and Coulomb friction go to <dynamics>, the rest of friction, rotors and coupled
motors to <robodyn>, which other readers pass over. An offset belongs to the measurement, so it
stays in the report.
"""
from __future__ import annotations

from xml.etree import ElementTree

import numpy as np

from robodyn_ros.identification.parameters import friction_of, ParameterSet
from robodyn_ros.mechanics.inertia import express, inertia_from
from robodyn_ros.mechanics.tree import Frame, Friction, Inertia
from robodyn_ros.mechanics.vector import scale, transpose, transpose_times
from robodyn_ros.robots.estimates import write_inertial
from robodyn_ros.robots.robot import Robot
from robodyn_ros.robots.urdf.elements import parsed
from robodyn_ros.robots.urdf.records import Inertial

DIGITS = 17


def identified_text(robot: Robot, chosen: ParameterSet, theta: np.ndarray, velocity: np.ndarray,
                    note: str) -> str:
    """
    Return the text of the robot's URDF with identified inertials, friction and rotors.

    :param velocity: breakaway velocities (axes,)
    :param note: for a comment at its beginning
    """
    root = parsed(robot.urdf, robot.path)
    links = {str(link.get('name')): link for link in root.findall('link')}
    joints = {str(joint.get('name')): joint for joint in root.findall('joint')}
    for k, body in enumerate(chosen.tree.bodies):
        child = joints[body.joint].find('child')
        assert child is not None
        main = str(child.get('link'))
        for name, frame in robot.tree.frames.items():
            if frame.body == k:
                for old in links[name].findall('inertial'):
                    links[name].remove(old)
        inertia = inertia_from(theta[chosen.of_body(k)].tolist())
        write_inertial(links[main], inertial_in(robot.tree.frames[main], inertia), DIGITS)
    laws = friction_of(chosen, theta, velocity)
    block = root.find('robodyn')
    if block is None:
        block = ElementTree.SubElement(root, 'robodyn')
    for joint, law in zip(robot.joints, laws):  # those of coupled motors follow
        element = joints[joint]
        for old in element.findall('dynamics'):
            element.remove(old)
        ElementTree.SubElement(element, 'dynamics', damping=_word(law.viscous),
                               friction=_word(law.coulomb))
        for old in block.findall('friction'):
            if old.get('joint') == joint:
                block.remove(old)
        if law.coulomb or law.breakaway or law.saturating:
            ElementTree.SubElement(block, 'friction', {'joint': joint, **_peak(law)})
    _write_rotors(block, robot, chosen, theta)
    for old in block.findall('coupling'):
        block.remove(old)
    for motor, inertia, law in zip(chosen.tree.couplings, theta[chosen.couplings],
                                   laws[robot.n:]):
        ElementTree.SubElement(block, 'coupling', {
            'joint': chosen.tree.bodies[motor.joint].joint,
            'other': chosen.tree.bodies[motor.other].joint, 'ratio': _word(motor.ratio),
            'inertia': _word(inertia), 'damping': _word(law.viscous),
            'friction': _word(law.coulomb), **_peak(law)})
    ElementTree.indent(root)
    return (f'<?xml version="1.0"?>\n<!-- {note.replace("--", "- -")} -->\n'
            f'{ElementTree.tostring(root, encoding="unicode")}\n')


def inertial_in(frame: Frame, inertia: Inertia) -> Inertial:
    """Return a body's inertia as the <inertial> of a link whose frame sits on the body."""
    back = scale(transpose_times(frame.rotation, frame.translation), -1.0)
    own = express(inertia, transpose(frame.rotation), back)
    mass = float(own.mass)  # type: ignore[arg-type]
    centre = np.array(own.moment, dtype=float) / mass
    tensor = np.array(own.tensor, dtype=float) - mass * (
        centre @ centre * np.eye(3) - np.outer(centre, centre))
    return Inertial(mass, tuple(centre.tolist()), (0.0, 0.0, 0.0),  # type: ignore[arg-type]
                    tuple(float(tensor[i, j]) for i in range(3)  # type: ignore[arg-type]
                          for j in range(i, 3)))


def _write_rotors(block: ElementTree.Element, robot: Robot, chosen: ParameterSet,
                  theta: np.ndarray) -> None:
    """Give the rotors of the file their inertias, and add those that it lacks."""
    known = {joint: iter([one for one in block.findall('rotor') if one.get('joint') == joint])
             for joint in {rotor.get('joint') for rotor in block.findall('rotor')}}
    for rotor, value in zip(chosen.tree.rotors, theta[chosen.rotors]):
        joint = chosen.tree.bodies[rotor.joint].joint
        element = next(known.get(joint, iter(())), None)
        if element is None:
            if not value:
                continue
            element = ElementTree.SubElement(block, 'rotor', joint=joint, ratio=_word(rotor.ratio))
        element.set('inertia', _word(float(value) / rotor.ratio ** 2))


def _peak(law: Friction) -> dict[str, str]:
    """Return the attributes of friction that <dynamics> does not have."""
    more = {} if not law.saturating else {
        'saturating': _word(law.saturating), 'saturation': _word(law.saturation)}
    return {'breakaway': _word(law.breakaway), 'breakaway_velocity': _word(law.velocity), **more}


def _word(value: float) -> str:
    return f'{value:.{DIGITS}g}'
