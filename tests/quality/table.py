# SPDX-License-Identifier: LGPL-2.1-or-later
"""The table of docs/measurements/log/2026-11/foreground.md: cudamog with default settings compared with others, on every sequence there is.
Usage: table.py VIGIL_EVAL DATA [--format RGBA]... [--settings "name=value ..."]... [--only REGEX] [--jobs N]
           [--without-segmentation]

DATA is the folder of the labelled videos. Each figure is an F-measure; where the truth has no foreground it is the share of false
foreground in per cent, and where a sequence has one labelled frame its wrong pixels are next to them. Other settings of cudamog
get a column each. Needs the GStreamer element `segmentation` (Debian: gstreamer1.0-opencv), which is OpenCV's MOG2.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

LABELLED = ["cdnet_highway", "cdnet_pedestrians", "wallflower_WavingTrees", "wallflower_TimeOfDay", "wallflower_LightSwitch",
            "wallflower_MovedObject", "wallflower_Camouflage"]
# Nobody labelled these, but in these frames there is nothing, or nearly nothing, in view: all foreground counts as false.
EMPTY = {
    "pets2001_illumination": (320, 240, "input", [(421, 941)]),
    "intel_car-detection": (768, 432, "car-detection.mp4", [(0, 50), (112, 180), (242, 312), (352, 376)]),
}
SCENES = ["auto-exposure", "white-balance", "covered", "parked-car", "waiting-person,frames=1800", "light-switch,frames=900",
          "shake,quiet=6", "street", "indoor", "camouflage", "foliage"]
# Its masks are those of OpenCV's MOG2 (tests/golden), with the median that helps it.
MOG2 = ("cudamog backend=cpu threads=1 background-sigma=4 shadow-threshold=0.5 shadow-sigma=0 deep-shadow-distance=0 median=5 exposure=off foreground-rate=1 "
        "light-jump=0 initial-variance=15 stabilize=off small-objects=false")
# max-variance counts as a quarter there, which MOG2 does not know.
QUARTERED = {"I420": " max-variance=300", "NV12": " max-variance=300"}
SEGMENTATION = ("videoconvert ! video/x-raw,format=RGBA ! segmentation method=mog2 test-mode=true ! videoconvert ! "
                "video/x-raw,format=GRAY8")


def black_png(width, height):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(b"\0" * (height * (width + 1)))) + chunk(b"IEND", b""))


def with_black_truth(data, work, name):
    """A folder with the frames of `name` and a truth without foreground."""
    width, height, frames, ranges = EMPTY[name]
    folder = work / name
    folder.mkdir()
    (folder / frames).symlink_to((data / name / frames).resolve())
    labels = folder if frames.endswith(".mp4") else folder / "groundtruth"
    labels.mkdir(exist_ok=True)
    prefix = "hand_segmented_" if labels == folder else "gt"
    picture = black_png(width, height)
    for first, last in ranges:
        for number in range(first, last + 1):
            (labels / f"{prefix}{number:06}.png").write_bytes(picture)
    return folder


def score(program, pixel_format, description, dataset, env=None):
    """What vigil-eval writes of a sequence; its last message where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.json"
        done = subprocess.run([program, "--format", pixel_format, "--json", out, description, dataset],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=env)
        if done.returncode:
            return "failed: " + done.stderr.strip().splitlines()[-1]
        return json.loads(out.read_text())["runs"][0]["sequences"][0]


def evaluate(program, pixel_format, description, dataset):
    s = score(program, pixel_format, description, dataset)
    if isinstance(s, str):
        return s
    wrong = s["fp"] + s["fn"]
    if s["tp"] + s["fn"] == 0:
        return f"{wrong} wrong" if s["scored"] == 1 else f"{100 * s['false_positive_rate']:.3f} %"
    return f"{s['f_measure']:.3f}" + (f" ({wrong:,})" if s["scored"] == 1 else "")


def labelled_rows(data, work):
    """Names and folders of the labelled videos that are there, and of those without anybody."""
    rows = [(n, data / n) for n in LABELLED if (data / n).is_dir()]
    return rows + [(n, with_black_truth(data, pathlib.Path(work), n)) for n in EMPTY if (data / n).is_dir()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--format", action="append", choices=["RGBA", "I420", "NV12", "GRAY8"])
    parser.add_argument("--settings", action="append", default=[])
    parser.add_argument("--only", default="", help="the rows whose name this matches")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--without-segmentation", action="store_true")
    options = parser.parse_args()

    columns = [("default settings", "cudamog backend=cpu threads=1")]
    columns += [(s, f"cudamog backend=cpu threads=1 {s}") for s in options.settings]
    columns += [("as OpenCV's MOG2, 5x5 median", MOG2)]
    if not options.without_segmentation:
        columns += [("segmentation (MOG2)", SEGMENTATION)]
    failed = False
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows = labelled_rows(options.data, work)
        rows += [("scene " + s.split(",")[0], f"scene:{s},width=320,height=240") for s in SCENES]
        rows = [r for r in rows if re.search(options.only, r[0])]
        for pixel_format in options.format or ["RGBA"]:
            print(f"\n{pixel_format}\n\n| | " + " | ".join(name for name, _ in columns) + " |\n|---" * 1 + "|---" * len(columns) + "|")
            described = [d + QUARTERED.get(pixel_format, "") if d == MOG2 else d for _, d in columns]
            cells = [[pool.submit(evaluate, options.program, pixel_format, d, str(dataset)) for d in described] for _, dataset in rows]
            for (name, _), line in zip(rows, cells):
                found = [c.result() for c in line]
                failed |= any(f.startswith("failed") for f in found)
                print(f"| {name} | " + " | ".join(found) + " |", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
