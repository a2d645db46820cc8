# SPDX-License-Identifier: LGPL-2.1-or-later
"""Masks of cudamog by two builds of the plugin on the same drawn frames: F-measures, and a picture of both.

before_after.py BEFORE AFTER FOLDER SCENE[:FRAMES[:SHOWN]]...

BEFORE and AFTER are folders with a libgstvigil.so each; AFTER draws the frames. F is that of the last two thirds of the frames
against the scene's truth; pixels that the truth leaves open do not count. FOLDER/SCENE.png has four pictures of frame SHOWN, or of that
with most to see: the frame, its truth, the masks before and after."""
import os
import pathlib
import subprocess
import sys

import numpy
from PIL import Image

WIDTH, HEIGHT = 320, 240
before, after, folder = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
folder.mkdir(parents=True, exist_ok=True)


def launch(plugins, line):
    env = dict(os.environ, GST_PLUGIN_PATH=str(plugins), GST_REGISTRY=str(folder / f"{plugins.parent.name}-{plugins.name}.registry"))
    subprocess.run(["gst-launch-1.0", "-q", *line.split()], check=True, env=env, cwd=folder, timeout=600)


def masks(file):
    data = numpy.fromfile(folder / file, numpy.uint8)
    (folder / file).unlink()
    return data[:data.size // (WIDTH * HEIGHT) * WIDTH * HEIGHT].reshape(-1, HEIGHT, WIDTH)


def f_measure(truth, found, frames):
    hit = false = missed = 0
    for i in frames:
        there, is_open, seen = truth[i] == 255, (truth[i] != 255) & (truth[i] != 0), found[i] == 255
        hit += int((seen & there).sum())
        false += int((seen & ~there & ~is_open).sum())
        missed += int((there & ~seen).sum())
    return 2 * hit / max(1, 2 * hit + false + missed)


def picture(i420):
    luma, u, v = numpy.split(i420, [WIDTH * HEIGHT, WIDTH * HEIGHT * 5 // 4])
    planes = [luma.reshape(HEIGHT, WIDTH)] + [numpy.kron(c.reshape(HEIGHT // 2, WIDTH // 2), numpy.ones((2, 2), numpy.uint8)) for c in (u, v)]
    return numpy.asarray(Image.merge("YCbCr", [Image.fromarray(p) for p in planes]).convert("RGB"))


for wanted in sys.argv[4:]:
    scene, count, shown = (wanted.split(":") + ["", ""])[:3]
    count = count or "500"
    launch(after, f"scenetestsrc scene={scene} seed=3 num-buffers={count} name=s s.src ! video/x-raw,format=I420,width={WIDTH},height={HEIGHT},framerate=25/1 "
                  "! filesink location=frames s.truth ! filesink location=truth")
    for name, plugins in (("before", before), ("after", after)):
        launch(plugins, f"filesrc location=frames ! rawvideoparse format=i420 width={WIDTH} height={HEIGHT} framerate=25/1 ! cudamog backend=cpu output=mask "
                        f"! video/x-raw,format=GRAY8 ! filesink location={name}")
    true, old, new = masks("truth"), masks("before"), masks("after")
    all_frames = numpy.fromfile(folder / "frames", numpy.uint8).reshape(-1, WIDTH * HEIGHT * 3 // 2)
    (folder / "frames").unlink()
    judged = range(min(len(true), len(old), len(new)) // 3, min(len(true), len(old), len(new)))
    at = int(shown) if shown else max(judged, key=lambda i, t=true: int((t[i] == 255).sum()))
    grey = [numpy.repeat(m[at][..., None], 3, 2) for m in (true, old, new)]
    Image.fromarray(numpy.concatenate([picture(all_frames[at]), *grey], 1)).save(folder / f"{scene}.png")
    print(f"{scene}: F {f_measure(true, old, judged):.3f} before, {f_measure(true, new, judged):.3f} after, frame {at} shown", flush=True)
