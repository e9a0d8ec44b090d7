# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Starting and stopping viser's server without its banners: our log says what there is to say."""
from __future__ import annotations

import contextlib
import io
import logging

import viser


def open_server(host: str, port: int) -> viser.ViserServer:
    """Return a server that listens on a port; a taken port gives way to the next free one."""
    logging.getLogger('websockets').setLevel(logging.WARNING)
    with contextlib.redirect_stdout(io.StringIO()):
        return viser.ViserServer(host=host, port=port, label='robodyn', verbose=False)


def close_server(server: viser.ViserServer) -> None:
    """Stop a server."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()
