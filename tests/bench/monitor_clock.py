# SPDX-License-Identifier: LGPL-2.1-or-later
"""From a change in the picture to the screen: a camera that films a clock, and screenshots of the wall on which the clock is read.

monitor_clock.py PROGRAM [SHOTS]

The clock is the machine's, in milliseconds, as 24 black or white fields above 24 of their opposites; it is drawn just before the frame goes into the pipe that
the camera reads. The camera has 640x360 at 15 frames a second and the monitor's defaults, 5 tiles a second. A screenshot shows what was on the screen
between the moment in which it was asked for and that in which it was there: the delay is said for both. Needs the distribution's python3, which has selenium."""
import base64
import contextlib
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "monitor/page"))
import server as servers  # noqa: E402  pylint: disable=wrong-import-position

if servers.missing():
    sys.exit(f"SKIPPED: {servers.missing()}")
from browser import Browser  # noqa: E402  pylint: disable=wrong-import-position

count = int(sys.argv[2]) if len(sys.argv) > 2 else 100
WIDTH, HEIGHT, RATE, BITS = 640, 360, 15, 24
WINDOW = 1280, 800
CONFIG = """\
http: {{listen: 127.0.0.1:{port}}}
storage: {{path: {folder}/data, min_free: 1MB}}
record: {{enabled: false}}
cameras:
  clock: {{source: "filesrc location=PIPE ! rawvideoparse format=i420 width=640 height=360 framerate=15/1"}}
"""


def milliseconds():
    return int(time.time() * 1000) % (1 << BITS)


def frame():
    now = milliseconds()
    fields = [0xFF if now >> bit & 1 else 0 for bit in range(BITS)]
    side = WIDTH // BITS
    rows = [b"".join(bytes([f ^ turn]) * side for f in fields).ljust(WIDTH, b"\x80") * (HEIGHT // 2) for turn in (0, 0xFF)]
    return b"".join(rows) + b"\x80" * (WIDTH * HEIGHT // 2)


def read_clock(grey, box):
    """The milliseconds on a screenshot, or none where a frame had not been drawn whole."""
    value = 0
    for bit in range(BITS):
        x = int(box[0] + (bit + 0.5) * (WIDTH // BITS) / WIDTH * box[2])
        above, below = (grey[int(box[1] + part * box[3]) * WINDOW[0] + x] for part in (0.25, 0.75))
        if abs(above - below) < 128:
            return None
        value |= (above > below) << bit
    return value


with tempfile.TemporaryDirectory(prefix="vigil-clock-") as folder:
    pipe = pathlib.Path(folder) / "pipe"
    os.mkfifo(pipe)

    def film():
        with contextlib.suppress(BrokenPipeError), open(pipe, "wb", buffering=0) as out:  # the server ends
            due = time.monotonic()
            while True:
                out.write(frame())
                due = max(due + 1 / RATE, time.monotonic())
                time.sleep(max(0, due - time.monotonic()))

    threading.Thread(target=film, daemon=True).start()
    server = servers.Server(sys.argv[1], CONFIG.replace("PIPE", str(pipe)))
    shots, browser = [], None
    try:
        browser = Browser(server.url)
        browser.resize(*WINDOW, "dark")
        browser.open("wall")
        browser.find(".tile.seen")
        time.sleep(5)
        box = browser.box("canvas.picture")
        for n in range(count):
            asked = milliseconds()
            png = browser.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
            shots.append((asked, milliseconds()))
            (pathlib.Path(folder) / f"{n:04}.png").write_bytes(base64.b64decode(png))
            time.sleep(0.1 + n % 7 * 0.03)  # not in step with the tiles
    finally:
        if browser:
            browser.quit()
        server.stop()
    raw = pathlib.Path(folder) / "grey"
    subprocess.run(f"gst-launch-1.0 -q multifilesrc location={folder}/%04d.png ! pngdec ! videoconvert ! video/x-raw,format=GRAY8 ! filesink location={raw}".split(), check=True, timeout=300)
    grey, size = raw.read_bytes(), WINDOW[0] * WINDOW[1]
    read = [(shot, read_clock(grey[n * size:(n + 1) * size], box)) for n, shot in enumerate(shots)]

delays = [[(moment - clock) % (1 << BITS) for moment in shot] for shot, clock in read if clock is not None]
if not delays:
    sys.exit("no screenshot shows the clock")
for words, values in zip(("asked for", "there"), zip(*delays)):
    s = sorted(values)
    print(f"until the screenshot was {words}: median {statistics.median(s):.0f} ms, 90 % {s[int(0.9 * (len(s) - 1))]} ms, most {s[-1]} ms of {len(s)}")
print(f"{len(read) - len(delays)} screenshots in between two frames; load {os.getloadavg()[0]:.1f}")
