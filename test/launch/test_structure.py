# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Launch files say what they start: checked everywhere, with a stub in the place of launch.

The stub records how the classes of launch and launch_ros are called and knows no more.
"""

import importlib
import importlib.util
import re
import sys
from types import ModuleType, SimpleNamespace
from xml.etree import ElementTree

from house import files, ROOT, setup_arguments
import pytest
import yaml

FILES = sorted((ROOT / 'launch').glob('*.launch.py'))
ASKED = {'scenario', 'controller', 'use_sim_time', 'launch_rviz', 'rviz_config_file',
         'params_file', 'namespace', 'record', 'viewer', 'log_level'}
MODULES = ('launch', 'launch.action', 'launch.actions', 'launch.conditions',
           'launch.events', 'launch.events.process', 'launch.launch_context',
           'launch.launch_description_sources', 'launch.substitutions',
           'launch_ros', 'launch_ros.actions', 'launch_ros.parameter_descriptions')


class Call:
    """One call of a class of launch: its name and its arguments."""

    def __init__(self, name, given, named):
        """Keep all."""
        self.name, self.given, self.named = name, given, named

    def perform(self, context):
        """Return the value that the launch configuration of this name has in a context."""
        return context[self.given[0]]

    def evaluate(self, context):
        """Return whether a condition holds, with the words of launch."""
        return {'true': True, '1': True, 'false': False, '0': False}[
            self.given[0].perform(context).strip().lower()]

    def within(self):
        """Yield this call and all that are among its arguments, however deep."""
        yield self
        stack = [*self.given, *self.named.values()]
        while stack:
            item = stack.pop()
            if isinstance(item, Call):
                yield from item.within()
            elif isinstance(item, (list, tuple)):
                stack.extend(item)
            elif isinstance(item, dict):
                stack.extend(item.values())


class Stub(ModuleType):
    """A module every attribute of which is a class that records its calls."""

    def __getattr__(self, name):
        """Make the class up."""
        if name.startswith('__'):
            raise AttributeError(name)
        return lambda *given, **named: Call(name, given, named)


class Context(dict):
    """The values of the arguments, and which of them somebody asked for; not shutting down."""

    is_shutdown = False

    def __init__(self, values):
        """Take the values; nobody has asked yet."""
        super().__init__(values)
        self.asked = set()

    def __getitem__(self, name):
        """Return a value and note it."""
        self.asked.add(name)
        return super().__getitem__(name)


@pytest.fixture
def prefix(tmp_path, monkeypatch):
    """Make an ament prefix with every executable that is started; there is no other."""
    made = tmp_path / 'prefix'
    ours = [f'robodyn_ros/{name}_node' for name in ('dynamics', 'controller', 'trajectory',
                                                    'recorder', 'viewer')]
    for place in (*ours, 'robot_state_publisher/robot_state_publisher', 'rviz2/rviz2'):
        package = place.partition('/')[0]
        for file in (f'lib/{place}', f'share/ament_index/resource_index/packages/{package}'):
            (made / file).parent.mkdir(parents=True, exist_ok=True)
            (made / file).touch(mode=0o755)
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(made))
    monkeypatch.setenv('ROS_DISTRO', 'jazzy')
    return made


@pytest.fixture
def load(monkeypatch, prefix):
    """Return a function that gives every call in a launch file, in those it includes too."""
    for name in MODULES:
        monkeypatch.setitem(sys.modules, name, Stub(name))
    monkeypatch.delitem(sys.modules, 'robodyn_ros.launching', raising=False)

    def calls(path):
        spec = importlib.util.spec_from_file_location(path.name.replace('.', '_'), path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found = list(module.generate_launch_description().within())
        for source in [c for c in found if c.name == 'PythonLaunchDescriptionSource']:
            found += calls(ROOT / 'launch' / source.given[0].rsplit('/', 1)[1])
        return found

    yield calls
    sys.modules.pop('robodyn_ros.launching', None)  # the one made with the stub


def arguments(calls):
    """Return the declared arguments by name; the first declaration counts, as in launch."""
    found = {}
    for call in calls:
        if call.name == 'DeclareLaunchArgument':
            found.setdefault(call.given[0], call.named)
    return found


def made(calls, **changes):
    """Return all calls, those of the opaque functions too, and the context they were made in."""
    context = Context({name: named['default_value'] for name, named in arguments(calls).items()}
                      | changes)
    for call in list(calls):
        if call.name == 'OpaqueFunction':
            for action in call.named['function'](context, *call.named['args']):
                calls = [*calls, *action.within()]
    return calls, context


def nodes(calls, **changes):
    """Return the arguments of all nodes."""
    return [call.named for call in made(calls, **changes)[0] if call.name == 'Node']


def parameters(node):
    """Return the parameters of a node of the package."""
    return dict(p.given for p in node['parameters'] if isinstance(p, Call))


ALL_ON = dict.fromkeys(('launch_rviz', 'publish_frames', 'record', 'viewer'), 'true')


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.name)
def test_the_arguments_are_a_manual(load, path):
    """Each has a description, a default and, where it is one of a few words, choices."""
    assert path.name.endswith('.launch.py')
    found = arguments(load(path))
    assert ASKED <= set(found)
    for name, named in found.items():
        assert set(named) <= {'default_value', 'description', 'choices'}, name
        assert re.fullmatch(r'[A-Zfj].*\.', named['description']), name
        assert isinstance(named['default_value'], str), name
        if named['default_value'] in ('true', 'false', 'free', 'info', 'joint_state'):
            assert named['default_value'] in named['choices'], name


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.name)
def test_every_argument_that_is_used_is_declared_and_the_other_way_round(load, path):
    """No value is asked for that nobody can give; no argument is without effect."""
    calls, context = made(load(path), **ALL_ON)
    used = {c.given[0] for c in calls if c.name == 'LaunchConfiguration'}
    assert used | context.asked == set(arguments(calls))


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.name)
def test_executables_and_files_exist(load, path):
    """Ours are console scripts, other packages are dependencies, files are there."""
    calls = load(path)
    commands = setup_arguments()['entry_points']['console_scripts']
    scripts = [command.partition(' ')[0] for command in commands]
    manifest = ElementTree.parse(ROOT / 'package.xml').getroot()
    depends = {element.text for element in manifest if element.tag.endswith('depend')}
    for node in nodes(calls, **ALL_ON):
        if node['package'] == 'robodyn_ros':
            assert node['executable'] in scripts
            assert node['name'] == node['executable'][:-len('_node')]
        else:
            assert node['package'] in depends
    assert {'launch', 'launch_ros'} <= depends
    with open(arguments(calls)['rviz_config_file']['default_value']) as file:
        assert yaml.safe_load(file)['Visualization Manager']['Displays']


@pytest.mark.parametrize('file, plant', [('simulation', True), ('view', True),
                                         ('hardware', False)])
def test_what_is_started(load, file, plant):
    """The plant is in a simulation only; the controller is where the scenario has one."""
    def started(**changes):
        found = nodes(load(ROOT / f'launch/{file}.launch.py'), **{**ALL_ON, **changes})
        return {node['executable'] for node in found}

    always = {'trajectory_node', 'robot_state_publisher', 'rviz2', 'viewer_node',
              'recorder_node'} | ({'dynamics_node'} if plant else set())
    assert started() == always | {'controller_node'}
    assert started(controller='none') == always
    assert started(scenario='two_link_line') == always
    assert started(scenario='two_link_line', controller='robust') == always | {'controller_node'}
    off = started(**dict.fromkeys(ALL_ON, 'False'))
    assert off == {name for name in started() if name in (
        'dynamics_node', 'controller_node', 'trajectory_node')}


def test_the_law_and_the_parameter_file_reach_their_nodes(load, tmp_path):
    """The file comes after the other parameters, whose values it changes."""
    file = tmp_path / 'mine.yaml'
    calls = load(ROOT / 'launch/simulation.launch.py')
    with pytest.raises(Exception, match='there is no file'):
        nodes(calls, params_file=str(file))
    file.touch()
    found = {node['executable']: node for node in nodes(calls, controller='robust',
                                                        params_file=str(file))}
    for name in ('dynamics_node', 'controller_node', 'trajectory_node'):
        assert found[name]['parameters'][-1] == str(file)
    assert parameters(found['controller_node'])['kind'] == 'robust'


@pytest.mark.parametrize('lost, words', [
    ('lib/rviz2/rviz2', 'rviz2 has no executable .*ros-jazzy-rviz2.*launch_rviz:=false'),
    ('share/ament_index/resource_index/packages/rviz2',
     'rviz2 is not installed.*ros-jazzy-rviz2.*launch_rviz:=false'),
    ('share/ament_index/resource_index/packages/robot_state_publisher',
     'ros-jazzy-robot-state-publisher.*publish_frames:=false'),
    ('lib/robodyn_ros/recorder_node', 'robodyn_ros has no executable .*recorder_node.*colcon')])
def test_what_is_missing_is_named_before_anything_starts(load, prefix, lost, words):
    """The package, how to get it, and how to do without; it is no matter where it is not asked."""
    (prefix / lost).unlink()
    calls = load(ROOT / 'launch/simulation.launch.py')
    with pytest.raises(Exception, match=words):
        nodes(calls, **ALL_ON)
    assert nodes(calls, **dict.fromkeys(ALL_ON, 'false'))


@pytest.mark.parametrize('word, on', [('true', True), ('True', True), ('1', True),
                                      ('false', False), ('False', False), ('0', False)])
def test_a_switch_takes_the_words_of_launch(load, word, on):
    """A node gets true or false whatever was written, as 1 is no boolean to it."""
    calls = load(ROOT / 'launch/simulation.launch.py')
    switches = ('repeat', 'autostart', 'start_paused', 'use_sim_time', 'publish_frames')
    assert all(word in arguments(calls)[name]['choices'] for name in switches)
    calls, _ = made(calls, **dict.fromkeys(switches, word))
    found = {call.named['executable']: call.named for call in calls if call.name == 'Node'}
    assert parameters(found['trajectory_node'])['repeat'] is on
    assert parameters(found['trajectory_node'])['autostart'] is on
    assert parameters(found['dynamics_node'])['start_paused'] is on
    assert ('use_sim_time', on) in [c.given for c in calls if c.name == 'SetParameter']


@pytest.mark.parametrize('frames', [True, False])
def test_the_description_has_one_publisher(load, frames):
    """It is robot_state_publisher, or the plant where that is not started."""
    found = {node['executable']: node for node in nodes(
        load(ROOT / 'launch/simulation.launch.py'), publish_frames=str(frames))}
    assert ('robot_state_publisher' in found) is frames
    assert parameters(found['dynamics_node'])['publish_description'] is not frames


def test_a_name_that_looks_like_a_number_stays_a_name(load, tmp_path, monkeypatch):
    """A recording may be called by a date; launch reads what has no type as YAML."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / '20261119').write_text((ROOT / 'config/two_link_line.yaml').read_text())
    given = [call for node in nodes(load(ROOT / 'launch/simulation.launch.py'), record='true',
                                    scenario='20261119', record_file='7', controller='robust')
             for call in node['parameters'] if isinstance(call, Call)]
    texts = {call.given: call.named['value_type'] for call in given
             if call.given[0] in ('scenario', 'file', 'kind')}
    assert texts == dict.fromkeys(
        (('scenario', '20261119'), ('file', '7'), ('kind', 'robust')), str)


def test_nothing_moves_unasked_on_hardware(load):
    """The motion of a simulation begins by itself, that of a robot does not."""
    for file, moves in ('simulation', True), ('view', True), ('hardware', False):
        found = {node['executable']: node
                 for node in nodes(load(ROOT / f'launch/{file}.launch.py'), **ALL_ON)}
        assert parameters(found['trajectory_node'])['autostart'] is moves


def test_the_launch_ends_with_any_of_our_nodes(load):
    """And says which; a node that ends because the launch does is no reason."""
    context, event = Context({}), SimpleNamespace(returncode=2)
    for node in nodes(load(ROOT / 'launch/simulation.launch.py'), **ALL_ON):
        if node['package'] != 'robodyn_ros':
            continue
        ending = node['on_exit'](event, context)
        assert ending.name == 'Shutdown'
        assert f'{node["name"]} has ended with exit code 2' in ending.named['reason']
        context.is_shutdown = True
        assert node['on_exit'](event, context) is None
        context.is_shutdown = False


def test_a_namespace_has_its_own_clock_and_frames(load):
    """Topics with absolute names become relative for all nodes; the driver's are arguments."""
    calls = load(ROOT / 'launch/hardware.launch.py')
    remaps = dict(c.given for c in calls if c.name == 'SetRemap')
    assert {remaps[f'/{name}'] for name in ('clock', 'tf', 'tf_static')} \
        == {'clock', 'tf', 'tf_static'}
    assert remaps['joint_states'].given == ('state_topic',)
    assert remaps['joint_commands'].given == ('command_topic',)


def test_no_two_test_files_have_one_name():
    """Beside launch, pytest imports every test file by its bare name, or that in its package."""
    names = [path.stem if not (path.parent / '__init__.py').exists()
             else f'{path.parent.name}.{path.stem}' for path in files('test_*.py')]
    assert sorted(set(names)) == sorted(names)
