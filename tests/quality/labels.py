# SPDX-License-Identifier: LGPL-2.1-or-later
"""Accuracy of labels on tracks of drawn scenes, by what was taught, against the figures that are asked of them.
Usage: labels.py LABEL-ACCURACY

All tables are in docs/measurements/log/2026-11/labels.md; this is a part of them that plays in a minute. Without Python's bindings of GStreamer the test is skipped.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM, HERE = sys.argv[1], pathlib.Path(__file__).resolve().parent
ANGLE = "pole=8,aside=-15,down=9"
SCENES = [*(f"drawn:{kind}:street:{seed}:60" for kind, seed in (("teach", 1), ("teach", 2), ("judge", 11), ("judge", 12))),
          *(f"drawn:angle-{kind}:street:{seed}:60:{ANGLE}" for kind, seed in (("teach", 21), ("judge", 31)))]
PLAZA = ["drawn:plaza-teach:plaza:1:60", "drawn:plaza-judge:plaza:11:60", "--codebook", HERE.parents[1] / "gst/tracklabel/drawn.model"]
failures = []

try:
    import gi  # noqa: F401  pylint: disable=unused-import
except ImportError:
    print("SKIPPED: Python's bindings of GStreamer are missing (package python3-gi)")
    sys.exit(77)


def check(good, words):
    print(("ok      " if good else "FAILED  ") + words)
    if not good:
        failures.append(words)


def ask(tracks, *words):
    """Lines of the program, by what they begin with: the mean."""
    said = subprocess.run([PROGRAM, tracks, *words], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {m[1].strip(): float(m[2]) for m in re.finditer(r"^(.+?) +mean ([\d.]+) ", said, re.M)}


with tempfile.TemporaryDirectory() as folder:
    tracks = pathlib.Path(folder) / "tracks.jsonl"
    subprocess.run([sys.executable, HERE / "label_tracks.py", tracks, *SCENES], check=True)
    same, angle = ask(tracks, "table", "teach", "judge"), ask(tracks, "table", "teach", "angle-judge", "angle-teach")
    wrong = ask(tracks, "wrong", "teach", "judge")
    subprocess.run([sys.executable, HERE / "label_tracks.py", tracks, *PLAZA], check=True)
    bicycles = ask(tracks, "table", "plaza-teach", "plaza-judge")
FIGURES = [
    ("same camera, nothing taught", same["0"], 0.9),
    ("same camera, 10 taught", same["10"], 0.98),
    ("other angle, 5 more", angle["10+5"], 0.95),
    ("a plaza with bicycles, looked at, 10 taught", bicycles["10"], 0.95),
    ("10 % of the labels wrong", wrong["10 % are wrong"], 0.97),
    ("30 % of the labels wrong", wrong["30 % are wrong"], 0.85),
    ("only persons taught", wrong["only persons are taught"], 0.95),
    ("a person has two names", wrong["person has two names"], 0.95)]
for case, found, least in FIGURES:
    check(found >= least, f"{case}: {found:.3f} ({least})")
sys.exit(1 if failures else 0)
