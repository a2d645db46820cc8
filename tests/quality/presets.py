# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each preset of cudamog against the default settings, on the scenes that it is for: it must not be worse, and at least one must be better.
Usage: presets.py VIGIL_EVAL ROOT    (GST_PRESET_PATH names gst/presets)

The seeds and sequences played no part in choosing the presets' values. Sequences are read from $VIGIL_DATA, by default
../shared/data next to the source; presets that need them are skipped without them.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SIZE = ",width=320,height=240,frames=300"
# What a preset may lose where it does the same as the defaults.
SLACK = 0.002
FOR = [
    ("street-sunny", "I420", ["scene:street,seed=7", "scene:foliage,seed=7"]),
    ("traffic", "I420", ["scene:stopped-car,seed=7", "scene:stopped-car,seed=8"]),
    ("noisy-night", "I420", ["scene:street,noise=20,seed=7", "scene:street,noise=20,seed=8"]),
    ("noisy-night", "GRAY8", ["scene:street,noise=15,seed=7"]),
    ("laboratory", "I420", ["scene:camouflage,seed=7", "scene:camouflage,seed=8"]),
    ("thermal", "GRAY8", ["remotescene_ir_1", "remotescene_ir_7-1", "remotescene_ir_7-3"]),
]

program = sys.argv[1]
data = pathlib.Path(os.environ.get("VIGIL_DATA") or pathlib.Path(sys.argv[2]).parent / "shared" / "data")


def scores(element, pixel_format, scenes):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.json"
        inputs = [s + SIZE if s.startswith("scene:") else data / s for s in scenes]
        subprocess.run([program, "--format", pixel_format, "--json", out, element, *inputs], check=True, stdout=subprocess.DEVNULL)
        return [s["f_measure"] for s in json.loads(out.read_text())["runs"][0]["sequences"]]


failed = False
for preset, pixel_format, scenes in FOR:
    missing = [s for s in scenes if not s.startswith("scene:") and not (data / s).is_dir()]
    if missing:
        print(f"SKIPPED: preset {preset}: {', '.join(missing)} not in {data}; set VIGIL_DATA to the folder of the labelled videos")
        continue
    before = scores("cudamog backend=cpu", pixel_format, scenes)
    after = scores(f"cudamog backend=cpu @preset={preset}", pixel_format, scenes)
    gains = [b - a for a, b in zip(before, after)]
    good = len(gains) == len(scenes) and min(gains) >= -SLACK and max(gains) > SLACK
    failed |= not good
    for scene, a, b in zip(scenes, before, after):
        print(f"{preset}, {pixel_format}, {scene}: {b:.4f}, default settings {a:.4f}: {'good' if good else 'FAILED'}")
sys.exit(failed)
