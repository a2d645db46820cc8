# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each preset of cudamog against the default settings, on the scenes that it is for: it must not be worse, and at least one must be better.
Usage: presets.py VIGIL_EVAL    (GST_PRESET_PATH names gst/presets)

The seeds played no part in choosing the presets' values.
"""
import json
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
]

program = sys.argv[1]


def scores(element, pixel_format, scenes):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.json"
        subprocess.run([program, "--format", pixel_format, "--json", out, element, *(s + SIZE for s in scenes)], check=True,
                       stdout=subprocess.DEVNULL)
        return [s["f_measure"] for s in json.loads(out.read_text())["runs"][0]["sequences"]]


failed = False
for preset, pixel_format, scenes in FOR:
    before = scores("cudamog backend=cpu", pixel_format, scenes)
    after = scores(f"cudamog backend=cpu @preset={preset}", pixel_format, scenes)
    gains = [b - a for a, b in zip(before, after)]
    good = len(gains) == len(scenes) and min(gains) >= -SLACK and max(gains) > SLACK
    failed |= not good
    for scene, a, b in zip(scenes, before, after):
        print(f"{preset}, {pixel_format}, {scene}: {b:.4f}, default settings {a:.4f}: {'good' if good else 'FAILED'}")
sys.exit(failed)
