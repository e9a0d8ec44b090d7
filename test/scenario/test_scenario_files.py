# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Scenario files: what may stand in them, changes by --set, and one sentence for every slip."""

import numpy as np
from plant.cases import robot
import pytest
from robodyn_ros import load_scenario, RobodynError, simulate, Simulation
from robodyn_ros.scenario.desired_motion import DesiredMotion
from robodyn_ros.scenario.schema import TrajectorySettings
from robodyn_ros.share import share_folder

GOOD = """
/**:
  ros__parameters: {robot: two_link, duration: 1.0, use_sim_time: true}
dynamics:
  ros__parameters: {step: 0.001}
controller:
  ros__parameters: {kind: computed_torque, natural_frequency: [5.0]}
trajectory:
  ros__parameters:
    kind: joint_sine
    parameters: {amplitude: [0.1, 0.2]}
"""


def written(tmp_path, text):
    """Return the path of a file with this text."""
    path = tmp_path / 'mine.yaml'
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_file_of_ones_own(tmp_path):
    """Read by path; named after the file; what is not said has its default."""
    scenario = load_scenario(written(tmp_path, GOOD))
    assert (scenario.name, scenario.robot, scenario.duration) == ('mine', 'two_link', 1.0)
    assert scenario.dynamics.integrator == 'auto' and scenario.controller.damping == 1.0
    assert scenario.controller.natural_frequency == (5.0,)
    assert scenario.controller.model.friction_scale == 1.0
    assert scenario.dynamics.friction_scale == 1.0


def test_a_robot_file_beside_the_scenario(tmp_path):
    """A URDF named without a folder is looked for where the scenario lies."""
    (tmp_path / 'arm.urdf').write_bytes((share_folder('urdf') / 'two_link.urdf').read_bytes())
    path = written(tmp_path, GOOD.replace('two_link', 'arm.urdf'))
    assert load_scenario(path).robot == str(tmp_path / 'arm.urdf')


@pytest.mark.parametrize('change, read, value', [
    ('dynamics.payload.mass=5', lambda s: s.dynamics.payload.mass, 5.0),
    ('controller.kp=[1, 2.5]', lambda s: s.controller.kp, (1.0, 2.5)),
    ('controller.kp=3', lambda s: s.controller.kp, (3.0,)),
    ('controller.saturate=false', lambda s: s.controller.saturate, False),
    ('duration=2', lambda s: s.duration, 2.0),
    ('robot=irb120', lambda s: s.robot, 'irb120'),
    ('dynamics.stabilisation={kind: baumgarte, alpha: 20, beta: 1e2}',
     lambda s: tuple(vars(s.dynamics.stabilisation).values()), ('baumgarte', 20.0, 100.0)),
    ('trajectory.parameters.amplitude=[1, 2]', lambda s: s.trajectory.parameters['amplitude'],
     [1, 2]),
    ('trajectory.hold.yaw=1', lambda s: s.trajectory.hold, {'yaw': 1.0}),
    ('dynamics.constraints=task', lambda s: s.dynamics.constraints, ('task',)),
])
def test_changes_as_of_set(tmp_path, change, read, value):
    """KEY=VALUE, the value in YAML, deep keys with dots; the last one counts."""
    path = written(tmp_path, GOOD)
    assert read(load_scenario(path, [change])) == value
    assert read(load_scenario(path, [change, change])) == value


@pytest.mark.parametrize('old, new, words', [
    ('step: 0.001', 'stepp: 0.001', "unknown key 'dynamics.stepp' in .*mine.yaml: use one of"),
    ('duration', 'durration', "unknown key 'durration' in .*mine.yaml"),
    ('kind: computed', 'noise: 3, kind: computed', "unknown key 'controller.noise'"),
    ('step: 0.001', 'payload: {weight: 2}',
     "unknown key 'dynamics.payload.weight' in .*mine.yaml"),
    ('step: 0.001', 'step: fast', r"mine.yaml: dynamics.step is 'fast'; expected a finite number"),
    ('step: 0.001', 'step: .nan', 'mine.yaml: dynamics.step is nan; expected a finite'),
    ('step: 0.001', 'step: true', 'mine.yaml: dynamics.step is True; expected a finite'),
    ('step: 0.001', 'step: [1]', r'mine.yaml: dynamics.step is \[1\]; expected a finite'),
    ('step: 0.001', 'assemble: 1', 'mine.yaml: dynamics.assemble is 1; expected true or false'),
    ('[5.0]', '[5.0, x]', "mine.yaml: controller.natural_frequency is 'x'; expected a finite"),
    ('natural', 'delay: 1.5, natural', 'controller.delay is 1.5; expected a whole number'),
    ('step: 0.001', 'payload: 3',
     'mine.yaml: dynamics.payload is 3; expected a group of settings'),
    ('robot: two_link', 'robot: 7', 'mine.yaml: robot is 7; expected a text'),
    ('robot: two_link, ', '', 'mine.yaml: robot is missing; give it a value'),
    ('dynamics:', 'plant:', r"unknown section 'plant' in .*mine.yaml: use one of /\*\*, contro"),
    ('ros__parameters: {step', 'parameters: {step', "mine.yaml: section 'dynamics' must hold ros"),
    (GOOD, GOOD + 'dynamics:\n  ros__parameters: {payload: {mass: 5.0}}\n',
     "mine.yaml: the key 'dynamics' of line 12 stands in line 4 already; put both into one"),
    ('step: 0.001', 'step: 0.001, step: 0.002', "the key 'step' of line 5 stands in line 5"),
    ('step: 0.001', 'payload: {mass: 1, centre: [0, 0, 1], mass: 2}', "the key 'mass' of line 5"),
    (GOOD, '{a: [', 'mine.yaml: is not YAML'),
    (GOOD, '- 1', 'mine.yaml: expected the sections'),
    (GOOD, '', 'mine.yaml: expected the sections'),
])
def test_slips_in_a_file_are_refused_in_one_sentence(tmp_path, old, new, words):
    """File and key are named, with the value found and what was expected."""
    with pytest.raises(RobodynError, match=words) as caught:
        load_scenario(written(tmp_path, GOOD.replace(old, new)))
    assert '\n' not in str(caught.value)


def test_anchors_and_merges_may_repeat_a_key(tmp_path):
    """What is merged in by << gives way to what stands there; only the writer's keys count."""
    path = written(tmp_path, GOOD.replace('{step: 0.001}', """
    stabilisation: {<<: &some {<<: &all {kind: baumgarte, beta: 1.0}, alpha: 2.0}, alpha: 5.0}
    noise: {seed: 1}"""))
    chosen = load_scenario(path).dynamics.stabilisation
    assert (chosen.kind, chosen.alpha, chosen.beta) == ('baumgarte', 5.0, 1.0)


def test_files_that_are_not_there_or_not_text(tmp_path):
    """A missing file, an unknown name, a folder, bytes that are no text."""
    with pytest.raises(RobodynError, match='none.yaml: there is no such file.*scara_helix'):
        load_scenario(tmp_path / 'none.yaml')
    with pytest.raises(RobodynError, match="unknown scenario 'scara_helixx'.*use one of"):
        load_scenario('scara_helixx')
    with pytest.raises(RobodynError, match='my_arm.urdf: there is no such file'):
        load_scenario('my_arm.urdf')
    with pytest.raises(RobodynError, match='cannot be read'):
        load_scenario(tmp_path)
    with pytest.raises(RobodynError, match='mine.yaml: cannot be read'):
        load_scenario(written(tmp_path, b'\xff\xfe\x00a'))


@pytest.mark.parametrize('change, words', [
    ('duration', "--set 'duration': expected KEY=VALUE"),
    ('=3', "--set '=3': expected KEY=VALUE"),
    ('duration=[', r"--set 'duration=\[': '\[' is not a YAML value"),
    ('duration.x=3', "--set 'duration.x=3': 'duration' holds a value, not settings"),
    ('dynamics.payload={mass: 1, mass: 2}', "--set .*: the key 'mass' of line 1 stands in line 1"),
    ('dynamics.foo=3', "unknown key 'dynamics.foo' in .*scara_helix.yaml"),
    ('duration=long', "scara_helix.yaml with --set: duration is 'long'; expected a finite number"),
])
def test_wrong_changes_are_refused_in_one_sentence(change, words):
    """The change itself is quoted, or the key it led to."""
    with pytest.raises(RobodynError, match=words):
        load_scenario('scara_helix', [change])


@pytest.mark.parametrize('name, changes, words', [
    ('scara_helix', ['dynamics.initial_position=[1, 2]'], r'initial_position.*got \(2,\)'),
    ('scara_helix', ['controller.natural_frequency=[1, 2]'], r'one number or 4, got \(2,\)'),
    ('scara_helix', ['dynamics.gravity=[1, 2]'], 'gravity is .*expected 3 numbers'),
    ('scara_helix', ['dynamics.step=0.0007'], 'controller.period is 0.001 s and dynamics.step'),
    ('scara_helix', ['controller.period=0'], 'controller.period is 0.0; expected 1e-07 .. 10'),
    ('scara_helix', ['controller.delay=-1'], 'yaml with --set: controller.delay is -1; expected'),
    ('scara_helix', ['dynamics.noise.seed=-1'], 'dynamics.noise.seed is -1; expected at least 0'),
    ('scara_helix', ['dynamics.noise.position=-1'], 'dynamics.noise.position is -1.0; expected'),
    ('scara_helix', ['duration=-1'], 'duration is -1.0; expected at least'),
    ('scara_helix', ['trajectory.parameters.radius=abc'], "parameters.radius is 'abc'; expected"),
    ('scara_helix', ['trajectory.kind=line'], "unknown key 'trajectory.parameters.radius'"),
    ('scara_helix', ['trajectory.axes=[x, y]'], 'gives 3 values for 2 axes'),
    ('scara_helix', ['trajectory.frame=nose'], "unknown frame 'nose'"),
    ('scara_helix', ['trajectory.kind=none'], 'follows a trajectory, but the scenario has none'),
    ('scara_helix', ['trajectory.kind=no.such:path'], 'trajectory.kind is .*cannot be imported'),
    ('scara_helix', ['trajectory.kind=math:pi'], 'trajectory.kind is .*pi.*part of Python'),
    ('scara_helix', ['dynamics.constraints=[numpy:pi]'], 'expected a function decorated with @'),
    ('scara_helix', ['dynamics.constraints=[glue]'], "unknown constraint 'glue' in dynamics.con"),
    *(('two_link_line', [f'dynamics.stabilisation={{kind: baumgarte{given}}}'], words)
      for given, words in (
          ('', 'stabilisation has alpha 0 and beta 0; baumgarte needs both, above 0'),
          (', alpha: 20', 'has alpha 20 and beta 0; baumgarte needs both'),
          (', beta: 100', 'has alpha 0 and beta 100; baumgarte needs both'))),
    ('scara_helix', ['robot=nowhere.urdf'], 'nowhere.urdf: there is no such file'),
    ('scara_via_points', ['controller.p=[1]'], r'robust control was given p \(1.0,\)'),
    ('scara_via_points', ['trajectory.parameters.points=[1, 2]'], 'points is .*of 5 points'),
    ('scara_via_points', ['trajectory.parameters.points=[a, b, c, d, e]'], 'points is .*one af'),
    ('parallel_line', ['controller.kp=[1, 2]'], r'controller.kp is \[1.0, 2.0\].*one number'),
    ('parallel_line', ['controller.natural_frequency=3'], 'give one or the other'),
    ('irb120_sine', ['trajectory.parameters={}'], 'trajectory.parameters.amplitude is missing'),
    ('irb120_sine', ['trajectory.parameters.amplitude=[1, 2]'], 'moves 2 joints; irb120 has 6'),
    ('irb120_sine', ['dynamics.constraints=[task]'], 'no path in space'),
    ('irb120_sine', ['controller.kind=constraint_following'], 'has rows, not joints: give one'),
])
def test_what_no_run_can_use_is_refused_in_one_sentence(name, changes, words):
    """Found when the parts are built, before anything moves; the key is named."""
    with pytest.raises(RobodynError, match=words) as caught:
        Simulation(load_scenario(name, changes), None if 'dur' in changes[0] else 0.01)
    assert '\n' not in str(caught.value)


def test_changes_by_name_are_those_of_the_verb():
    """simulate(set={...}) of a name and of a Scenario, and run(parameters), in one spelling."""
    mass = {'dynamics.payload.mass': 0.3}
    wanted = Simulation(load_scenario('scara_helix', ['dynamics.payload.mass=0.3']), 0.05).run()
    for found in (simulate('scara_helix', 0.05, set=mass),
                  simulate(load_scenario('scara_helix'), 0.05, set=mass),
                  Simulation('scara_helix', 0.05).run(mass),
                  Simulation('scara_helix', 0.05).run({'payload.mass': 0.3})):
        assert np.array_equal(found.q, wanted.q)
    for scenario in ('scara_helix', load_scenario('scara_helix')):
        with pytest.raises(RobodynError, match='dynamics.payload.mas'):
            simulate(scenario, set={'dynamics.payload.mas': 1.0})
        with pytest.raises(RobodynError, match='set is 5; expected changes by name'):
            simulate(scenario, set=5)


def test_tables_are_read_by_the_names_of_their_columns(tmp_path):
    """The order of columns does not matter; unknown, missing and repeated joints are refused."""
    path = tmp_path / 'motion.csv'
    settings = TrajectorySettings(kind='table', parameters={'path': str(path)})
    path.write_text('t,joint_2,joint_1\n0,0.5,0.1\n1,0.6,0.2\n')
    motion = DesiredMotion(settings).reference(robot('two_link'), 1.0, 0.1)
    assert motion.q[0].tolist() == [0.1, 0.5] and np.abs(motion.q[-1] - [0.2, 0.6]).max() < 1e-12
    for header, words in (('t,joint_1,elbow', "motion.csv names the unknown joint 'elbow'"),
                          ('t,joint_1,joint_1', "motion.csv names joint 'joint_1' twice")):
        path.write_text(f'{header}\n0,0.5,0.1\n1,0.6,0.2\n')
        with pytest.raises(RobodynError, match=words):
            DesiredMotion(settings).reference(robot('two_link'), 1.0, 0.1)
    path.write_text('t,joint_1\n0,0.5\n1,0.6\n')
    with pytest.raises(RobodynError, match="lacks joint 'joint_2'; give one column per"):
        DesiredMotion(settings).reference(robot('two_link'), 1.0, 0.1)


def test_way_points_of_a_file_are_flat_lists():
    """ROS parameter files have no lists of lists: points follow one another."""
    made = DesiredMotion(TrajectorySettings(kind='joint_waypoints', parameters={
        'times': [0, 1], 'positions': [0, 0.5, 1, 2]})).motion
    assert made.positions == ((0.0, 0.5), (1.0, 2.0)) and made.times == (0.0, 1.0)
