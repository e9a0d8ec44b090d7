# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The gate in front of the page: who may look, and who may press its buttons.

A page of anybody, open in the browser of whoever watches the robot, can reach servers on that
machine. The browser tells whose page asks (Origin) and which name it asked for (Host), but viser
looks at neither and has no place to hook in. So viser listens where only this process looks for
it, and the public port is this gate's: it reads the head of one request, answers or refuses it,
and hands the connection on. Beyond the loopback interface a secret in the address is asked for,
which the browser keeps as a cookie.
"""
from __future__ import annotations

import asyncio
from concurrent.futures import TimeoutError  # noqa: A004  another one before Python 3.11
import contextlib
import hmac
import ipaddress
import logging
import re
import secrets
import socket
import threading
from typing import Iterator, NamedTuple, Sequence
from urllib.parse import parse_qs

LOG = logging.getLogger('robodyn_ros')
LONGEST_HEAD = 16384
"""Bytes of the head of a request."""
PATIENCE = 10.0
"""For the head of a request, and for viser to answer it [s]."""
MOST_VISITS = 128
"""Connections at a time; a browser opens some six."""
PIECE = 65536
"""Bytes that are handed on at once."""
COOKIE = 'robodyn_token'
METHODS = ('GET', 'HEAD')
ALWAYS = (b'X-Frame-Options: DENY\r\nX-Content-Type-Options: nosniff\r\n'
          b'Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n')
"""With every answer: no page of others may hold this one in a frame, or read from it."""
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_CONTROL = re.compile(r'[\x00-\x08\x0a-\x1f\x7f]')
_HOST = re.compile(r'(\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9._-]+))(:[0-9]{1,5})?')
_TARGET = re.compile(r'/[!-~]*')


class Refused(Exception):
    """A request that is not answered: status, and the reason for whoever looks at it."""

    def __init__(self, status: str, reason: str):
        """Keep both."""
        super().__init__(reason)
        self.status = status


class Request(NamedTuple):
    """Head of a request."""

    method: str
    target: str
    headers: dict[str, str]
    """By name in small letters."""

    @property
    def upgrades(self) -> bool:
        """Tell whether it asks for a websocket."""
        return self.headers.get('upgrade', '').lower() == 'websocket'

    def head(self) -> bytes:
        """Return it as bytes, written anew: viser reads what was looked at, and nothing else."""
        lines = [f'{self.method} {self.target} HTTP/1.1',
                 *(f'{name}: {value}' for name, value in self.headers.items()
                   if name not in ('cookie', 'authorization'))]  # nobody else's business
        return '\r\n'.join([*lines, '', '']).encode('latin-1')


def request_of(head: bytes) -> Request:
    """Read the head of a request; refuse what two readers could read in two ways."""
    first, *lines = head.decode('latin-1').removesuffix('\r\n\r\n').split('\r\n')
    words = first.split(' ')
    if len(words) != 3 or not _TARGET.fullmatch(words[1]) or words[2] != 'HTTP/1.1':
        raise Refused('400 Bad Request', 'the request is not HTTP/1.1')
    if words[0] not in METHODS:
        raise Refused('405 Method Not Allowed', 'the page is only read')
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(':')
        value = value.strip(' \t')
        if not colon or not _TOKEN.fullmatch(name) or _CONTROL.search(value):
            raise Refused('400 Bad Request', 'a line of the request is no header')
        if name.lower() in headers:
            raise Refused('400 Bad Request', f'the header {name} stands twice')
        headers[name.lower()] = value
    if 'transfer-encoding' in headers or headers.get('content-length', '0') != '0':
        raise Refused('400 Bad Request', 'the request has a body')
    return Request(words[0], words[1], headers)


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine, for itself alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == 'localhost'


def allowed_host(header: str, names: Sequence[str]) -> bool:
    """
    Tell whether a Host is an address, or a name that is ours.

    A name that its owner lets point at this machine (DNS rebinding) would make pages of that name
    pages of ours; an address is nobody's name. The port may be another one: tunnels have it so.
    """
    found = _HOST.fullmatch(header)
    if found is None:
        return False
    if found['six']:
        return _is_address(found['six'])
    return _is_address(found['name']) or found['name'].lower().removesuffix('.') in names


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


class Gate:
    """Listens on the public port and lets visitors through to viser."""

    def __init__(self, host: str, port: int, inner: tuple[str, int]):
        """
        Open the gate.

        :param port: a free one, or 0 for any
        :param inner: host and port on which viser listens
        """
        self.host, self._inner = host, inner
        self.token = '' if is_loopback(host) else secrets.token_urlsafe(18)
        """What the address must carry; empty where only this machine can come."""
        own = socket.gethostname().lower()
        self._names = ('localhost', host.lower(), own, f'{own}.local')
        self._visits, self._told = 0, False
        self._loop = asyncio.new_event_loop()
        self._server = self._loop.run_until_complete(asyncio.start_server(
            self._visit, host, port, limit=LONGEST_HEAD))
        self.port: int = self._server.sockets[0].getsockname()[1]
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name='gate')
        self._thread.start()

    @property
    def address(self) -> str:
        """Where the page is."""
        host = f'[{self.host}]' if ':' in self.host else self.host
        return f'http://{host}:{self.port}' + (f'/?token={self.token}' if self.token else '')

    def close(self) -> None:
        """Close the gate, and all that came through it."""
        if self._loop.is_closed():
            return
        with contextlib.suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(PATIENCE)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        if not self._loop.is_running():
            self._loop.close()

    async def _end(self) -> None:
        self._server.close()
        here = asyncio.current_task()
        visits = [task for task in asyncio.all_tasks() if task is not here]
        for task in visits:
            task.cancel()
        await asyncio.gather(*visits, return_exceptions=True)

    def check(self, request: Request) -> bool:
        """Refuse a request of somebody else's page; returns whether it brought the token."""
        host, origin = request.headers.get('host', ''), request.headers.get('origin')
        if not allowed_host(host, self._names):
            raise Refused('403 Forbidden', f'{host!r} is no name of this machine; use its address')
        if origin is not None and origin.lower() not in (
                f'http://{host}'.lower(), f'https://{host}'.lower()):
            raise Refused('403 Forbidden', f'a page of {origin!r} asked, which is not this one')
        if not self.token:
            return False
        given = parse_qs(request.target.partition('?')[2]).get('token', [''])[-1]
        if hmac.compare_digest(given.encode(), self.token.encode()):
            return not request.upgrades
        # by hand: the cookies of others on this machine may be anything
        for cookie in request.headers.get('cookie', '').split(';'):
            if hmac.compare_digest(cookie.strip().encode(),
                                   f'{self._cookie}={self.token}'.encode()):
                return False
        raise Refused('403 Forbidden', 'open the address that the log of the viewer names: it '
                      'ends with a token')

    @property
    def _cookie(self) -> str:
        return f'{COOKIE}_{self.port}'  # cookies do not tell ports apart

    async def _visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.CancelledError, asyncio.TimeoutError,
                                 asyncio.IncompleteReadError), self._counted(), \
                contextlib.closing(writer):
            try:
                if self._visits > MOST_VISITS:
                    raise Refused('503 Service Unavailable', 'too many connections')
                try:
                    head = await asyncio.wait_for(reader.readuntil(b'\r\n\r\n'), PATIENCE)
                except asyncio.LimitOverrunError:
                    raise Refused('431 Request Header Fields Too Large', 'too long') from None
                request = request_of(head)
                if self.check(request):
                    await self._answer(writer, '303 See Other', '', (
                        f'Location: /\r\nSet-Cookie: {self._cookie}={self.token}; Path=/; '
                        'HttpOnly; SameSite=Lax\r\n'))
                    return
                await self._hand_on(request, reader, writer)
            except Refused as refused:
                self._tell(str(refused))
                await self._answer(writer, refused.status, f'{refused}\n')

    @contextlib.contextmanager
    def _counted(self) -> Iterator[None]:
        self._visits += 1
        try:
            yield
        finally:
            self._visits -= 1

    def _tell(self, reason: str) -> None:
        """Say once that somebody was refused: whoever refuses often must not fill the log."""
        if not self._told:
            self._told = True
            LOG.warning('the page refused a request: %s; further ones are refused silently',
                        reason)

    async def _answer(self, writer: asyncio.StreamWriter, status: str, text: str,
                      more: str = '') -> None:
        body = text.encode('utf-8', 'replace')
        writer.write(f'HTTP/1.1 {status}\r\n'.encode() + ALWAYS + more.encode() + (
            f'Content-Type: text/plain; charset=utf-8\r\nContent-Length: {len(body)}\r\n'
            'Connection: close\r\n\r\n').encode() + body)
        await asyncio.wait_for(writer.drain(), PATIENCE)

    async def _hand_on(self, request: Request, reader: asyncio.StreamReader,
                       writer: asyncio.StreamWriter) -> None:
        """Let a visitor and viser talk; what is no websocket ends with the first answer."""
        inner, outer = await asyncio.open_connection(*self._inner)
        with contextlib.closing(outer):
            outer.write(request.head())
            status = await asyncio.wait_for(inner.readline(), PATIENCE)
            writer.write(status + ALWAYS)
            both = [asyncio.ensure_future(_copy(inner, writer))]
            if request.upgrades:
                both.append(asyncio.ensure_future(_copy(reader, outer)))
            try:
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in both:
                    task.cancel()
                await asyncio.gather(*both, return_exceptions=True)


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """Hand bytes on as fast as they are taken."""
    while piece := await source.read(PIECE):
        target.write(piece)
        await target.drain()
