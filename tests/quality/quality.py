# SPDX-License-Identifier: LGPL-2.1-or-later
"""F-measure of cudamog on labelled video against what it must reach.
Usage: quality.py VIGIL_EVAL SOURCE_ROOT PARAMETERS LIMITS LIMITS_I420, the limits as for highway,pedestrians,WavingTrees.

The data are read from $VIGIL_DATA, by default ../shared/data next to the source; without them the test is skipped.
The frames are scored twice: as RGB, and as I420, as decoders give them.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SEQUENCES = ["cdnet_highway", "cdnet_pedestrians", "wallflower_WavingTrees"]
SKIPPED = 77

program, root, parameters, limits_rgba, limits_i420 = sys.argv[1:]
data = pathlib.Path(os.environ.get("VIGIL_DATA") or pathlib.Path(root).parent / "shared" / "data")
missing = [s for s in SEQUENCES if not (data / s / "input").is_dir()]
if missing:
    print(f"SKIPPED: {', '.join(missing)} not in {data}; set VIGIL_DATA to the folder of the labelled videos")
    sys.exit(SKIPPED)

failed = False
for pixel_format, limits in ("RGBA", limits_rgba), ("I420", limits_i420):
    limits = [float(v) for v in limits.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.json"
        subprocess.run([program, "--format", pixel_format, "--json", out, f"cudamog {parameters}", *(data / s for s in SEQUENCES)],
                       check=True)
        sequences = json.loads(out.read_text())["runs"][0]["sequences"]
    failed |= len(sequences) != len(limits)
    for sequence, limit in zip(sequences, limits):
        f = sequence["f_measure"]
        good = f is not None and f >= limit and sequence["missing"] == 0
        failed |= not good
        print(f"{pixel_format} {sequence['name']}: F-measure {f}, at least {limit} wanted: {'good' if good else 'FAILED'}")
sys.exit(failed)
