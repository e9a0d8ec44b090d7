# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The page answers its own visitors only, within bounds, whatever they send."""

import asyncio
import socket
import threading
import time
from urllib.parse import urlsplit

import numpy as np
import pytest
from robodyn_ros import robot_from_text

pytest.importorskip('viser', reason='the extra "view" is not installed')

from robodyn_ros.robots.appearance import appearance_of  # noqa: E402
from robodyn_ros.viewing import gate as gate_module  # noqa: E402
from robodyn_ros.viewing.gate import allowed_host, Gate, is_loopback  # noqa: E402
from robodyn_ros.viewing.page import clamped, MOST_REQUESTS, Page  # noqa: E402
from robodyn_ros.viewing.scene import RobotScene  # noqa: E402
from robodyn_ros.viewing.viewer import Viewer  # noqa: E402
import viser  # noqa: E402

HANDSHAKE = ('Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n'
             'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
             f'Sec-WebSocket-Protocol: viser-v{viser.__version__}\r\n')


@pytest.fixture(scope='module')
def viewer():
    """Open a page on the loopback interface."""
    made = Viewer('127.0.0.1', 0, 10.0)
    yield made
    made.close()


@pytest.fixture(scope='module')
def public():
    """Open a page to the network."""
    made = Viewer('0.0.0.0', 0, 10.0)
    yield made
    made.close()


def status(viewer, head, port=None):
    """Send the head of a request; returns the answer's first bytes as a text."""
    with socket.create_connection(('127.0.0.1', port or viewer.gate.port), 10.0) as visitor:
        visitor.settimeout(10.0)
        visitor.sendall(head if isinstance(head, bytes) else head.encode())
        try:
            return visitor.recv(4000).decode('latin-1')
        except ConnectionResetError:
            return ''


def get(viewer, host=None, path='/', more=''):
    """Ask for a page."""
    host = host or f'127.0.0.1:{viewer.gate.port}'
    return status(viewer, f'GET {path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n')


def test_the_page_and_its_websocket_are_served(viewer):
    """By address and by name, also through a tunnel to another port; no frame may hold it."""
    port = viewer.gate.port
    for host in (f'127.0.0.1:{port}', f'localhost:{port}', 'localhost:9999', '[::1]:8080'):
        assert '200 OK' in get(viewer, host), host
    answer = get(viewer, more=f'Origin: http://127.0.0.1:{port}\r\n{HANDSHAKE}')
    assert '101 Switching' in answer and 'X-Frame-Options: DENY' in answer
    assert '101 Switching' in get(viewer, more=HANDSHAKE), 'a program without Origin'
    assert viewer.address == f'http://127.0.0.1:{port}'


@pytest.mark.parametrize('origin', [
    'http://evil.example', 'null', '', 'http://127.0.0.1', 'http://127.0.0.1:1', 'file://',
    'http://localhost:{port}', 'http://127.0.0.1:{port}.evil.example', 'chrome-extension://x',
    'http://127.0.0.1:{port}/', 'http://evil@127.0.0.1:{port}'])
def test_pages_of_others_are_refused(origin, viewer):
    """For the websocket and for reading."""
    origin = origin.format(port=viewer.gate.port)
    for more in (HANDSHAKE, ''):
        assert '403 Forbidden' in get(viewer, more=f'Origin: {origin}\r\n{more}')


@pytest.mark.parametrize('host', [
    'evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', 'a@127.0.0.1',
    '127.0.0.1/', '[::1', '::1', '', '127.0.0.1:80:80', '[evil]', '127.0.0.1 ', '2130706433',
    '0x7f.1'])
def test_names_that_are_not_ours_are_refused(host, viewer):
    """Else a name that its owner lets point here makes its pages ours (DNS rebinding)."""
    assert not allowed_host(host, ('localhost',))
    if host.strip() == host:
        assert '403' in status(viewer, f'GET / HTTP/1.1\r\nHost: {host}\r\n\r\n')


@pytest.mark.parametrize('head', [
    b'GET / HTTP/1.0\r\nHost: localhost\r\n\r\n', b'POST / HTTP/1.1\r\nHost: localhost\r\n\r\n',
    b'GET http://evil/ HTTP/1.1\r\nHost: localhost\r\n\r\n', b'\r\n\r\n', b'x\r\n\r\n',
    b'GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n',
    b'GET / HTTP/1.1\r\nHost: localhost\r\n Origin: folded\r\n\r\n',
    b'GET / HTTP/1.1\r\nHost : localhost\r\n\r\n',
    b'GET / HTTP/1.1\r\nHost: localhost\nOrigin: http://evil\r\n\r\n',
    b'GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello',
    b'GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n',
    b'GET /\x00 HTTP/1.1\r\nHost: localhost\r\n\r\n', b'\x16\x03\x01\x02\x00\x01\r\n\r\n',
    b'GET / HTTP/1.1\r\nHost: localhost\r\nX: \x00\r\n\r\n',
    b'GET / HTTP/1.1\r\n' + b'X: y\r\n' * 20000 + b'\r\n',
    b'GET /' + b'x' * 100000 + b' HTTP/1.1\r\nHost: localhost\r\n\r\n',
])
def test_what_can_be_read_in_two_ways_is_refused(head, viewer):
    """And what never ends; the gate stays open for others."""
    assert status(viewer, head)[:12] in ('HTTP/1.1 400', 'HTTP/1.1 405', 'HTTP/1.1 431', '')
    assert '200 OK' in get(viewer)


@pytest.mark.parametrize('path', ['/../../../../etc/passwd', '/..%2f..%2fetc/passwd',
                                  '//etc/passwd', '/%2e%2e/%2e%2e/etc/passwd',
                                  '/./../x', '/\\..\\x'])
def test_only_the_page_is_served(path, viewer):
    """No file of the machine."""
    answer = get(viewer, path=path)
    assert 'root:' not in answer and ' 404 ' in answer.splitlines()[0]


def test_slow_visitors_are_sent_away(viewer, monkeypatch):
    """Who says nothing, or a letter a minute, does not hold a place for ever."""
    monkeypatch.setattr(gate_module, 'PATIENCE', 0.2)
    with socket.create_connection(('127.0.0.1', viewer.gate.port), 10.0) as visitor:
        visitor.settimeout(10.0)
        visitor.sendall(b'GET / HTTP')
        assert visitor.recv(10) == b''


def test_a_crowd_is_sent_away_and_forgotten(viewer, monkeypatch):
    """More than a browser needs at a time get an answer; when they go, all is as before."""
    monkeypatch.setattr(gate_module, 'MOST_VISITS', 5)
    crowd = [socket.create_connection(('127.0.0.1', viewer.gate.port), 10.0) for _ in range(20)]
    deadline = time.monotonic() + 20.0
    while '503' not in get(viewer):
        assert time.monotonic() < deadline
    for one in crowd:
        one.close()
    while '200 OK' not in get(viewer):
        assert time.monotonic() < deadline


def test_on_the_network_the_address_has_a_token(public):
    """The address of the log opens the page, by a cookie then; nothing else does."""
    port, token = public.gate.port, public.gate.token
    host = f'127.0.0.1:{port}'
    assert len(token) >= 20 and public.address == f'http://0.0.0.0:{port}/?token={token}'
    for path in ('/', '/?token=', '/?token=x', f'/?tokens={token}', f'/{token}',
                 '//[x/?token=%ff'):
        assert '403 Forbidden' in get(public, host, path), path
    for more in (HANDSHAKE, f'Cookie: robodyn_token_{public.gate.port}=x\r\n',
                 f'Cookie: {token}\r\n', 'Cookie: \x7f\r\n'):
        assert '200' not in (found := get(public, host, more=more)) and '101' not in found
    answer = get(public, host, f'/?token={token}')
    assert answer.startswith('HTTP/1.1 303') and '\r\nLocation: /\r\n' in answer
    cookie = answer.partition('Set-Cookie: ')[2].partition(';')[0]
    assert 'HttpOnly' in answer and 'SameSite' in answer and 'Location: //' not in answer
    assert '200 OK' in get(public, host, more=f'Cookie: a="\xff{{; {cookie}; b\r\n')
    assert '101 Switching' in get(public, host, more=f'Cookie: {cookie}\r\n{HANDSHAKE}')
    evil = f'Cookie: {cookie}\r\nOrigin: http://evil\r\n{HANDSHAKE}'
    assert '403' in get(public, host, more=evil)


def test_the_token_leads_nowhere_else(public):
    """A link with it that names another host in its path stays here."""
    for path in ('//evil.example/', '////evil.example/', '/\\evil.example/'):
        answer = get(public, path=f'{path}?token={public.gate.token}')
        assert '\r\nLocation: /\r\n' in answer


@pytest.mark.parametrize('host, loopback', [
    ('127.0.0.1', True), ('127.9.9.9', True), ('::1', True), ('localhost', True),
    ('LOCALHOST', True), ('0.0.0.0', False), ('::', False), ('192.0.2.1', False), ('', False),
    ('localhost.evil.example', False), ('127.0.0.1.evil.example', False)])
def test_what_is_loopback(host, loopback):
    """Only what cannot be reached from elsewhere goes without a token."""
    assert is_loopback(host) == loopback


def test_viser_is_not_where_pages_look(viewer):
    """It listens on an address of its own, not on the one of the page."""
    port = viewer.server.get_port()
    assert viewer._server.host not in ('0.0.0.0', '127.0.0.1')
    with pytest.raises(OSError):
        socket.create_connection(('127.0.0.1', port), 2.0)


def test_a_closed_gate_leaves_nothing():
    """No thread, no port, twice as well; an open websocket is cut."""
    before = threading.active_count()
    made = Viewer('127.0.0.1', 0, 10.0)
    with socket.create_connection(('127.0.0.1', made.gate.port), 10.0) as visitor:
        visitor.settimeout(10.0)
        visitor.sendall(f'GET / HTTP/1.1\r\nHost: localhost\r\n{HANDSHAKE}\r\n'.encode())
        assert b'101' in visitor.recv(100)
        made.close()
        made.gate.close()
        while visitor.recv(65536):
            pass
    assert not any(thread.name == 'gate' and not thread.is_alive()
                   for thread in threading.enumerate())
    with pytest.raises(OSError):
        socket.create_connection(('127.0.0.1', made.gate.port), 2.0)
    assert threading.active_count() <= before + 40  # viser's pool of threads, which it keeps


@pytest.mark.parametrize('value, found', [
    (1.0, 1.0), (2e10, 10.0), (-5, 0.0), (float('nan'), None), (float('inf'), None), ('7', None),
    (None, None), ([1.0], None), (True, None), ({}, None)])
def test_bounds_hold_on_our_side(value, found):
    """The page's own hold in the page only."""
    assert clamped(value, 0.0, 10.0) == found
    assert clamped(10 ** 400, 0.0, 10.0) is None


class Handle:
    """Stands for an element of viser's panel."""

    def __init__(self, value=None):
        """Keep a value."""
        self.value, self.acts, self.content = value, [], ''

    def on_click(self, act):
        """Keep what a click does."""
        self.acts.append(act)

    on_update = on_click

    def __enter__(self):
        """Stand for a folder."""

    def __exit__(self, *_):
        """Leave it."""


class Gui:
    """Stands for viser's panel."""

    def __init__(self):
        """Have no elements yet."""
        self.made = {}

    def set_panel_label(self, label):
        """Take a title."""

    def __getattr__(self, name):
        """Make any element, found by its label again."""
        def add(label='', *values, **_):
            self.made[label if isinstance(label, str) else name] = Handle(
                values[3] if len(values) > 3 else None)
            return list(self.made.values())[-1]
        return add


class Event:
    """Something a visitor did."""

    def __init__(self, target, client=True):
        """Keep what it was done to."""
        self.target, self.client = target, client


def test_a_slider_is_set_back_and_the_queue_is_bounded():
    """Within bounds it is asked for, beyond the bound is, what is no number is not."""
    gui = Gui()
    page = Page(type('Server', (), {'gui': gui}), 'title', ['a'], lambda: b'')
    payload = gui.made['Payload [kg]']
    for value in (1.5, 1e6, float('nan'), 'words', -3.0):
        payload.value = value
        payload.acts[0](Event(payload))
    asked = [page.requests.get_nowait() for _ in range(page.requests.qsize())]
    assert asked == [('payload', 1.5), ('payload', 10.0), ('payload', 0.0)]
    assert payload.value == 0.0
    for _ in range(10 * MOST_REQUESTS):
        gui.made['Step'].acts[0](Event(None))
    assert page.requests.qsize() == MOST_REQUESTS


URDF = """<robot name="r">{top}<link name="a"><visual>{visual}</visual></link><link name="b">
<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
</link><joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<origin xyz="0 0 0.5"/><limit effort="1" velocity="1" lower="-1" upper="1"/></joint></robot>"""
BOX = '<geometry><box size="1 1 1"/></geometry>'
COLOURS = ('1 0 0', 'red', '1 0 0 nan', '1 0 0 1 1', '', 'inf 0 0 1', '1,0,0,1')
SHAPES = ('<box size="1 1"/>', '<box size="big"/>', '<box/>', '<box size="-1 1 1"/>',
          '<box size="1e300 1e300 1e300"/>', '<cylinder radius="1"/>', '<sphere radius="nan"/>',
          '<mesh filename="x.stl" scale="1 1"/>', '<mesh/>', '<mesh filename="/dev/zero"/>',
          '<mesh filename="package://../../x"/>', '<mesh filename="http://127.0.0.1:1/x"/>',
          '<cone/>')
PLACES = ('<origin xyz="a b c"/>', '<origin xyz="1 2"/>', '<origin rpy="nan 0 0"/>',
          '<origin xyz="1e308 0 0"/>')


def shown(viewer, **parts):
    """Draw a robot; returns its appearance."""
    robot = robot_from_text(URDF.format(**{'top': '', **parts}))
    scene = RobotScene(viewer.server, robot)
    assert np.isfinite(scene.cloud(np.zeros(1))).all()
    return appearance_of(robot)


@pytest.mark.parametrize('rgba', COLOURS)
def test_a_colour_that_is_none_is_grey(rgba, viewer):
    """The shape is drawn all the same, and one sentence says why."""
    material = f'<material name="m"><color rgba="{rgba}"/></material>'
    for parts in ({'visual': BOX + material}, {'visual': BOX + '<material name="m"/>',
                                               'top': material}):
        look = shown(viewer, **parts)
        assert [part.shape.kind for part in look.parts] == ['box']
        assert len(look.warnings) == 1 and 'drawn in grey' in look.warnings[0]


@pytest.mark.parametrize('visual', [f'<geometry>{shape}</geometry>' for shape in SHAPES]
                         + [place + BOX for place in PLACES])
def test_a_shape_that_is_none_kills_nothing(visual, viewer):
    """A stand-in is drawn, and one sentence says why."""
    look = shown(viewer, visual=visual)
    assert [part.shape.kind for part in look.parts] == ['cylinder'] and len(look.warnings) == 1


def test_the_gate_hands_on_whole_answers(viewer):
    """Every byte of the page, as viser sends it."""
    async def read(host, port):
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(b'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
        found = await asyncio.wait_for(reader.read(), 30.0)
        writer.close()
        return found.partition(b'\r\n\r\n')[2]

    place = urlsplit(viewer.address)
    through = asyncio.run(read(place.hostname, place.port))
    direct = asyncio.run(read(viewer._server.host, viewer.server.get_port()))
    assert through == direct and len(direct) > 1000


def test_six_is_an_address_too():
    """In brackets, as addresses of pages have it."""
    if not socket.has_ipv6:
        pytest.skip('this machine has no IPv6')
    try:
        made = Gate('::1', 0, ('127.0.0.1', 1))
    except OSError:
        pytest.skip('this machine has no IPv6')
    assert made.address == f'http://[::1]:{made.port}'
    made.close()
