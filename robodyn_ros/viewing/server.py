# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Starting and stopping viser's server without its banners: our log says what there is to say."""
from __future__ import annotations

import asyncio
import contextlib
import errno
import io
import logging
import os
import socket

from robodyn_ros.errors import RobodynError
import viser

LAST_PORT = 65535


def open_server(host: str, port: int) -> viser.ViserServer:
    """Return a server that listens on a port; a taken port gives way to the next free one."""
    logging.getLogger('websockets').setLevel(logging.WARNING)
    port = free_port(host, port)
    with contextlib.redirect_stdout(io.StringIO()):
        return viser.ViserServer(host=host, port=port, label='robodyn', verbose=False)


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


def close_server(server: viser.ViserServer) -> None:
    """Stop a server."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()
