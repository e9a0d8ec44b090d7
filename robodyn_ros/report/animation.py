# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A motion as a moving picture: the robot's links, the desired path and the one traced."""
from __future__ import annotations

from pathlib import Path
from typing import Callable, Iterator

import numpy as np

from robodyn_ros.errors import printable
from robodyn_ros.report.drawing import require
from robodyn_ros.report.motion import Motion
from robodyn_ros.report.render import camera_for, Canvas, OVERSAMPLING, Solid

KINDS = ('gif', 'mp4')
HEIGHT = 480
"""Of a picture [dots]; even, as MP4 demands."""
MOST_FRAMES = {'gif': 400, 'mp4': 1500}
"""Longer motions are shown faster."""
RATES = {'gif': (20, 10), 'mp4': (25,)}
"""Frames a second to choose from: whole multiples of 10 ms for each frame of a GIF."""
ELEVATION, AZIMUTH = 24.0, -52.0
"""From where the robot is looked at [deg]."""
TRACED_COLOUR, DESIRED_COLOUR = (213, 94, 0), (0, 114, 178)
PATH_PIECES, DASH = 600, 4
"""Of a drawn path: pieces, and how many of them make a dash."""
Progress = Callable[[float], None]


def require_packages(kind: str) -> None:
    """Raise if a package that this kind of file needs is missing."""
    require('matplotlib', 'animations')  # brings Pillow, and has the font
    require('PIL', 'animations')
    if kind == 'mp4':
        require('imageio_ffmpeg', 'MP4 animations')


def write_animation(motion: Motion, path: Path, progress: Progress = lambda part: None) -> None:
    """
    Write a GIF or MP4 file, as the path's ending says.

    :param progress: called with the part that is drawn, 0 .. 1
    """
    kind = path.suffix[1:]
    require_packages(kind)
    rate, chosen = samples_of(motion.t, kind)
    scene = Scene(motion)
    if kind == 'gif':
        _write_gif(path, scene, chosen, rate, progress)
    else:
        _write_mp4(path, scene, chosen, rate, progress)


def samples_of(t: np.ndarray, kind: str) -> tuple[int, np.ndarray]:
    """Return the frames a second, and which samples are shown."""
    duration, most = float(t[-1] - t[0]), MOST_FRAMES[kind]
    rate = next((rate for rate in RATES[kind] if duration * rate <= most), RATES[kind][-1])
    count = int(min(duration * rate, most)) + 1
    times = np.linspace(t[0], t[-1], count) if count > 1 else t[:1]
    return rate, np.minimum(np.searchsorted(t, times - 1e-9), len(t) - 1)


class Scene:
    """A motion, the camera and what does not move."""

    def __init__(self, motion: Motion):
        """Hold all of the motion in the picture, and draw the floor below it."""
        import matplotlib
        from PIL import ImageFont
        self.motion, self.solid = motion, Solid(motion.robot)
        some = np.linspace(0, len(motion.q) - 1, 20).astype(int)
        points = [self.solid.at(motion.q[k]).corners.reshape(-1, 3) for k in some]
        cloud = np.concatenate([*points, motion.tool])
        low, high = cloud.min(axis=0), cloud.max(axis=0)
        self.floor = float(low[2])
        camera, self.width = camera_for(cloud, ELEVATION, AZIMUTH, HEIGHT)
        self.empty = Canvas(camera, self.width, HEIGHT)
        self.empty.floor(self.floor, (low + high)[:2] / 2, 0.7 * float((high - low).max()))
        fonts = Path(matplotlib.get_data_path()) / 'fonts' / 'ttf'
        self.font = ImageFont.truetype(str(fonts / 'DejaVuSans.ttf'), OVERSAMPLING * 11)
        self.title = printable(
            ', '.join(filter(None, (motion.scenario, motion.robot.name))))
        self.path = _thinned(motion.tool_reference) if motion.followed else None

    def picture(self, sample: int) -> np.ndarray:
        """Draw a sample of the motion (HEIGHT, width, 3), bytes."""
        motion, canvas = self.motion, self.empty.copy()
        faces = self.solid.at(motion.q[sample])
        canvas.shadow(faces, self.floor)
        canvas.paint(faces)
        if self.path is not None:
            canvas.line(self.path, DESIRED_COLOUR, 1.0, DASH)
        trace = motion.tool[:sample + 1]
        canvas.line(_thinned(trace), TRACED_COLOUR, 2.0)
        canvas.dot(trace[-1], TRACED_COLOUR, 3.0)
        canvas.text(self.title, self.font)
        canvas.text(f't = {motion.t[sample]:.2f} s', self.font, right=True)
        return canvas.picture()

    def pictures(self, samples: np.ndarray, progress: Progress) -> Iterator[np.ndarray]:
        """Draw one sample after another."""
        for k, sample in enumerate(samples):
            yield self.picture(int(sample))
            progress((k + 1) / len(samples))


def _thinned(points: np.ndarray) -> np.ndarray:
    """Return some hundred points of a curve, the last among them."""
    every = max(1, len(points) // PATH_PIECES)
    return np.concatenate([points[::every], points[-1:]])


def _write_gif(path: Path, scene: Scene, samples: np.ndarray, rate: int,
               progress: Progress) -> None:
    from PIL import Image
    # one palette for all: what does not move stays the same dots, and is not stored again
    last = Image.fromarray(scene.picture(int(samples[-1])))  # has every colour
    palette = last.quantize(96, dither=Image.Dither.NONE)  # fewer colours: smaller files
    pictures = [Image.fromarray(picture).quantize(palette=palette, dither=Image.Dither.NONE)
                for picture in scene.pictures(samples, progress)]
    pictures[0].save(path, save_all=True, append_images=pictures[1:], duration=1000 // rate,
                     loop=0, disposal=1)


def _write_mp4(path: Path, scene: Scene, samples: np.ndarray, rate: int,
               progress: Progress) -> None:
    from imageio_ffmpeg import write_frames
    film = write_frames(str(path), (scene.width, HEIGHT), fps=rate, quality=7, macro_block_size=2)
    film.send(None)
    try:
        for picture in scene.pictures(samples, progress):
            film.send(np.ascontiguousarray(picture))
    finally:
        film.close()
