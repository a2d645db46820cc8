# SPDX-License-Identifier: LGPL-2.1-or-later
"""cudamog with default settings against precision=single on labelled video and drawn scenes: the F-measures may be lower by .001.
Usage: precision.py VIGIL_EVAL DATA [--backend cpu|cuda] [--methods zivkovic,mog] [--formats RGBA,I420,NV12,GRAY8] [--only REGEX] [--jobs N]

DATA is the folder of the labelled videos. Where the truth has no foreground, the share of false foreground is compared, as a negative number. Prints a table; exit
status 1 when a loss is larger than .001 or nothing could be compared, and 77 when there is no labelled video."""
import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

LABELLED = ["cdnet_highway", "cdnet_pedestrians", "wallflower_WavingTrees", "wallflower_TimeOfDay", "wallflower_LightSwitch",
            "wallflower_MovedObject", "wallflower_Camouflage"]
SCENES = ["street", "indoor", "light-switch", "camouflage", "stopped-car", "foliage", "crowd", "empty", "crossing", "groups", "left-bag",
          "taken-bag", "queue", "traffic", "auto-exposure", "white-balance", "covered", "parked-car", "waiting-person,frames=1800", "moved",
          "defocused,frames=600", "shake,quiet=6", "step-aside", "uncovered"]
MOST = 0.001


def scores(options, method, pixel_format, dataset):
    """In single precision and with the default: the F-measure, or minus the share of false foreground where the truth has none."""
    found = []
    for precision in ("precision=single", options.precision):
        chain = f"cudamog backend={options.backend} {'threads=1' if options.backend == 'cpu' else ''} method={method} {precision}"
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out.json"
            done = subprocess.run([options.program, "--format", pixel_format, "--json", out, chain, dataset], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  text=True, check=False)
            if done.returncode:
                return "failed: " + (done.stderr.strip().splitlines() or ["no message"])[-1]
            s = json.loads(out.read_text())["runs"][0]["sequences"][0]
        found.append(s["f_measure"] if s["tp"] + s["fn"] else -s["false_positive_rate"])
    return found


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("program")
parser.add_argument("data", type=pathlib.Path)
parser.add_argument("--backend", default="cpu")
parser.add_argument("--precision", default="", help="compare this one, not the default: precision=compact")
parser.add_argument("--methods", default="zivkovic,mog")
parser.add_argument("--formats", default="RGBA,I420,NV12,GRAY8")
parser.add_argument("--only", default="", help="regular expression for the names of the sequences")
parser.add_argument("--jobs", type=int, default=1)
options = parser.parse_args()

datasets = {name: str(options.data / name) for name in LABELLED if (options.data / name).is_dir()}
if not datasets:
    print(f"SKIPPED: no labelled video in {options.data}")
    sys.exit(77)
datasets |= {f"scene:{s}": f"scene:{s}" for s in SCENES}
datasets = {name: where for name, where in datasets.items() if re.search(options.only, name)}
work = [(m, f, name) for m in options.methods.split(",") for f in options.formats.split(",") for name in datasets]
compared, worst = 0, 0.
print(f"{'method':8} {'format':6} {'sequence':36} {'single':>8} {'default':>8} {'difference':>10}")
with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
    results = pool.map(lambda w: scores(options, w[0], w[1], datasets[w[2]]), work)
    for (method, pixel_format, name), got in zip(work, results):
        if isinstance(got, str) or len(got) != 2 or None in got:
            print(f"{method:8} {pixel_format:6} {name:36} {got}")
            worst = 1.
            continue
        compared += 1
        difference = got[1] - got[0]
        worst = max(worst, -difference)
        print(f"{method:8} {pixel_format:6} {name:36} {got[0]:8.4f} {got[1]:8.4f} {difference:+10.4f}", flush=True)
print(f"{compared} compared; the largest loss is {worst:.4f}, {MOST} may be")
sys.exit(0 if compared and worst <= MOST else 1)
