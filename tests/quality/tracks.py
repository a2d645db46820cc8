# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tracks and crossings on MOT15 PETS09-S2L1 and CDnet highway against the figures that are asked of them.
Usage: tracks.py VIGIL-EVAL SOURCE_ROOT

The videos are read from $VIGIL_DATA, by default ../shared/data next to the source; without them, or without Python's bindings of
GStreamer, the test is skipped.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
PROGRAM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
DATA = pathlib.Path(os.environ.get("VIGIL_DATA") or ROOT.parent / "shared" / "data")
PETS, HIGHWAY = DATA / "mot15_PETS09_first", DATA / "cdnet_highway"
HERE = ROOT / "tests" / "quality"
WATCH = "cudamog backend=cpu output=passthrough min-area={} ! boxtrack"
failures = []


def check(good, words):
    print(("ok      " if good else "FAILED  ") + words)
    if not good:
        failures.append(words)


def run(source, out, chain, *more):
    subprocess.run([sys.executable, HERE / "tracks_of.py", source, out, chain, *more], check=True, stderr=subprocess.DEVNULL)


def scores(found, iou):
    with tempfile.NamedTemporaryFile(suffix=".json") as result:
        subprocess.run([PROGRAM, "--tracks", PETS / "gt.txt", "--iou", str(iou), "--json", result.name, found], check=True,
                       stdout=subprocess.DEVNULL)
        return json.loads(pathlib.Path(result.name).read_text(encoding="utf-8"))["tracks"][0]


def pets(folder):
    lines, asked = [], {}
    for row in (PETS / "lines.csv").read_text(encoding="utf-8").splitlines():
        fields = row.split(",")
        if len(fields) == 7 and fields[1].isdigit():  # towards its normal is to the right hand: forward
            x1, y1, x2, y2, asked[fields[0], "forward"], asked[fields[0], "backward"] = map(int, fields[1:])
            lines.append({"name": fields[0], "points": [[x1, y1], [x2, y2]]})
    rules = folder / "rules.json"
    rules.write_text(json.dumps({"units": "pixels", "lines": lines}), encoding="utf-8")
    found, messages = folder / "pets.txt", folder / "pets.jsonl"
    run(PETS / "PETS09-S2L1-1-400.mp4", found, WATCH.format(250) + f" ! boxrules rules-location={rules}", "--messages", messages)
    for iou, mota, idf1 in ((0.5, 0.60, 0.60), (0.3, 0.80, 0.70)):
        score = scores(found, iou)
        check(score["mota"] >= mota and score["idf1"] >= idf1 and score["switches"] <= 30,
              f"PETS09 at IoU {iou}: MOTA {score['mota']:.3f} ({mota}), IDF1 {score['idf1']:.3f} ({idf1}), "
              f"{score['switches']} switches (30)")
    counts = collections.Counter((e["line"], e["direction"]) for e in
                                 map(json.loads, messages.read_text(encoding="utf-8").splitlines()) if e["event"] == "line-cross")
    error = sum(abs(counts[key] - true) for key, true in asked.items())
    check(error <= 2, f"PETS09's lines: sum of errors {error} of {sum(asked.values())} crossings (2)")
    run(PETS / "gt.txt", folder / "own.txt", "boxtrack")
    own = scores(folder / "own.txt", 0.5)
    check(own["idf1"] >= 0.99, f"PETS09's true boxes: IDF1 {own['idf1']:.3f} (0.99)")
    run(PETS / "det_acf.txt", folder / "acf.txt", "boxtrack")
    acf = scores(folder / "acf.txt", 0.5)
    check(acf["idf1"] > 0.397 and acf["switches"] < 84, f"PETS09's ACF boxes: IDF1 {acf['idf1']:.3f} (0.397), "
          f"{acf['switches']} switches (84)")


def highway(folder):
    found = folder / "highway.txt"
    for format_, estimates, what in (("I420", (), "tracks that are found"), ("RGBA", ("--estimates",), "boxes on the frame")):
        run(HIGHWAY / "input" / "in%06d.jpg", found, f"video/x-raw,format={format_} ! " + WATCH.format(100), "--fps", "25", *estimates)
        words = subprocess.run([sys.executable, HERE / "flicker.py", HIGHWAY, found], check=True, capture_output=True, text=True).stdout
        share = float(words.split()[-2])
        check(share <= 2, f"highway in {format_}: the number of {what} changes without a true change in {share} % of the frames (2)")


def main():
    try:
        import gi  # pylint: disable=import-outside-toplevel
        gi.require_version("GstVideo", "1.0")
    except (ImportError, ValueError):
        print("SKIPPED: no Python bindings of GStreamer here (python3-gi, gir1.2-gst-plugins-base-1.0)")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        tried = 0
        for data, test in ((PETS, pets), (HIGHWAY, highway)):
            if not data.is_dir():
                print(f"SKIPPED: no {data}; set VIGIL_DATA to the folder of the labelled videos")
                continue
            test(pathlib.Path(name))
            tried += 1
    return 1 if failures else 0 if tried else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
