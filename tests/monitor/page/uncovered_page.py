# SPDX-License-Identifier: LGPL-2.1-or-later
"""A camera with privacy on its page in a real browser: its own stream comes uncovered to who chooses that, by WebRTC, MP4 or JPEG, and to nobody else.
Usage: uncovered_page.py VIGIL_MONITOR [PICTURES]"""
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

from case import PageCase
from vigiltest import skip

for element in "x264enc", "jpegenc":
    if subprocess.run(["gst-inspect-1.0", "--exists", element], check=False).returncode:
        skip(f"no {element}")
SCENE = "scenetestsrc is-live=true quiet=0 density=4 ! video/x-raw,format=I420,width=320,height=180,framerate=10/1 ! videobalance contrast=0.5 brightness=0.25"
FILM = tempfile.TemporaryDirectory(prefix="vigil-uncovered-")
CONFIG = """\
http: {{listen: 127.0.0.1:{port}}}
storage: {{path: {folder}/data, max_size: 500MB, min_free: 1MB}}
record: {{enabled: false}}
cameras:
  hall: {{source: FILM/hall.mp4, PRIVATE}}
  jpeg: {{source: "SCENE ! jpegenc", PRIVATE}}
""".replace("PRIVATE", 'privacy: {{polygons: {{left: {{coordinates: "0,0,0.5,0,0.5,1,0,1"}}}}, uncovered_for: [admin]}}').replace("SCENE", SCENE).replace("FILM", FILM.name)
# Mean grey levels of the two halves of what is shown.
HALVES = """
const shown = document.querySelector(".stage.plays") ? document.querySelector("video.picture") : document.querySelector(".stage canvas.picture");
const canvas = new OffscreenCanvas(64, 36), c = canvas.getContext("2d", { willReadFrequently: true });
c.drawImage(shown, 0, 0, 64, 36);
const mean = (x) => { const d = c.getImageData(x, 2, 24, 32).data; let sum = 0; for (let i = 0; i < d.length; i += 4) sum += d[i + 1]; return sum / (d.length / 4); };
return [mean(2), mean(38)];
"""


class Uncovered(PageCase):
    @classmethod
    def setUpClass(cls):
        scene = SCENE.replace("is-live=true", "num-buffers=300")
        subprocess.run(["gst-launch-1.0", "-q", *f"{scene} ! x264enc speed-preset=ultrafast key-int-max=10 bframes=0 ! h264parse ! mp4mux ! filesink location={FILM.name}/hall.mp4".split()], check=True, timeout=120)
        cls.start_server(CONFIG)
        cls.start_browser()
        cls.wait_for_cameras()
        cls.has_webrtc = not cls.server.get("/api/stats")["webrtc"]["reason"]

    def setUp(self):
        self.begin_anew()

    def way(self):
        return self.browser.run("return document.querySelector('.stage-way')?.dataset.way ?? ''")

    def shows(self, uncovered, *ways):
        b = self.browser

        def right():
            left, other = b.run(HALVES)
            return self.way() in ways and other > 60 and (left > 60 if uncovered else left < 30)
        b.until(right, f"a picture that is {'uncovered' if uncovered else 'covered'}, by {ways}")

    def choose(self, view):
        self.browser.run("document.querySelector(`.view-head input[value=${arguments[0]}]`).click()", view)

    def views(self):
        file = pathlib.Path(self.server.folder.name) / "data/audit.jsonl"
        return file.read_text(encoding="utf-8").count('"uncovered-view"') if file.exists() else 0

    def by(self, way, name):
        b, before = self.browser, self.views()
        b.open("camera/hall")
        self.shows(False, way)
        self.assertEqual(self.views(), before, "nobody sees it unawares")
        self.choose("uncovered")
        self.shows(True, way)
        self.pictures(name)
        self.choose("live")
        self.shows(False, way)
        self.assertEqual(b.complaints(), [])

    def test_1_webrtc(self):
        if not self.has_webrtc:
            self.skipTest("no WebRTC")
        self.by("webrtc", "uncovered")
        self.assertGreater(self.views(), 0)

    def test_2_mp4(self):
        done = self.browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": "delete window.RTCPeerConnection;"})
        self.addCleanup(self.browser.driver.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", done)
        self.by("mse", "uncovered-mp4")

    def test_3_jpeg(self):
        b = self.browser
        b.open("camera/jpeg")
        b.until(lambda: self.way() in ("webrtc", "mse"), "covered video")
        self.choose("uncovered")
        self.shows(True, "jpeg")
        self.assertIn("neither H.264 nor H.265", b.find(".stage-way").text)
        self.pictures("uncovered-jpeg")
        self.assertEqual([c for c in b.complaints() if "status of 409" not in c], [])

    def test_4_right_goes(self):
        """Another configuration takes the right away from somebody who looks: the page shows what is covered."""
        b = self.browser
        b.open("camera/hall")
        self.shows(False, "webrtc", "mse")
        self.choose("uncovered")
        self.shows(True, "webrtc", "mse")
        file = pathlib.Path(self.server.folder.name) / "monitor.yaml"
        file.write_text(file.read_text(encoding="utf-8").replace("uncovered_for: [admin]", "uncovered_for: [operator]"), encoding="utf-8")
        self.server.process.send_signal(signal.SIGHUP)
        b.until(lambda: b.run("return document.querySelector('.view-head input[value=live]').checked"), "the live view")
        self.shows(False, "webrtc", "mse")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
