# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Starting and stopping viser's server without its banners: our log says what there is to say.

Viser itself listens where nobody looks; visitors come through the gate (gate.py).
"""
from __future__ import annotations

import asyncio
import contextlib
import errno
import io
import logging
import os
import secrets
import socket

from robodyn_ros.errors import RobodynError
from robodyn_ros.viewing.gate import Gate
import viser

LAST_PORT = 65535


class Server:
    """Viser's server, where only this process looks for it."""

    def __init__(self) -> None:
        """Start it."""
        logging.getLogger('websockets').setLevel(logging.WARNING)
        self.host = _hidden_host()
        with contextlib.redirect_stdout(io.StringIO()):
            self.viser = viser.ViserServer(host=self.host, port=0, label='robodyn', verbose=False)

    def gate(self, host: str, port: int) -> Gate:
        """Open the gate through which visitors come; a taken port gives way to the next."""
        return Gate(host, free_port(host, port), (self.host, self.viser.get_port()))

    def close(self) -> None:
        """Stop it."""
        with contextlib.redirect_stdout(io.StringIO()):
            self.viser.stop()


def _hidden_host() -> str:
    """
    Return a loopback address that no web page can guess: one of 16 million, and a port of any.

    Systems that have but one loopback address get that.
    """
    host = '127.' + '.'.join(str(1 + secrets.randbelow(254)) for _ in range(3))
    try:
        with socket.create_server((host, 0)):
            return host
    except OSError:
        return '127.0.0.1'


def free_port(host: str, port: int) -> int:
    """
    Return the first port from this one on that is free; 0 stays 0, which means any free one.

    Asked before viser is: its thread dies of an address that is not of this machine, and its
    constructor then waits for that thread for ever.
    """
    reason = 'no address' if not host else 'no port is free'
    for candidate in range(port, LAST_PORT + 1) if host else ():
        try:
            asyncio.run(_listen(host, candidate))
            return candidate
        except (OSError, UnicodeError) as error:
            if getattr(error, 'errno', None) in (errno.EADDRINUSE, errno.EACCES):
                continue
            reason = _reason(error)
            break
    raise RobodynError(f'the page cannot be served on host {host!r}, port {port} ({reason}); give '
                       'an address of this machine as host, such as 127.0.0.1')


def _reason(error: Exception) -> str:
    """Return the reason in a few words; asyncio's own would repeat the address."""
    if isinstance(error, socket.gaierror):
        return str(error.strerror)
    return os.strerror(error.errno or 0) if isinstance(error, OSError) else str(error)


async def _listen(host: str, port: int) -> None:
    """Listen for a moment, as viser will."""
    server = await asyncio.get_running_loop().create_server(asyncio.Protocol, host, port)
    server.close()
    await server.wait_closed()
