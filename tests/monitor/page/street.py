# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page with a real camera's street: a video of a road plays as a camera, and the page shows its cars and their events.

VIGIL_SCREENSHOTS=FOLDER keeps docs/images/monitor-camera.jpg and monitor-events.jpg there. The video is intel_car-detection/car-detection.mp4 in
the folder VIGIL_DATA, by default ../shared/data next to the source. REUSE.toml names its licence. Usage: street.py VIGIL_MONITOR"""
import os
import pathlib
import sys
import unittest

from case import QuietCase
from vigiltest import skip

PICTURES = os.environ.get("VIGIL_SCREENSHOTS")
DATA = pathlib.Path(os.environ.get("VIGIL_DATA") or pathlib.Path(__file__).parents[4] / "shared" / "data")
VIDEO = DATA / "intel_car-detection" / "car-detection.mp4"
if not VIDEO.is_file():
    skip(f"there is no {VIDEO}; set VIGIL_DATA to the folder of the videos")

CONFIG = """\
http: {{{{listen: 127.0.0.1:{{port}}}}}}
storage: {{{{path: {{folder}}/data, max_size: 500MB, min_free: 1MB}}}}
record: {{{{pre_capture: 1, post_capture: 1}}}}
cameras:
  road: {{{{source: "{video}", live: {{{{height: 432, fps: 12}}}}}}}}
""".format(video=VIDEO)
EVENTS = 9 if PICTURES else 3  # three a turn of the video: of its four cars two are in view together


class Street(QuietCase):
    @classmethod
    def setUpClass(cls):
        cls.start_server(CONFIG)
        cls.start_browser()
        cls.wait_for_cameras()
        cls.server.send("PUT", "/api/cameras/road/zones/crossing", {"coordinates": "0.3,0.35,0.72,0.35,0.86,0.97,0.12,0.97"})
        cls.server.send("PUT", "/api/cameras/road/lines/middle", {"coordinates": "0.15,0.5,0.85,0.5", "direction": "both"})

    def keep(self, name):
        if PICTURES:
            (pathlib.Path(PICTURES) / name).write_bytes(self.browser.picture())

    def test_camera(self):
        """A car counts at a line, and the next one is shown in a box."""
        def counts():
            return self.server.get("/api/cameras/road")["counts"]

        b = self.browser
        b.open("camera/road")
        b.find(".stage.seen")
        b.keys("o")
        self.server.until(lambda: counts()["lines"]["middle"]["in"] + counts()["lines"]["middle"]["out"], "a car on the line", 120)
        self.server.until(lambda: counts()["zones"]["crossing"] == 0, "the car to leave the zone", 60)
        self.server.until(lambda: counts()["zones"]["crossing"], "the next car in the zone", 60)
        b.until(lambda: b.run("return document.querySelector('.area-count').textContent").startswith("1"), "the page to say so")
        self.keep("monitor-camera.jpg")

    def test_events(self):
        """Cars are events with clips that play, and are guessed to be vehicles."""
        b = self.browser

        def kept():
            return [e for e in self.server.get("/api/events?limit=50")["events"] if e["has_clip"]]

        self.server.until(lambda: len(kept()) >= EVENTS, f"{EVENTS} events with clips", 240)
        self.assertIn("vehicle", [label["label"] for e in kept() for label in e["labels"]])
        b.open("events")
        b.until(lambda: len(b.all(".card")) >= EVENTS, f"{EVENTS} events on the page")
        b.until(lambda: b.run("return document.querySelector('video').currentTime") > 2, "the newest clip to play for two seconds")
        self.keep("monitor-events.jpg")


unittest.main(argv=sys.argv[:1], verbosity=2)
