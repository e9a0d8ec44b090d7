# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Copies of this process, made by fork: each begins at once, with all that is imported and compiled.

A copy has one thread, that which forked. A lock that another thread held just then stays closed in
it for ever. So no copy is made where there are other threads: not beside ROS, in a notebook, or
below a progress bar. Threads of OpenBLAS end before a fork by themselves, and jemalloc, which
comes with pyarrow, knows how to be copied.
"""
from __future__ import annotations

import fcntl
import gc
import multiprocessing
from multiprocessing.process import BaseProcess
import os
from pathlib import Path
import sys
import threading
from typing import Any, BinaryIO, Callable
import warnings
from weakref import WeakSet

from robodyn_ros.interruption import INTERRUPTION, leave_to_parent

TASKS = Path('/proc/self/task')
READY = ('jemalloc_bg_thd',)
"""Threads that may be there, by the names they have given themselves."""
_locked: WeakSet[BinaryIO] = WeakSet()


def possible() -> bool:
    """Tell whether this process can be copied, as far as can be known before it is."""
    return sys.platform == 'linux' and threading.active_count() == 1 \
        and threading.current_thread() is threading.main_thread() \
        and not multiprocessing.current_process().daemon


def copied(work: Callable[..., None], *given: Any) -> BaseProcess | None:
    """
    Start a copy of this process that does some work and ends; None where that is not safe.

    :param work: must not begin before it has received something that is sent after this
    """
    if not possible():
        return None
    process = multiprocessing.get_context('fork').Process(target=_begin, args=(work, *given))
    with INTERRUPTION.held(), warnings.catch_warnings():  # until the copy ignores signals
        warnings.simplefilter('ignore', DeprecationWarning)  # of threads, which are looked at here
        process.start()
    if _others():  # of libraries; such as Python knows are looked at before
        process.kill()
        process.join()
        return None
    return process


def _others() -> bool:
    """Tell whether threads are left that fork does not end."""
    here = [task for task in TASKS.iterdir() if task.name != str(threading.get_native_id())]
    return any((task / 'comm').read_text().strip() not in READY for task in here)


def _begin(work: Callable[..., None], *given: Any) -> None:
    """Do the work of a copy."""
    leave_to_parent()
    gc.freeze()  # looking for garbage would copy the pages of what is shared
    work(*given)


def lock(file: BinaryIO) -> None:
    """Lock a file until this process ends, however it does; OSError where another one has it."""
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    _locked.add(file)


def _let_go() -> None:
    """Let go of locked files in a copy, with which the locks would outlive this process."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for file in _locked:
        if not file.closed:
            os.dup2(nowhere, file.fileno(), inheritable=False)
    os.close(nowhere)


os.register_at_fork(after_in_child=_let_go)
