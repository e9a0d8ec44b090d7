# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A control law is traced in one place: what the plant refuses, a law alone refuses too."""

import numpy as np
import pytest
from robodyn_ros import Control, load_robot, Plant, State
from robodyn_ros.errors import RobodynError, SizeError, TracingError
from robodyn_ros.plant.control_law import CompiledLaw

ARM = load_robot('scara_450')
WRONG = {
    'too few': (lambda t, q, v, r, p: [1.0, 2.0], SizeError, 'expected 4, got 2'),
    'too many': (lambda t, q, v, r, p: [1.0] * 6, SizeError, 'expected 4, got 6'),
    'none': (lambda t, q, v, r, p: [], SizeError, 'expected 4, got 0'),
    'words': (lambda t, q, v, r, p: list('abcd'), TracingError, 'expected numbers'),
    'nothing': (lambda t, q, v, r, p: None, TracingError, 'one torque per joint'),
    'a branch': (lambda t, q, v, r, p: q if t > 0 else v, TracingError, 'where'),
    'an error': (lambda t, q, v, r, p: [p['k']] * 4, TracingError, "KeyError: 'k'"),
}


@pytest.mark.parametrize('name', WRONG)
def test_a_wrong_law_is_refused_by_plant_and_controller(name):
    """With one sentence, the same, before anything is compiled."""
    law, error, words = WRONG[name]
    control = Control(law, 0, {'gain': 1.0})
    sentences = []
    for make in (lambda: Plant(ARM, control=control), lambda: CompiledLaw(ARM.name, 4, control)):
        with pytest.raises(error, match=words) as caught:
            make()
        sentences.append(str(caught.value))
    assert sentences[0] == sentences[1] and '\n' not in sentences[0]


def test_a_law_alone_gives_the_torques_of_the_plant():
    """To the last bit, at random states, with changed parameters too."""
    def law(t, q, v, r, p):
        return [p['kp'] * (d - x) - p['kd'] * y + t for d, x, y in zip(r, q, v)]

    control = Control(law, 4, {'kp': 30.0, 'kd': 2.0})
    alone, plant = CompiledLaw(ARM.name, 4, control), Plant(ARM, control=control)
    random = np.random.default_rng(4)
    for kp in (30.0, 7.5):
        alone.use(alone.prepared({'kp': kp}))
        for _ in range(20):
            q, v, r = random.uniform(-1.0, 1.0, (3, 4))
            run = plant.rollout(State(0.5, q, v), steps=1, reference=r[None],
                                parameters={'controller.kp': kp})
            assert np.array_equal(alone(0.5, q, v, r), run.tau[0])


def test_a_law_without_parameters_and_reference():
    """Constant torques need neither."""
    alone = CompiledLaw(ARM.name, 4, Control(lambda t, q, v, r, p: [1.0, 2.0, 3.0, 4.0], 0, {}))
    assert alone(0.0, np.zeros(4), np.zeros(4), np.zeros(0)).tolist() == [1.0, 2.0, 3.0, 4.0]
    with pytest.raises(RobodynError, match='unknown parameter'):
        alone.prepared({'kp': 1.0})


def test_a_law_with_memory_sees_its_memory_beside_errors_of_the_state():
    """The errors that end a reference are not taken for the memory."""
    law = Control(lambda t, q, v, r, p, z: ([z[0] + q[0], z[1] + r[0]], [z[0] + 1.0, z[1] * 2.0]),
                  1, {}, memory=(3.0, 5.0), noisy=True)
    of = Plant(load_robot('two_link'), control=law)
    reference = np.array([[0.5, 0.01, 0.02, 0.03, 0.04]] * 3)
    motion = of.rollout(State(0.0, np.array([0.2, 0.1]), np.zeros(2)), steps=2,
                        reference=reference)
    assert np.allclose(motion.tau[0], [3.0 + 0.2 + 0.01, 5.5], rtol=1e-15)
    assert np.allclose(motion.tau[1], [4.0 + motion.q[1, 0] + 0.01, 10.5], rtol=1e-15)
    assert motion.memory.tolist()[:2] == [[4.0, 10.0], [5.0, 20.0]]
