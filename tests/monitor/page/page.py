# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page of vigil-monitor in a real browser. Usage: page.py VIGIL_MONITOR (or the address of one that runs)

VIGIL_SCREENSHOTS=FOLDER keeps the pictures of docs/reference/monitor-page.md there. VIGIL_AXE=axe.min.js is the accessibility checker, which
is otherwise taken from PyPI's axe-playwright-python where that is installed: of it only axe.min.js is used."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from case import needs_axe, QuietCase
from accessibility import serious_faults
from selenium.webdriver.common.keys import Keys

PICTURES = os.environ.get("VIGIL_SCREENSHOTS")
VIEWS = ("wall", "camera/door", "events", "heatmap", "labels", "system")


class Page(QuietCase):
    @classmethod
    def setUpClass(cls):
        cls.start_server()
        cls.start_browser()
        cls.wait_for_cameras()

    def setUp(self):
        self.begin_anew()

    def clip(self):
        return self.server.until(lambda: next((e for e in self.server.get("/api/events?limit=50")["events"] if e["has_clip"]), None), "an event with a clip", 60)

    def shapes(self, kind, camera="door"):
        return self.server.camera(camera)[kind]

    def test_wall(self):
        b = self.browser
        b.open("wall")
        b.until(lambda: len(b.all(".tile.seen")) == 4, "four tiles with pictures")
        first = b.grey()
        self.assertGreater(first, 20)
        b.until(lambda: abs(b.grey() - first) > 0.01, "a picture that changes")
        b.until(lambda: b.all(".tile.moving"), "a border around a camera on which something moves", 30)
        inside = b.run("""return [...document.querySelectorAll('.tile')].every((t) => { const r = t.getBoundingClientRect();
            return r.left >= 0 && r.top >= 0 && r.right <= innerWidth && r.bottom <= innerHeight; })""")
        self.assertTrue(inside, "a tile lies outside of the window")
        b.at(".tile", 0.5, 0.4).double_click().perform()
        b.until(lambda: b.run("return location.hash") == "#/camera/door", "the camera's page")

    def test_labels(self):
        b, event = self.browser, self.clip()
        path = f"/api/events/{event['id']}"

        def said():
            return [x["label"] for x in self.server.get(path)["labels"] if not x["guessed"]]

        def chips():
            return b.run("return [...document.querySelectorAll('.label-chip:not(.guessed)')].map((c) => c.firstChild.textContent)")

        b.open(f"events?id={event['id']}")
        b.click(".label-field input")
        b.keys("post van <b>", Keys.ENTER)
        b.until(lambda: chips() == ["post van <b>"], "the label that was typed")
        self.assertEqual(said(), ["post van <b>"])
        b.until(lambda: b.run("return document.querySelector('.label-choice')?.lastChild.textContent") == "post van <b>", "a key for it")
        # One key corrects it, the same key again takes it back.
        b.keys("2")
        b.until(lambda: chips() == ["person"], "the label of the second key")
        self.assertEqual(said(), ["person"])
        b.until(lambda: b.run("return document.querySelector('.card[aria-current] .thumb-label').textContent") == "person", "the card with the label")
        number = b.run("return [...document.querySelectorAll('.label-choice')].findIndex((c) => c.lastChild.textContent === 'person') + 1")
        b.keys(str(number))
        b.until(lambda: not chips(), "no label")
        self.assertEqual(said(), [])

    def test_label_questions(self):
        b = self.browser
        self.server.until(lambda: self.server.get("/api/labels/groups")["groups"], "events that are alike", 120)
        b.open("labels")
        b.until(lambda: len(b.all(".question")) >= 1, "a question")
        if PICTURES:
            (pathlib.Path(PICTURES) / "labels.jpg").write_bytes(b.picture())
        pictures = len(b.all(".question:first-child .question-picture"))
        # One is taken out, the rest is named by one answer.
        b.click(".question:first-child .question-picture:last-child")
        b.until(lambda: f"These {pictures - 1} look alike" in b.run("return document.querySelector('.question h3').textContent"), "one less")
        b.click(".question:first-child input")
        b.keys("visitor", Keys.ENTER)
        b.until(lambda: "visitor" in b.run("return [...document.querySelectorAll('.labels-view th[scope=row]')].map((t) => t.textContent).join()"), "the label in the table")
        named = [e for e in self.server.get("/api/events?limit=500&label=visitor")["events"] if not e["labels"][0]["guessed"]]
        self.assertEqual(len(named), pictures - 1)
        b.run("document.querySelector('.labels-view [aria-label=\"Delete visitor\"]').scrollIntoView({ block: 'center' })")
        b.click('.labels-view button[aria-label="Delete visitor"]')
        b.click("dialog .button.primary")
        b.until(lambda: not self.server.get("/api/labels")["labels"], "no label")
        b.until(lambda: "visitor" not in b.run("return document.querySelector('.labels-view tbody').textContent"), "an empty table")

    def test_zone(self):
        b = self.browser
        b.open("camera/door")
        b.find(".stage.seen")
        b.at(".area-tools .button:nth-child(1)", 0.5, 0.5).click().perform()
        corners = [(0.2, 0.3), (0.5, 0.3), (0.5, 0.7), (0.2, 0.7)]
        for x, y in [*corners, corners[0]]:
            b.at(".draw", x, y).click().perform()
            time.sleep(0.4)  # slower than a double click
        zone = self.server.until(lambda: self.shapes("zones").get("zone-1"), "the zone")
        drawn = [float(v) for v in zone["coordinates"].split(",")]
        for is_, should in zip(drawn, [v for corner in corners for v in corner], strict=True):
            self.assertAlmostEqual(is_, should, delta=0.01)
        # Its name has the focus and is selected, once the server has answered: typing replaces it.
        b.until(lambda: b.run("return document.activeElement.getAttribute('aria-label')") == "Name of zone-1", "the focus on the zone's name")
        b.keys("steps", Keys.ENTER)
        self.server.until(lambda: "steps" in self.shapes("zones") and "zone-1" not in self.shapes("zones"), "the zone's new name")
        b.until(lambda: b.run("return [...document.querySelectorAll('.area')].map((e) => e.dataset.area)") == ["zones/steps"], "the new name in the list")
        b.at(".draw", 0.5, 0.7).click_and_hold().perform()
        b.at(".draw", 0.6, 0.8).release().perform()
        self.server.until(lambda: abs(float(self.shapes("zones")["steps"]["coordinates"].split(",")[4]) - 0.6) < 0.01, "the corner that was dragged")
        # A zone whose sides cross is refused, and goes back to what it was.
        before = self.shapes("zones")["steps"]
        b.at(".draw", 0.6, 0.8).click_and_hold().perform()
        b.at(".draw", 0.1, 0.5).release().perform()
        self.assertIn("cross", b.find(".notice.bad").text)
        self.assertEqual(self.shapes("zones")["steps"], before)
        for step in "change of steps", "name steps", "new zone zone-1":  # the button names the step that it takes back
            b.click(f'[aria-label="Undo"][title^="Undo {step}"]')
        self.server.until(lambda: not self.shapes("zones"), "undo to take the zone back")
        # boxrules counts in a zone, and the list says so.
        b.keys("z")
        b.at(".draw", 0.02, 0.02).click_and_hold().perform()
        b.at(".draw", 0.98, 0.98).release().perform()
        self.server.until(lambda: self.shapes("zones"), "the zone over all")
        count = '.area.zones [data-count]'
        b.until(lambda: b.find(count).text.endswith(" now"), "a count")
        b.until(lambda: int(b.find(count).text.split()[0]) > 0, "somebody in the zone", 60)
        b.click('[aria-label^="Delete zone"]')
        self.server.until(lambda: not self.shapes("zones"), "the zone's deletion")
        # A drag draws a line at once.
        b.keys("x")
        b.at(".draw", 0.3, 0.8).click_and_hold().perform()
        b.at(".draw", 0.8, 0.6).release().perform()
        self.server.until(lambda: self.shapes("lines").get("line-1", {}).get("direction") == "both", "the line")
        self.assertIn(" in, ", b.until(lambda: b.find(".area.lines [data-count]").text, "what crossed it"))
        b.click('[aria-label="Delete line line-1"]')
        self.server.until(lambda: not self.shapes("lines"), "the line's deletion")

    def test_control(self):
        b = self.browser
        b.open("camera/yard?view=mask")
        b.find(".stage.seen")
        b.run("document.querySelector('.tabs input[value=controls]').click()")
        slider = '[data-element=cudamog] [data-name=open] input[type=range]'
        b.find(slider)
        b.run("document.querySelector(arguments[0]).closest('.control').scrollIntoView({block: 'center'})", slider)

        def white():
            end = time.monotonic() + 2
            levels = []
            while time.monotonic() < end:
                levels.append(b.grey())
                time.sleep(0.1)
            return sum(levels) / len(levels)

        shown = []
        b.until(lambda: shown.append(white()) or shown[-1] > 0.5, "a mask that shows somebody", 40)
        before = shown[-1]
        b.run("addEventListener('pointerup', () => { window.letGo = performance.now(); }, true)")
        b.drag(slider, (0.05, 0.5), (0.5, 0.5), (0.99, 0.5))
        self.server.until(lambda: self.server.value("yard", "cudamog", "open")["value"] == 15, "the value when it is let go")
        sent = b.run("return performance.getEntriesByType('resource').filter((e) => e.name.endsWith('/elements/cudamog') && e.startTime < window.letGo).length")
        self.assertGreater(sent, 0, "nothing was sent while the control was dragged")
        # Opening with radius 15 removes what is narrower than 31 pixels, which people in this scene are.
        b.until(lambda: white() < before / 2, f"a mask of less than half of {before:.2f}", 20)
        b.click('[aria-label="Undo"]')
        self.server.until(lambda: not self.server.value("yard", "cudamog", "open")["overridden"], "undo to take the value back")
        b.click(".controls-foot .button")
        self.assertIn("cudamog", b.find(".dialog pre").text)
        b.keys(Keys.ESCAPE)

    def test_privacy(self):
        """Covering all that moves, and the fill, on the camera's page; the System page names the encoder."""
        b = self.browser

        def covered():
            return self.server.camera("parking")["covered"]
        b.open("camera/parking")
        b.find(".tabs")
        b.run("document.querySelector('.tabs input[value=camera]').click()")
        b.find("#privacy-fill:disabled")
        b.click("#privacy-silhouettes")
        self.server.until(lambda: (covered() or {}).get("silhouettes"), "silhouettes")
        if not covered()["encoder"]:
            self.skipTest("nothing encodes H.264 here")
        self.assertEqual(self.server.camera("parking")["views"], ["plain", "overlay"])
        b.find("#privacy-fill:not(:disabled)")
        b.run("const s = document.getElementById('privacy-fill'); s.value = 'pixelate'; s.dispatchEvent(new Event('change'))")
        self.server.until(lambda: covered()["fill"] == "pixelate", "squares")
        b.open("system")
        b.until(lambda: "parking; " + covered()["encoder"] in b.run("return document.querySelector('.system').textContent"), "the encoder on the System page")
        self.server.send("DELETE", "/api/cameras/parking/overrides")
        self.server.until(lambda: covered() is None and self.server.camera("parking")["state"] == "online", "the camera as it was")
        # Each change starts the camera again, and until it has video the page's live picture gets 503.
        self.assertEqual([c for c in b.complaints() if "whep" not in c or "status of 503" not in c], [])

    def test_clip(self):
        b = self.browser
        event = self.clip()
        b.open(f"events?id={event['id']}")
        b.until(lambda: b.run("return document.querySelector('video')?.currentTime > 0.3"), "the clip to play by itself", 20)
        kept = f'.card[data-id="{event["id"]}"] .thumb-kept'
        b.keys("k")
        self.server.until(lambda: self.server.get(f"/api/events/{event['id']}")["retained"], "the event to be kept")
        b.find(kept)
        b.keys("k")
        self.server.until(lambda: not self.server.get(f"/api/events/{event['id']}")["retained"], "the event to be kept no longer")
        b.until(lambda: not b.all(kept), "the page to show it as kept no longer")
        b.keys(Keys.DELETE)
        b.until(lambda: not b.all(f'.card[data-id="{event["id"]}"]'), "the card to go")
        b.click(".notice:last-child .button")
        b.find(f'.card[data-id="{event["id"]}"]')
        self.assertIsNotNone(self.server.get(f"/api/events/{event['id']}"))
        b.find('[aria-label="Camera"]').send_keys("hall")
        b.until(lambda: all(c.get_attribute("aria-label").startswith("hall") for c in b.all(".card")), "events of one camera only")

    def test_card(self):
        """A card whose event changes, as it does at its end, is never without the picture that it had."""
        b = self.browser
        self.clip()
        b.open("events")
        b.until(lambda: b.run("return [...document.querySelectorAll('.card img')].some((i) => i.naturalWidth)"), "a picture of an event")
        shown = b.driver.execute_async_script("""
            const done = arguments[0];
            const card = [...document.querySelectorAll('.card')].find((c) => c.querySelector('img').naturalWidth);
            const shows = () => [...document.querySelectorAll(`.card[data-id="${card.dataset.id}"] img`)].some((i) => i.naturalWidth);
            Promise.all([import('/app/live.js'), fetch(`/api/events/${card.dataset.id}`).then((r) => r.json())]).then(([{ live }, event]) => {
              const seen = [];
              for (const end_time of [null, event.start_time + 5, event.start_time + 6]) {
                live.dispatchEvent(new CustomEvent('event', { detail: { event: { ...event, end_time } } }));
                seen.push(card.isConnected, shows());
              }
              done(seen);
            }, (e) => done(String(e)));""")
        self.assertEqual(shown, [False, True] * 3)

    def test_young_event(self):
        """An event that has just begun has no picture of its own yet; next to the wall it is shown with its camera's."""
        b = self.browser
        b.open("wall")
        b.find(".tile.seen")
        b.driver.execute_async_script("""
            const done = arguments[0];
            import('/app/live.js').then(({ live }) => {
              const event = { id: 'just-begun', camera: 'hall', label: 'motion', zones: [], has_snapshot: false, has_clip: false,
                              start_time: Date.now() / 1000 + live.clockOffset, end_time: null };
              live.dispatchEvent(new CustomEvent('event', { detail: { event } }));
              done();
            });""")
        b.until(lambda: b.run("return document.querySelector('.latest-event[href*=just-begun] img')?.naturalWidth > 0"), "the camera's picture")

    def test_live_video(self):
        b = self.browser
        b.open("wall")
        b.find(".tile.seen")
        b.run("""const v = document.createElement('video');
            v.id = 'live'; v.muted = true; v.autoplay = true; v.style.position = 'fixed'; v.src = '/api/cameras/door/live.mp4';
            document.body.append(v); v.play().catch(() => {});""")
        b.until(lambda: b.run("const v = document.getElementById('live'); return v.currentTime > 0.5 && v.videoWidth === 640"), "live video to play", 30)
        b.run("const v = document.getElementById('live'); v.removeAttribute('src'); v.load(); v.remove()")

    def test_keyboard(self):
        b = self.browser
        self.clip()
        b.open("wall")
        b.find(".tile.seen")
        b.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.assertEqual(b.run("return document.activeElement.textContent"), "hall")
        b.keys(Keys.ENTER)
        b.until(lambda: b.run("return location.hash") == "#/camera/hall", "the camera's page")
        b.find(".view-head .choice input:checked")  # keys reach a camera only once its page is drawn
        b.keys("m")
        b.until(lambda: b.run("return document.querySelector('.view-head .choice input:checked')?.value") == "mask", "the mask")
        # A shape by keys alone: Tab to its button, Enter places it, arrows move it, Delete removes it.
        for word, kind, name in ("Mask", "masks", "mask-1"), ("Privacy", "privacy", "private-1"):
            for _ in range(60):
                b.keys(Keys.TAB)
                if b.run("return document.activeElement.textContent") == word and b.run("return document.activeElement.tagName") == "BUTTON":
                    break
            b.keys(Keys.ENTER)
            shape = self.server.until(lambda k=kind, n=name: self.shapes(k, "hall").get(n), name)
            b.until(lambda k=kind, n=name: b.run("return document.activeElement.dataset.focus") == f"{k}/{n}", f"the focus on {name}")
            b.keys(Keys.ARROW_DOWN)
            self.server.until(lambda k=kind, n=name, s=shape: self.shapes(k, "hall")[n] != s, f"{name}, which moved")
            b.keys(Keys.DELETE)
            self.server.until(lambda k=kind: not self.shapes(k, "hall"), f"the deletion of {name}")
        self.server.until(lambda: len(self.server.get("/api/events?limit=2")["events"]) == 2, "two events")
        b.keys("2")
        b.find(".card")
        # In one step: a new event draws the list anew.
        chosen = lambda: b.run("return document.querySelector('.card[aria-current]')?.dataset.id")  # noqa: E731
        first = b.until(chosen, "a chosen event")
        b.keys("n")
        b.until(lambda: chosen() not in (None, first), "the next event")
        b.keys("?")
        self.assertIn("next, an older event", b.find(".dialog").text)
        b.keys(Keys.ESCAPE)
        b.until(lambda: not b.all("dialog[open]"), "the dialog to close")
        b.open("camera/hall")
        b.find(".view-head .choice input:checked")
        b.keys("?")
        self.assertIn("Ctrl + Shift + Z", b.find(".dialog").text)
        b.keys(Keys.ESCAPE)
        b.until(lambda: not b.all("dialog[open]"), "the dialog to close")
        b.keys("4")
        b.until(lambda: len(b.all("tbody tr")) == 4, "a row for each camera")
        # Whatever the Tab key reaches shows that it has the focus.
        b.open("wall")
        b.find(".tile.seen")
        for _ in range(12):
            b.keys(Keys.TAB)
            shown = b.run("""const e = document.activeElement; const t = e.closest('.tile');
                return e.matches(':focus-visible') && (getComputedStyle(e).outlineStyle !== 'none' || (t && getComputedStyle(t, '::after').boxShadow !== 'none'))""")
            self.assertTrue(shown, b.run("return document.activeElement.outerHTML"))

    def test_sizes(self):
        b = self.browser
        self.clip()
        drawn = {"zones/steps": {"coordinates": "0.06,0.62,0.42,0.56,0.47,0.93,0.08,0.97", "loiter_seconds": 30},
                 "lines/kerb": {"coordinates": "0.55,0.95,0.96,0.62", "direction": "both"}, "masks/tree": {"coordinates": "0.01,0.01,0.3,0.01,0.25,0.3,0.01,0.36"}}
        for shape, body in drawn.items():
            self.server.send("PUT", f"/api/cameras/door/{shape}", body)
            self.addCleanup(self.server.send, "DELETE", f"/api/cameras/door/{shape}")
        for width, height in (360, 740), (1280, 800), (2560, 1440):
            # Without pictures to take, each size in one theme: what a theme changes is seen by test_accessibility.
            for theme in ("dark", "light") if PICTURES else ("light" if width == 1280 else "dark",):
                b.resize(width, height, theme)
                for view in VIEWS:
                    b.open(view)
                    b.until(lambda v=view: b.all({"wall": ".tile.seen", "camera/door": ".stage.seen", "events": ".card", "heatmap": ".heat", "labels": ".labels-view:not([hidden])",
                                                  "system": "tbody tr"}[v]), f"{view} at {width}")
                    if PICTURES:
                        time.sleep(2)
                        name = view.split("/", maxsplit=1)[0]
                        (pathlib.Path(PICTURES) / f"monitor-{name}-{width}-{theme}.jpg").write_bytes(b.picture())
                    over = b.run("return document.documentElement.scrollWidth - innerWidth")
                    self.assertLessEqual(over, 0, f"{view} is {over} pixels wider than {width}")
                    self.assertEqual(b.complaints(), [], f"{view} at {width}, {theme}")

    @unittest.skipUnless(PICTURES and shutil.which("ffmpeg"), "no VIGIL_SCREENSHOTS, or no ffmpeg")
    def test_moving_picture(self):
        """The picture of README: five seconds of the wall, five of a camera with its overlay, five frames a second."""
        b, frames = self.browser, []
        b.resize(1280, 800, "dark")
        for view, key, seen in ("wall", "", ".tile.seen"), ("camera/door", "o", ".stage.seen"):
            b.open(view)
            b.until(lambda s=seen: b.all(s), f"pictures of {view}")
            if key:
                b.keys(key)
            b.until(lambda: any(c["motion"] for c in self.server.get("/api/cameras")), "motion", 60)
            time.sleep(2)
            begin = time.monotonic()
            while (at := time.monotonic() - begin) < 5:
                frames.append((b.picture(), at))
        with tempfile.TemporaryDirectory() as folder:
            lines = []
            for i, (picture, at) in enumerate(frames):
                (pathlib.Path(folder) / f"{i}.jpg").write_bytes(picture)
                following = frames[i + 1][1] if i + 1 < len(frames) and frames[i + 1][1] > at else 5
                lines.append(f"file '{folder}/{i}.jpg'\nduration {following - at:.3f}\n")
            (pathlib.Path(folder) / "list").write_text("".join(lines), encoding="utf-8")
            subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "concat", "-safe", "0", "-i", f"{folder}/list", "-vf", "fps=5,scale=800:500", "-c:v", "libwebp_anim",
                            "-quality", "55", "-loop", "0", f"{PICTURES}/monitor.webp"], check=True)

    def test_strip(self):
        """What changed: each measure has its row, and a sample its value in each; what no sample had is said in words."""
        b = self.browser
        b.open("camera/door")
        b.find(".strip-row output")
        b.until(lambda: b.run("return document.querySelector('.strip-row output')?.textContent ?? ''").endswith("%"), "the share of the picture that changed")
        b.until(lambda: b.run("return [...document.querySelectorAll('.strip-none')].map((e) => e.textContent)") == ["", "", "No shift found", "No gpufisher here"],
                "what no sample had")
        rows = b.run("""const { live } = await import('/app/live.js');
            const sample = { time: Date.now() / 1000 + live.clockOffset, changed_fraction: 0.1, boxes: 1, fps: 15, gain: 1.25, shift: { x: 3, y: -4 }, scores: { run: 0.75 } };
            live.dispatchEvent(new CustomEvent("sample", { detail: { camera: "door", sample } }));
            return [...document.querySelectorAll('.strip-row')].map((r) =>
              [r.querySelector('.strip-name').textContent, r.querySelector('output').textContent, Boolean(r.querySelector('path')?.getAttribute('d')), r.querySelector('.strip-none').textContent]);""")
        self.assertEqual(rows, [["Changed", "10 %", True, ""], ["Exposure", "\u00d7 1.25", True, ""], ["Displacement", "5 px", True, ""], ["Scores", "run 0.75", True, ""]])

    def test_other_cameras(self):
        """The page of one camera knows the others, and leads to them."""
        b = self.browser
        self.server.send("PATCH", "/api/cameras/parking/switches", {"enabled": False})  # no news of it come
        self.addCleanup(self.server.send, "DELETE", "/api/cameras/parking/overrides")
        b.open("camera/yard")
        b.find(".stage.seen")
        self.assertEqual(b.run("return [...(await import('/app/store.js')).store.cameras.keys()]"), ["door", "hall", "yard", "parking"])
        b.keys("]")
        b.until(lambda: b.find(".view-head h1").text == "parking", "the next camera")

    def test_names(self):
        """Names that people gave are shown as they are: two of them are never one."""
        self.browser.open("system")
        words = self.browser.run("const { labelWords } = await import('/events/words.js'); return ['a_b', 'a b', 'A b', 'constructor', 'motion'].map(labelWords)")
        self.assertEqual(words, ["a_b", "a b", "A b", "constructor", "Motion"])

    def test_long_names(self):
        """Long words leave room for what is next to them."""
        b = self.browser
        self.clip()
        self.server.send("PUT", "/api/cameras/door/lines/way", {"coordinates": "0.5,0,0.5,1", "direction": "both"})
        self.addCleanup(self.server.send, "DELETE", "/api/cameras/door/lines/way")
        b.resize(360, 740, "dark")
        b.open("camera/door")
        b.find(".area-count")
        b.run("document.querySelector('.area-count').textContent = '200 in, 120 out; person 100/112; vehicle 100/8; post van 0/1'")
        self.assertGreater(b.box(".area input")[2], 60, "the line's name")
        only = "[aria-label='Only this label counts in way']"
        before, field = b.box(".area-labels"), b.box(only)
        self.assertLess(field[1] - before[1], 12, "the field for a label is in the line of its words")
        # The buttons of the head lie in one row.
        tops = b.run("return [...document.querySelectorAll('.head-tools > :not([hidden])')].map((e) => { const r = e.getBoundingClientRect(); return Math.round(r.top + r.height / 2); })")
        self.assertLessEqual(max(tops) - min(tops), 2, tops)
        b.open("events")
        b.find(".card")
        b.run("const c = document.querySelector('.card'); c.querySelector('.thumb-label').lastChild.textContent = 'vehicle?, person?, post van?'; "
              "c.querySelector('strong').textContent = 'loading-bay-north-with-long-name';")
        left, right = b.box(".card .thumb-label"), b.box(".card .thumb-length")
        self.assertLessEqual(left[0] + left[2], right[0], "the label lies over the length")
        self.assertLess(b.box(".card-words .number")[3], 26, "the time is in one line")

    def test_heat_columns(self):
        """The columns of the heat map are there before its panels, so that one that comes late moves none."""
        b = self.browser
        b.open("heatmap")
        b.until(lambda: len(b.all(".heat")) == 4, "four panels")
        counts = b.run("""const grid = document.querySelector('.heat-grid'), n = () => getComputedStyle(grid).gridTemplateColumns.split(' ').length, all = n();
            const rest = [...grid.children].slice(1); rest.forEach((e) => e.remove()); const one = n() ; const wide = grid.firstChild.offsetWidth; grid.append(...rest); return [all, one, Math.abs(wide - grid.firstChild.offsetWidth) < 2];""")
        self.assertEqual(counts, [2, 2, True])

    def test_offline(self):
        b = self.browser
        self.server.send("PATCH", "/api/cameras/parking/switches", {"enabled": False})
        self.addCleanup(self.server.send, "DELETE", "/api/cameras/parking/overrides")
        b.open("camera/parking")
        b.find(".tabs")
        b.run("document.querySelector('.tabs input[value=controls]').click()")
        b.until(lambda: "not connected" in b.find(".elements").text, "why there are no controls")
        self.assertEqual(b.all(".notice"), [])
        self.server.send("PATCH", "/api/cameras/parking/switches", {"enabled": True})
        b.until(lambda: b.all("[data-element=cudamog] .control"), "the controls, once the camera is connected", 30)

    def test_times(self):
        """Each time in one form, whatever the browser's country; the server's clock, from records that took long."""
        b = self.browser
        event = self.clip()
        b.open(f"events?id={event['id']}")
        b.find(".player-facts dd")
        begun = b.run("return (await import('/app/time.js')).timeOfDay(arguments[0])", event["start_time"])
        self.assertIn(begun, b.find(".player-facts dd").text)
        offsets = b.run("""const { ServerClock } = await import('/app/clock.js');
            const clock = new ServerClock(), out = [clock.offset];
            clock.hear(1000, 995); clock.hear(1001, 1000.5); clock.hear(1002, 1001); out.push(clock.offset);
            clock.hear(1003, 997); out.push(clock.offset);
            for (let i = 0; i < 30; i++) clock.hear(2000 + i, 5600 + i);
            out.push(clock.offset);
            return out;""")
        self.assertEqual(offsets, [0, 5, 6, -3600])

    def test_seen(self):
        """What somebody opens is new no longer; m takes that back, and "New" lists the rest."""
        b, s = self.browser, self.server
        event = self.clip()
        seen = lambda: s.get(f"/api/events/{event['id']}")["seen"]  # pylint: disable=unnecessary-lambda-assignment
        card = f'.card[data-id="{event["id"]}"]'
        s.send("POST", f"/api/events/{event['id']}/seen", {"seen": False})
        b.open(f"events?id={event['id']}")
        b.find(card + " .thumb-new")
        self.assertFalse(seen())  # a link that opens it is not yet somebody's look
        b.click(card)
        s.until(seen, "the mark")
        b.until(lambda: b.all(card) and not b.all(card + " .thumb-new"), "a card without the mark")
        b.keys("m")
        s.until(lambda: not seen(), "the mark to be taken back")
        b.keys("m")
        s.until(seen, "the mark again")
        b.click('[aria-label^="Only new events"]')
        b.until(lambda: "seen=false" in b.run("return location.hash") and not b.all(card), "a list without it")

    def test_hours(self):
        """A bar of the heat map leads to the events of its hour; below it stands who crossed the camera's lines on that day."""
        b, s = self.browser, self.server
        event = self.clip()
        s.send("PUT", "/api/cameras/door/lines/way", {"coordinates": "0.5,0,0.5,1", "direction": "both"})
        self.addCleanup(s.send, "DELETE", "/api/cameras/door/lines/way")
        quarter = s.until(lambda: next(iter(s.get("/api/cameras/door/crossings")["lines"]["way"]["quarters"]), None), "somebody who crosses the line", 90)
        local = "const d = new Date(1000 * arguments[0]); return [[d.getFullYear(), d.getMonth() + 1, d.getDate()].map((n) => String(n).padStart(2, '0')).join('-'), d.getHours()]"
        b.open(f"heatmap?day={b.run(local, quarter['time'])[0]}")
        crossed = b.find('.heat[aria-label="door"] .heat-lines li').text.split()
        self.assertEqual((crossed[0], crossed[2], crossed[4]), ("way", "in,", "out"))
        self.assertGreater(int(crossed[1]) + int(crossed[3]), 0)
        day, hour = b.run(local, event["start_time"])  # the day before, where midnight was between
        b.open(f"heatmap?day={day}")
        b.find(f'.heat[aria-label="{event["camera"]}"] .heat-hours a:nth-child({hour + 1})').click()
        b.find(".card")
        self.assertIn(f"hour={hour}", b.run("return location.hash"))
        self.assertEqual(b.run("return document.querySelector('[aria-label=Hour]').value"), str(hour))
        b.find('[aria-label="Hour"]').send_keys(f"{(hour + 1) % 24}:")
        b.until(lambda: b.all(".empty") and not b.all(".card"), "another hour, in which nothing was")
        b.open(f"events?hour={hour}")  # an hour of no day
        b.find(".card")
        self.assertNotIn("hour", b.run("return location.hash"))

    def check_accessibility(self, what):
        self.assertEqual(serious_faults(self.browser), [], what)

    @needs_axe
    def test_accessibility(self):
        b = self.browser
        self.clip()
        # All of them where pictures are taken too; else what differs most, for the time that it takes.
        sizes = [(t, w) for w in (360, 1280, 2560) for t in ("dark", "light")] if PICTURES else [("dark", 1280), ("light", 1280), ("light", 360)]
        for theme, width in sizes:
            b.resize(width, 800, theme)
            for view in VIEWS:
                b.open(view)
                b.until(lambda: b.all(".tile.seen, .stage.seen, .card, .heat, .labels-view:not([hidden]), tbody tr"), f"{view} in {theme}")  # pylint: disable=cell-var-from-loop
                self.check_accessibility(f"{view}, {theme}, {width}")
                if view.startswith("camera"):
                    b.run("document.querySelector('.tabs input[value=controls]').click()")
                    b.find(".control")
                    self.check_accessibility(f"controls, {theme}, {width}")
                    b.run("document.querySelector('.tabs input[value=areas]').click()")
        b.keys("?")
        b.find(".dialog")
        self.check_accessibility("keys")
        b.keys(Keys.ESCAPE)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
