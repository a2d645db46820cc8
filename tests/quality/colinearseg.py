# SPDX-License-Identifier: LGPL-2.1-or-later
"""F-measure of glcolinearseg on labelled video against what it must reach.
Usage: colinearseg.py VIGIL_EVAL SOURCE_ROOT

With the median image of each sequence's first part as background, and with a background learnt from its first 25 frames.
The data are read from $VIGIL_DATA, by default ../shared/data next to the source; without them the test is skipped.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
ONE_SET = "static-threshold=11000 darkness-offset=440000 compactness=1833 temporal-compactness=1833"
LIMITS = {  # the background, parameters: limits for highway and pedestrians
    ("given", ONE_SET): (0.87, 0.95),
    ("given", ""): (0.85, 0.93),
    ("learnt", ""): (0.85, 0.93),
}

program, root = sys.argv[1:]
data = pathlib.Path(os.environ.get("VIGIL_DATA") or pathlib.Path(root).parent / "shared" / "data")
sequences = [data / "cdnet_highway", data / "cdnet_pedestrians"]
if not all((s / "input").is_dir() for s in sequences):
    print(f"SKIPPED: {', '.join(s.name for s in sequences)} not in {data}; set VIGIL_DATA to the folder of the labelled videos")
    sys.exit(SKIPPED)

failed = False
for (background, parameters), limits in LIMITS.items():
    for sequence, limit in zip(sequences, limits):
        location = f"background-location={sequence / 'background_median.png'}" if background == "given" else ""
        chain = (f"glupload ! glcolorconvert ! glcolinearseg report=false post-messages=false {parameters} {location} "
                 "! gldownload ! videoconvert")
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out.json"
            subprocess.run([program, "--format", "RGBA", "--json", out, chain, sequence], check=True,
                           stdout=subprocess.DEVNULL)
            result = json.loads(out.read_text())["runs"][0]["sequences"][0]
        f = result["f_measure"]
        good = f is not None and f >= limit and result["missing"] == 0
        failed |= not good
        print(f"{sequence.name}, background {background}, {parameters or 'defaults'}: F-measure {f}, at least {limit} wanted: "
              f"{'good' if good else 'FAILED'}")
sys.exit(failed)
