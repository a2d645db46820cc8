# SPDX-License-Identifier: LGPL-2.1-or-later
"""CPU time that an element takes for a frame, in two builds of the plugin, run in turns.
Usage: element_paired.py BEFORE AFTER [--element "cudamog ..."] [--scene street] [--frames 60] [--rounds 5] [--format I420]...
           [--size 640x360]...

BEFORE and AFTER are folders with a libgstvigil.so each. The frames of a scene of scenetestsrc are drawn into a file once, by AFTER.
Each round sends that file through the element in one build, then in the other, then through nothing at all, each in a process of
its own. Printed are milliseconds of user CPU time of all threads a frame, less those of the run through nothing: the least and
the median of all rounds. CPU time and not the clock, so that other programs on the machine disturb little.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile


def cpu_seconds(plugins, folder, location, size, pixel_format, element):
    environment = dict(os.environ, GST_PLUGIN_PATH=str(plugins.resolve()), GST_REGISTRY=str(folder / (plugins.resolve().name + ".bin")))
    width, height = size.split("x")
    line = (f"filesrc location={location} ! rawvideoparse format={pixel_format.lower()} width={width} height={height} framerate=25/1 ! "
            f"{element} ! fakesink sync=false")
    child = subprocess.Popen(["gst-launch-1.0", "-q", *line.split()], env=environment)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"failed with {child.returncode}: {line}")
    return used.ru_utime


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("before", type=pathlib.Path)
parser.add_argument("after", type=pathlib.Path)
parser.add_argument("--element", default="cudamog backend=cpu threads=1")
parser.add_argument("--scene", default="street")
parser.add_argument("--frames", type=int, default=60)
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--format", action="append", choices=["I420", "NV12", "GRAY8", "RGBA"])
parser.add_argument("--size", action="append")
options = parser.parse_args()

with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    for size in options.size or ["640x360", "1920x1080"]:
        for pixel_format in options.format or ["I420", "RGBA"]:
            width, height = size.split("x")
            location = work / "frames"
            line = (f"scenetestsrc num-buffers={options.frames} scene={options.scene} ! "
                    f"video/x-raw,format={pixel_format},width={width},height={height} ! filesink location={location}")
            environment = dict(os.environ, GST_PLUGIN_PATH=str(options.after.resolve()), GST_REGISTRY=str(work / "draw.bin"))
            subprocess.run(["gst-launch-1.0", "-q", *line.split()], env=environment, check=True)
            runs = {"nothing": (options.after, "identity"), "before": (options.before, options.element),
                    "after": (options.after, options.element)}
            found = {name: [] for name in runs}
            for _ in range(options.rounds):
                for name, (plugins, element) in runs.items():
                    found[name].append(cpu_seconds(plugins, work, location, size, pixel_format, element))
            least, middle = ({n: 1000 * f(v) / options.frames for n, v in found.items()} for f in (min, statistics.median))
            for how, of in ("least", least), ("median", middle):
                before, after = of["before"] - of["nothing"], of["after"] - of["nothing"]
                print(f"{size} {pixel_format} {how}: before {before:.3f} ms, after {after:.3f} ms a frame ({100 * (after / before - 1):+.1f} %)",
                      flush=True)
