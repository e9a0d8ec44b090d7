# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Thousands of damaged robot files: each is a robot or one sentence, never anything else.

Mutations are seeded: the failing text is printed and can be loaded again.
"""

import copy
from importlib.util import find_spec
import random
import warnings
from xml.etree import ElementTree

import numpy as np
import pytest
from robodyn_ros.errors import RobodynError
from robodyn_ros.mechanics import equations
from robodyn_ros.robots.robot import load_robot, robot_from_text, robot_names
from robots.small import TEXT

TEXTS = {**{name: load_robot(name).urdf for name in robot_names()}, 'small': TEXT}
WORDS = ('', ' ', '0', '-0.0', '1', '-1', 'nan', 'inf', '-inf', '1e308', '-1e-320', '1e29', 'x',
         '0 0 0', '1 2 3', '0 0 nan', '1 2', 'base_link', 'link_1', 'joint_1', 'tool0', 'fixed',
         'continuous', 'prismatic', 'planar', 'x y yaw', '\u0663', '1_0', 'a' * 200, '<&">')
ELEMENT_MUTATIONS, BYTE_MUTATIONS = 4000, 4000
TRACED_EVERY = 25


def outcome(text):
    """Return the robot or None; anything but a RobodynError, warnings included, fails."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            return robot_from_text(text, 'fuzzed.urdf')
    except RobodynError as error:
        assert str(error) and '\n' not in str(error), repr(str(error))
        return None
    except Exception as error:  # noqa: B902  that is what the test looks for
        pytest.fail(f'{error!r} from\n{text}')


def trace(arm):
    """Record M and h and let Python read the source; evaluate them by floats."""
    compile(arm.compiled.program('mass_and_bias').source, 'fuzzed', 'exec')
    zero = [0.0] * arm.n
    M, h = equations.mass_and_bias(arm.tree, arm.parameters, zero, zero)
    assert np.isfinite(M).all() and np.isfinite(h).all(), arm.urdf


def mutate_elements(rng, root):
    """Drop, double, move or alter elements and attributes."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        parents = [e for e in root.iter() if len(e)]
        parent = rng.choice(parents)
        child = rng.choice(list(parent))
        action = rng.randrange(7)
        if action == 0:
            parent.remove(child)
        elif action == 1:
            parent.append(copy.deepcopy(child))
        elif action == 2:
            rng.choice(parents).append(copy.deepcopy(child))
        elif action == 3:
            child.tag = rng.choice(('link', 'joint', 'inertial', 'limit', 'rotor', 'loop', 'x'))
        elif child.attrib:
            key = rng.choice(sorted(child.attrib))
            if action == 4:
                del child.attrib[key]
            elif action == 5:
                child.set(key, rng.choice(WORDS))
            else:
                donor = rng.choice([e for e in root.iter() if e.attrib])
                child.set(key, rng.choice(sorted(donor.attrib.values())))


def mutate_characters(rng, text):
    """Delete, double, swap or overwrite a few characters, or cut the end."""
    for _ in range(rng.choice((1, 2, 8))):
        a, b = sorted(rng.randrange(len(text)) for _ in range(2))
        b = min(b, a + rng.choice((1, 3, 40)))
        action = rng.randrange(5)
        if action == 0:
            text = text[:a] + text[b:]
        elif action == 1:
            text = text[:b] + text[a:]
        elif action == 2:
            text = text[:a] + rng.choice('\0\t"&-<>e\xe9\u263a') + text[b:]
        elif action == 3:
            text = text[:a] + text[a:b][::-1] + text[b:]
        else:
            text = text[:max(1, b)] if rng.random() < 0.1 else text[:a] + text[b - 1:]
    return text


def without_shapes(text):
    """Return the tree of a text without the shapes, which nobody here reads."""
    root = ElementTree.fromstring(text)
    for link in root.findall('link'):
        for shape in link.findall('visual') + link.findall('collision'):
            link.remove(shape)
    for material in root.findall('material'):
        root.remove(material)
    return root


@pytest.mark.parametrize('name', TEXTS)
def test_altered_elements_give_a_robot_or_one_sentence(name):
    """Elements and attributes dropped, doubled, moved and altered."""
    rng, root, loaded = random.Random(141), without_shapes(TEXTS[name]), 0
    count = ELEMENT_MUTATIONS // len(TEXTS)
    for _ in range(count):
        changed = copy.deepcopy(root)
        mutate_elements(rng, changed)
        arm = outcome(ElementTree.tostring(changed, encoding='unicode'))
        loaded += arm is not None
        if arm is not None and loaded % TRACED_EVERY == 1:
            trace(arm)
    assert 0.1 * count < loaded < 0.9 * count, f'{loaded} of {count}: too tame or too wild'


@pytest.mark.parametrize('name', TEXTS)
def test_altered_characters_give_a_robot_or_one_sentence(name):
    """Characters deleted, doubled, reversed and overwritten, ends cut."""
    rng, loaded = random.Random(142), 0
    text = ElementTree.tostring(without_shapes(TEXTS[name]), encoding='unicode')
    for _ in range(BYTE_MUTATIONS // len(TEXTS)):
        arm = outcome(mutate_characters(rng, text))
        loaded += arm is not None
        if arm is not None and loaded % TRACED_EVERY == 1:
            trace(arm)


def test_what_loads_does_not_depend_on_shapes():
    """The stripped texts of this test are the robots of the package."""
    for name in robot_names():
        stripped = ElementTree.tostring(without_shapes(TEXTS[name]), encoding='unicode')
        assert robot_from_text(stripped).tree == load_robot(name).tree


@pytest.mark.skipif(not find_spec('hypothesis'), reason='needs hypothesis')
def test_any_text_gives_a_robot_or_one_sentence():
    """Texts that hypothesis finds interesting, whole and inside an attribute."""
    from hypothesis import given, settings, strategies

    @settings(max_examples=60, deadline=None, derandomize=True, database=None)
    @given(strategies.text(max_size=60))
    def check(word):
        outcome(word)
        root = ElementTree.fromstring(TEXT)
        for element, key in ((root.find('.//mass'), 'value'), (root.find('.//limit'), 'lower'),
                             (root.find('.//origin'), 'xyz'), (root.find('.//rotor'), 'ratio'),
                             (root.find('.//loop'), 'axes'), (root.find('link'), 'name')):
            before = element.get(key)
            element.set(key, word)
            outcome(ElementTree.tostring(root, encoding='unicode'))
            element.set(key, before)

    check()
