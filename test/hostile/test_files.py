# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Files that never end, or unpack to more than a machine has, end in one sentence, and soon."""

import io
import struct
import time
import zipfile

from hostile import fuzz
import numpy as np
import pytest
from recording.encode import JOINT_STATE, joint_state
from robodyn_ros import load_robot, load_scenario, RobodynError, robot_from_text
from robodyn_ros.checks import shown
from robodyn_ros.errors import RecordingError
from robodyn_ros.recording.messages import Decoder
from robodyn_ros.recording.reader import LEAST_UNPACKED, read_recording
from robodyn_ros.recording.writer import RecordingWriter
from robodyn_ros.report.motion import motion_of_result, read_motion
from robodyn_ros.robots.appearance import appearance_of
from robodyn_ros.robots.urdf.records import MOST_LINKS
from robodyn_ros.scenario.settings import DEEPEST, load_yaml, LONGEST_TEXT
from robodyn_ros.trajectories.joint_space import Table

SOON = 20.0
"""Generous for a machine that does other things too; what is tested here took for ever [s]."""
HEAD = '/**:\n  ros__parameters: {robot: two_link, duration: 0.01}\n'
ROBOT = load_robot('two_link')


@pytest.fixture(autouse=True)
def soon():
    """Let every test of this file end soon."""
    begin = time.monotonic()
    yield
    assert time.monotonic() - begin < 3.0 * SOON


def bomb(depth=30, width=10):
    """Return aliases of aliases: some hundred letters that stand for 10^30 values."""
    lines = ['a0: &a0 [x]']
    lines += [f'a{k}: &a{k} [{", ".join([f"*a{k - 1}"] * width)}]' for k in range(1, depth)]
    return '\n'.join(lines)


@pytest.mark.parametrize('text, words', [
    (bomb(), 'the alias'),
    ('a: &a [*a]', 'the alias'),
    ('x: &x {robot: two_link}\n/**: {<<: *x}', 'the alias'),
    ('[' * 5000, f'{DEEPEST} levels'),
    ('{a: ' * 5000, f'{DEEPEST} levels'),
    ('\n'.join(' ' * k + 'a:' for k in range(1000)), f'{DEEPEST} levels'),
    ('- ' * 3000 + 'x', f'{DEEPEST} levels'),
    (HEAD.replace('0.01', '9' * 400), '64 bits'),
    (HEAD.replace('0.01', '9' * 5000), 'cannot be read'),
    (HEAD.replace('0.01', '0x' + 'f' * 5000), '64 bits'),
    (HEAD.replace('0.01', '1' + ':59' * 3000), '64 bits'),
    (HEAD.replace('0.01', '1e99999'), 'finite number'),
    (HEAD.replace('0.01', '2001-99-99'), 'cannot be read'),
    (HEAD.replace('0.01', '!!python/object/apply:os.system [ls]'), 'not YAML'),
    ('x' * (LONGEST_TEXT + 1), 'letters'),
    ('- 0\n' * (LONGEST_TEXT // 4 + 1), 'letters'),
    ('"\\x1b[31m\\n": 1', 'unknown section'),
    (HEAD + 'controller: {ros__parameters: {kp: [' + '1, ' * 50 + '"\\e[2J\\n"]}}', 'finite'),
    (HEAD + 'dynamics: {ros__parameters: {payload: {mass: 1e308}}}', '1e+09'),
    (HEAD + 'dynamics: {ros__parameters: {noise: {seed: -9223372036854775808}}}', 'at least'),
    (HEAD + 'controller: {ros__parameters: {delay: 9223372036854775807}}', '100000'),
    (HEAD + 'controller: {ros__parameters: {natural_frequency: 2e10}}', '1e+09'),
], ids=lambda value: value[-30:])
def test_scenarios_that_never_end(text, words, tmp_path):
    """One sentence of letters, and soon."""
    path = tmp_path / 'mine.yaml'
    path.write_text(text)
    with pytest.raises(RobodynError) as caught:
        load_scenario(path)
    sentence = str(caught.value)
    assert words in sentence and sentence.isprintable() and len(sentence) < 2000


def test_a_scenario_of_any_size_is_not_read_whole():
    """Not even one that has no end."""
    with pytest.raises(RobodynError):
        load_scenario('/dev/zero')


@pytest.mark.parametrize('name', ['x' * 5000, 'x/' * 5000, 'x' * 5000 + '.yaml',
                                  'x' * 5000 + '.urdf', 'a\0b', 'a\0b.yaml'])
def test_names_of_any_length_are_no_files(name):
    """Of scenarios and robots, also where one names the other and a robot its meshes."""
    for load in (load_scenario, load_robot):
        with pytest.raises(RobodynError):
            load(name)
    text = URDF.format(name) if '\0' not in name else URDF.format('a')
    assert len(appearance_of(robot_from_text(text)).warnings) == 1


URDF = ('<robot name="r"><link name="a"><visual><geometry><mesh filename="{}.stl"/></geometry>'
        '</visual></link></robot>')


@pytest.mark.parametrize('changes', [{5: 1}, [1], 7, [None], [b'a=1']])
def test_changes_that_are_no_texts_are_refused(changes):
    """By name or as of --set."""
    with pytest.raises(RobodynError, match='set'):
        load_scenario('scara_helix', changes)


def test_what_changes_a_scenario_is_bounded_as_well():
    """--set is YAML, too."""
    for text in ('duration=[[' + '[' * 3000, f'duration={"9" * 400}', 'duration=&a [*a]'):
        with pytest.raises(RobodynError):
            load_scenario('scara_helix', [text])


def test_any_value_is_shown_in_a_few_letters():
    """However large, deep or wicked."""
    class Wicked:

        def __repr__(self):
            raise ValueError

    deep = []
    for _ in range(100):
        deep = [deep] * 10
    circle = {}
    circle['self'] = circle
    for value in (deep, circle, Wicked(), 10 ** 10000, 'x' * 10 ** 7, [0] * 10 ** 6, '\x1b\n',
                  {k: deep for k in range(100)}, np.zeros(10 ** 6), {Wicked()}, b'\0' * 10 ** 6):
        assert len(shown(value)) <= 80 and shown(value).isprintable()
    assert shown({'b': 1, 'a': [1.5, None]}) == "{'b': 1, 'a': [1.5, None]}"


def chain(count):
    """Return a robot with so many fixed links."""
    links = ''.join(
        f'<link name="l{k}"/><joint name="j{k}" type="fixed"><parent link="'
        f'{f"l{k - 1}" if k else "base"}"/><child link="l{k}"/></joint>' for k in range(count))
    return f'<robot name="r"><link name="base"/>{links}</robot>'


@pytest.mark.parametrize('text, words', [
    (chain(20000), f'at most {MOST_LINKS}'),
    ('<robot name="r">' + '<link name="a"><visual/></link>' * 150000 + '</robot>', 'elements'),
    ('<robot name="r"><link name="a">' + '<visual/>' * 300000 + '</link></robot>', 'elements'),
    ('<a>' * 100000, 'deep'),
    ('<!DOCTYPE r [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><robot name="&b;"/>', 'entity'),
    ('<robot name="' + 'x' * 10 ** 6 + '"/>', 'no <link>'),
], ids=lambda value: str(value)[:40])
def test_robots_that_never_end(text, words):
    """One sentence, and soon."""
    with pytest.raises(RobodynError, match=words):
        robot_from_text(text)


def test_many_fixed_links_are_a_robot():
    """As many as are allowed."""
    assert len(robot_from_text(chain(MOST_LINKS - 1)).frames) == MOST_LINKS


# --- recordings ----------------------------------------------------------------------------


def cdr(*parts):
    """Return a message of plain CDR."""
    return b'\0\1\0\0' + b''.join(parts)


@pytest.mark.parametrize('definition, data', [
    ('Empty[] x\n' + '=' * 80 + '\nMSG: a/Empty\n', cdr(struct.pack('<I', 2 ** 32 - 1))),
    ('Empty[999999999] x\n' + '=' * 80 + '\nMSG: a/Empty\n', cdr()),
    ('Pair[1000] x\n' + '=' * 80 + '\nMSG: a/Pair\nTwo[1000] y\n' + '=' * 80
     + '\nMSG: a/Two\nEmpty[1000] z\n' + '=' * 80 + '\nMSG: a/Empty\n', cdr(bytes(100))),
    ('Self x\n' + '=' * 80 + '\nMSG: a/Self\na/Self y\n', cdr(bytes(100))),
    ('Self[2] x\n' + '=' * 80 + '\nMSG: a/Self\na/Self[2] y\n', cdr(bytes(100))),
    ('string[] x\n', cdr(struct.pack('<I', 2 ** 31))),
    ('string x\n', cdr(struct.pack('<I', 2 ** 31))),
    ('float64[] x\n', cdr(struct.pack('<I', 2 ** 32 - 1))),
    ('float64[999999999] x\n', cdr()),
    (f'float64[{"9" * 400}] x\n', cdr()),
    (f'float64[{"9" * 5000}] x\n', cdr()),
    ('no_such/Type x\n', cdr()),
    ('string x\n', b'\0\1\0\0'), ('string x\n', b''), ('string x\n', b'\0\3\0\0'),
], ids=lambda value: str(value)[:30])
def test_messages_that_never_end(definition, data):
    """ValueError, which readers turn into their sentence."""
    with pytest.raises(ValueError):
        Decoder('a/msg/B', definition)(data)


def record(kind, body):
    """Return a record of an MCAP file."""
    return struct.pack('<BQ', kind, len(body)) + body


def text(value):
    """Return a text as MCAP has it."""
    return struct.pack('<I', len(value)) + value


def packed_chunk(compression, data, size):
    """Return a chunk that says it has so many bytes."""
    return record(6, struct.pack('<QQQI', 0, 1, size, 0) + text(compression)
                  + struct.pack('<Q', len(data)) + data)


MAGIC = b'\x89MCAP0\r\n'
START = MAGIC + record(1, text(b'') + text(b''))


@pytest.mark.parametrize('compression', ['zstd', 'lz4'])
@pytest.mark.parametrize('size', [0, 3 << 30, 2 ** 63])
def test_a_small_file_does_not_become_a_large_one(compression, size, tmp_path):
    """Whatever it says about its size; gigabytes of zeros are some kilobytes."""
    zeros = bytes(1 << 20)
    if compression == 'zstd':
        zstandard = pytest.importorskip('zstandard')
        packer = zstandard.ZstdCompressor().compressobj()
        data = b''.join(packer.compress(zeros) for _ in range(200)) + packer.flush()
    else:
        frame = pytest.importorskip('lz4.frame')
        packer = frame.LZ4FrameCompressor()
        data = packer.begin() + b''.join(packer.compress(zeros) for _ in range(200)) \
            + packer.flush()
    assert 200 << 20 > LEAST_UNPACKED > 0
    path = tmp_path / 'bomb.mcap'
    path.write_bytes(START + packed_chunk(compression.encode(), data, size))
    with pytest.raises(RecordingError, match='unpacks to more'):
        read_recording(path, ['joint_states'])


def test_many_small_bombs_are_one_large_one(tmp_path):
    """The bound is for the file, not for a chunk."""
    zstandard = pytest.importorskip('zstandard')
    chunk = packed_chunk(b'zstd', zstandard.compress(record(99, bytes(1 << 20))), 1)
    path = tmp_path / 'bombs.mcap'
    path.write_bytes(START + chunk * 200)
    with pytest.raises(RecordingError, match='unpacks to more'):
        read_recording(path, ['joint_states'])


@pytest.mark.parametrize('body', [
    packed_chunk(b'brotli', b'x', 1), packed_chunk(b'\x1b[31m', b'x', 1),
    packed_chunk(b'zstd', b'x', 1), packed_chunk(b'lz4', b'x', 1), packed_chunk(b'zstd', b'', 1),
    struct.pack('<BQ', 5, 2 ** 63), struct.pack('<BQ', 5, 3 << 30), struct.pack('<BQ', 6, 100),
    record(6, b''), record(4, b''), record(3, bytes(3)), record(12, struct.pack('<I', 2 ** 31)),
    record(99, b'') * 1000, b'\0' * 1000,
], ids=lambda value: str(value[:24]))
def test_damaged_records_are_an_end(body, tmp_path):
    """What came before is good; or one sentence."""
    path = tmp_path / 'damaged.mcap'
    path.write_bytes(START + body)
    try:
        assert not read_recording(path, ['joint_states']).complete
    except RecordingError as error:
        assert str(error).isprintable()


def test_a_recording_of_other_messages_is_one_sentence(tmp_path):
    """Of another type under our topic's name, and of times after all times."""
    for kind, stamp, data in (
            (('a/msg/B', 'string position\nint32 name\n'), 1, cdr(text(b'ab\0'), b'\0' * 9)),
            (('a/msg/B', 'float64[] position\n'), 1, cdr(struct.pack('<Id', 1, 1.0), b'\0' * 8)),
            (('a/msg/B', 'string[] position\nstring[] name\n'), 1,
             cdr(struct.pack('<I', 1), text(b'ab\0'), b'\0', struct.pack('<I', 0), b'\0' * 8)),
            (JOINT_STATE, 2 ** 64 - 1, joint_state(0, list(ROBOT.joints), [0.0, 0.0]))):
        path = tmp_path / 'other.mcap'
        writer = RecordingWriter(path)
        writer.add(writer.channel('/joint_states', *kind, ''), stamp, data)
        writer.close()
        with pytest.raises(RecordingError):
            read_motion(path, ROBOT)
        path.unlink()


# --- results -------------------------------------------------------------------------------

REST = np.zeros((3, 2))
GOOD = {'t': np.arange(3.0), 'q': REST, 'v': REST, 'tau': REST, 'phi': np.zeros((3, 0)),
        'urdf': ROBOT.urdf}


@pytest.mark.parametrize('arrays', [
    {'v': REST[:2]}, {'tau': REST[:, :1]}, {'q': REST.T}, {'q': REST[None]}, {'t': REST},
    {'t': np.array(1.0)}, {'phi': np.zeros(3)}, {'phi': np.zeros((2, 1))},
    {'phi': np.zeros((3, 1, 1))}, {'phi': np.array(0.0)}, {'reference_q': REST[:1]},
    {'tool_reference': REST}, {'q': REST.astype(str)}, {'q': REST.astype(complex)},
    {'q': np.full((3, 2), np.nan)}, {'t': np.array([0.0, 2.0, 1.0])},
    {'t': np.array([0.0, np.nan, 1.0])}, {'t': np.zeros(0)}, {'row_names': np.array(['a', 'b'])},
    {'row_names': np.array('a')}, {'urdf': np.zeros(3)}, {'t': REST.astype(bool)[:, 0]},
], ids=lambda value: f'{list(value)[0]} {list(value.values())[0].shape}')
def test_results_that_do_not_fit_together(arrays, tmp_path):
    """One sentence names the array."""
    path = tmp_path / 'mine.npz'
    np.savez(path, **{**GOOD, **arrays})
    with pytest.raises(RobodynError) as caught:
        motion_of_result(path)
    assert str(path) in str(caught.value) and str(caught.value).isprintable()


def test_the_result_that_fits_is_read(tmp_path):
    """Else the test above could not fail."""
    np.savez(tmp_path / 'good.npz', **GOOD)
    assert motion_of_result(tmp_path / 'good.npz').q.shape == (3, 2)


def test_a_result_that_unpacks_to_gigabytes_is_not_unpacked(tmp_path):
    """Nor are pickles, arrays of any size in few bytes, and names that lead elsewhere."""
    path = tmp_path / 'bomb.npz'
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        head, {'descr': '<f8', 'fortran_order': False, 'shape': (1 << 50,)})
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as file:
        with file.open('t.npy', 'w', force_zip64=True) as array:
            array.write(head.getvalue())
            for _ in range(100):
                array.write(bytes(1 << 20))
    assert path.stat().st_size < 1 << 20
    with pytest.raises(RobodynError, match='unpack'):
        motion_of_result(path)
    np.savez(path, **{**GOOD, 't': np.array([{}], dtype=object)})
    with pytest.raises(RobodynError, match='cannot be read'):
        motion_of_result(path)
    with zipfile.ZipFile(path, 'w') as file:
        file.writestr('t.npy', head.getvalue())
    with pytest.raises(RobodynError):
        motion_of_result(path)


def test_tables_that_never_end(tmp_path):
    """No device, no line without an end, no sentence of megabytes."""
    path = tmp_path / 'table.csv'
    for data in (b't,joint_1\n' + b'x' * 10 ** 6, b't,' + b'j,' * 10 ** 5, b'\0' * 10 ** 6,
                 b't,j\n0,1\n1,' + b'9' * 10 ** 5, b't,j\n0,1e999\n', b't,\x1b[2J\n'):
        path.write_bytes(data)
        with pytest.raises(RobodynError) as caught:
            Table(str(path)).read()
        assert len(str(caught.value)) < 1000 and str(caught.value).isprintable()
    for place in ('/dev/zero', str(tmp_path), 'a\0b'):
        with pytest.raises(RobodynError):
            Table(place).read()


# --- all kinds -----------------------------------------------------------------------------


@pytest.mark.parametrize('kind', fuzz.KINDS)
def test_damaged_inputs_are_read_or_refused(kind):
    """Some hundred of each kind; `make soak` tries a million."""
    found = fuzz.attack(kind, 600, SOON)
    assert not found.failures, found.failures
    assert 0 < found.read < found.inputs > 20


def test_an_input_that_got_through_can_be_made_again():
    """By its number."""
    assert fuzz.made('YAML', 7) == fuzz.made('YAML', 7) != fuzz.made('YAML', 8)


def test_plain_yaml_stays_what_it_was():
    """Numbers, lists and groups, to the bounds."""
    text = 'a: {b: [1, 2.5, -9223372036854775807, 0x7fffffffffffffff, "x"], c: null}'
    assert load_yaml(text, 'text') == {
        'a': {'b': [1, 2.5, -2 ** 63 + 1, 2 ** 63 - 1, 'x'], 'c': None}}
    assert load_yaml('[' * (DEEPEST - 1) + '1' + ']' * (DEEPEST - 1), 'text')


@pytest.mark.parametrize('kind, number', [
    ('MCAP', 15765),    # a description whose schema has no data: a KeyError
    ('NPZ', 17472),     # a header of thousands of bytes, all of them quoted
    ('URDF', 8904), ('URDF', 16421), ('URDF', 18035),  # a word of thousands of letters, quoted
    ('study', 2078),    # a scenario whose name is too long for a file
    ('measured.mcap', 501),  # a velocity of 1e300
    ('measured.mcap', 6341),  # a record too long for any memory
    ('measured.csv', 12328),  # joint number 999…
    ('measured.mcap', 12134), ('measured.mcap', 24012)])  # joint states without efforts, names
def test_what_a_million_inputs_found(kind, number, tmp_path):
    """What `make soak` found: a sentence that can be read, whatever it quotes."""
    with pytest.raises(RobodynError) as refused:
        fuzz.KINDS[kind].read(fuzz.made(kind, number), tmp_path / f'fuzzed.{kind.lower()}')
    assert str(refused.value).isprintable() and len(str(refused.value)) < 5000
