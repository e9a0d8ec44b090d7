# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The rows of a study on disk: a journal while it runs, one Parquet file when it is complete.

The journal, FILE.parquet.unfinished, grows by one frame for every chunk of runs, in the order in
which workers finish: length and checksum, then the chunk's number and its rows. A frame that was
cut off by a kill or a full disk is dropped when the journal is opened again; all others are kept.
The frames are put in order as they come, a block of rows at a time, so that memory does not grow.

    rows      sha256 of all values, block by block and column by column, in the order of the runs
    metadata  the study, the versions of what computed it, the hash
"""
from __future__ import annotations

from contextlib import suppress
import hashlib
import json
import math
import os
from pathlib import Path
import struct
from types import ModuleType
from typing import Any, Iterator, Mapping, Sequence
import zlib

import numpy as np

from robodyn_ros.errors import MissingPackageError, RecordingError
from robodyn_ros.sweeping.copies import lock
from robodyn_ros.sweeping.metrics import TRUTHS, WHOLE

MAGIC = b'robodyn sweep 1\n'
FRAME = struct.Struct('<QI')
"""Bytes of a frame, and their checksum."""
NUMBER = struct.Struct('<Q')
BLOCK = 16384
"""Rows of a group in the Parquet file, and of a block of the hash."""
METADATA = b'robodyn'
MOST_VALUES = 1_000_000
"""Of a column, from which its median is taken."""


def arrow() -> ModuleType:
    """Return pyarrow, or say how to get it."""
    try:
        import pyarrow
    except ImportError:
        raise MissingPackageError('tables of studies need pyarrow; install it: pip install '
                                  '"robodyn_ros[sweep]"') from None
    return pyarrow


def parquet() -> ModuleType:
    """Return its part for tables on disk, which workers do not need."""
    arrow()
    import pyarrow.parquet
    return pyarrow.parquet


def schema_of(axes: Mapping[str, set[type]], metrics: Sequence[str]) -> Any:
    """
    Return the columns of a table.

    :param axes: types of the values of each axis
    """
    pa = arrow()
    columns = [('run', pa.int64())]
    for name, kinds in axes.items():
        columns.append((name, pa.int64() if kinds == {int} else pa.bool_() if kinds == {bool} else
                        pa.float64() if kinds <= {int, float} else pa.string()))
    for name in metrics:
        columns.append((name, pa.bool_() if name in TRUTHS else
                        pa.int64() if name in WHOLE else pa.float64()))
    columns += [('finished', pa.bool_()), ('time', pa.float64()), ('reason', pa.string())]
    return pa.schema(columns)


def encoded(rows: Mapping[str, Any], schema: Any) -> Any:
    """Encode rows, given by column, as they travel and are kept: Arrow's bytes of a batch."""
    return batch_of(rows, schema).serialize()


def decoded(data: Any, schema: Any) -> Any:
    """Return a record batch of its bytes."""
    pa = arrow()
    return pa.ipc.read_record_batch(pa.py_buffer(data), schema)


def joined(parts: Sequence[Any], schema: Any) -> Any:
    """Return the bytes of some parts as one."""
    table = arrow().Table.from_batches([decoded(part, schema) for part in parts])
    whole, = table.combine_chunks().to_batches()
    return whole.serialize()


def batch_of(rows: Mapping[str, Any], schema: Any) -> Any:
    """Return rows as a record batch."""
    pa = arrow()
    arrays = []
    for field in schema:
        values: Any = rows[field.name]
        if pa.types.is_string(field.type):
            one = values[0]
            arrays.append(pa.repeat(one, len(values)) if isinstance(one, str) and values.count(
                one) == len(values) else pa.array([
                    x if isinstance(x, str) else json.dumps(x) for x in values], field.type))
            continue
        found = np.asarray(values)
        kind = np.dtype(field.type.to_pandas_dtype())
        if kind.kind == 'f':
            found = found.astype(float, copy=False)
        none = None
        if found.dtype.kind == 'f' != kind.kind:  # what is no number is none
            none = np.isnan(found)
            found = np.where(none, 0.0, found).astype(kind)
        arrays.append(pa.array(found, field.type, mask=none, from_pandas=True))
    return pa.record_batch(arrays, schema=schema)


class Journal:
    """The finished chunks of a study that is not complete."""

    def __init__(self, path: Path, digest: str, schema: Any):
        """
        Open it, with what an earlier run has left; that of another study is refused.

        :param digest: all that its rows depend on
        """
        self.path, self.schema = path, schema
        self.places: dict[int, int] = {}
        """Where the frame of each finished chunk begins."""
        self._last: tuple[int, Any] = -1, b''
        """What was added last, which mostly is what is asked for next."""
        head = MAGIC + hashlib.sha256(digest.encode()).hexdigest().encode() + b'\n'
        try:
            self._file = open(path, 'r+b' if path.exists() else 'x+b')
        except OSError as error:
            raise RecordingError(f'{path}: cannot be written ({error.strerror}); choose another '
                                 'place with --output') from None
        try:  # until this process ends, however it does
            lock(self._file)
        except OSError:
            self._file.close()
            raise RecordingError(f'{path}: another sweep writes to it; wait for that, or give '
                                 'another --output') from None
        begin = self._file.read(len(head))
        if not head.startswith(begin):
            self._file.close()
            raise RecordingError(f'{path}: holds rows of another study, or of this one made by '
                                 'other versions of robodyn_ros, numpy or its compiler; give '
                                 'another --output, or remove it')
        if begin != head:  # new, or cut off before it had any rows
            self._file.seek(0)
            self._file.write(head)
            self._file.flush()
        self._end = len(head)
        for number, at, end in self._frames():
            self.places.setdefault(number, at)
            self._end = end
        self._file.truncate(self._end)

    def _frames(self) -> Iterator[tuple[int, int, int]]:
        """Yield the number, begin and end of every whole frame."""
        at = self._end
        while True:
            self._file.seek(at)
            head = self._file.read(FRAME.size)
            if len(head) < FRAME.size:
                return
            size, check = FRAME.unpack(head)
            if size > os.fstat(self._file.fileno()).st_size - at:
                return
            body = self._file.read(size)
            if len(body) < size or zlib.crc32(body) != check:
                return
            yield NUMBER.unpack_from(body)[0], at, at + FRAME.size + size
            at += FRAME.size + size

    def add(self, number: int, rows: Any) -> None:
        """Keep the rows of a chunk, encoded; the same chunk again is left out."""
        if number in self.places:
            return
        begin = NUMBER.pack(number)
        size, check = len(begin) + len(rows), zlib.crc32(rows, zlib.crc32(begin))
        self._file.seek(self._end)
        try:
            self._file.write(FRAME.pack(size, check) + begin)
            self._file.write(rows)
            self._file.flush()
        except OSError:  # a full disk: what is whole stays
            self._file.truncate(self._end)
            raise
        self.places[number] = self._end
        self._end += FRAME.size + size
        self._last = number, rows

    def batch(self, number: int) -> Any:
        """Return the rows of a finished chunk."""
        last, data = self._last
        if number != last:
            self._file.seek(self.places[number])
            size, _ = FRAME.unpack(self._file.read(FRAME.size))
            self._file.seek(NUMBER.size, os.SEEK_CUR)
            data = self._file.read(size - NUMBER.size)
        return decoded(data, self.schema)

    def close(self, remove: bool = False) -> None:
        """Leave the file, and remove it when its rows are elsewhere."""
        self._file.close()
        if remove:
            self.path.unlink(missing_ok=True)


def _bytes_of(column: Any) -> Iterator[Any]:
    """Yield which values there are and the values, as little-endian numbers or as text."""
    pa = arrow()
    yield column.is_valid().to_numpy(zero_copy_only=False) if column.null_count else \
        b'\1' * len(column)
    if pa.types.is_string(column.type):
        words = column.unique().to_pylist()
        texts = [json.dumps(words[0])] * len(column) if len(words) == 1 else map(
            json.dumps, column.to_pylist())
        yield f'[{", ".join(texts)}]'.encode()
        return
    if column.null_count:
        column = column.fill_null(False if pa.types.is_boolean(column.type) else 0)
    found = column.to_numpy(zero_copy_only=False)
    yield found.astype(found.dtype.newbyteorder('<'), copy=False)


class TableWriter:
    """
    The Parquet file of a study, written while rows come in, as far as they are in order.

    It has another name until it is complete. Leaving the with block removes what is not.
    """

    def __init__(self, path: Path, journal: Journal, repeated: Sequence[str] = ()):
        """
        Write nothing yet.

        :param repeated: columns of numbers of which there are a few only
        """
        self._path, self._journal = path, journal
        # of numbers that are all different, a dictionary takes as long as all else together
        self._repeated = [field.name for field in journal.schema
                          if field.name in repeated or field.type == arrow().string()]
        # that of a killed sweep is written over: who has the journal is alone
        self._private = path.with_name(f'.{path.name}.partial')
        self._writer: Any = None
        self._digest = hashlib.sha256()
        self._next = 0
        self._some: list[Any] = []
        self._held = 0

    def __enter__(self) -> TableWriter:
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove what is not complete."""
        if self._writer is not None:
            with suppress(OSError):  # of a full disk, which has been told
                self._writer.close()
        self._private.unlink(missing_ok=True)

    def grow(self) -> None:
        """Write the blocks whose rows are all there."""
        while self._next in self._journal.places:
            self._some.append(self._journal.batch(self._next))
            self._next += 1
            self._held += self._some[-1].num_rows
            while self._held >= BLOCK:
                table = arrow().Table.from_batches(self._some, self._journal.schema)
                self._write(table.slice(0, BLOCK))
                self._some, self._held = table.slice(BLOCK).to_batches(), self._held - BLOCK

    def finish(self, facts: Mapping[str, Any]) -> str:
        """Write the rest of a complete journal; returns the hash of all rows."""
        self.grow()
        if self._held:
            self._write(arrow().Table.from_batches(self._some, self._journal.schema))
        found = self._digest.hexdigest()
        self._writer.add_key_value_metadata({
            METADATA: json.dumps({**facts, 'rows': found}, default=list).encode()})
        self._writer.close()
        os.replace(self._private, self._path)
        return found

    def _write(self, block: Any) -> None:
        for name, column in zip(block.column_names, block.columns):
            self._digest.update(name.encode() + b'\0')
            for part in _bytes_of(column):
                self._digest.update(part)
        if self._writer is None:
            self._writer = parquet().ParquetWriter(self._private, self._journal.schema,
                                                   use_dictionary=self._repeated)
        self._writer.write_table(block)


def facts_of(path: Path) -> dict[str, Any]:
    """Return the study, versions and hash of a table; refuse a file that is none."""
    pa = arrow()
    try:
        kept = parquet().read_metadata(path).metadata or {}
        return json.loads(kept[METADATA])
    except FileNotFoundError:
        raise RecordingError(f'{path}: there is no such file; make one with robodyn sweep') \
            from None
    except (OSError, KeyError, ValueError, pa.ArrowException):
        raise RecordingError(f'{path}: is no table of robodyn sweep; give one that it made') \
            from None


def read_table(path: Path) -> Any:
    """Return all rows of a table."""
    facts_of(path)
    return parquet().read_table(path)


def names_of(path: Path) -> list[str]:
    """Return the names of a table's columns."""
    return list(parquet().read_schema(path).names)


def spread_of(path: Path, name: str) -> tuple[float, float, float] | None:
    """
    Return the smallest, middle and largest finite value of a column, None where it has none.

    The middle is that of every k-th row, so that memory does not grow with the table.
    """
    with parquet().ParquetFile(path) as file:
        every = -(-file.metadata.num_rows // MOST_VALUES)
        low, high, some = math.inf, -math.inf, []
        for k in range(file.num_row_groups):
            column = file.read_row_group(k, columns=[name]).column(0)
            values = column.to_numpy(zero_copy_only=False).astype(float)
            known = values[np.isfinite(values)]
            if known.size:
                low, high = min(low, float(known.min())), max(high, float(known.max()))
                some.append(known[::every])
    return (low, float(np.median(np.concatenate(some))), high) if some else None
