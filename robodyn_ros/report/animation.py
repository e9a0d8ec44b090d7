# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A motion as a moving picture: the robot's links, the desired path and the one traced."""
from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Iterator

import numpy as np

from robodyn_ros.report.drawing import COLOURS, empty_figure, require, WANTED
from robodyn_ros.report.motion import Motion
from robodyn_ros.report.solids import Faces, Solid

KINDS = ('gif', 'mp4')
WIDTH, HEIGHT = 480, 480
"""Of a picture [dots]; even, as MP4 demands."""
DPI = 100
MOST_FRAMES = {'gif': 400, 'mp4': 1500}
"""Longer motions are shown faster."""
RATES = {'gif': (20, 10), 'mp4': (25,)}
"""Frames a second to choose from: whole multiples of 10 ms for each frame of a GIF."""
PALETTE = 96
"""Colours of a GIF: fewer make smaller files."""
ELEVATION, AZIMUTH = 24.0, -52.0
"""From where the robot is looked at [deg]."""
LIGHT = np.array([0.35, -0.65, 0.68])
AMBIENT = 0.58
"""Brightness of a face that the light does not reach."""
TRACED, DESIRED = COLOURS[1], COLOURS[0]
Progress = Callable[[float], None]


def require_packages(kind: str) -> None:
    """Raise if a package that this kind of file needs is missing."""
    require('matplotlib', 'animations')
    require(*(('PIL', 'GIF animations') if kind == 'gif'
              else ('imageio_ffmpeg', 'MP4 animations')))


def write_animation(motion: Motion, path: Path, progress: Progress = lambda part: None) -> None:
    """
    Write a GIF or MP4 file, as the path's ending says.

    :param progress: called with the part that is drawn, 0 .. 1
    """
    kind = path.suffix[1:]
    require_packages(kind)
    rate, chosen = samples_of(motion.t, kind)
    frames = _frames(motion, chosen, progress)
    if kind == 'gif':
        _write_gif(path, frames, rate)
    else:
        _write_mp4(path, frames, rate)


def samples_of(t: np.ndarray, kind: str) -> tuple[int, np.ndarray]:
    """Return the frames a second, and which samples are shown."""
    duration, most = float(t[-1] - t[0]), MOST_FRAMES[kind]
    rate = next((rate for rate in RATES[kind] if duration * rate <= most), RATES[kind][-1])
    count = int(min(duration * rate, most)) + 1
    times = np.linspace(t[0], t[-1], count) if count > 1 else t[:1]
    return rate, np.minimum(np.searchsorted(t, times - 1e-9), len(t) - 1)


def _frames(motion: Motion, chosen: np.ndarray, progress: Progress) -> Iterator[np.ndarray]:
    """Draw one picture after another (HEIGHT, WIDTH, 3), bytes."""
    solid = Solid(motion.robot)
    with empty_figure() as figure:
        figure.set_layout_engine('none')
        figure.set_size_inches(WIDTH / DPI, HEIGHT / DPI)
        figure.set_dpi(DPI)
        scene = _Scene(figure, motion, solid)
        for k, sample in enumerate(chosen):
            scene.show(int(sample))
            figure.canvas.draw()
            yield np.asarray(figure.canvas.buffer_rgba())[:, :, :3].copy()
            progress((k + 1) / len(chosen))


class _Scene:
    """The artists of one figure."""

    def __init__(self, figure: Any, motion: Motion, solid: Solid):
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection
        self.motion, self.solid = motion, solid
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), projection='3d', computed_zorder=False)
        axes.set_proj_type('ortho')
        axes.view_init(ELEVATION, AZIMUTH)
        axes.set_axis_off()
        elevation, azimuth = np.radians([ELEVATION, AZIMUTH])
        self.towards = np.array([np.cos(elevation) * np.cos(azimuth),
                                 np.cos(elevation) * np.sin(azimuth), np.sin(elevation)])
        self._set_limits(axes)
        self.polygons = axes.add_collection3d(
            Poly3DCollection([np.zeros((4, 3))], linewidths=0.3, zorder=2))
        if motion.path is not None:
            axes.plot(*_thinned(motion.path).T, linestyle=WANTED, color=DESIRED, linewidth=1.0,
                      zorder=3)
        self.traced, = axes.plot([], [], [], color=TRACED, linewidth=2.0, zorder=4)
        self.tool, = axes.plot([], [], [], 'o', color=TRACED, markersize=5, zorder=5)
        title = ', '.join(filter(None, (motion.scenario, motion.robot.name)))
        figure.text(0.03, 0.95, title, fontsize=10, color='#30363d')
        self.clock = figure.text(0.97, 0.95, '', fontsize=10, color='#30363d', ha='right',
                                 family='monospace')

    def _set_limits(self, axes: Any) -> None:
        """Hold all of the motion in the picture, and draw a floor below it."""
        some = np.linspace(0, len(self.motion.q) - 1, 20).astype(int)
        points = [self.solid.at(self.motion.q[k]).corners.reshape(-1, 3) for k in some]
        cloud = np.concatenate([*points, self.motion.tool])
        low, high = cloud.min(axis=0), cloud.max(axis=0)
        middle, half = (low + high) / 2, float((high - low).max()) / 2
        for name, value in zip('xyz', middle):
            getattr(axes, f'set_{name}lim')(value - half, value + half)
        axes.set_box_aspect((1, 1, 1), zoom=1.45)
        step = 10.0 ** np.floor(np.log10(2.0 * half)) / 4.0
        count = int(1.1 * half / step) + 1
        lines = np.arange(-count, count + 1) * step
        x, y = (np.round(value / step) * step for value in middle[:2])
        for line in lines:
            for a, b in (((line, lines[0]), (line, lines[-1])),
                         ((lines[0], line), (lines[-1], line))):
                axes.plot([x + a[0], x + b[0]], [y + a[1], y + b[1]], [low[2]] * 2,
                          color='#dde2e8', linewidth=0.6, zorder=1)

    def show(self, sample: int) -> None:
        """Move to a sample of the motion."""
        faces = self.solid.at(self.motion.q[sample])
        seen = faces.normals @ self.towards > 0.0
        self.polygons.set_verts(faces.corners[seen])
        shaded = _shaded(faces)[seen]
        self.polygons.set_facecolor(shaded)
        self.polygons.set_edgecolor(shaded)
        trace = _thinned(self.motion.tool[:sample + 1])
        self.traced.set_data_3d(*trace.T)
        self.tool.set_data_3d(*trace[-1:].T)
        self.clock.set_text(f't = {self.motion.t[sample]:5.2f} s')


def _shaded(faces: Faces) -> np.ndarray:
    """Colours of faces under the light (f, 3)."""
    towards = np.maximum(faces.normals @ (LIGHT / np.linalg.norm(LIGHT)), 0.0)
    return np.clip(faces.colours * (AMBIENT + (1.0 - AMBIENT) * towards)[:, None], 0.0, 1.0)


def _thinned(points: np.ndarray) -> np.ndarray:
    """At most some hundred points of a curve, the last among them."""
    every = max(1, len(points) // 500)
    return np.concatenate([points[::every], points[-1:]])


def _write_gif(path: Path, frames: Iterator[np.ndarray], rate: int) -> None:
    from PIL import Image
    first = Image.fromarray(next(frames))
    # one palette for all: what does not move stays the same dots, and is not stored again
    palette = first.quantize(PALETTE, dither=Image.Dither.NONE)
    pictures = [palette] + [Image.fromarray(frame).quantize(
        palette=palette, dither=Image.Dither.NONE) for frame in frames]
    pictures[0].save(path, save_all=True, append_images=pictures[1:], duration=1000 // rate,
                     loop=0, disposal=1)


def _write_mp4(path: Path, frames: Iterator[np.ndarray], rate: int) -> None:
    from imageio_ffmpeg import write_frames
    film = write_frames(str(path), (WIDTH, HEIGHT), fps=rate, quality=7, macro_block_size=2)
    film.send(None)
    try:
        for frame in frames:
            film.send(np.ascontiguousarray(frame))
    finally:
        film.close()
