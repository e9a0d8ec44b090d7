# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A push from outside: the power of a wrench at its frame, as long as it lasts, or a sentence."""
import numpy as np
import pytest
from robodyn_ros import load_robot
from robodyn_ros.errors import MessageRefused
from robodyn_ros.nodes.dynamics.external_wrench import ExternalWrench

ROBOT = load_robot('irb120')
NAN = float('nan')


@pytest.fixture(scope='module')
def pushed():
    """Return one whose frames are compiled."""
    made = ExternalWrench(ROBOT, 'tool0')
    for frame in ('tool0', 'link_3'):
        with pytest.raises(MessageRefused, match='is being compiled, until then nothing pushes'):
            made.take(frame, [0.0] * 6, 1)
        made._making.join()
    return made


@pytest.mark.parametrize('frame', ['tool0', 'link_3', ''])
def test_a_wrench_has_the_power_it_has_at_its_frame(pushed, frame):
    """Joint rates times efforts = force times velocity + torque times rate, in its own axes."""
    random = np.random.default_rng(3)
    for _ in range(10):
        q, v = random.uniform(-1.0, 1.0, (2, ROBOT.n))
        wrench = random.uniform(-9.0, 9.0, 6)
        pushed.take(frame, wrench, 5)
        linear, angular = ROBOT.velocity(frame or 'tool0', q, v)
        turned = ROBOT.frame(frame or 'tool0', q).rotation
        power = turned @ wrench[:3] @ linear + turned @ wrench[3:] @ angular
        assert pushed.efforts(q, 4) @ v == pytest.approx(power, rel=1e-9, abs=1e-9)


def test_it_ends_by_itself_and_by_a_stop(pushed):
    """At its period; the next one begins anew."""
    q = np.zeros(ROBOT.n)
    pushed.take('tool0', [1.0, 0.0, 0.0, 0.0, 0.0, 0.0], 7)
    assert pushed.efforts(q, 6) is not None and pushed.efforts(q, 7) is None
    pushed.take('tool0', [1.0, 0.0, 0.0, 0.0, 0.0, 0.0], 9)
    assert pushed.efforts(q, 8) is not None
    pushed.stop()
    assert pushed.efforts(q, 8) is None


@pytest.mark.parametrize('frame, wrench, words', [
    ('nowhere', [0.0] * 6, "unknown frame 'nowhere'"), ('tool0', [NAN] + [0.0] * 5, 'nan'),
    ('tool0', [0.0] * 5 + [float('inf')], 'inf'), ('tool0', [1e6] + [0.0] * 5, 'below 1e'),
    ('\x1b[31m', [0.0] * 6, 'unknown frame'), ('x' * 10 ** 6, [0.0] * 6, 'unknown frame')])
def test_what_cannot_push_leaves_what_does(pushed, frame, wrench, words):
    """One sentence, and the push under way goes on."""
    pushed.take('tool0', [5.0, 0.0, 0.0, 0.0, 0.0, 0.0], 3)
    before = pushed.efforts(np.zeros(ROBOT.n), 2)
    with pytest.raises(MessageRefused, match=words) as refused:
        pushed.take(frame, wrench, 100)
    assert str(refused.value).isprintable() and len(str(refused.value)) < 1000
    assert np.array_equal(pushed.efforts(np.zeros(ROBOT.n), 2), before)
