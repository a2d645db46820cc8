# SPDX-License-Identifier: LGPL-2.1-or-later
"""From the start of vigil-monitor, with the four drawn cameras that it shows when nothing is said, to its first picture and to the first of
each camera, as a viewer of /api/live gets them.

monitor_start.py PROGRAM FOLDER [TIMES]"""
import os
import pathlib
import shutil
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "monitor"))
from program import Monitor  # noqa: E402  pylint: disable=wrong-import-position

program, folder = sys.argv[1], pathlib.Path(sys.argv[2]) / "monitor-start"
times = int(sys.argv[3]) if len(sys.argv) > 3 else 5
first, all_four = [], []
for _ in range(times):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with Monitor(program, folder) as m:
        seen = set()
        for kind, camera, *_ in m.live(seconds=30):
            if kind != "J" or camera in seen:
                continue
            seen.add(camera)
            if len(seen) == 1:
                first.append(time.monotonic() - m.begun)
            if len(seen) == 4:
                all_four.append(time.monotonic() - m.begun)
                break
        m.stop()
print(f"{times} starts, load {os.getloadavg()[0]:.1f}: first picture after {statistics.median(first):.2f} s (most {max(first):.2f}), "
      f"of all four cameras after {statistics.median(all_four):.2f} s (most {max(all_four):.2f})")
