# SPDX-License-Identifier: LGPL-2.1-or-later
"""Takes the moving picture of README.md: the wall, then one camera with its overlay. Usage: film.py VIGIL_MONITOR OUTPUT.webp

Needs what page.py needs, and ffmpeg with libwebp."""
import base64
import pathlib
import subprocess
import sys
import tempfile
import time

import server as servers

servers.skip_without()

from browser import Browser  # pylint: disable=wrong-import-position

WIDTH, HEIGHT = 1120, 700  # of the page
SHOWN = 800                # columns of the picture
RATE = 5                   # pictures a second
PARTS = (("wall", 5), ("camera/door", 5))  # view, seconds


def take(browser, folder, number):
    shot = browser.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "jpeg", "quality": 95})
    (folder / f"{number:04}.jpg").write_bytes(base64.b64decode(shot["data"]))


def record(browser, folder):
    number = 0
    for place, seconds in PARTS:
        browser.open(place)
        browser.until(lambda: browser.all(".seen"), "a picture")
        if place.startswith("camera"):
            browser.keys("o")
        time.sleep(2)
        begin = time.monotonic()
        for i in range(seconds * RATE):
            time.sleep(max(0, begin + i / RATE - time.monotonic()))
            take(browser, folder, number)
            number += 1


def main(program, output):
    server = servers.Server(program)
    try:
        server.until(lambda: sum(c["motion"] for c in server.get("/api/cameras")) > 1, "motion in two cameras", 60)
        browser = Browser(server.url)
        try:
            browser.resize(WIDTH, HEIGHT, "dark")
            with tempfile.TemporaryDirectory() as name:
                record(browser, pathlib.Path(name))
                subprocess.run(["ffmpeg", "-v", "error", "-y", "-framerate", str(RATE), "-i", f"{name}/%04d.jpg", "-vf", f"scale={SHOWN}:-2:flags=lanczos",
                                "-c:v", "libwebp_anim", "-quality", "50", "-compression_level", "6", "-loop", "0", output], check=True)
        finally:
            browser.quit()
    finally:
        server.stop()
    print(f"{output}: {pathlib.Path(output).stat().st_size} bytes")


main(*sys.argv[1:])
