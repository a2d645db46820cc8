# SPDX-License-Identifier: LGPL-2.1-or-later
"""The virtual background of docs/reference/elements/glcolinearseg.md, as it is printed there: people stand before the picture.
Usage: recipe.py PAGE

The camera is a drawn scene, and what would go to the screen goes into a file."""
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

WIDTH, HEIGHT, LEARNING, FRAMES = 320, 240, 25, 100
CAMERA = f"scenetestsrc quiet=1.2 seed=3 ! video/x-raw,format=RGBA,width={WIDTH},height={HEIGHT},framerate=25/1"
SCREEN = f"gldownload ! video/x-raw,format=RGBA ! identity eos-after={FRAMES + 1} ! filesink location=out"

page = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
found = [p for p in re.findall(r"(?<=\n)gst-launch-1\.0 (?:.*\\\n)*.*", page) if "glvideomixer" in p]
assert len(found) == 1, f"{len(found)} pipelines on the page have a glvideomixer"
pipeline = found[0].replace("\\\n", " ")
for name, instead in {"v4l2src": CAMERA, "glimagesink": SCREEN}.items():
    assert name in pipeline, f"{name} is not in {pipeline}"
    pipeline = pipeline.replace(name, instead)


def launch(words, folder):
    done = subprocess.run(["gst-launch-1.0", "-q", *words], cwd=folder, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


with tempfile.TemporaryDirectory() as folder:
    picture = f"videotestsrc pattern=blue num-buffers=1 ! video/x-raw,width={WIDTH},height={HEIGHT} ! pngenc"
    launch(shlex.split(f"{picture} ! filesink location=beach.png"), folder)
    launch(shlex.split(pipeline)[1:], folder)
    out = (pathlib.Path(folder) / "out").read_bytes()

size = 4 * WIDTH * HEIGHT
assert len(out) == FRAMES * size, f"{len(out) / size} frames came out"


def share_of_picture(frame):
    """The share of the pixels that are blue."""
    pixels = out[frame * size : (frame + 1) * size]
    blue = sum(b > 200 and r < 60 and g < 60 for r, g, b in zip(pixels[0::4], pixels[1::4], pixels[2::4]))
    return blue / (WIDTH * HEIGHT)


empty, last = share_of_picture(LEARNING), share_of_picture(FRAMES - 1)
print(f"the picture is {empty:.3f} of the frame before people come, and {last:.3f} of it behind them")
assert empty > 0.99, "the picture does not stand in the place of the background"
assert 0.5 < last < 0.97, "the people do not stand before the picture"
