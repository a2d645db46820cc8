# SPDX-License-Identifier: LGPL-2.1-or-later
"""Drawn weather, lamps and electronics (weather.txt): F-measures, and false events where nobody is.
Usage: weather.py VIGIL_EVAL [--seed N] [--format I420] [--settings "name=value ..."] [--only REGEX] [--events MINUTES]
                  [--other NAME=PROGRAM]... [--floors]

--floors fails where F is below the floors here, which hold for seed 1 in I420 with default settings.
--events counts the motion events of so many minutes at 5 frames a second in which nobody comes: each is false.
--other runs another program on the same frames: it is started as PROGRAM WIDTH HEIGHT, reads frames in BGR from its standard input
and writes a mask of bytes for each to its standard output. Needs GStreamer's gst-launch-1.0.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy

FLOORS = {"headlights": 0.47, "rain": 0.96, "snow": 0.84, "heat": 0.96, "insects": 0.76, "clock": 0.92, "flicker": 0.94, "ir-cut": 0.69,
          "interlaced": 0.93, "pan-tilt": 0.69, "one frame in 6 s": 0.93}
# One frame in six seconds is no scene: the street at another rate.
SLOW = "scene:street,width=320,height=240,frames=300"
EVENTS = "video/x-raw,format=I420,width=320,height=240,framerate=5/1"


def evaluate(options, scenes, *more):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.json"
        subprocess.run([options.program, "--format", options.format, "--json", out, *more,
                        f"cudamog backend=cpu threads=1 {options.settings}", *scenes], check=True, stdout=subprocess.DEVNULL)
        return json.loads(out.read_text())["runs"][0]["sequences"]


def score_of(program, scene):
    """F-measure, recall and precision of another program's masks."""
    name, *rest = scene.removeprefix("scene:").split(",")
    p = dict(r.split("=") for r in rest)
    width, height, frames = p.pop("width"), p.pop("height"), p.pop("frames")
    rate = p.pop("rate", "25/1")
    size = int(width) * int(height)
    with tempfile.TemporaryDirectory() as folder:
        truth = pathlib.Path(folder) / "truth"
        line = (f"scenetestsrc name=s scene={name} num-buffers={frames} " + " ".join(f"{k}={v}" for k, v in p.items()) +
                f" s.src ! video/x-raw,format=I420,width={width},height={height},framerate={rate} ! videoconvert ! "
                f"video/x-raw,format=BGR ! fdsink sync=false s.truth ! filesink sync=false location={truth}")
        source = subprocess.Popen(["gst-launch-1.0", "-q", *line.split()], stdout=subprocess.PIPE)
        masks = subprocess.run([*program.split(), width, height], stdin=source.stdout, stdout=subprocess.PIPE, check=True).stdout
        source.stdout.close()
        if source.wait() or len(masks) != int(frames) * size:
            sys.exit(f"{program}: {len(masks)} bytes of masks for {frames} frames of {size} pixels; is gst-launch-1.0 there?")
        truth = numpy.fromfile(truth, numpy.uint8)
    found, counted = numpy.frombuffer(masks, numpy.uint8) >= 128, truth != 170
    tp = int((found & (truth == 255)).sum())
    fp, fn = int((found & counted).sum()) - tp, int((~found & (truth == 255)).sum())
    return 2 * tp / (2 * tp + fp + fn)


def events(options, scene):
    name, *rest = scene.removeprefix("scene:").split(",")
    more = [r for r in rest if r.split("=")[0] in ("seed",)]
    done = subprocess.run(["gst-launch-1.0", "-m", "scenetestsrc", f"scene={name}", "density=0", *more,
                           f"num-buffers={options.events * 60 * 5}", "!", EVENTS, "!", "cudamog", "backend=cpu", "threads=1",
                           "output=passthrough", *options.settings.split(), "!", "fakesink", "sync=false"],
                          capture_output=True, text=True, check=True)
    return len(re.findall(r"motion-begin", done.stdout))


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("program")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--format", default="I420")
parser.add_argument("--settings", default="")
parser.add_argument("--only", default="")
parser.add_argument("--events", type=int, default=0)
parser.add_argument("--other", action="append", default=[])
parser.add_argument("--floors", action="store_true")
options = parser.parse_args()

lines = (pathlib.Path(__file__).parent / "weather.txt").read_text(encoding="utf-8").splitlines()
scenes = [s for s in lines if not s.startswith("#")] + [SLOW]
failed = False
for scene in scenes:
    name = "one frame in 6 s" if scene == SLOW else scene.removeprefix("scene:").split(",")[0]
    if not re.search(options.only, name):
        continue
    scene += f",seed={options.seed}"
    s = evaluate(options, [scene], *(["--fps", "1/6"] if name.startswith("one") else []))[0]
    line = f"{name}: F {s['f_measure']:.3f}, recall {s['recall']:.3f}, precision {s['precision']:.3f}"
    if options.floors:
        good = s["f_measure"] >= FLOORS[name]
        failed |= not good
        line += f" (F at least {FLOORS[name]}): {'good' if good else 'FAILED'}"
    for b in options.other:
        other, program = b.split("=", 1)
        line += f"; {other} {score_of(program, scene + (',rate=1/6' if name.startswith('one') else '')):.3f}"
    if options.events and not name.startswith("one"):
        line += f"; {events(options, scene)} false events in {options.events} minutes"
    print(line, flush=True)
sys.exit(failed)
