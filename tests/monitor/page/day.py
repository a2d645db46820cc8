# SPDX-License-Identifier: LGPL-2.1-or-later
"""An operator's day in a real browser: who came through the gate in that hour, show me from ten seconds before, export it, tell me next time.

Counts the clicks and the seconds of each step and prints them. Usage: day.py VIGIL_MONITOR. VIGIL_SCREENSHOTS=FOLDER keeps pictures of each step."""
import json
import os
import pathlib
import sys
import time
import unittest
import urllib.request

from case import PageCase
from push_page import fake_push

PICTURES = os.environ.get("VIGIL_SCREENSHOTS")
CONFIG = """\
http: {{listen: 127.0.0.1:{port}}}
storage: {{path: {folder}/data, max_size: 500MB, min_free: 1MB}}
record: {{pre_capture: 1, post_capture: 1, max_clip: 5, continuous: {{days: 1}}}}
cameras:
  gate: {{source: "scenetestsrc scene=street quiet=0 density=3", live: {{height: 360}}, zones: {{gate: {{coordinates: "0,0.3,1,0.3,1,1,0,1"}}}}}}
  hall: {{source: "scenetestsrc quiet=1", live: {{height: 360}}}}
"""


class Day(PageCase):
    @classmethod
    def setUpClass(cls):
        cls.start_server(CONFIG)
        cls.start_browser()
        fake_push(cls.browser, cls.server.url)
        cls.steps = []

    def click(self, selector):
        self.browser.click(selector)
        self.clicks += 1

    def press(self, within, words):
        """Clicks the button or link of these words."""
        b = self.browser
        b.until(lambda: b.run("const e = [...document.querySelectorAll(arguments[0])].find((e) => e.textContent.trim() === arguments[1] && !e.disabled && e.checkVisibility()); e?.click(); "
                              "return Boolean(e)", within, words), f"{words!r} in {within}")
        self.clicks += 1

    def choose(self, label, value):
        """From a list: one click opens it, another one chooses."""
        b = self.browser
        b.until(lambda: b.run("const e = document.querySelector(`.filters select[aria-label='${arguments[0]}']`) ?? [...document.querySelectorAll('.filters label')]"
                              ".find((l) => l.textContent.startsWith(arguments[0]))?.querySelector('select'); if (!e || ![...e.options].some((o) => o.value === arguments[1])) return false; "
                              "e.value = arguments[1]; e.dispatchEvent(new Event('change', { bubbles: true })); return true", label, value), f"{value} of {label}")
        self.clicks += 2

    def step(self, words, act):
        self.clicks, begun = 0, time.monotonic()
        act()
        self.steps.append((words, self.clicks, time.monotonic() - begun))
        if PICTURES:
            for width, height in (360, 740), (1920, 1080):
                self.browser.resize(width, height, "dark")
                time.sleep(1)
                (pathlib.Path(PICTURES) / f"day-{len(self.steps)}-{width}.jpg").write_bytes(self.browser.picture())
                self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth - innerWidth"), 0, f"{words} at {width}")
            self.browser.resize(1280, 800, "dark")

    def test_day(self):
        b, s = self.browser, self.server
        event = s.until(lambda: next((e for e in reversed(s.get("/api/events?camera=gate&zone=gate&limit=200")["events"])
                                      if e["end_time"] and e["has_clip"] and e["start_time"] > self.oldest() + 12), None), "somebody at the gate, with ten seconds before", 120)
        b.open("wall")
        b.find(".tile.seen")
        local = time.localtime(event["start_time"])

        def find():
            self.press("nav a", "Events")
            self.choose("Camera", "gate")
            self.choose("Zone", "gate")
            b.run("const e = document.querySelector('.filters input[type=date]'); e.value = arguments[0]; e.dispatchEvent(new Event('change', { bubbles: true }))", time.strftime("%Y-%m-%d", local))
            self.clicks += 2
            self.choose("Hour", str(local.tm_hour))
            self.click(f'.card[data-id="{event["id"]}"]')
            b.until(lambda: b.run("return document.querySelector('.player video')?.currentTime > 0"), "its clip to play")

        def before():
            self.press(".player-actions a", "Timeline")
            b.until(lambda: b.all(".tl-camera[data-camera=gate]"), "the timeline")
            shown = float(b.run("return new URLSearchParams(location.hash.split('?')[1]).get('t')"))
            self.assertAlmostEqual(shown, event["start_time"] - 10, delta=0.5)
            b.until(lambda: b.run("const v = [...document.querySelectorAll('.tl-camera video')]; return v.some((e) => e.readyState >= 2)"), "the picture of ten seconds before")

        def export():
            self.press(".tl-bar button", "Export")
            self.click(".tl-exports [type=submit]")
            b.until(lambda: b.all(".tl-export[data-state=done] .tl-export-file a"), "the file", 120)
            job = s.get("/api/exports")["exports"][0]
            self.assertTrue(job["from"] <= event["start_time"] - 10 <= event["start_time"] <= job["to"], json.dumps(job))
            with urllib.request.urlopen(b.find(".tl-export-file a").get_attribute("href"), timeout=20) as answer:
                self.assertGreater(len(answer.read()), 10000)

        def tell():
            self.press("nav a", "System")
            self.press(".devices button", "Send messages to this device")
            s.until(lambda: s.get("/api/push")["devices"], "the device")
            for group, words in ("Cameras", "gate"), ("Zones", "gate"):
                self.press(f'.devices [role=group][aria-label="{group}"] button', words)
                s.until(lambda g=group.lower(), w=words: s.get("/api/push")["devices"][0][g] == [w], f"{words} of {group}")

        for words, act in ("find who came", find), ("show from ten seconds before", before), ("export it", export), ("tell me next time", tell):
            self.step(words, act)
        for words, clicks, seconds in self.steps:
            print(f"{words}: {clicks} clicks, {seconds:.1f} s")
        print(f"together: {sum(c for _, c, _ in self.steps)} clicks, {sum(t for _, _, t in self.steps):.1f} s")
        self.assertLessEqual(sum(c for _, c, _ in self.steps), 20)

    def oldest(self):
        now = time.time()
        recorded = self.server.get(f"/api/cameras/gate/timeline?from={now - 600:.0f}&to={now:.0f}")["recorded"]
        return recorded[0]["start"] if recorded else now


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
