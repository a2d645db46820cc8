# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a camera that shakes in the wind, and whose exposure never rests, costs cudamog with default settings on the CPU, which alone follows turns.
Usage: swings.py VIGIL_EVAL SOURCE_ROOT; fails when F falls by more than 0.035, or below 0.92.

Labelled video is cut out at a place that swings by 5 pixels, its colours are multiplied by gains of 0.7 to 1.4 and clipped, or it
turns by 1 degree or grows by 1 % (shake.py); each is compared with what stands still, as R, G and B and as decoders give it. The data
are read from $VIGIL_DATA, by default ../shared/data next to the source; without them the test is skipped.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SEQUENCES = ["cdnet_highway", "cdnet_pedestrians"]
SWINGS = {"gains": ["0", "0.7", "1.4"], "gains and 5 pixels": ["5", "0.7", "1.4"], "turned by 1 degree": ["0", "--turn", "1"],
          "larger by 1 %": ["0", "--zoom", "1"]}
YUV = "videoconvert ! video/x-raw,format=I420,colorimetry="
INPUTS = {"RGBA": "", "I420": f"{YUV}bt601 ! ", "I420, full range": f"{YUV}1:4:0:0 ! "}
MOST_LOST, LEAST, SKIPPED = 0.035, 0.92, 77

program, root = sys.argv[1], pathlib.Path(sys.argv[2])
data = pathlib.Path(os.environ.get("VIGIL_DATA") or root.parent / "shared" / "data")
missing = [s for s in SEQUENCES if not (data / s / "input").is_dir()]
if missing:
    print(f"SKIPPED: {', '.join(missing)} not in {data}; set VIGIL_DATA to the folder of the labelled videos")
    sys.exit(SKIPPED)


def score(kind, folders):
    """F of each folder's frames."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([program, "--format", "RGBA", "--json", out.name, f"{INPUTS[kind]}cudamog backend=cpu", *folders], check=True,
                       stdout=subprocess.DEVNULL)
        return [s["f_measure"] for s in json.loads(pathlib.Path(out.name).read_text())["runs"][0]["sequences"]]


failed = False
with tempfile.TemporaryDirectory() as scratch:
    for sequence in SEQUENCES:
        folders = [data / sequence]
        for name, swing in SWINGS.items():
            folders.append(pathlib.Path(scratch) / f"{sequence}, {name}")
            subprocess.run([sys.executable, root / "tests" / "quality" / "shake.py", data / sequence, folders[-1], *swing], check=True)
        for kind in INPUTS:
            still, *swung = score(kind, folders)
            for name, f in zip(SWINGS, swung, strict=True):
                good = still is not None and f is not None and still - f <= MOST_LOST and f >= LEAST
                failed |= not good
                print(f"{sequence}, {kind}, {name}: F {f}, standing still {still}: {'good' if good else 'FAILED'}", flush=True)
sys.exit(failed)
