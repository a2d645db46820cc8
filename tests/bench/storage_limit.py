# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether clips and recordings stay below storage: max_size between the passes of retention: two cameras that are recorded all day, with events.

storage_limit.py PROGRAM FOLDER [SECONDS [MEGABYTES]]    560 120

A clip of a drawn scene (320x180, 2.5 Mbit/s) is played again and again by both, 37 MB a minute. The files are looked at every two seconds."""
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "monitor"))
from program import Monitor  # noqa: E402  pylint: disable=wrong-import-position

program, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
seconds, limit = (int(a) for a in [*sys.argv[3:5], *("560", "120")[len(sys.argv[3:5]):]])
folder.mkdir(parents=True, exist_ok=True)
data, clip = folder / "data", folder / "clip.mp4"
shutil.rmtree(data, ignore_errors=True)
subprocess.run(["gst-launch-1.0", "-q", *f"scenetestsrc quiet=0.5 density=2 num-buffers=300 ! video/x-raw,format=I420,width=320,height=180,framerate=15/1 ! x264enc speed-preset=ultrafast "
                f"bitrate=2500 pass=cbr key-int-max=30 bframes=0 ! h264parse ! mp4mux ! filesink location={clip}".split()], check=True, timeout=300)
(folder / "monitor.yaml").write_text(f"http: {{local: admin}}\nstorage: {{max_size: {limit}MB, min_free: 1MB}}\nrecord: {{pre_capture: 1, post_capture: 1, max_clip: 20, continuous: {{days: 1}}}}\n"
                                     "cameras:\n" + "".join(f"  {n}: {{source: {clip}, loop: true}}\n" for n in "ab"))


def size(*names):
    total = 0
    for p in data.rglob("*"):
        try:
            total += p.stat().st_size if p.is_file() and (not names or p.suffix in names) else 0
        except OSError:  # it was deleted meanwhile
            pass
    return total / 1e6


most = deleted = last = 0
with Monitor(program, data, "--config", str(folder / "monitor.yaml")) as m:
    begun = time.monotonic()
    while time.monotonic() - begun < seconds:
        now = size(".mp4")
        deleted += now < last - 1
        most, last = max(most, now), now
        time.sleep(2)
    print(f"{seconds} s: at most {most:.1f} MB of {limit}; {deleted} times some were deleted; at the end {last:.1f} MB, previews {size('.previews'):.2f} MB, all files {size():.1f} MB")
    m.stop()
if not deleted or most > limit:
    sys.exit("the limit was not reached" if not deleted else "the limit does not hold")
