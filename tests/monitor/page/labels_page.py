# SPDX-License-Identifier: LGPL-2.1-or-later
"""Labels on vigil-monitor's page, from a guess to another site: a guess is refused, names are taught, the table says how well they are known, examples go to a site
with other cameras and are deleted there; zones with labels, and a camera without guesses. Usage: labels_page.py VIGIL_MONITOR [PICTURES]"""
import pathlib
import sys
import tempfile
import unittest

from case import PageCase, PROGRAM
from browser import Browser
from server import Server
from selenium.webdriver.common.by import By

HEAD = """\
http: {{listen: 127.0.0.1:{port}}}
storage: {{path: {folder}/data, max_size: 500MB, min_free: 1MB}}
record: {{pre_capture: 1, post_capture: 1, max_clip: 5}}
cameras:
"""
DRAWN = """  {}: {{{{source: "scenetestsrc scene=street quiet=0.5 density=2 seed={} is-live=true ! video/x-raw,format=I420,width=320,height=240,framerate=10/1",
    cudamog: {{{{motion-hold: 300}}}}{}}}}}
"""
ZONES = """,
    zones: {{people: {{coordinates: "0,0,1,0,1,1,0,1", loiter_seconds: 1, labels: [person]}}, nobody: {{coordinates: "0,0,1,0,1,1,0,1", loiter_seconds: 1, labels: [nobody]}}}}"""
SITE = HEAD + DRAWN.format("street", 1, ZONES) + DRAWN.format("unnamed", 2, ", tracklabel: {{shape-rule: false}}")
OTHER = HEAD + DRAWN.format("gate", 3, "")
TABLE = "return Object.fromEntries([...document.querySelectorAll('.labels-view tbody tr')].map((row) => [row.cells[0].textContent, [...row.cells].slice(1, 5).map((c) => c.textContent)]))"


class LabelsPage(PageCase):
    @classmethod
    def setUpClass(cls):
        cls.start_server(SITE)
        cls.start_browser()
        cls.wait_for_cameras()

    def events(self, query=""):
        return self.server.get("/api/events?limit=500" + query)["events"]

    def test_from_a_guess_to_another_site(self):
        b, s = self.browser, self.server
        guessed = s.until(lambda: (lambda found: len(found) >= 5 and found)([e for e in self.events("&camera=street&label=person") if e["end_time"] and e["label"] == "motion"]),
                          "five events of people", 240)
        unnamed = s.until(lambda: (lambda found: len(found) >= 2 and found)([e for e in self.events("&camera=unnamed") if e["end_time"]]), "two events without a guess", 120)
        self.assertEqual([e["labels"] for e in unnamed], [[] for _ in unnamed], "shape-rule: false")
        stay = s.until(lambda: [e for e in self.events("&label=loitering")], "a person who stays", 120)
        self.assertEqual({zone for e in stay for zone in e["zones"]}, {"people"}, "zones with labels count nothing else")

        # The first is not that, by the key x.
        first, *others = guessed
        b.open(f"events?id={first['id']}")
        b.until(lambda: "person" in b.run("return document.querySelector('.label-chip.guessed').textContent"), "the guess")
        b.keys("x")
        b.until(lambda: not any(x["label"] == "person" and x["guessed"] for x in s.get(f"/api/events/{first['id']}")["labels"]), "no guess")
        said = s.get(f"/api/events/{first['id']}")["labels"]
        self.assertIn({"label": "person", "score": 0, "guessed": False, "by": "person"}, said)
        b.until(lambda: b.run("return document.querySelector('.label-chip')?.firstChild.textContent") != "person", "the chip without it")
        # Three others are, by a key of the keyboard.
        for event in others[:3]:
            b.open(f"events?id={event['id']}")
            b.until(lambda: b.all(".label-choice"), "the keys")
            key = b.run("return [...document.querySelectorAll('.label-choice')].findIndex((c) => c.lastChild.textContent === 'person') + 1")
            b.until(lambda: b.all(".label-chip.guessed"), "its guess")
            b.keys(str(key))
            s.until(lambda event=event: [x for x in s.get(f"/api/events/{event['id']}")["labels"] if not x["guessed"]], "the label")

        b.open("labels")
        b.until(lambda: b.run(TABLE).get("person", [""])[0] == "3", "three examples in the table")
        row = b.until(lambda: (lambda row: "needs" in row[3] and row)(b.run(TABLE)["person"]), "how well it is known at the camera")
        self.assertEqual(row[1], "1", "one counterexample")
        self.assertIn("needs 7 more", row[2])
        self.assertTrue(row[3].startswith("street: 3, ") and "needs 2 more" in row[3], row)
        self.pictures("labels")

        # To a site with other cameras.
        text = b.driver.execute_async_script("const done = arguments[0]; fetch(document.querySelector('a[download=\"vigil-labels.json\"]').href).then((a) => a.text()).then(done)")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "vigil-labels.json"
            file.write_text(text, encoding="utf-8")
            other = Server(PROGRAM, OTHER)
            self.addCleanup(other.stop)
            there = Browser(other.url)
            self.addCleanup(there.quit)
            there.open("labels")
            there.until(lambda: there.all(".labels-view:not([hidden])"), "the view")

            def bring(words):
                there.driver.find_element(By.CSS_SELECTOR, "input[type=file]").send_keys(str(file))
                there.until(lambda: any(words in n.text for n in there.all(".notice")), words)
            bring("4 of 4 examples are new")
            there.until(lambda: there.run(TABLE).get("person", [""])[:2] == ["3", "1"], "the same examples there")
            bring("0 of 4 examples are new")
            self.assertEqual(there.run(TABLE)["person"][:2], ["3", "1"], "none twice")
            file.write_text(text[:-9], encoding="utf-8")
            there.driver.find_element(By.CSS_SELECTOR, "input[type=file]").send_keys(str(file))
            there.until(lambda: there.all(".notice.bad"), "a truncated file is refused")
            self.assertEqual(there.run(TABLE)["person"][:2], ["3", "1"])
            there.click('.labels-view button[aria-label="Delete person"]')
            there.click("dialog .button.primary")
            there.until(lambda: "person" not in there.run(TABLE), "no row")
            self.assertEqual(other.get("/api/labels")["labels"], [])
            self.assertNotIn("person", (pathlib.Path(other.folder.name) / "data/labels/examples.json").read_text(encoding="utf-8"))
        self.assertEqual(b.run(TABLE)["person"][0], "3", "the first site keeps its own")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
