# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The Makefile on good and on bad ground.

Bad ground ends in one sentence that says what is wrong and what to do, and leaves nothing
half-made that a second `make` would trust. Good ground is played by a Python that only notes what
pip was asked for, so that the order of things can be seen without installing anything.
"""

import os
from pathlib import Path
import shutil
import socket
import subprocess
import sys

from house import ROOT
import pytest

PYTHON = os.path.realpath(sys.executable)       # of the machine, not of a venv

FAKE_PYTHON = f"""#!/bin/sh
# A Python that makes empty environments and installs by taking a note.
case "$1 $2" in
    '-m venv')
        for venv; do :; done
        echo "venv $*" >> "$NOTES"
        mkdir -p "$venv/bin" && cp "$0" "$venv/bin/python"
        for name in robodyn pytest; do
            printf '#!/bin/sh\\necho "%s $*"\\n' $name > "$venv/bin/$name"
            chmod +x "$venv/bin/$name"
        done ;;
    '-m pip')
        echo "$*" >> "$NOTES"
        [ -z "$PIP_SAYS" ] || {{ echo "$PIP_SAYS"; exit 1; }}
        [ -z "$PIP_LACKS" ] || ! echo "$*" | grep -Eq "$PIP_LACKS" ;;
    '-m benchmarks') echo "python $*" ;;
    *) exec {PYTHON} "$@" ;;
esac
"""
PYTEST = 'pytest -n 2 --dist loadfile --no-loadscope-reorder'
NODES = f'{PYTEST} test/system test/nodes test/launch test/recording'


class Ground:
    """A checkout with nothing but the build files, and a machine to run make on."""

    def __init__(self, folder):
        """Copy the build files; start with an environment of almost nothing."""
        self.path = folder / 'robodyn_ros'
        self.bin = folder / 'bin'
        self.notes = folder / 'notes'
        for place in (self.path, self.bin, folder / 'home', folder / 'tmp'):
            place.mkdir()
        for name in ('Makefile', 'package.xml', 'setup.py', 'setup.cfg'):
            shutil.copy(ROOT / name, self.path)
        for name in ('.ci', 'resource'):
            shutil.copytree(ROOT / name, self.path / name)
        (self.path / 'urdf').mkdir()
        (self.path / 'urdf' / 'arm.urdf').write_text('<robot name="arm"/>')
        self.notes.touch()
        self.env = {'PATH': f'{self.bin}:{os.defpath}:/usr/bin:/bin', 'HOME': str(folder / 'home'),
                    'TMPDIR': str(folder / 'tmp'), 'NOTES': str(self.notes), 'PIP_SAYS': '',
                    'PIP_LACKS': ''}

    def program(self, name, text):
        """Put a program first on the path."""
        path = self.bin / name
        path.write_text(text)
        path.chmod(0o755)
        return str(path)

    def make(self, goal='demo', before=(), **changes):
        """Run make; return (exit code, everything it printed)."""
        done = subprocess.run(
            [*before, 'make', *goal.split()], cwd=self.path, env={**self.env, **changes},
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        return done.returncode, done.stdout

    def sentence(self, goal='demo', **changes):
        """Run make where it must fail, and return its last word."""
        code, said = self.make(goal, **changes)
        *_, word, make_says = said.splitlines()
        assert code != 0 and make_says.startswith('make: ***'), said
        assert word.startswith('robodyn_ros: ') and 'Traceback' not in said, said
        assert not list(self.path.glob('.venv*/.ready-*')), 'a failed install is trusted'
        return word

    def installs(self):
        """Return the pip requests since the last time, of the package itself."""
        lines = [line for line in self.notes.read_text().splitlines() if '--editable' in line]
        self.notes.write_text('')
        return [line.split()[-1] for line in lines]


@pytest.fixture
def ground(tmp_path):
    """Bare ground with the Python of this machine."""
    bare = Ground(tmp_path)
    bare.env['PYTHON'] = PYTHON
    return bare


@pytest.fixture
def fake(ground):
    """Ground with the Python that only takes notes."""
    ground.env['PYTHON'] = ground.program('python-fake', FAKE_PYTHON)
    return ground


# --- bad ground -------------------------------------------------------------------------------


def test_no_python(ground):
    """A Python that is not there."""
    word = ground.sentence(PYTHON='python-of-nowhere')
    assert "no Python runs as 'python-of-nowhere'" in word and 'apt install python3' in word


def test_old_python(ground):
    """A Python that says it is 3.9."""
    old = ground.program('python-old', '#!/bin/sh\ncase "$2" in *print*) echo 3.9 ;; esac\n'
                                       'case "$2" in *exit*) exit 1 ;; esac\n')
    word = ground.sentence(PYTHON=old)
    assert 'is Python 3.9, but 3.10 or newer is needed' in word and 'make PYTHON=' in word


def test_no_venv_module(ground, tmp_path):
    """A Python without ensurepip, as Debian ships it."""
    (tmp_path / 'home' / 'ensurepip.py').write_text('raise ImportError("not in Debian")\n')
    word = ground.sentence(PYTHONPATH=str(tmp_path / 'home'))
    assert 'cannot make virtual environments' in word and 'apt install python3-venv' in word


@pytest.mark.parametrize('system, machine', [('Linux', 'aarch64'), ('Darwin', 'x86_64')])
def test_no_wheels_for_this_machine(ground, system, machine):
    """Another processor or system; the official ways to ROS 2 are named."""
    ground.program('uname', f'#!/bin/sh\n[ $1 = -s ] && echo {system} || echo {machine}\n')
    word = ground.sentence()
    assert f'this is {system} on {machine}' in word and 'apt' in word and 'RoboStack' in word


def test_no_wheels_of_this_distribution(ground):
    """Wheels that do not exist."""
    word = ground.sentence('test ROS_WHEELS=humble')
    assert "no wheels of ROS 2 'humble'" in word and 'ROS_WHEELS=kilted' in word


def test_wheels_beside_a_sourced_ros(ground):
    """Wheels are asked for where a ROS 2 is sourced; the two would mix."""
    word = ground.sentence(ROS_DISTRO='jazzy', AMENT_PREFIX_PATH='/opt/ros/jazzy',
                           ROS_WHEELS='kilted')
    assert 'ROS 2 jazzy is sourced' in word and 'leave ROS_WHEELS out' in word


def test_sourced_ros_of_another_python(ground):
    """ROS 2 is sourced, but this Python has no rclpy."""
    word = ground.sentence(ROS_DISTRO='jazzy', AMENT_PREFIX_PATH='/opt/ros/jazzy')
    assert 'ROS 2 jazzy is sourced' in word and 'cannot import its rclpy' in word


@pytest.mark.slow
def test_no_network(ground):
    """A real venv, a real pip, and an index on a closed port."""
    with socket.socket() as probe:      # a port that was free a moment ago
        probe.bind(('127.0.0.1', 0))
        port = probe.getsockname()[1]
    offline = {'PIP_INDEX_URL': f'http://127.0.0.1:{port}/simple', 'PIP_RETRIES': '0',
               'PIP_CONFIG_FILE': os.devnull}
    word = ground.sentence(**offline)
    assert 'package index cannot be reached' in word and 'PIP_INDEX_URL' in word


@pytest.mark.parametrize('pip_says, expected', [
    ('OSError: [Errno 28] No space left on device', 'the disk is full'),
    ('OSError: [Errno 122] Disk quota exceeded', 'the disk is full'),
    ("PermissionError: [Errno 13] Permission denied: '/x'", 'a folder cannot be written'),
    ("OSError: [Errno 30] Read-only file system: '/x'", 'a folder cannot be written'),
    ('FileNotFoundError: [Errno 2] No usable temporary directory found', 'set TMPDIR'),
    ('Temporary failure in name resolution', 'package index cannot be reached'),
    ('ERROR: No matching distribution found for llvmlite', 'has no build for Python'),
    ('ERROR: something new', 'the installation failed (ERROR: something new)'),
])
def test_what_pip_says_is_told_in_a_sentence(fake, pip_says, expected):
    """Each failure of pip has its sentence; when the cause is gone, make starts over and works."""
    assert expected in fake.sentence(PIP_SAYS=pip_says)
    code, said = fake.make()
    assert code == 0 and 'the last installation was cut short; making .venv anew' in said, said


def test_full_disk_without_a_word(fake):
    """On a full disk not even the log can be written; the disk itself is asked then."""
    fake.program('df', '#!/bin/sh\necho Filesystem Size Used Available\necho /dev/x 9 9 0 100%\n')
    assert 'the disk is full' in fake.sentence(PIP_SAYS='?')


def test_folder_cannot_be_written(fake):
    """A checkout that is not ours to write in; root is first made to obey the permissions."""
    before = [] if os.geteuid() else ['setpriv', '--bounding-set=-dac_override', '--']
    fake.path.chmod(0o555)
    try:
        word = fake.sentence(before=before)
    finally:
        fake.path.chmod(0o755)
    assert 'cannot be written' in word and 'make it writable' in word


def test_foreign_venv_is_left_alone(fake):
    """A .venv that somebody made for something else is neither used nor removed."""
    theirs = fake.path / '.venv' / 'pyvenv.cfg'
    theirs.parent.mkdir()
    theirs.write_text('theirs')
    assert 'was not made by this Makefile' in fake.sentence()
    assert theirs.read_text() == 'theirs' and fake.installs() == []


# --- good ground ------------------------------------------------------------------------------


def test_each_goal_installs_its_extras_once(fake):
    """Demo, bench and test install what they need, and the second run nothing."""
    for goal, wanted, says in [('demo', '.[ros,view]', 'robodyn run scara_helix --fast'),
                               ('bench', '.[ros,view,bench]', 'python -m benchmarks all'),
                               ('nodes', '.[ros,node_test,ros_test]', NODES),
                               ('test', '.[ros,test,ros_test]', f'{PYTEST} test')]:
        code, said = fake.make(goal)
        assert code == 0 and said.splitlines()[-1] == says, said
        assert fake.installs() == [wanted]
        code, said = fake.make(goal)
        assert code == 0 and 'installing' not in said and said.splitlines()[-1] == says, said
        assert fake.installs() == []
    for goal in ('demo', 'nodes', 'lint', 'test TESTS=test/plant'):     # all of it came with test
        assert fake.make(goal)[0] == 0
    assert fake.installs() == []


def test_kilted_has_an_environment_of_its_own(fake):
    """Beside Jazzy's, with its own wheels, log, links and state; neither disturbs the other."""
    assert fake.make('demo')[0] == 0 and fake.installs() == ['.[ros,view]']
    for goal, wanted in [('nodes', '.[ros_kilted,node_test,ros_test_kilted]'),
                         ('test', '.[ros_kilted,test,ros_test_kilted]')]:
        code, said = fake.make(f'{goal} ROS_WHEELS=kilted')
        assert code == 0 and 'with ROS 2 kilted as wheels' in said, said
        assert fake.installs() == [wanted]
    kilted = fake.path / '.venv-kilted'
    assert (kilted / 'share/robodyn_ros/urdf/arm.urdf').is_file()
    assert (fake.path / '.venv-kilted.log').is_file()
    for wheels in ('', ' ROS_WHEELS=kilted'):
        assert fake.make(f'demo{wheels}')[0] == 0 and fake.installs() == []
    (kilted / '.unfinished').touch()
    (kilted / '.ready-demo').unlink()
    _, said = fake.make('demo ROS_WHEELS=kilted')
    assert 'the last installation was cut short; making .venv-kilted anew' in said
    assert fake.installs() == ['.[ros_kilted,view]']
    assert fake.make('demo')[0] == 0 and fake.installs() == []


def test_an_engine_that_has_no_wheel_is_left_out(fake):
    """The benchmark goes on with the others, and says which is missing."""
    code, said = fake.make('bench', PIP_LACKS='bench|drake')
    assert code == 0 and said.splitlines()[-1] == 'python -m benchmarks all', said
    assert said.count('cannot be installed here') == 1 and 'drake>=' in said
    asked = fake.notes.read_text()
    assert all(f'install {name}>=' in asked for name in ('mujoco', 'drake', 'pybullet'))
    assert fake.installs() == ['.[ros,view,bench]', '.[ros,view]']


@pytest.mark.parametrize('name', ['package.xml', 'setup.py', 'setup.cfg'])
def test_a_changed_description_installs_again(fake, name):
    """What the installation depends on; a source or a URDF is no such thing."""
    fake.make()
    fake.installs()
    (fake.path / 'robodyn_ros').mkdir()
    (fake.path / 'robodyn_ros' / 'new.py').touch()
    assert fake.make()[0] == 0 and fake.installs() == []
    later = (fake.path / '.venv' / '.ready-demo').stat().st_mtime + 5
    os.utime(fake.path / name, (later, later))
    assert fake.make()[0] == 0 and fake.installs() == ['.[ros,view]']


def test_a_failed_second_install_is_not_trusted(fake):
    """What worked for demo is not used after an installation for test was cut short."""
    assert fake.make('demo')[0] == 0
    fake.sentence('test', PIP_SAYS='No space left on device')
    fake.installs()
    assert fake.make('demo')[0] == 0 and fake.installs() == ['.[ros,view]']


def test_another_python_makes_another_venv(fake):
    """PYTHON is asked for once and kept until another is asked for."""
    fake.make()
    env = {name: value for name, value in fake.env.items() if name != 'PYTHON'}
    first, fake.env = fake.env['PYTHON'], env
    fake.installs()
    assert fake.make()[0] == 0 and fake.installs() == []
    other = fake.program('python-other', FAKE_PYTHON)
    code, said = fake.make(PYTHON=other)
    assert code == 0 and f"is for 'wheels {first}'; making it anew for 'wheels {other}'" in said


def test_sourced_ros_is_used(fake, tmp_path):
    """With a ROS 2 sourced no wheel is installed, and the venv sees the packages of the system."""
    (tmp_path / 'home' / 'rclpy.py').touch()
    sourced = {'ROS_DISTRO': 'jazzy', 'AMENT_PREFIX_PATH': '/opt/ros/jazzy',
               'PYTHONPATH': str(tmp_path / 'home')}
    assert fake.make('demo', **sourced)[0] == 0
    assert '--system-site-packages' in fake.notes.read_text()
    assert fake.installs() == ['.[view]']
    assert fake.make('test', **sourced)[0] == 0 and fake.installs() == ['.[test]']


def test_share_folder_follows_the_sources(fake):
    """The venv is an ament prefix whose files are those of the checkout."""
    share = fake.path / '.venv' / 'share'
    fake.make()
    assert (share / 'ament_index/resource_index/packages/robodyn_ros').is_file()
    assert (share / 'robodyn_ros/package.xml').samefile(fake.path / 'package.xml')
    (fake.path / 'urdf' / 'arm.urdf').rename(fake.path / 'urdf' / 'leg.urdf')
    fake.make()
    assert [Path(p).name for p in (share / 'robodyn_ros/urdf').iterdir()] == ['leg.urdf']


def test_clean_and_help(fake):
    """Make clean removes what was made; make help names every goal."""
    fake.make()
    fake.make('demo ROS_WHEELS=kilted')
    assert fake.make('clean')[0] == 0
    assert not list(fake.path.glob('.venv*'))
    _, said = fake.make('help')
    assert all(f'make {goal} ' in said
               for goal in ('demo', 'test', 'nodes', 'lint', 'bench', 'clean'))


def test_ci_runs_both_distributions(fake):
    """What runs for every change: the command of the README, then the nodes on Kilted."""
    done = subprocess.run([fake.path / '.ci' / 'run'], env=fake.env, text=True, timeout=60,
                          stdout=subprocess.PIPE)
    ran = [line for line in done.stdout.splitlines() if line.startswith('pytest')]
    assert done.returncode == 0 and ran == [f'{PYTEST} test', NODES]
    assert fake.installs() == ['.[ros,test,ros_test]', '.[ros_kilted,node_test,ros_test_kilted]']


def test_ci_keeps_to_a_sourced_ros(fake, tmp_path):
    """In a sourced ROS 2 there is nothing else to run."""
    (tmp_path / 'home' / 'rclpy.py').touch()
    sourced = {'ROS_DISTRO': 'jazzy', 'AMENT_PREFIX_PATH': '/opt/ros/jazzy',
               'PYTHONPATH': str(tmp_path / 'home')}
    done = subprocess.run([fake.path / '.ci' / 'run'], env={**fake.env, **sourced}, text=True,
                          timeout=60, stdout=subprocess.PIPE)
    assert done.returncode == 0 and done.stdout.splitlines()[-1] == f'{PYTEST} test'
    assert fake.installs() == ['.[test]']
