# SPDX-License-Identifier: LGPL-2.1-or-later
"""The detector on vigil-monitor's page: its figures, refused answers, a model that cannot be used, in English and German. Usage: detector_page.py VIGIL_MONITOR [PICTURES]

With PICTURES, a folder, pictures of each state are put there, wide and narrow."""
import pathlib
import sys
import tempfile
import unittest

from case import PageCase, PROGRAM
from browser import Browser
from accessibility import axe_file, serious_faults
from onnx_file import mean_colour, root_of_green
from vigiltest import skip

if not (pathlib.Path(PROGRAM).parent / "vigil-detector.module").exists():
    skip("this build has no OpenCV dnn")
MODELS = tempfile.TemporaryDirectory(prefix="vigil-models-")
GOOD, DARK, MISSING = (pathlib.Path(MODELS.name) / name for name in ("colour.onnx", "dark.onnx", "missing.onnx"))
SIZE = 64
GOOD.write_bytes(mean_colour(SIZE))
DARK.write_bytes(root_of_green(SIZE))
DETECTOR = f'detector: {{{{model: "{{model}}", layout: classes, size: {SIZE}, classes: [red, green, blue], rate: 5}}}}\n'
CONFIG = """\
http: {{listen: 127.0.0.1:{port}}}
storage: {{path: {folder}/data, max_size: 500MB, min_free: 1MB}}
record: {{pre_capture: 0, post_capture: 0, max_clip: 3}}
cameras:
  hall:
    source: "videotestsrc is-live=true pattern=ball motion=wavy foreground-color=0xffff0000 background-color=0xff606060 ! video/x-raw,format=I420,width=320,height=240,framerate=10/1"
    cudamog: {{motion-hold: 300}}
"""


class DetectorPage(PageCase):
    @classmethod
    def setUpClass(cls):
        cls.start_server(CONFIG)
        cls.start_browser()

    def use(self, model):
        """With this model; None: without a detector."""
        file = pathlib.Path(self.server.folder.name) / "monitor.yaml"
        rest = "".join(line for line in file.read_text(encoding="utf-8").splitlines(keepends=True) if not line.startswith("detector:"))
        file.write_text((DETECTOR.format(model=model).replace("{{", "{").replace("}}", "}") if model else "") + rest, encoding="utf-8")
        self.server.send("POST", "/api/reload")

    def figure(self, name, browser=None):
        return (browser or self.browser).run("return document.querySelector('.detectors dl:last-of-type [data-figure=' + arguments[0] + '] dd').textContent", name)

    def looks(self, name):
        for width in 1280, 360:
            self.browser.resize(width, 900, "dark")
            wide = self.browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
            self.assertLessEqual(wide, 0, f"nothing sticks out at a width of {width}")
        self.browser.resize(1280, 800, "dark")
        self.pictures(name, ".detectors")

    def test_detector(self):
        b, s = self.browser, self.server
        b.open("system")
        b.find("tbody tr")
        self.assertTrue(b.run("return document.querySelector('.detectors').hidden"), "no detector is configured")
        self.use(GOOD)
        b.until(lambda: not b.run("return document.querySelector('.detectors').hidden") and self.figure("state") == "ready", "the panel", 120)
        b.until(lambda: int(self.figure("inferences").split(",")[0]) >= 3, "inferences", 120)
        b.until(lambda: " named a track" in self.figure("inferences") and "ms (median)" in self.figure("time"), "times")
        self.assertEqual((self.figure("model"), self.figure("classes"), self.figure("refused")), (str(GOOD), "3", "0"))
        shown = int(self.figure("inferences").split(",")[0])
        self.assertLessEqual(shown, s.get("/api/stats")["detectors"][-1]["inferences"], "the page shows the program's figures")
        self.looks("ready")
        self.assertEqual(serious_faults(b) if axe_file() else [], [])
        german = Browser(s.url, "de-DE,de")
        self.addCleanup(german.quit)
        german.open("system")
        german.until(lambda: self.figure("state", german) == "bereit" and "Median" in self.figure("time", german), "German words")
        # Answers that are no numbers.
        self.use(DARK)
        b.until(lambda: self.figure("model") == str(DARK) and self.figure("refused") != "0", "refused answers", 120)
        self.assertRegex(self.figure("refused"), r"^\d+, the last one: .*dark\.onnx.*no number")
        self.looks("refused")
        self.use(MISSING)
        b.until(lambda: self.figure("model") == str(MISSING) and self.figure("state").startswith("cannot be used:"), "the failure", 60)
        self.assertIn("missing.onnx", self.figure("state"))
        self.assertEqual(self.figure("time"), "–")
        self.looks("failed")
        self.use(None)
        b.until(lambda: b.run("return document.querySelector('.detectors').hidden"), "the panel goes with the detector", 60)
        b.run("window.jumps = []")  # the configuration and the size of the window were changed
        self.assertEqual([c for c in b.complaints() if "favicon" not in c], [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
