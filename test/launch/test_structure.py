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
from types import ModuleType
from xml.etree import ElementTree

from house import files, ROOT, setup_arguments
import pytest
import yaml

FILES = sorted((ROOT / 'launch').glob('*.launch.py'))
ASKED = {'scenario', 'controller', 'use_sim_time', 'launch_rviz', 'rviz_config_file',
         'params_file', 'namespace', 'record', 'viewer', 'log_level'}
MODULES = ('launch', 'launch.action', 'launch.actions', 'launch.conditions',
           'launch.launch_context', 'launch.launch_description_sources', 'launch.substitutions',
           'launch_ros', 'launch_ros.actions', 'launch_ros.parameter_descriptions')


class Call:
    """One call of a class of launch: its name and its arguments."""

    def __init__(self, name, given, named):
        """Keep all."""
        self.name, self.given, self.named = name, given, named

    def perform(self, context):
        """Return the value that the launch configuration of this name has in a context."""
        return context[self.given[0]]

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


@pytest.fixture
def load(monkeypatch):
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


def nodes(calls, **changes):
    """Return all nodes, those of the opaque functions made with the default arguments."""
    context = {name: named['default_value'] for name, named in arguments(calls).items()}
    context.update(changes)
    for call in list(calls):
        if call.name == 'OpaqueFunction':
            for made in call.named['function'](context, *call.named['args']):
                calls = [*calls, *made.within()]
    return [call.named for call in calls if call.name == 'Node']


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
    calls = load(path)
    source = (ROOT / 'robodyn_ros' / 'launching.py').read_text()
    used = {c.given[0] for c in calls if c.name == 'LaunchConfiguration'}
    used |= set(re.findall(r"LaunchConfiguration\('(\w+)'\)", source))
    assert used == set(arguments(calls))


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.name)
def test_executables_and_files_exist(load, path):
    """Ours are console scripts, other packages are dependencies, files are there."""
    calls = load(path)
    commands = setup_arguments()['entry_points']['console_scripts']
    scripts = [command.partition(' ')[0] for command in commands]
    manifest = ElementTree.parse(ROOT / 'package.xml').getroot()
    depends = {element.text for element in manifest if element.tag.endswith('depend')}
    for node in nodes(calls):
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
        found = nodes(load(ROOT / f'launch/{file}.launch.py'), **changes)
        return {node['executable'] for node in found}

    always = {'trajectory_node', 'robot_state_publisher', 'rviz2', 'viewer_node',
              'recorder_node'} | ({'dynamics_node'} if plant else set())
    assert started() == always | {'controller_node'}
    assert started(controller='none') == always
    assert started(scenario='two_link_line') == always
    assert started(scenario='two_link_line', controller='robust') == always | {'controller_node'}


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
    law = [p.given for p in found['controller_node']['parameters'] if isinstance(p, Call)]
    assert ('kind', 'robust') in law


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
