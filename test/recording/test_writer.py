# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Files are complete after every flush, and readable however they are cut."""

import os

from mcap.reader import make_reader
import pytest
from recording.encode import JOINT_STATE, joint_state, STRING, string
from robodyn_ros.errors import RecordingError
from robodyn_ros.recording import writer as module
from robodyn_ros.recording.reader import read_recording
from robodyn_ros.recording.writer import RecordingWriter

MILLI = 10 ** 6


def filled(path, flushes=3, messages=20):
    """Write a recording; returns the writer, and the file's size after each flush."""
    writer = RecordingWriter(path, {'scenario': 'none'})
    states = writer.channel('/joint_states', *JOINT_STATE, '')
    sizes, stamp = [], 0
    for _ in range(flushes):
        for _ in range(messages):
            stamp += MILLI
            writer.add(states, stamp, joint_state(stamp, ['a', 'b'], [stamp * 1e-9, 1.0]))
        writer.flush()
        sizes.append(os.path.getsize(path))
    return writer, sizes


def checked(path):
    """Read a complete file with the package mcap, by its index and with all checksums."""
    with open(path, 'rb') as file:
        reader = make_reader(file, validate_crcs=True)
        summary = reader.get_summary()
        messages = [(channel.topic, schema.name, message.log_time, message.data)
                    for schema, channel, message in reader.iter_messages()]
        facts = {record.name: record.metadata for record in reader.iter_metadata()}
        assert reader.get_header().profile == 'ros2'
    assert summary.statistics.message_count == len(messages)
    assert summary.statistics.chunk_count == len(summary.chunk_indexes)
    return messages, facts


@pytest.mark.parametrize('compressed', [True, False])
def test_complete_after_every_flush(tmp_path, monkeypatch, compressed):
    """An independent, indexed reader finds every message flushed so far, and the facts."""
    if not compressed:
        monkeypatch.setattr(module, 'zstandard', None)
    path = tmp_path / 'run.mcap'
    writer = RecordingWriter(path, {'scenario': 'none'})
    assert checked(path) == ([], {'robodyn': {'scenario': 'none'}})
    states = writer.channel('/joint_states', *JOINT_STATE, '')
    expected = []
    for k in range(1, 6):
        if k == 3:  # a topic that comes late
            text = writer.channel('/robot_description', *STRING, '')
            writer.add(text, k * MILLI, string('<robot/>'))
            expected.append(('/robot_description', STRING[0], k * MILLI, string('<robot/>')))
        data = joint_state(k * MILLI, ['a'], [1.0 * k])
        writer.add(states, k * MILLI, data)
        expected.append(('/joint_states', JOINT_STATE[0], k * MILLI, data))
        writer.flush()
        assert sorted(checked(path)[0]) == sorted(expected)
    writer.close()
    writer.close()
    assert sorted(checked(path)[0]) == sorted(expected)


def test_a_large_recording_is_cut_into_chunks(tmp_path, monkeypatch):
    """A chunk ends when it is large enough, also between flushes."""
    monkeypatch.setattr(module, 'LARGEST_CHUNK', 1000)
    path = tmp_path / 'run.mcap'
    writer, _ = filled(path)
    writer.close()
    assert len(checked(path)[0]) == 60
    with open(path, 'rb') as file:
        assert make_reader(file).get_summary().statistics.chunk_count > 6


def test_cut_anywhere_it_is_read_up_to_the_last_flush_before(tmp_path):
    """At every hundredth byte: no error, and nothing is lost that was flushed before."""
    path, cut = tmp_path / 'run.mcap', tmp_path / 'cut.mcap'
    writer, _ = filled(path)
    writer.close()
    data = path.read_bytes()
    seen = set()
    for size in [*range(100, len(data), 100), len(data)]:
        cut.write_bytes(data[:size])
        found = read_recording(cut, ['joint_states'])
        stamps = [stamp for stamp, _ in found.messages['joint_states']]
        assert stamps == [k * MILLI for k in range(1, len(stamps) + 1)]
        assert found.complete == (size == len(data))
        seen.add(len(stamps))
    assert seen == {0, 20, 40, 60}


def test_a_summary_is_cut_off_before_the_next_chunk(tmp_path):
    """While a flush is under way the file is a valid beginning of one, never a mixture."""
    path, copy = tmp_path / 'run.mcap', tmp_path / 'copy.mcap'
    writer, (first, *_) = filled(path, flushes=1)
    before = path.read_bytes()
    writer.add(1, 10 ** 9, joint_state(10 ** 9, ['a'], [1.0]))
    writer.close()
    after = path.read_bytes()
    same = os.path.commonprefix([before, after])
    copy.write_bytes(same)  # what the cut leaves: everything up to the former summary
    assert len(read_recording(copy, ['joint_states']).messages['joint_states']) == 20
    assert len(same) < first < len(after)


def test_files_that_cannot_be(tmp_path):
    """An existing file stays as it is; a missing folder is one sentence."""
    path = tmp_path / 'run.mcap'
    path.write_text('mine')
    with pytest.raises(RecordingError, match='run.mcap: the file exists and is not overwritten'):
        RecordingWriter(path)
    assert path.read_text() == 'mine'
    with pytest.raises(RecordingError, match='cannot be created .*; give a path in a folder'):
        RecordingWriter(tmp_path / 'nowhere' / 'run.mcap')


def test_a_full_disk_is_one_sentence(tmp_path, monkeypatch):
    """What was written before is kept; the message says what to do."""
    path = tmp_path / 'run.mcap'
    writer, _ = filled(path)

    def full(*_):
        raise OSError(28, 'No space left on device')

    writer.add(1, 10 ** 9, joint_state(10 ** 9, ['a'], [1.0]))
    with monkeypatch.context() as patch:
        patch.setattr(module.os, 'write', full)
        with pytest.raises(RecordingError, match='run.mcap: cannot be written .*make room'):
            writer.flush()
    writer.close()  # by then it is
    assert len(read_recording(path, ['joint_states']).messages['joint_states']) == 60


@pytest.mark.parametrize('content, words', [
    (b'', 'is not an MCAP file'), (b'text', 'is not an MCAP file'),
    (b'PK\3\4' + 20 * b'\0', 'is not an MCAP file')])
def test_other_files_are_refused(tmp_path, content, words):
    """One sentence that names the file."""
    path = tmp_path / 'other'
    path.write_bytes(content)
    with pytest.raises(RecordingError, match=f'other: {words}'):
        read_recording(path, ['joint_states'])
    with pytest.raises(RecordingError, match='nowhere: cannot be read'):
        read_recording(tmp_path / 'nowhere', ['joint_states'])
