# SPDX-License-Identifier: LGPL-2.1-or-later
"""What cudamog says of the camera itself (camera-covered, camera-blurred, camera-moved) on videos of cameras that nobody touched.
Usage: camera_alarms.py SOURCE_ROOT; fails when anything is said that is not true.

The videos are read from $VIGIL_DATA, by default ../shared/data next to the source; without any of them the test is skipped. Needs
gst-launch-1.0 and GStreamer's decoders; a video that cannot be decoded fails.
"""
import os
import pathlib
import re
import subprocess
import sys

SKIPPED = 77
# Each with the frames a second at which it was taken, where the files do not say.
FOLDERS = {"cdnet_highway": ("input/in%06d.jpg", 1, 25), "cdnet_pedestrians": ("input/in%06d.jpg", 1, 25),
           "wallflower_WavingTrees": ("input/b%05d.png", 0, 15), "pets2001_illumination": ("input/in%06d.jpg", 421, 25),
           "ucsd_ped2/01": ("%03d.jpg", 0, 10), "ucsd_ped2/02": ("%03d.jpg", 0, 10), "ucsd_ped2/04": ("%03d.jpg", 0, 10)}
VIDEOS = (".mp4", ".avi")
# What is true: the last 59 frames of this one are black.
TRUE = {"wallflower_Camouflage/Camouflage.mp4": [("camera-covered", "begin"), ("camera-covered", "end")]}

root = pathlib.Path(sys.argv[1]).resolve()
data = pathlib.Path(os.environ.get("VIGIL_DATA") or root.parent / "shared" / "data")
sources = [(name, f"multifilesrc location={data / name / pattern} start-index={first} "
            f"caps=image/{'png' if pattern.endswith('png') else 'jpeg'},framerate={rate}/1")
           for name, (pattern, first, rate) in FOLDERS.items() if (data / name).is_dir()]
sources += [(f"{video.parent.name}/{video.name}", f"filesrc location={video}")
            for video in sorted(data.glob("*/*")) if video.suffix in VIDEOS]
if not sources:
    print(f"SKIPPED: no videos in {data}; set VIGIL_DATA to the folder of the labelled videos")
    sys.exit(SKIPPED)
failed = False
for name, source in sources:
    done = subprocess.run(["gst-launch-1.0", "-m", *f"{source} ! decodebin ! videoconvert ! cudamog backend=cpu "
                           "output=passthrough ! fakesink sync=false".split()],
                          capture_output=True, text=True)
    said = re.findall(r"(camera-\w+), .*?running-time=\(guint64\)(\d+).*?state=\(string\)(\w+)", done.stdout)
    failed |= [s[::2] for s in said] != TRUE.get(name, []) or done.returncode != 0
    print(f"{name}: " + (", ".join(f"{what} {state} at {int(at) / 1e9:.2f} s" for what, at, state in said) or "nothing")
          + ("" if done.returncode == 0 else f"; FAILED: {done.stderr.strip().splitlines()[-1:]}"), flush=True)
sys.exit(failed)
