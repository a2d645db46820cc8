# SPDX-License-Identifier: LGPL-2.1-or-later
"""Masks of cudamog by two builds of the plugin on the same frames: F-measures, and a picture of both.
Usage: before_after.py BEFORE AFTER FOLDER SCENE[:FRAMES[:SHOWN]]...
       before_after.py BEFORE AFTER FOLDER --table VIGIL_EVAL DATA [--format I420]... [--only REGEX] [--jobs N] [--seed N] [SCENE...]

BEFORE and AFTER are folders with a libgstvigil.so each; AFTER draws the frames. F is that of the last two thirds of the frames
against the scene's truth; pixels that the truth leaves open do not count. FOLDER/SCENE.png has four pictures of frame SHOWN, or of that
with most to see: the frame, its truth, the masks before and after.

--table: F of all frames, of all labelled video in DATA and of the scenes, drawn in I420, in each format; of video without anybody the
false foreground in per cent. It fails where F falls, or false foreground grows, by more than 0.005."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

import numpy
from PIL import Image

import table

WIDTH, HEIGHT, FRAMES = 320, 240, 500
FALL = 0.005
THERMAL = [f"remotescene_ir_{n}" for n in ("1", "3", "5", "7-1", "7-3", "8-2")]
# Scene, properties, frames; those of the table, those of weather.txt and all others with an object.
SCENES = ["auto-exposure", "white-balance", "covered", "parked-car", "waiting-person:900", "light-switch:900", "shake quiet=6", "street",
          "indoor", "camouflage", "foliage", "gale", "headlights", "rain", "snow", "heat", "insects", "clock", "flicker", "ir-cut:900",
          "interlaced", "pan-tilt:900", "step-aside:500", "uncovered:500", "crowd", "traffic", "stopped-car", "left-bag:900", "taken-bag",
          "queue", "crossing", "groups", "plaza", "flag", "screen", "moved:400", "defocused:600"]

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("before", type=pathlib.Path)
parser.add_argument("after", type=pathlib.Path)
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("scenes", nargs="*")
parser.add_argument("--table", nargs=2, metavar=("VIGIL_EVAL", "DATA"))
parser.add_argument("--format", action="append", choices=["RGBA", "I420", "NV12", "GRAY8"])
parser.add_argument("--only", default="")
parser.add_argument("--seed", type=int, help="of the scenes; 1 for the table, else 3")
parser.add_argument("--jobs", type=int, default=os.cpu_count())
options = parser.parse_args()
before, after, folder = (p.resolve() for p in (options.before, options.after, options.folder))
folder.mkdir(parents=True, exist_ok=True)


def environment(plugins):
    return dict(os.environ, GST_PLUGIN_PATH=str(plugins), GST_REGISTRY=str(folder / f"{plugins.parent.name}-{plugins.name}.registry"))


def launch(plugins, line):
    subprocess.run(["gst-launch-1.0", "-q", *line.split()], check=True, env=environment(plugins), cwd=folder, timeout=1800)


def draw(scene, count, seed, name):
    launch(after, f"scenetestsrc scene={scene} seed={seed} num-buffers={count} name=s s.src ! video/x-raw,format=I420,width={WIDTH},height={HEIGHT},"
                  f"framerate=25/1 ! filesink location={name}.frames s.truth ! filesink location={name}.truth")


def find(plugins, name, out, pixel_format="I420"):
    convert = "" if pixel_format == "I420" else f"! videoconvert ! video/x-raw,format={pixel_format} "
    launch(plugins, f"filesrc location={name}.frames ! rawvideoparse format=i420 width={WIDTH} height={HEIGHT} framerate=25/1 {convert}"
                    f"! cudamog backend=cpu threads=1 output=mask ! video/x-raw,format=GRAY8 ! filesink location={out}")


def masks(file):
    data = numpy.fromfile(folder / file, numpy.uint8)
    return data[:data.size // (WIDTH * HEIGHT) * WIDTH * HEIGHT].reshape(-1, HEIGHT, WIDTH)


def f_measure(truth, found, frames):
    hit = false = missed = 0
    for i in frames:
        there, is_open, seen = truth[i] == 255, (truth[i] != 255) & (truth[i] != 0) & (truth[i] != 50), found[i] == 255
        hit += int((seen & there).sum())
        false += int((seen & ~there & ~is_open).sum())
        missed += int((there & ~seen).sum())
    return 2 * hit / max(1, 2 * hit + false + missed)


def picture(i420):
    luma, u, v = numpy.split(i420, [WIDTH * HEIGHT, WIDTH * HEIGHT * 5 // 4])
    planes = [luma.reshape(HEIGHT, WIDTH)] + [numpy.kron(c.reshape(HEIGHT // 2, WIDTH // 2), numpy.ones((2, 2), numpy.uint8)) for c in (u, v)]
    return numpy.asarray(Image.merge("YCbCr", [Image.fromarray(p) for p in planes]).convert("RGB"))


def show(wanted):
    scene, count, shown = (wanted.split(":") + ["", ""])[:3]
    draw(scene, count or FRAMES, options.seed or 3, scene)
    find(before, scene, "before")
    find(after, scene, "after")
    true, old, new = masks(f"{scene}.truth"), masks("before"), masks("after")
    all_frames = numpy.fromfile(folder / f"{scene}.frames", numpy.uint8).reshape(-1, WIDTH * HEIGHT * 3 // 2)
    for file in (f"{scene}.frames", f"{scene}.truth", "before", "after"):
        (folder / file).unlink()
    judged = range(min(len(true), len(old), len(new)) // 3, min(len(true), len(old), len(new)))
    at = int(shown) if shown else max(judged, key=lambda i: int((true[i] == 255).sum()))
    grey = [numpy.repeat(m[at][..., None], 3, 2) for m in (true, old, new)]
    Image.fromarray(numpy.concatenate([picture(all_frames[at]), *grey], 1)).save(folder / f"{scene}.png")
    print(f"{scene}: F {f_measure(true, old, judged):.3f} before, {f_measure(true, new, judged):.3f} after, frame {at} shown", flush=True)


def scene_row(wanted, formats):
    """F before and after, in each format."""
    scene, _, count = wanted.partition(":")
    name = scene.split()[0]
    draw(scene, count or 300, options.seed or 1, name)
    true, row = masks(f"{name}.truth"), []
    for pixel_format in formats:
        pair = []
        for which, plugins in (("before", before), ("after", after)):
            find(plugins, name, f"{name}.{which}", pixel_format)
            found = masks(f"{name}.{which}")
            if len(found) != len(true):
                raise RuntimeError(f"{scene}, {which}: {len(found)} masks for {len(true)} frames")
            pair.append(f_measure(true, found, range(len(true))))
        row.append((pair, 1, f"{pair[0]:.4f}, {pair[1]:.4f}"))
    for end in ("frames", "truth", "before", "after"):
        (folder / f"{name}.{end}").unlink()
    return row


def video_row(dataset, formats):
    row = []
    for pixel_format in formats:
        pair = [table.score(options.table[0], pixel_format, "cudamog backend=cpu threads=1", str(dataset), environment(p)) for p in (before, after)]
        if any(isinstance(s, str) for s in pair):
            raise RuntimeError(f"{dataset}: {pair}")
        if pair[0]["tp"] + pair[0]["fn"] == 0:
            rates = [s["false_positive_rate"] for s in pair]
            row.append((rates, -1, f"{100 * rates[0]:.3f} %, {100 * rates[1]:.3f} %"))
        else:
            wrong = f" ({pair[0]['fp'] + pair[0]['fn']:,}, {pair[1]['fp'] + pair[1]['fn']:,})" if pair[0]["scored"] == 1 else ""
            fs = [s["f_measure"] or 0 for s in pair]
            row.append((fs, 1, f"{fs[0]:.4f}, {fs[1]:.4f}{wrong}"))
    return row


def print_table():
    formats = options.format or ["RGBA", "I420", "NV12", "GRAY8"]
    table.LABELLED += THERMAL
    rows = [(n, video_row, d) for n, d in table.labelled_rows(pathlib.Path(options.table[1]), folder)]
    rows += [(f"scene {s.split(':')[0]}", scene_row, s) for s in options.scenes or SCENES]
    rows = [r for r in rows if re.search(options.only, r[0])]
    print("| F before, now | " + " | ".join(formats) + " |\n" + "| --- " * (1 + len(formats)) + "|", flush=True)
    falls = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for (name, _, _), done in zip(rows, [pool.submit(make, what, formats) for _, make, what in rows]):
            cells = []
            for pixel_format, ((old, new), sign, cell) in zip(formats, done.result()):
                fell = sign * (old - new) > FALL
                cells.append(f"**{cell}**" if fell else cell)
                if fell:
                    falls.append(f"{name}, {pixel_format}: {cell}")
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    print(f"\n{len(falls)} fall by more than {FALL}", *falls, sep="\n")
    return bool(falls)


if options.table:
    sys.exit(print_table())
for scene in options.scenes:
    show(scene)
