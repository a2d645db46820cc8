# SPDX-License-Identifier: LGPL-2.1-or-later
"""From the time of a frame to its picture in Chromium: decoded and given to the canvas, with four drawn cameras on the wall. What the screen
takes after that, a frame of its own at the most, is not in it. Needs the distribution's python3, which has selenium.

monitor_tile.py PROGRAM [SECONDS]"""
import os
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "monitor/page"))
import server as servers  # noqa: E402  pylint: disable=wrong-import-position

seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 20
if servers.missing():
    sys.exit(f"SKIPPED: {servers.missing()}")
from browser import Browser  # noqa: E402  pylint: disable=wrong-import-position

server = servers.Server(sys.argv[1])
try:
    server.until(lambda: all(c["state"] == "online" for c in server.get("/api/cameras")), "all cameras to be online", 60)
    browser = Browser(server.url)
    browser.open("wall")
    browser.until(lambda: len(browser.all(".tile.seen")) == 4, "four tiles", 60)
    time.sleep(5)
    # A picture of the page's own kind for each camera, in addition to those of the wall: the same records, decoded once more.
    browser.run("""
        const [{ Picture }, { live }] = [await import('/app/picture.js'), await import('/app/live.js')];
        const pictures = new Map();
        window.delays = [];
        live.addEventListener('picture', ({ detail }) => {
          if (!pictures.has(detail.camera)) pictures.set(detail.camera, new Picture('', (record) => window.delays.push(Date.now() / 1000 - record.time)));
          pictures.get(detail.camera).show(detail);
        });""")
    time.sleep(seconds)
    delays = sorted(browser.run("return window.delays"))
    browser.quit()
finally:
    server.stop()
print(f"{len(delays)} pictures in {seconds} s, load {os.getloadavg()[0]:.1f}: median {statistics.median(delays) * 1000:.0f} ms, "
      f"90 % {delays[int(0.9 * len(delays))] * 1000:.0f} ms, most {delays[-1] * 1000:.0f} ms")
