# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A user's function that is recorded: whatever it raises becomes a sentence that names it."""
from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

from robodyn_ros.errors import RobodynError, TracingError


@contextmanager
def blamed(what: str, remedy: str, kind: type[RobodynError] = TracingError) -> Iterator[None]:
    """
    Name a user's function in what goes wrong while it is recorded within the block.

    :param what: the function, such as 'the control law'
    :param remedy: what to do when it raises
    :param kind: of the error
    """
    try:
        yield
    except TracingError as error:
        if str(error).startswith(what):  # a law around a law
            raise
        raise kind(f'{what}: {error}') from error
    except RobodynError:
        raise
    except (Exception, SystemExit) as error:  # noqa: B902  it may raise anything
        raise kind(f'{what} raised {type(error).__name__}: {error}; {remedy}') from error
