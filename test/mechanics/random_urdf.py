# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Random robots as URDF text: branches, welded links, prismatic and continuous joints, any axis.

Every link has an inertia a real body could have (that of a box, turned). Link b0 is the base,
links l0, l1, ... move with joints j0, j1, ...; links w0, w1, ... are welded to them, some with an
inertial and some without, some to the base.
"""

import numpy as np

RIGHT = (0.0, 0.5 * np.pi, -0.5 * np.pi, np.pi)  # angles whose matrices have exact zeros
KINDS = ('revolute', 'continuous', 'prismatic')


def random_urdf(rng, joints, welded=3, straight=0.4, chain=0.5):
    """
    Return the text of a random robot.

    :param joints: number of moving joints
    :param welded: number of links behind fixed joints
    :param straight: share of axes and turns along coordinate axes, as most robots have them
    :param chain: chance that a link hangs on the one before it and not on any
    """
    parts = ['<robot name="random">', '<link name="b0"/>']
    links = ['b0']
    names = ['j'] * joints + ['w'] * welded
    rng.shuffle(names)
    moving = weld = 0
    for kind in names:
        parent = links[-1] if rng.random() < chain else str(rng.choice(links))
        if kind == 'j':
            name, joint = f'l{moving}', f'j{moving}'
            motion, moving = str(rng.choice(KINDS)), moving + 1
            heavy = True
        else:
            name, joint, motion, weld = f'w{weld}', f'f{weld}', 'fixed', weld + 1
            heavy = rng.random() < 0.7
        parts.append(_link(rng, name, heavy, straight))
        parts.append(_joint(rng, joint, motion, parent, name, straight))
        links.append(name)
    return '\n'.join([*parts, '</robot>'])


def with_rotors(rng, text, links, joints):
    """Return the text with a rotor for every joint, on any link, about any axis, and couplings."""
    rotors = ''.join(
        f'<rotor joint="{joint}" carrier="{rng.choice(links)}" '
        f'axis="{_words(rng.normal(size=3))}" inertia="{rng.uniform(1e-4, 0.02)!r}" '
        f'ratio="{rng.uniform(-60.0, 60.0)!r}"/>'
        for joint in joints)
    couplings = ''.join(
        f'<coupling joint="{joint}" other="{other}" ratio="{rng.normal()!r}" '
        f'inertia="{rng.uniform(0.01, 0.2)!r}"/>' for joint, other in zip(joints[1:], joints))
    return text.replace('</robot>', f'<robodyn>{rotors}{couplings}</robodyn></robot>')


def _words(values):
    return ' '.join(repr(float(x)) for x in values)


def _turn(rng, straight):
    if rng.random() < straight:
        return rng.choice(RIGHT, 3)
    return rng.uniform(-np.pi, np.pi, 3)


def _link(rng, name, heavy, straight):
    if not heavy:
        return f'<link name="{name}"/>'
    mass, sides = rng.uniform(0.2, 5.0), rng.uniform(0.05, 0.6, 3)
    moments = mass / 12.0 * (np.sum(sides ** 2) - sides ** 2)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    tensor = turn @ np.diag(moments) @ turn.T
    entries = ' '.join(f'i{"xyz"[i]}{"xyz"[j]}="{float(tensor[i, j])!r}"'
                       for i in range(3) for j in range(i, 3))
    return (f'<link name="{name}"><inertial><origin xyz="{_words(rng.uniform(-0.3, 0.3, 3))}" '
            f'rpy="{_words(_turn(rng, straight))}"/><mass value="{float(mass)!r}"/>'
            f'<inertia {entries}/></inertial></link>')


def _joint(rng, name, motion, parent, child, straight):
    axis = rng.normal(size=3)
    if rng.random() < straight:
        axis = np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 1.0])
    axis = axis / np.linalg.norm(axis)
    moves = '' if motion == 'fixed' else (
        f'<axis xyz="{_words(axis)}"/>'
        '<limit lower="-3" upper="3" velocity="5" effort="50"/>')
    return (f'<joint name="{name}" type="{motion}"><parent link="{parent}"/>'
            f'<child link="{child}"/><origin xyz="{_words(rng.uniform(-0.5, 0.5, 3))}" '
            f'rpy="{_words(_turn(rng, straight))}"/>{moves}</joint>')
