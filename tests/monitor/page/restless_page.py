# SPDX-License-Identifier: LGPL-2.1-or-later
"""Parts that move all day on vigil-monitor's page: they are proposed, masked, left, and taken back; by pointer and by keys. Usage:
restless_page.py VIGIL_MONITOR [PICTURES]

With PICTURES, a folder, pictures of each state are put there, wide and narrow."""
import pathlib
import sys
import unittest

from case import PageCase
from accessibility import axe_file, serious_faults
from browser import Browser
from moved import ALL_DAY, moved
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

CONFIG = """\
http: {{listen: 127.0.0.1:{port}, token_file: {folder}/token, local: admin}}
storage: {{path: {folder}/data, max_size: 500MB, min_free: 1MB}}
record: {{pre_capture: 1, post_capture: 1}}
cameras:
  hall: {{source: "scenetestsrc scene=screen seed=1 density=0", live: {{height: 360, fps: 5}}}}
  calm: {{source: "scenetestsrc scene=empty", live: {{height: 360, fps: 5}}}}
"""
VIEWER = "token-of-a-viewer-0123456789"
SCREEN, CORNER = (7, 1, 9, 4), (29, 15, 2, 2)  # cells; the first is where the scene has its screen
LINES = ".restless:not([hidden]) .restless-lines .restless-one"
UNMASKED = ".restless:not([hidden]) .unmasked:not([hidden])"


class RestlessPage(PageCase):
    @classmethod
    def setUpClass(cls):
        cls.start_server(CONFIG, f"admin token-of-an-admin-0123456789 boss\nview {VIEWER} vera\n")
        cls.server.end()
        for late, cells in enumerate((SCREEN, CORNER)):  # each has minutes of its own
            moved(pathlib.Path(cls.server.folder.name) / "data", "hall", cells, [minute + late for minute in ALL_DAY])
        cls.server.start()
        cls.start_browser()
        cls.wait_for_cameras()

    def setUp(self):
        self.begin_anew()
        for camera in "hall", "calm":
            for kind in "masks", "unmasked":
                for name in self.server.camera(camera)[kind]:
                    self.server.send("DELETE", f"/api/cameras/{camera}/{kind}/{name}")

    def tearDown(self):
        # The lines come with the answer to a question that the page asks by itself.
        self.assertEqual([c for c in self.browser.complaints() if "layout jumped" not in c], [])

    def lines(self, n, what):
        self.browser.until(lambda: len(self.browser.all(LINES)) == n, what)
        self.assertEqual(len(self.browser.all(".proposed polygon")), n, "as many outlines as lines")

    def open(self, camera="hall"):
        self.browser.open(f"camera/{camera}?view=plain")
        self.browser.until(lambda: self.browser.all(".stage.seen"), "the picture")

    def test_mask(self):
        b, s = self.browser, self.server
        self.open()
        self.lines(2, "two parts")
        self.assertEqual(s.camera("hall")["masks"], {}, "nothing is masked in silence")
        words = b.run("return document.querySelector('.restless-one span').textContent")
        self.assertIn("24 of the last 24 hours", words)
        # The outline lies where the screen is: cells of 32 x 18.
        left, top, width, height = b.run("const s = document.querySelector('.stage').getBoundingClientRect(), p = document.querySelector('.proposed polygon').getBoundingClientRect();"
                                         "return [(p.left - s.left) / s.width, (p.top - s.top) / s.height, p.width / s.width, p.height / s.height]")
        for is_now, wanted in ((left, 7 / 32), (top, 1 / 18), (width, 9 / 32), (height, 4 / 18)):
            self.assertAlmostEqual(is_now, wanted, delta=0.01)
        numbers = "return [...document.querySelectorAll('.restless-one b, .proposed b')].map((b) => b.textContent)"
        self.assertEqual(b.run(numbers), ["1", "2", "1", "2"])
        self.pictures("proposed", ".stage")
        b.at(".restless-one", 0.1, 0.5).perform()
        b.until(lambda: b.all(".proposed polygon.meant"), "the outline that is meant")
        if axe_file():
            self.assertEqual(serious_faults(b), [])
        b.click(".restless-one button")
        self.lines(1, "the other part")
        self.assertEqual(b.run(numbers), [], "a single part needs no number")
        mask = s.until(lambda: s.camera("hall")["masks"].get("mask-1"), "the mask")
        self.assertTrue(mask["coordinates"].startswith("0.2188,0.0556,0.5"), mask)
        self.pictures("masked", ".stage")
        b.click(".view-head button[aria-label='Undo']")
        s.until(lambda: not s.camera("hall")["masks"], "the mask to go")
        self.lines(2, "both again")

    def test_leave(self):
        b, s = self.browser, self.server
        self.open()
        self.lines(2, "two parts")
        for left in 1, 0:
            b.click(".restless-one button.quiet")
            self.lines(left, "one less")
        self.assertEqual((s.camera("hall")["masks"], sorted(s.camera("hall")["unmasked"])), ({}, ["part-1", "part-2"]))
        self.open("calm")
        self.open()
        b.until(lambda: b.run("return performance.getEntriesByType('resource').some((e) => e.name.endsWith('hall/restless'))"), "another look")
        self.lines(0, "what was left does not come back")
        s.end()
        s.start()
        s.until(lambda: (s.camera("hall") or {}).get("state") == "online", "the camera after a start", 60)
        self.open()
        self.lines(0, "after a start neither")
        s.send("DELETE", "/api/cameras/hall/unmasked/part-1")
        self.lines(1, "taken back, by somebody else, while the page is open")
        b.complaints()  # of the time without a server

    def test_take_back(self):
        b, s = self.browser, self.server
        s.send("PUT", "/api/cameras/calm/unmasked/by-hand", {"coordinates": "0.5,0.5,0.6,0.5,0.6,0.6"})
        self.open("calm")
        b.until(lambda: b.all(UNMASKED), "a part that was left is listed where nothing is proposed")
        self.assertEqual(b.run("return document.querySelector('.unmasked summary').textContent"), "1 part left as it is")
        s.send("DELETE", "/api/cameras/calm/unmasked/by-hand")
        b.until(lambda: b.box(".restless")[3] == 0, "no panel, as somebody else took the last one back")
        self.open()
        self.lines(2, "two parts")
        self.assertEqual(b.all(UNMASKED), [], "no list of nothing")
        for left in 1, 0:
            b.click(".restless-lines .restless-one button.quiet")
            self.lines(left, "one less")
        self.assertEqual(b.run("return document.querySelector('.unmasked summary').textContent"), "2 parts left as they are")
        b.click(".unmasked summary")
        names = "return [...document.querySelectorAll('.unmasked li span')].map((part) => part.textContent)"
        self.assertEqual(b.run(names), ["part-1", "part-2"])
        self.pictures("left", ".stage")
        if axe_file():
            self.assertEqual(serious_faults(b), [])
        b.at(".unmasked li", 0.1, 0.5).perform()
        b.until(lambda: b.all(".proposed polygon.meant.unmasked"), "the outline of the part that is meant")
        # By keys: the focus goes from one to the next, and to the heading after the last one.
        b.run("document.querySelector('.unmasked li button').focus()")
        b.keys(Keys.ENTER)
        s.until(lambda: list(s.camera("hall")["unmasked"]) == ["part-2"], "one is taken back")
        b.until(lambda: b.run("return document.activeElement.getAttribute('aria-label')") == "Propose part-2 as a mask again", "the focus on the next")
        self.assertEqual(b.run(names), ["part-2"])
        b.until(lambda: len(b.all(LINES)) == 1, "it is proposed again")
        b.keys(Keys.ENTER)
        self.lines(2, "both are proposed again")
        b.until(lambda: not b.all(UNMASKED), "the list is gone")
        self.assertEqual(s.camera("hall")["masks"], {}, "nothing is masked by that")
        for left, parts in ((1, ["part-2"]), (0, ["part-1", "part-2"])):
            b.click(".view-head button[aria-label='Undo']")
            s.until(lambda parts=parts: sorted(s.camera("hall")["unmasked"]) == parts, "left again")
            b.until(lambda left=left: len(b.all(LINES)) == left, "not proposed")
        # Somebody else was quicker: that is no failure.
        s.send("DELETE", "/api/cameras/hall/unmasked/part-1")
        self.lines(1, "one by somebody else")
        s.send("DELETE", "/api/cameras/hall/unmasked/part-2")
        self.lines(2, "both by somebody else")
        for _ in range(2):
            ActionChains(b.driver).key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()
        self.lines(2, "undone by somebody else before")
        self.assertEqual(b.all(".notice.bad"), [])
        self.assertEqual([c for c in b.complaints() if "layout jumped" not in c and "404" not in c], [])

    def test_keys(self):
        b, s = self.browser, self.server
        self.open()
        self.lines(2, "two parts")
        for _ in range(60):
            b.keys(Keys.TAB)
            if b.run("return document.activeElement.textContent") == "Leave it":
                break
        self.assertIn("24 of the last 24", b.run("return document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent"))
        self.assertEqual(len(b.all(".proposed polygon.meant")), 1, "the outline of the line that has the focus")
        b.keys(Keys.ENTER)
        self.lines(1, "the other one")
        b.until(lambda: b.run("return document.activeElement.textContent") == "Mask it", "the focus goes to the next line")
        b.keys(Keys.ENTER)
        s.until(lambda: len(s.camera("hall")["masks"]) == 1, "masked by a key")
        self.lines(0, "none is left")
        for back in 1, 2:
            ActionChains(b.driver).key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()
            self.lines(back, "taken back")

    def test_nothing(self):
        b = self.browser
        self.open("calm")
        b.until(lambda: b.run("return performance.getEntriesByType('resource').some((e) => e.name.endsWith('calm/restless'))"), "the look")
        self.lines(0, "nothing is proposed")
        self.assertEqual(b.box(".restless")[3], 0, "no empty panel")

    def test_german(self):
        german = Browser(self.server.url, "de-DE")
        self.addCleanup(german.quit)
        german.open("camera/hall?view=plain")
        german.until(lambda: len(german.all(LINES)) == 2, "two parts")
        self.assertEqual(german.run("return [...document.querySelectorAll('.restless-one button')].map((b) => b.textContent)"), ["Maskieren", "So lassen"] * 2)
        for width in 1280, 360:
            german.resize(width, 900, "dark")
            self.assertLessEqual(german.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth"), 0, "nothing sticks out")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
