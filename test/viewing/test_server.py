# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Where the page can be served is known before viser is asked."""

import socket

import pytest
from robodyn_ros.errors import RobodynError

pytest.importorskip('viser', reason='the extra "view" is not installed')

from robodyn_ros.viewing.server import free_port, LAST_PORT  # noqa: E402

HERE = '127.0.0.1'


@pytest.fixture
def taken():
    """Return a port that somebody listens on."""
    with socket.create_server((HERE, 0)) as other:
        yield other.getsockname()[1]


def test_a_taken_port_gives_way_to_the_next(taken):
    """And any free one stays any."""
    assert taken < free_port(HERE, taken) <= LAST_PORT
    assert free_port(HERE, 0) == 0


def test_behind_the_last_port_there_is_none(taken, monkeypatch):
    """The sentence names the port that was asked for."""
    monkeypatch.setattr('robodyn_ros.viewing.server.LAST_PORT', taken)
    with pytest.raises(RobodynError, match=f"host '{HERE}', port {taken} .no port is free.; give"):
        free_port(HERE, taken)


@pytest.mark.parametrize('host, reason', [
    ('nowhere.invalid', ''), ('192.0.2.1', 'Cannot assign requested address'),
    ('a' * 100, 'too long'), ('', 'no address')])
def test_an_address_of_another_machine_is_refused(host, reason):
    """With the way out; without this check viser waits for ever."""
    with pytest.raises(RobodynError, match=f"host '{host}', port 0 .*{reason}.*127.0.0.1"):
        free_port(host, 0)
