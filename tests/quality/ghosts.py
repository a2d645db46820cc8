# SPDX-License-Identifier: LGPL-2.1-or-later
"""The ghost of somebody who steps aside by half of the own width and stays, so that both are one blob.
Usage: ghosts.py VIGIL_EVAL

The frames from the step on are scored, for eight seconds and more. In `uncovered` somebody else is at the place that became free, and
must stay foreground. Seed 1 was in sight when the constants of kernels/ghost/stationary_regions.h were chosen.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

# Least F-measure and recall. Judged as a whole, the blob of step-aside had F 0.637 and 0.405 with seeds 2 and 3.
FLOORS = [("step-aside,seed=2", 0.85, 0.85), ("step-aside,seed=3", 0.82, 0.80), ("uncovered,seed=1", 0.82, 0.85),
          ("uncovered,seed=2", 0.84, 0.80)]

failed = False
with tempfile.TemporaryDirectory() as folder:
    out = pathlib.Path(folder) / "out.json"
    scenes = [f"scene:{name},width=320,height=240,frames=560" for name, _, _ in FLOORS]
    subprocess.run([sys.argv[1], "--format", "I420", "--warmup", "300", "--json", out, "cudamog backend=cpu threads=1", *scenes],
                   check=True, stdout=subprocess.DEVNULL)
    for (name, least_f, least_recall), s in zip(FLOORS, json.loads(out.read_text())["runs"][0]["sequences"], strict=True):
        good = s["f_measure"] >= least_f and s["recall"] >= least_recall
        failed |= not good
        print(f"{name}: F {s['f_measure']:.3f} (at least {least_f}), recall {s['recall']:.3f} ({least_recall}): "
              f"{'good' if good else 'FAILED'}")
sys.exit(failed)
