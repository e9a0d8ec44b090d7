# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The page's panel: what it shows, and what its visitors ask for.

Visitors' requests are put into a queue, `requests`, as (name, value); whoever runs the page takes
them out in its own thread: ('pause', True), ('step', None), ('reset', None), ('speed', 2.0),
('payload', 1.5), ('gain', ('kp', 2.0)), ('scenario', None): back to the scenario's motion,
('push', (0.0, 0.0, -10.0)): a force at the tool, in the base frame [N].
"""
from __future__ import annotations

import contextlib
from queue import Full, Queue
import re
import threading
from typing import Any, Callable, Mapping, Sequence

import numpy as np
from robodyn_ros.checks import number
from robodyn_ros.errors import ArgumentError, printable
from robodyn_ros.viewing.history import History
from viser import uplot

MOST_REQUESTS = 100
"""Requests that wait to be taken out."""
PUSHES = ('+x', '-x', '+y', '-y', '+z', '-z')
"""Directions of the base in which a visitor may push."""
COLOURS = ('#1976d2', '#f2731a', '#2e9e44', '#8e44ad', '#c0392b', '#16a085', '#7f8c8d')


def clamped(value: Any, least: float, most: float) -> float | None:
    """Return what a visitor asked for within bounds; None if it is no number."""
    try:
        return min(max(number('value', value), least), most)
    except ArgumentError:
        return None


def literal(text: str) -> str:
    """Return a text that viser's Markdown, which may hold programs, shows letter by letter."""
    return re.sub(r'([!-/:-@\[-`{-~])', r'\\\1', printable(text))


class Page:
    """
    Panel of one robot.

    :param server: viser.ViserServer
    :param save: returns the last seconds as the bytes of an HTML file
    """

    def __init__(self, server: Any, title: str, joints: Sequence[str],
                 save: Callable[[], bytes]):
        """Build the panel."""
        self.requests: Queue[tuple[str, Any]] = Queue(MOST_REQUESTS)
        self.paused = False
        gui = server.gui
        self._gui = gui
        gui.set_panel_label(title)
        self.status = gui.add_markdown('waiting for joint_states')
        with gui.add_folder('Simulation'):
            self.pause_button = self._button('Pause', 'pause', lambda: not self.paused)
            self._button('Step', 'step')
            self._button('Reset', 'reset')
            self.scenario_button = self._button('Back to the scenario', 'scenario')
            self.scenario_button.visible = False
            self.speed = self._slider('speed', 'Speed', 0.1, 4.0, 0.1, 1.0,
                                      'Simulated seconds per second.')
        with gui.add_folder('Push the tool'):
            self._add_push()
        self._model = gui.add_folder('Model')
        with self._model:
            self.payload = self._slider('payload', 'Payload [kg]', 0.0, 10.0, 0.1, 0.0,
                                        'Mass at the tool of the plant.')
        self.gains: dict[str, Any] = {}
        empty = np.zeros(2)
        with gui.add_folder('Plots'):
            # a plot needs a curve, though a robot may have no joints
            self.torque = self._plot('Torque [N m or N]', joints or ['none'], empty)
            self.error = self._plot('Tracking error [rad or m]', ['largest'], empty)
            self.violation = self._plot('log10 of constraint error', ['largest'], empty)
        button = gui.add_button('Save last seconds', hint='One HTML file that plays by itself.')
        saving = threading.Lock()

        @button.on_click
        def _(event: Any) -> None:
            if saving.acquire(blocking=False):  # it takes seconds: one at a time
                try:
                    event.client.send_file_download('robodyn.html', save(), save_immediately=True)
                finally:
                    saving.release()

    def _button(self, label: str, request: str, value: Callable[[], Any] = lambda: None) -> Any:
        button = self._gui.add_button(label)
        button.on_click(lambda _: self._ask(request, value()))
        return button

    def _add_push(self) -> None:
        """Offer a short push along an axis of the base."""
        force = self._slider('', 'Force [N]', 0.0, 100.0, 1.0, 10.0, 'At the tool, for a moment.')
        buttons = self._gui.add_button_group('Along', PUSHES)

        @buttons.on_click
        def _(event: Any) -> None:
            size, way = clamped(force.value, 0.0, 100.0), event.target.value
            if size and way in PUSHES:
                sign = 1.0 if way[0] == '+' else -1.0
                self._ask('push', tuple(sign * size * (way[1] == axis) for axis in 'xyz'))

    def _ask(self, request: str, value: Any) -> None:
        """Put a request into the queue; one that is full has more than anybody can click."""
        with contextlib.suppress(Full):
            self.requests.put_nowait((request, value))

    def _slider(self, request: str, label: str, least: float, most: float, step: float,
                value: float, hint: str) -> Any:
        slider = self._gui.add_slider(label, least, most, step, value, hint=hint)

        good = value

        @slider.on_update
        def _(event: Any) -> None:
            nonlocal good
            if event.client is None:  # this program, not a visitor
                return
            # the bounds hold in the page of a visitor; what comes from there may be anything
            asked, found = event.target.value, clamped(event.target.value, least, most)
            if found is None:
                event.target.value = good
                return
            good = found
            if found != asked:
                event.target.value = found
            name, _, key = request.partition(' ')
            if name:
                self._ask(name, (key, found) if key else found)

        return slider

    def _plot(self, title: str, names: Sequence[str], empty: np.ndarray) -> Any:
        series = (uplot.Series(label='s'), *(uplot.Series(
            label=name, stroke=COLOURS[k % len(COLOURS)], width=1.5)
            for k, name in enumerate(names)))
        return self._gui.add_uplot(
            (empty, *(empty for _ in names)), series, title=title, aspect=2.2,
            scales={'x': uplot.Scale(time=False), 'y': uplot.Scale(auto=True)})

    def show_gains(self, gains: Mapping[str, Sequence[float]]) -> None:
        """Offer a factor for each gain of the controller, by name."""
        for name in set(self.gains) - set(gains):
            self.gains.pop(name).remove()
        with self._model:
            for name, values in gains.items():
                text = ', '.join(f'{value:g}' for value in values)
                if name not in self.gains:
                    self.gains[name] = self._slider(f'gain {name}', f'{name} times', 0.1, 3.0,
                                                    0.05, 1.0, f'Factor on {text}.')

    def show_settings(self, settings: Mapping[str, float]) -> None:
        """Put the sliders where the plant is, by name: speed and payload."""
        for name, value in settings.items():
            slider = getattr(self, name)
            slider.value = min(max(value, slider.min), slider.max)

    def offer_goals(self, offered: bool) -> None:
        """Offer the way back from where the tool was dragged."""
        if self.scenario_button.visible != offered:
            self.scenario_button.visible = offered

    def show_pause(self, paused: bool) -> None:
        """Name the button by what it does next."""
        if paused != self.paused:
            self.paused = paused
            self.pause_button.label = 'Resume' if paused else 'Pause'

    def show_history(self, history: History, state: str) -> None:
        """Draw the plots and the status line."""
        if not history.moments:
            return
        last = history.moments[-1]
        lines = [f'**{last.time:.2f} s** simulated, {history.realtime_factor:.2f} times real time',
                 literal(state)]
        if last.error == last.error:
            lines.append(f'tracking error {last.error:.2e}')
        if last.violation == last.violation:
            lines.append(f'constraint error {last.violation:.1e}')
        self.status.content = '  \n'.join(lines)
        if len(history.moments) > 2:
            curves = history.curves()
            t = curves['time']
            self.torque.data = (t, *(curves['torque'].T if curves['torque'].size else [0.0 * t]))
            self.error.data = (t, curves['error'])
            self.violation.data = (t, curves['violation'])
