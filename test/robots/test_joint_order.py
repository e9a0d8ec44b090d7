# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Values of named joints find their places, whatever the order in which they come."""

import numpy as np
import pytest
from robodyn_ros.errors import MessageRefused, ScenarioError
from robodyn_ros.robots.joint_order import JointOrder, places_of

JOINTS = ('a', 'b', 'c')


def test_places_bring_values_into_the_order_of_the_robot():
    """A gripper's joint is passed over where that is allowed."""
    assert places_of(JOINTS, ('c', 'a', 'b'), 'it') == [1, 2, 0]
    names = ['c', 'gripper', 'b', 'a']
    places = places_of(JOINTS, names, 'it', strangers=True)
    assert [names[k] for k in places] == list(JOINTS)


@pytest.mark.parametrize('names, words', [
    ('abx', "it names the unknown joint 'x'; the joints are a, b, c"),
    ('ab', "it lacks joint 'c'; name every joint of a, b, c"),
    ('abcb', "it names joint 'b' twice; name each once")])
def test_names_that_do_not_fit_are_refused(names, words):
    """With the error of whoever asks."""
    for error in (MessageRefused, ScenarioError):
        with pytest.raises(error, match=words):
            places_of(JOINTS, names, 'it', error=error)


def test_each_message_may_have_its_own_order():
    """The last one is remembered, and so is none that was refused."""
    order, values = JointOrder(JOINTS), {'a': 1.0, 'b': 2.0, 'c': 3.0}
    for names in ('abc', 'cba', 'cba', 'bac', 'abc'):
        assert order.arrange(list(names), [values[k] for k in names], 'it').tolist() == [1, 2, 3]
        with pytest.raises(MessageRefused, match="lacks joint 'c'"):
            order.arrange(['a', 'b'], [1.0, 2.0], 'it')
    with pytest.raises(MessageRefused, match='2 values for 3 joints'):
        order.arrange(list('abc'), [1.0, 2.0], 'it')
    with pytest.raises(MessageRefused, match="of joint 'b' is not finite"):
        order.arrange(list('cba'), np.array([1.0, np.inf, 2.0]), 'it')
