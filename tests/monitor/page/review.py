# SPDX-License-Identifier: LGPL-2.1-or-later
"""The review of vigil-monitor's page: order, items, marks, undo, and the time that a scripted operator needs.

Usage: review.py VIGIL_MONITOR. VIGIL_REVIEW_EVENTS=200 is how many events the operator reviews (otherwise 40)."""
import os
import pathlib
import shutil
import sqlite3
import sys
import time
import unittest
import urllib.request

from case import needs_axe, QuietCase
from accessibility import serious_faults
from selenium.webdriver.common.keys import Keys

EVENTS = int(os.environ.get("VIGIL_REVIEW_EVENTS", "40"))
PER_EVENT = 180 / 200  # seconds: 200 events in three minutes
CONFIG = """\
http: {{listen: 127.0.0.1:{port}}}
storage: {{path: {folder}/data, max_size: 500MB, min_free: 1MB}}
cameras:
  door: {{source: "scenetestsrc quiet=1"}}
  yard: {{source: "scenetestsrc quiet=1"}}
"""


class Review(QuietCase):
    @classmethod
    def setUpClass(cls):
        cls.start_server(CONFIG)
        cls.data = pathlib.Path(cls.server.folder.name) / "data"

        def picture():
            try:
                return urllib.request.urlopen(cls.server.url + "/api/cameras/door/latest.jpg", timeout=10).read()
            except OSError:
                return None
        cls.jpeg = cls.server.until(picture, "a picture", 60)
        for camera in "door", "yard":
            cls.server.send("PATCH", f"/api/cameras/{camera}/switches", {"motion": False})  # only the events of this test
        cls.start_browser()

    def fill(self, events):
        """Puts events into the stopped server: (camera, label, seconds before a minute of this morning)."""
        s = self.server
        self.browser.driver.get("about:blank")
        s.process.terminate()
        s.process.wait(30)
        for folder in "clips", "thumbs":
            shutil.rmtree(self.data / folder, ignore_errors=True)  # files without an event become events at the start
        db = sqlite3.connect(self.data / "events.db")
        db.execute("DELETE FROM events")
        db.execute("DELETE FROM seen")
        base = (time.time() - 7200) // 60 * 60
        ids = []
        for number, (camera, label, before) in enumerate(events):
            start = base - before
            stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(start)) + "000"
            ids.append(f"{stamp}-{camera}-{number:04x}")
            db.execute("INSERT INTO events(id, camera, label, start, end, updated, zones, score, has_clip, clip_bytes, has_snapshot, retained) VALUES(?,?,?,?,?,?,'[]',?,0,0,1,0)",
                       (ids[-1], camera, label, start, start + 4, start + 4, 0.1))
            folder = self.data / "thumbs" / camera / time.strftime("%Y-%m-%d", time.gmtime(start))
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{ids[-1]}.jpg").write_bytes(self.jpeg)
        db.commit()
        db.close()
        s.start()
        s.until(lambda: len(s.get("/api/events?limit=500")["events"]) == len(events), "the events")
        return ids

    def rows(self):
        return self.browser.run("return [...document.querySelectorAll('.review-item strong')].map((e) => e.textContent)")

    def new(self):
        return {e["id"] for e in self.server.get("/api/events?seen=false&limit=500")["events"]}

    def test_order(self):
        """Loitering before a taught label, trouble, an outage and motion; events of one camera in one minute are one item; marks, undo, keep, all seen."""
        b, s = self.browser, self.server
        ids = self.fill([("door", "motion", 0), ("door", "motion", -20), ("yard", "motion", 300), ("door", "loitering", 600), ("yard", "person", 900), ("yard", "camera-moved", 1200),
                         ("yard", "camera-offline", 1500), ("door", "motion", 1800)])
        b.open("review")
        wanted = ["Loitering at door", "person at yard", "Camera moved at yard", "Camera offline at yard", "Motion at door", "Motion at yard", "Motion at door"]
        b.until(lambda: self.rows() == wanted, "the order")
        self.assertEqual(b.run("return [...document.querySelectorAll('.review-item .badge')].map((e) => e.textContent)"), ["2 events"])
        self.assertIn("7 items, 8 events", b.find(".view-head").text)
        b.keys(Keys.ENTER)
        s.until(lambda: ids[3] not in self.new(), "the mark")
        self.assertEqual(b.find(".review-words h2").text, "person at yard")
        b.keys("n", "n", "n")  # on, without marks
        self.assertEqual(b.find(".review-words h2").text, "Motion at door")
        self.assertEqual(len(b.all(".review-parts button")), 2)
        b.keys(" ")
        s.until(lambda: not {ids[0], ids[1]} & self.new(), "both events of the item")
        b.keys("u")
        s.until(lambda: {ids[0], ids[1]} <= self.new(), "both are new again")
        b.until(lambda: "Motion at door" == b.find(".review-words h2").text and len(self.rows()) == 6, "the item again")
        b.keys("u")
        b.until(lambda: self.rows() == wanted, "all again")
        b.keys("k")
        s.until(lambda: s.get(f"/api/events/{ids[3]}")["retained"], "the kept event")
        b.click('.view-head [title^="Mark all"]')
        s.until(lambda: not self.new(), "all seen")
        b.until(lambda: "Nothing is new" in b.find(".view-review").text, "an empty review")
        b.click(".notice .button")
        s.until(lambda: len(self.new()) == 8, "all are new again")
        b.until(lambda: self.rows() == wanted, "the list again")
        # On a low window the buttons stay in sight.
        b.resize(1280, 500, "dark")
        left, top, width, height = b.box(".review-seen")
        self.assertLessEqual(top + height, 500)
        # By pointer, on a phone, within reach of the thumb.
        b.resize(360, 740, "dark")
        self.addCleanup(b.resize, 1280, 800, "dark")
        left, top, width, height = b.box(".review-seen")
        self.assertGreaterEqual(height, 44)
        self.assertTrue(top > 370 and left >= 0 and left + width <= 360, f"the button lies at {left}, {top}")
        b.click(".review-seen")
        s.until(lambda: self.new() == set(ids[2:]), "the marks of the item that was taken back, which has two events")
        # One of them is deleted by somebody else meanwhile.
        s.send("DELETE", f"/api/events/{ids[4]}")
        b.until(lambda: "person at yard" not in self.rows(), "a list without it")

    def test_phone(self):
        """The picture stays where it is while somebody goes on from item to item."""
        b = self.browser
        self.fill([(("door", "yard")[i % 2], "motion", 61 * i) for i in range(8)])
        b.resize(360, 740, "dark")
        self.addCleanup(b.resize, 1280, 800, "dark")
        b.open("review")
        b.until(lambda: len(self.rows()) == 8, "the items")
        b.keys(*"nnnnnn")
        self.assertGreaterEqual(b.box(".review-main")[1], 0)

    def test_labels(self):
        """A key gives the event a label, the same key takes it back, and what was taught comes before motion."""
        b, s = self.browser, self.server
        ids = self.fill([("door", "motion", 0), ("yard", "motion", 300)])
        b.open("review")
        b.until(lambda: self.rows() == ["Motion at door", "Motion at yard"], "two items")
        b.keys("n", "1")
        b.until(lambda: self.rows() == ["person at yard", "Motion at door"], "the label")
        self.assertEqual(s.get(f"/api/events/{ids[1]}")["labels"], [{"label": "person", "score": 1, "guessed": False, "by": "person"}])
        b.keys("1")
        b.until(lambda: self.rows() == ["Motion at door", "Motion at yard"], "no label")
        self.assertEqual(s.get(f"/api/events/{ids[1]}")["labels"], [])

    def test_outage(self):
        """A time without pictures takes no label: neither by the field, which is hidden, nor by a key."""
        b, s = self.browser, self.server
        ids = self.fill([("yard", "camera-offline", 0), ("door", "motion", 300)])
        b.open("review")
        b.until(lambda: self.rows() == ["Camera offline at yard", "Motion at door"], "two items")
        self.assertFalse(b.find(".label-field").is_displayed())
        b.keys("1", "x", "n")
        b.until(lambda: b.find(".label-field").is_displayed(), "the field of the next item")
        b.keys("1")
        s.until(lambda: s.get(f"/api/events/{ids[1]}")["labels"], "a label of the event of motion")
        self.assertEqual(s.get(f"/api/events/{ids[0]}")["labels"], [])

    def test_refused(self):
        """A mark that the server does not take comes back, and is said."""
        b = self.browser
        self.fill([("door", "motion", 0), ("yard", "motion", 0)])
        b.open("review")
        b.until(lambda: len(self.rows()) == 2, "two items")
        self.server.process.kill()
        self.server.process.wait()
        try:
            b.keys(Keys.ENTER)
            self.assertIn("cannot be reached", b.find(".notice.bad").text)
            b.until(lambda: len(self.rows()) == 2, "both items")
        finally:
            self.server.start()
        b.until(lambda: b.run("return document.documentElement.dataset.connection") == "live", "the connection")
        b.keys(Keys.ENTER)
        self.server.until(lambda: len(self.new()) == 1, "the mark")
        self.assertEqual([c for c in b.complaints() if "ERR_" not in c], [])

    def test_operator(self):
        """A scripted operator looks at each item until its picture is there, and goes on."""
        b, s = self.browser, self.server
        self.fill([(("door", "yard")[i % 2], "loitering" if i % 10 == 0 else "motion", 61 * i) for i in range(EVENTS)])
        b.open("review")
        b.until(lambda: b.all(".review-item"), "the list")
        begun, reviewed = time.monotonic(), 0
        while b.run("return document.querySelectorAll('.review-item').length"):
            b.until(lambda: b.run("return document.querySelector('.screen img')?.naturalWidth > 0"), "the picture")
            b.keys(Keys.ENTER)
            reviewed += 1
        s.until(lambda: not self.new(), "all seen")
        took = time.monotonic() - begun
        print(f"{EVENTS} events, {reviewed} items, reviewed in {took:.1f} s")
        self.assertLess(took, 5 * PER_EVENT * EVENTS, "a loaded machine is slower, but not so much")

    @needs_axe
    def test_accessibility(self):
        b = self.browser
        self.fill([("door", "motion", 0), ("door", "motion", -20), ("yard", "loitering", 300)])
        for theme, width in ("dark", 1280), ("light", 1280), ("light", 360):
            b.resize(width, 800, theme)
            b.open("review")
            b.find(".review-item")
            self.assertEqual(serious_faults(b), [], f"{theme}, {width}")
        b.resize(1280, 800, "dark")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
