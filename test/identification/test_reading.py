# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Recordings of every kind are read alike; bad ones get one sentence."""

from identification.cases import arm, recording
import numpy as np
import pytest
from robodyn_ros.errors import RecordingError
from robodyn_ros.identification.filtering import states_of
from robodyn_ros.identification.reading import DEGREES, read_measured


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
    ({'q': spoil(np.inf)}, "position of joint 'joint_2' is inf at t = 0.5"),
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


@pytest.mark.parametrize('patterns, scales', [
    (('Time [s]', 'q{} [rad]', 'dq{} [rad/s]', 'tau{} [N m]'), (1.0, 1.0, 1.0, 1.0)),
    (('t_ms', 'pos_{}_deg', 'vel_{}_deg_s', 'tau_{}_Nm'), (
        1e3, 57.29577951308232, 57.29577951308232, 1.0)),
    (('__time', *(f'/joint_states/joint_{{}}/{word}' for word in (
        'position', 'velocity', 'effort'))), (1.0, 1.0, 1.0, 1.0)),
    (('timestamp', 'ActualPosition{}', 'ActualVelocity{}', 'JointTorque{}'), (1.0, 1.0, 1.0, 1.0)),
    (('# time', 'q[{}]', 'qd[{}]', 'effort[{}]'), (1.0, 1.0, 1.0, 1.0))])
@pytest.mark.parametrize('start', [0.0, 1.7e9])
def test_units_and_comments_in_names(tmp_path, patterns, scales, start):
    """Milliseconds, degrees and topics; seconds since 1970 lose no digits that count."""
    made = recording(arm(), exact=False)
    path = csv(tmp_path / 'a.csv', [patterns[0], *names(*patterns[1:])], *(
        x * scale for x, scale in zip((made.t + start, made.q, made.v, made.tau), scales)))
    read = read_measured(path, arm())
    for key in ('q', 'v', 'tau'):
        np.testing.assert_allclose(getattr(read, key), getattr(made, key), rtol=1e-12)
    np.testing.assert_allclose(read.t, made.t, atol=1e-6)


def test_what_was_wanted_is_not_what_was_measured(tmp_path):
    """Of target and actual columns the actual ones; currents are told to be currents."""
    made = recording(arm(), exact=False)
    words = ('target_q_{}', 'actual_q_{}', 'actual_current_{}', 'target_moment_{}')
    path = csv(tmp_path / 'a.csv', ['timestamp', *names(*words)], made.t, 1.1 * made.q, made.q,
               made.tau / 9.0, made.tau)
    read = read_measured(path, arm())
    np.testing.assert_allclose(read.q, made.q, rtol=1e-12)
    np.testing.assert_allclose(read.tau, made.tau / 9.0, rtol=1e-12)
    assert any('--drive-gains' in remark for remark in read.remarks)


def test_two_columns_of_one_joint_are_refused(tmp_path):
    """A table of two robots: --columns chooses."""
    made = recording(arm(), exact=False)
    path = csv(tmp_path / 'a.csv', ['t', *names('q{}', 'q_{}', 'tau{}')], made.t, made.q, made.q,
               made.tau)
    with pytest.raises(RecordingError, match='both position of joint 1; choose by --columns'):
        read_measured(path, arm())
    assert read_measured(path, arm(), columns={'position': 'q_%'}).q.shape == made.q.shape


def test_velocities_that_were_not_measured(tmp_path):
    """Zeros and holes in the place of velocities are no velocities; angles may wrap."""
    made = recording(arm(), exact=False)
    v, wrapped = 0.0 * made.v, (made.q + 2.9 + np.pi) % (2.0 * np.pi) - np.pi
    head = ['t', *names('q{}', 'v{}', 'tau{}')]
    read = read_measured(csv(tmp_path / 'a.csv', head, made.t, wrapped, v, made.tau), arm())
    assert read.v is None and 'differentiated' in read.remarks[0]
    np.testing.assert_allclose(np.diff(read.q, axis=0), np.diff(made.q, axis=0), atol=1e-9)
    v = made.v.copy()
    v[:, 1] = np.nan
    read = read_measured(csv(tmp_path / 'b.csv', head, made.t, made.q, v, made.tau), arm())
    states = states_of(read, 20.0)
    inner = slice(5, -5)
    expected = np.interp(states.t, made.t, made.v[:, 1])
    assert np.abs(states.v[inner, 1] - expected[inner]).max() < 0.02 * np.abs(made.v).max()


def test_a_joint_that_rests_without_an_effort(tmp_path):
    """Fingers that tell zero are passed over; the joints that move are used."""
    made = recording(arm(), exact=False)
    q, v, tau = made.q.copy(), made.v.copy(), made.tau.copy()
    q[:, 2], v[:, 2], tau[:, 2] = 0.3, 0.0, 0.0
    read = read_measured(csv(tmp_path / 'a.csv', ['t', *names('q{}', 'v{}', 'tau{}')], made.t, q,
                             v, tau), arm())
    assert np.isnan(read.tau[:, 2]).all() and np.isfinite(read.tau[:, :2]).all()
    assert 'joint_3' in read.remarks[0]


def test_tables_that_end_too_early_or_have_decimal_commas(tmp_path):
    """The last line is left out; a semicolon between columns lets commas be points."""
    made = recording(arm(), exact=False)
    path = csv(tmp_path / 'a.csv', ['t', *names('q{}', 'tau{}')], made.t, made.q, made.tau)
    text = path.read_text()
    path.write_text(text.replace(',', ';').replace('.', ','))
    np.testing.assert_allclose(read_measured(path, arm()).tau, made.tau, rtol=1e-12)
    path.write_text(text[:len(text) // 2] + '\n1.0,2')
    read = read_measured(path, arm())
    assert 100 < len(read.t) < len(made.t) and 'end of the file' in read.remarks[0]


@pytest.mark.parametrize('head, columns, sentence', [
    (['t', *(f'{x}{k}' for x in ('q', 'tau') for k in (1, 2, 3, 4))],
     lambda m: (m.t, m.q, m.q[:, :1], m.tau, m.tau[:, :1]),
     'position of 4 joints, the robot has 3'),
    (['t', *names('q{}', 'tau{}')], lambda m: (1e3 * m.t, m.q, m.tau), 'a sample comes every'),
    (['t', *names('q{}', 'v{}', 'tau{}')], lambda m: (1e3 * m.t, m.q, m.v, m.tau), 't_ms'),
    (['t', *names('q{}', 'v{}', 'tau{}')], lambda m: (m.t, m.q, -m.v, m.tau), 'signs'),
    (['1', '2', '3', '4', '5', '6', '7'], lambda m: (m.t, m.q, m.tau), 'begins with numbers')])
def test_tables_that_mean_something_else(tmp_path, head, columns, sentence):
    """More joints than the robot has, units of time, signs, no names."""
    path = csv(tmp_path / 'a.csv', head, *columns(recording(arm(), exact=False)))
    with pytest.raises(RecordingError, match=sentence):
        read_measured(path, arm())


def test_commands_beside_states_are_no_second_robot(tmp_path):
    """A bag of everything has joint_commands, too, which are joint states by type."""
    pytest.importorskip('rosbags')
    made = recording(arm(), exact=False)
    path = write_bag(tmp_path / 'bag', made, ('/joint_commands', '/arm/joint_states'))
    np.testing.assert_array_equal(read_measured(path, arm()).tau, made.tau)
    for storage in ('sqlite3', 'mcap'):  # one topic, whatever its name
        path = write_bag(tmp_path / storage, made, ('/measured',), storage)
        np.testing.assert_array_equal(read_measured(path, arm()).tau, made.tau)


@pytest.mark.parametrize('patterns, scales', [
    (('t [s]', 'q{} / deg', 'dq{} [deg/sec]', 'tau{} [mNm]'), (1.0, DEGREES, DEGREES, 1e3)),
    (('time_msec', 'q_deg_{}', 'qd_deg_{}', 'tau_{}'), (1e3, DEGREES, DEGREES, 1.0)),
    (('milliseconds', 'q{}°', 'q_dot_{} [deg s^-1]', 'efforts_{}'), (1e3, DEGREES, DEGREES, 1.0)),
    (('Time', 'logsout_q_{}', 'theta_dot_{} [rpm]', 'tau{} [kN m]'), (
        1.0, 1.0, 60.0 / 2.0 / np.pi, 1e-3)),
    (('t', 'J{}_pos_deg', 'J{}_vel_degps', 'J{}_trq_Nm'), (1.0, DEGREES, DEGREES, 1.0)),
    (('t', 'JointPositions_{} [mrad]', 'JointVelocities_{}', 'JointTorques_{}'), (
        1.0, 1e3, 1.0, 1.0))])
def test_units_and_words_as_others_write_them(tmp_path, patterns, scales):
    """Every unit that is known is obeyed, none is passed over, and no velocity is lost."""
    made = recording(arm(), exact=False)
    path = csv(tmp_path / 'a.csv', [patterns[0], *names(*patterns[1:])], *(
        x * scale for x, scale in zip((made.t, made.q, made.v, made.tau), scales)))
    read = read_measured(path, arm())
    for key in ('t', 'q', 'v', 'tau'):
        np.testing.assert_allclose(getattr(read, key), getattr(made, key), rtol=1e-12, atol=1e-12)


def test_efforts_in_amperes_or_per_cent_are_no_torques(tmp_path):
    """Whatever the column is called."""
    made = recording(arm(), exact=False)
    for unit in ('A', 'mA', '%'):
        path = csv(tmp_path / 'a.csv', ['t', *names('q{}', f'tau{{}} [{unit}]')], made.t, made.q,
                   made.tau)
        assert any('--drive-gains' in remark for remark in read_measured(path, arm()).remarks)


@pytest.mark.parametrize('change_text', [
    lambda text: 'sep=,\n' + text,
    lambda text: text.replace('\n', '\ns,' + ','.join(['rad'] * 3 + ['N m'] * 3) + '\n', 1),
    lambda text: text.replace('\n', '\n[s]' + ',[rad]' * 3 + ',[Nm]' * 3 + '\n', 1),
    lambda text: '# arm, second try\n# made by me\n' + text,
    lambda text: 'Robot: arm\nOperator: me\n\n' + text,
    lambda text: text.replace('\n', ',\n').replace(',\n', '\n', 1),
    lambda text: text.replace('\n', '\n\n'),
    lambda text: '\n'.join(line.replace(',', ' sec,', 1) if k else line
                           for k, line in enumerate(text.splitlines()))])
@pytest.mark.parametrize('encoding', ['utf-8', 'utf-8-sig', 'utf-16', 'latin-1'])
def test_what_spreadsheets_and_loggers_put_around_numbers(tmp_path, change_text, encoding):
    """Lines of units and of remarks, a comma too many, durations, the encodings of old."""
    made = recording(arm(), exact=False)
    path = csv(tmp_path / 'a.csv', ['t', *names('q{}', 'tau{}')], made.t, made.q, made.tau)
    text = change_text(path.read_text())
    path.write_bytes(text.replace('arm', 'ärm').encode(encoding))
    np.testing.assert_allclose(read_measured(path, arm()).tau, made.tau, rtol=1e-12)


def test_a_line_of_units_is_obeyed(tmp_path):
    """Degrees and milliseconds below the names."""
    made = recording(arm(), exact=False)
    path = csv(tmp_path / 'a.csv', ['t', *names('q{}', 'tau{}')], 1e3 * made.t, made.q * DEGREES,
               made.tau)
    path.write_text(path.read_text().replace(
        '\n', '\nms' + ',deg' * 3 + ',Nm' * 3 + '\n', 1))
    read = read_measured(path, arm())
    np.testing.assert_allclose(read.q, made.q, rtol=1e-12)
    np.testing.assert_allclose(read.t, made.t, rtol=1e-12)


def test_a_stamp_that_comes_twice(tmp_path):
    """The last sample counts, in a table as in a bag."""
    made = recording(arm(), exact=False)
    t = made.t.copy()
    t[77] = t[76]
    read = read_measured(csv(tmp_path / 'a.csv', ['t', *names('q{}', 'tau{}')], t, made.q,
                             made.tau), arm())
    assert len(read.t) == len(t) - 1
    np.testing.assert_array_equal(read.tau[76], made.tau[77])


def write_messages(path, messages, **options):
    """Write joint states, each of stamp [ns], names, q, v and tau."""
    writing = pytest.importorskip('rosbags.rosbag2')
    from rosbags.typesys import get_typestore, Stores
    types = get_typestore(Stores.ROS2_JAZZY)
    JointState, Header, Time = (types.types[name] for name in (
        'sensor_msgs/msg/JointState', 'std_msgs/msg/Header', 'builtin_interfaces/msg/Time'))
    bag = writing.Writer(path, **{'version': 9}, storage_plugin=writing.StoragePlugin.MCAP)
    if options:
        bag.set_compression(**options)
    with bag:
        channel = bag.add_connection('/joint_states', 'sensor_msgs/msg/JointState',
                                     typestore=types)
        for stamp, joints, *values in messages:
            message = JointState(Header(Time(stamp // 10 ** 9, stamp % 10 ** 9), ''),
                                 list(joints), *(np.array(x, dtype=float) for x in values))
            bag.write(channel, stamp, types.serialize_cdr(message, message.__msgtype__))
    return path


def stamps_of(made):
    """Return stamps [ns] of a recording."""
    return [10 ** 18 + int(round(t * 1e9)) for t in made.t]


JOINTS = 'joint_1', 'joint_2', 'joint_3'


def test_a_bag_of_more_than_ten_files(tmp_path):
    """By name, the file after _1 is _10: what counts is the time."""
    made = recording(arm(), exact=False)
    folder = tmp_path / 'bag'
    folder.mkdir()
    every = list(zip(stamps_of(made), [JOINTS] * len(made.t), made.q, made.v, made.tau))
    for k, part in enumerate(np.array_split(np.arange(len(made.t)), 12)):
        one = write_messages(tmp_path / f'part_{k}', [every[place] for place in part])
        next(one.glob('*.mcap')).rename(folder / f'bag_{k}.mcap')
    np.testing.assert_array_equal(read_measured(folder, arm()).tau, made.tau)


def test_bags_that_are_packed(tmp_path):
    """By file or message by message; a single file of the latter does not tell how."""
    made = recording(arm(), exact=False)
    every = list(zip(stamps_of(made), [JOINTS] * len(made.t), made.q, made.v, made.tau))
    writing = pytest.importorskip('rosbags.rosbag2')
    for mode in writing.CompressionMode.FILE, writing.CompressionMode.MESSAGE:
        folder = write_messages(tmp_path / mode.name, every, mode=mode,
                                fmt=writing.CompressionFormat.ZSTD)
        np.testing.assert_array_equal(read_measured(folder, arm()).tau, made.tau)
    with pytest.raises(RecordingError, match='packed by itself.*give that folder'):
        read_measured(next(folder.glob('*.mcap')), arm())


def test_parts_of_a_robot_that_send_their_own_messages(tmp_path):
    """Joints of other messages are put in at their times; what tells no efforts is passed over."""
    made = recording(arm(), exact=False)
    halves, twice = [], []
    for k, stamp in enumerate(stamps_of(made)):
        halves += [(stamp, JOINTS[:2], made.q[k, :2], made.v[k, :2], made.tau[k, :2]),
                   (stamp, JOINTS[2:], made.q[k, 2:], made.v[k, 2:], made.tau[k, 2:])]
        twice += [(stamp, JOINTS, made.q[k], made.v[k], made.tau[k]),
                  (stamp + 4_000_000, (*JOINTS, 'finger'), [*made.q[k], 0.0], [], [])]
    for name, messages in (('halves', halves), ('twice', twice)):
        read = read_measured(write_messages(tmp_path / name, messages), arm())
        for key in ('q', 'v', 'tau'):
            np.testing.assert_allclose(getattr(read, key), getattr(made, key), atol=1e-9)
        assert not read.remarks
