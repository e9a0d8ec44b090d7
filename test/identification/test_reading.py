# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Recordings of every kind are read alike; bad ones get one sentence."""

from identification.cases import arm, recording
import numpy as np
import pytest
from robodyn_ros.errors import RecordingError
from robodyn_ros.identification.reading import read_measured


def csv(path, names, *columns):
    """Write columns with a first line of names."""
    np.savetxt(path, np.column_stack(columns), delimiter=',', header=','.join(names), comments='')
    return path


def names(*patterns):
    """Return the names of three columns for each pattern."""
    return [pattern.format(k) for pattern in patterns for k in (1, 2, 3)]


@pytest.mark.parametrize('patterns', [
    ('q{}', 'v{}', 'tau{}'), ('position/joint_{}', 'velocity/joint_{}', 'effort/joint_{}'),
    ('joint_{}_pos', 'joint_{}_vel', 'joint_{}_torque'), ('q_{}', 'dq_{}', 'current_{}')])
def test_columns_by_many_names(tmp_path, patterns):
    """Words of the field, before or behind the joint's name or number."""
    made = recording(arm(), exact=False)
    path = csv(tmp_path / 'a.csv', ['t', *names(*patterns)], made.t, made.q, made.v, made.tau)
    read = read_measured(path, arm())
    for key in ('t', 'q', 'v', 'tau'):
        np.testing.assert_allclose(getattr(read, key), getattr(made, key), rtol=1e-12)


def test_a_mapping_of_columns(tmp_path):
    """Any other names, by --columns."""
    made = recording(arm(), exact=False)
    path = csv(tmp_path / 'a.csv', ['clock', *names('a{}x', 'm{}')], made.t, made.q, made.tau)
    read = read_measured(path, arm(), columns={'t': 'clock', 'position': 'a%x', 'effort': 'm%'})
    np.testing.assert_allclose(read.tau, made.tau, rtol=1e-12)
    assert read.v is None


def write_bag(path, made, topics=('/joint_states',), storage='sqlite3',
              joints=('joint_3', 'joint_1', 'joint_2')):
    """Write a bag with rosbags' own writer; joints in an order of its own."""
    writing = pytest.importorskip('rosbags.rosbag2')
    from rosbags.typesys import get_typestore, Stores
    types = get_typestore(Stores.ROS2_JAZZY)
    JointState = types.types['sensor_msgs/msg/JointState']
    Header = types.types['std_msgs/msg/Header']
    Time = types.types['builtin_interfaces/msg/Time']
    plugin = writing.StoragePlugin.SQLITE3 if storage == 'sqlite3' else writing.StoragePlugin.MCAP
    order = [2, 0, 1]
    with writing.Writer(path, **{'version': 9}, storage_plugin=plugin) as bag:
        channels = [bag.add_connection(topic, 'sensor_msgs/msg/JointState', typestore=types)
                    for topic in topics]
        for k, t in enumerate(made.t):
            stamp = int(round(t * 1e9)) + 10 ** 9
            message = JointState(
                Header(Time(stamp // 10 ** 9, stamp % 10 ** 9), ''), list(joints),
                made.q[k, order], made.v[k, order], made.tau[k, order])
            for channel in channels:
                bag.write(channel, stamp, types.serialize_cdr(message, message.__msgtype__))
    return path


@pytest.mark.parametrize('storage', ['sqlite3', 'mcap'])
def test_bags_as_a_folder_and_as_a_file(tmp_path, storage):
    """Both storages, with metadata and without, whatever order the joints come in."""
    made = recording(arm(), exact=False)
    folder = write_bag(tmp_path / 'bag', made, storage=storage)
    single = next(path for path in folder.iterdir() if path.suffix in ('.db3', '.mcap'))
    for path in (folder, single):
        read = read_measured(path, arm())
        np.testing.assert_allclose(read.t, made.t, atol=1e-9)
        np.testing.assert_array_equal(read.tau, made.tau)


def test_two_robots_in_one_bag(tmp_path):
    """They are told apart by --topic."""
    pytest.importorskip('rosbags')
    made = recording(arm(), exact=False)
    path = write_bag(tmp_path / 'bag', made, ('/left/joint_states', '/right/joint_states'))
    with pytest.raises(RecordingError, match='several robots.*--topic'):
        read_measured(path, arm())
    assert len(read_measured(path, arm(), '/left/joint_states').t) == len(made.t)


def test_a_truncated_bag(tmp_path):
    """What is left of a file is read, or refused in a sentence; never a traceback."""
    made = recording(arm(), exact=False)
    for storage in ('sqlite3', 'mcap'):
        folder = write_bag(tmp_path / storage, made, storage=storage)
        single = next(path for path in folder.iterdir() if path.suffix in ('.db3', '.mcap'))
        data = single.read_bytes()
        single.write_bytes(data[:len(data) // 2])
        try:
            assert read_measured(single, arm()).remarks
        except RecordingError as error:
            assert str(single) in str(error)


def change(made, **values):
    """Return the columns of a recording, some of them other ones."""
    columns = {'t': made.t, 'q': made.q.copy(), 'v': made.v.copy(), 'tau': made.tau.copy()}
    for key, value in values.items():
        columns[key] = value(columns[key]) if callable(value) else value
    return columns


def spoil(value):
    """Return a function that puts a value into a column."""
    def put(values):
        values[50, 1] = value
        return values
    return put


@pytest.mark.parametrize('changes, sentence', [
    ({'tau': lambda tau: tau * np.nan}, 'has no efforts'),
    ({'tau': lambda tau: tau * 0.0}, "effort of joint 'joint_1' is 0 all the time"),
    ({'tau': spoil(np.nan)}, "effort of joint 'joint_2' is not a number at t = 0.5"),
    ({'q': spoil(np.inf)}, "position of joint 'joint_2' is not a number"),
    ({'q': lambda q: q * 0.0}, 'stands still.*robodyn excite'),
    ({'q': lambda q: np.degrees(q), 'v': lambda v: np.degrees(v)}, 'degrees'),
    ({'v': lambda v: np.degrees(v)}, 'degrees'),
    ({'t': lambda t: t[::-1]}, 'times must increase'),
    ({'t': lambda t: t * 1e-4}, 'record longer'),
])
def test_bad_recordings_get_one_sentence(tmp_path, changes, sentence):
    """Each names the file, what was found, and what to do."""
    columns = change(recording(arm(), exact=False), **changes)
    path = csv(tmp_path / 'bad.csv', ['t', *names('q{}', 'v{}', 'tau{}')], *columns.values())
    with pytest.raises(RecordingError, match=sentence) as caught:
        read_measured(path, arm())
    assert str(path) in str(caught.value) and '\n' not in str(caught.value)


@pytest.mark.parametrize('head, sentence', [
    (['x', *names('q{}', 'v{}', 'tau{}')], 'no column of time'),
    (['t', *names('a{}', 'b{}', 'c{}')], 'no column of position'),
    (['t', *names('q{}', 'v{}', 'c{}')], 'no column of effort'),
    (['t', *names('q{}', 'v{}')], 'one name per column'),
    (['t', *(name.replace('1', '_elbow') for name in names('q_{}', 'v_{}', 'tau_{}'))],
     'no column of position'),
])
def test_names_that_do_not_fit(tmp_path, head, sentence):
    """Columns that are no joint's."""
    made = recording(arm(), exact=False)
    path = csv(tmp_path / 'bad.csv', head, made.t, made.q, made.v, made.tau)
    with pytest.raises(RecordingError, match=sentence):
        read_measured(path, arm())


def test_a_missing_file_and_a_folder_of_nothing(tmp_path):
    """A sentence each."""
    with pytest.raises(RecordingError, match='there is no such file'):
        read_measured(tmp_path / 'none.mcap', arm())
    with pytest.raises(RecordingError, match='ROS 2 bag'):
        read_measured(tmp_path, arm())
