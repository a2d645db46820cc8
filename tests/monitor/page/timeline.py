# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page's timeline in a real browser. Usage: timeline.py VIGIL_MONITOR

A FAKE, in this test only, stands in for the recorder: a proxy answers `timeline` and `recording.mp4` of each camera with a made-up
day, whose pictures get brighter for a minute and then begin again, so that a picture tells its second. All else, `search` too, is the
program's own. VIGIL_SCREENSHOTS=FOLDER keeps pictures of the page there."""
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import urllib.request

from case import needs_axe, QuietCase
from proxy import Proxy
from vigiltest import skip

if not shutil.which("ffmpeg"):
    skip("ffmpeg is not installed")

from accessibility import serious_faults
from selenium.webdriver.common.keys import Keys

PICTURES = os.environ.get("VIGIL_SCREENSHOTS")
NOW = time.time()
GAP = (NOW // 60 * 60 - 1800, NOW // 60 * 60 - 1680)  # the camera was offline for two minutes, half an hour ago
BEGIN = NOW - 6 * 3600
EVENTS = [{"id": f"fake-{i}", "start": NOW - 1500 * i - 700, "end": NOW - 1500 * i - 640, "kind": "motion", "label": "motion"} for i in range(8)]


def timeline(camera, start, end):
    step = max(1, round((end - start) / 1000))
    levels = [(40 + 20 * (i % 7) if any(e["start"] - step <= start + i * step <= e["end"] for e in EVENTS) else 0) for i in range(int((end - start) // step))]
    stretches = [(BEGIN, GAP[0]), (GAP[1], min(end, time.time() - 2))]
    return {"camera": camera, "from": start, "to": end, "oldest": BEGIN, "recorded": [{"start": a, "end": b} for a, b in stretches if b > start and a < end],
            "gaps": [{"start": GAP[0], "end": GAP[1], "reason": "camera offline"}], "events": [e for e in EVENTS if e["end"] > start and e["start"] < end] + Fake.going,
            "motion": {"start": start, "step": step, "levels": levels}}


@functools.cache
def film():
    """Three minutes, ten frames a second, a key frame each second."""
    file = pathlib.Path(tempfile.mkdtemp(prefix="vigil-film-")) / "film.mp4"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=black:s=160x90:r=10:d=180,geq=lum='20+mod(T,60)*3.5':cb=128:cr=128", "-c:v", "libx264",
                    "-preset", "ultrafast", "-qp", "18", "-g", "10", "-bf", "0", "-pix_fmt", "yuv420p", str(file)], check=True)
    return file


@functools.lru_cache(64)
def recording(start, seconds):
    return subprocess.run(["ffmpeg", "-v", "error", "-ss", str(start % 60), "-t", str(seconds), "-i", str(film()), "-c", "copy", "-f", "mp4", "-movflags",
                           "frag_keyframe+empty_moov+default_base_moof", "-"], check=True, capture_output=True).stdout


@functools.cache
def small_pictures():
    """Previews of a minute, one every two seconds."""
    folder = film().parent
    subprocess.run(["ffmpeg", "-v", "error", "-t", "60", "-i", str(film()), "-vf", "select=not(mod(n\\,20)),format=yuvj420p", "-fps_mode", "passthrough", "-q:v", "4", str(folder / "%02d.jpg")], check=True)
    return [file.read_bytes() for file in sorted(folder.glob("*.jpg"))]


class Fake(Proxy):
    protocol_version = "HTTP/1.1"
    asked = []  # pieces of recordings: (camera, from, to)
    previews = 0  # that were asked for
    going = []  # events without an end

    def do_GET(self):  # pylint: disable=invalid-name
        found = re.match(r"/api/cameras/(\w+)/(timeline|recording\.mp4|preview)\?(.*)", self.path)
        if not found:
            self.forward()
            return
        asked = {name: float(value) for name, value in urllib.parse.parse_qsl(found[3])}
        if found[2] == "timeline":
            self.answer(json.dumps(timeline(found[1], asked["from"], asked["to"])).encode(), "application/json")
            return
        if found[2] == "preview":
            Fake.previews += 1
            number = int(asked["at"] % 60) // 2
            self.answer(small_pictures()[number], "image/jpeg", {"X-Capture-Time": str(asked["at"] // 60 * 60 + 2 * number)})
            return
        Fake.asked.append((found[1], asked["from"], asked["to"]))
        start = int(asked["from"])  # the key frame before it
        self.answer(recording(start, round(asked["to"] - start, 3)), "video/mp4", {"X-Recording-Start": str(start)})

    def answer(self, body, kind, more=None):
        self.send_response(200)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), "Cache-Control": "no-store", **(more or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            self.close_connection = True  # the browser has left

    def forward(self):
        self.pass_on(self.path, {n: v for n, v in self.headers.items() if n.lower() not in ("connection", "host", "origin", "referer")})

    do_POST = do_PUT = do_PATCH = do_DELETE = forward


def brightness(t):
    """Of the picture of a time, as the browser shows it: the film has the video's range, 16 to 235."""
    return (20 + t % 60 * 3.5 - 16) * 255 / 219


class Timeline(QuietCase):
    @classmethod
    def setUpClass(cls):
        small_pictures()
        cls.start_server()
        cls.start_browser(cls.start_proxy(Fake))

    def setUp(self):
        self.browser.resize(1440, 900, "dark")

    def open(self, t, span=3600, cameras="door"):
        self.browser.open(f"timeline?cameras={cameras}&t={t:.2f}&span={span}")
        self.picture(t)

    def address(self, name):
        found = re.search(rf"[?&]{name}=([^&]*)", self.browser.run("return location.hash"))
        return found and urllib.parse.unquote(found[1])

    def time(self):
        """As the slider has it, in whole seconds; the address has hundredths, half a second later."""
        return int(self.browser.find(".tl-band").get_attribute("aria-valuenow"))

    def settled(self):
        """The time of the address once it is that of the slider."""
        self.browser.until(lambda: abs(float(self.address("t")) - self.time()) <= 0.5, "the address to hold the time")
        return float(self.address("t"))

    def picture(self, t, camera="door", within=1.2):
        """Waits until the camera's picture is that of t."""
        b = self.browser
        video = f'.tl-camera[data-camera="{camera}"] video'
        b.until(lambda: b.all(video) and b.run("return document.querySelector(arguments[0]).readyState >= 2", video), f"a picture of {camera}")
        b.until(lambda: abs(b.grey(video) - brightness(t)) < 4.1 * within, f"the picture of {t}, which is {brightness(t):.0f} bright")

    def test_address(self):
        """The address holds cameras, time and what is shown; the picture is that of the time."""
        t = NOW - 3000
        self.open(t)
        b = self.browser
        self.assertEqual(b.find(".tl-clock").text, b.run("return (await import('/app/time.js')).timeOfDay(arguments[0])", t))
        self.assertEqual((self.address("cameras"), self.address("span")), ("door", "3600"))
        b.open("timeline?cameras=nobody&t=x&span=-5")  # what somebody typed
        b.find(".tl-camera")
        self.assertEqual(len(b.all(".tl-row")), 1)

    def test_first_picture(self):
        """Who opens a time scrubs nothing: the video is asked for as soon as it is known that there is one."""
        waited = []
        while len(waited) < 12 and min(waited, default=240) >= 240:
            self.open(NOW - 5000 - 700 * len(waited))
            asked, known = self.browser.run("""const of = (name) => performance.getEntriesByType('resource').filter((e) => e.name.includes(name));
                return [of('recording.mp4')[0].startTime, of('/timeline?')[0].responseEnd]""")
            waited.append(asked - known)
        self.assertLess(min(waited), 240, waited)  # ms; less than the pause that ends scrubbing. A loaded machine takes its time, but not each time.

    def test_going(self):
        """What goes on is drawn up to now, not into the future, and is also shown in a part that begins after it."""
        b = self.browser
        Fake.going = [{"id": "fake-going", "start": NOW - 3000, "end": None, "kind": "motion", "label": "motion"}]
        self.addCleanup(setattr, Fake, "going", [])
        shown = "return [...document.querySelectorAll('.tl-event')].map((e) => Number(e.getAttribute('x')) + Number(e.getAttribute('width')))"
        self.open(NOW - 1900, 7200)  # until an hour from now
        b.until(lambda: b.all(".tl-event"), "events")
        end = max(b.run(shown))
        at = 1000 * (time.time() - (NOW - 1900 - 3600)) / 7200
        self.assertAlmostEqual(end, at, delta=15, msg="the end of what goes on")
        self.open(NOW - 300, 400)
        b.until(lambda: len(b.run(shown)) == 1, "the event that goes on")

    def test_strip(self):
        b = self.browser
        self.open(NOW - 1900, 7200)
        b.until(lambda: len(b.all(".tl-recorded")) == 2, "two stretches")
        self.assertIn("camera offline", b.find(".tl-gap title").get_attribute("textContent"))
        self.assertGreater(len(b.all(".tl-event")), 2)
        self.assertIn("M", b.find(".tl-heat").get_attribute("d"))
        b.open(f"timeline?cameras=door&t={GAP[0] + 60}&span=3600")
        b.until(lambda: "camera offline" in b.find(".screen-note").text, "why there is no picture")
        self.assertIn("camera offline", b.find(".tl-status").text)

    def test_scrub(self):
        self.open(NOW - 3000)
        self.browser.drag(".tl-band", (0.3, 0.6), (0.35, 0.6), (0.4, 0.6))
        t = self.settled()
        self.assertAlmostEqual(t, NOW - 3000 - 1800 + 0.4 * 3600, delta=10)
        self.picture(t)

    def shown_previews(self):
        """Counts the previews that are shown from now on, and how far each is from the time that is looked for."""
        self.browser.run("""window.shown = [];
            const image = document.querySelector('.tl-preview');
            image.onload = () => { const time = Number(image.dataset.time);
              window.shown.push([performance.now(), Math.abs(time - Number(document.querySelector('.tl-band').getAttribute('aria-valuenow')))]); };""")

    def expect_previews(self, least, how):
        times = self.browser.run("return window.shown")
        self.assertGreaterEqual(len(times), least, how)
        seconds = (times[-1][0] - times[0][0]) / 1000
        print(f"{how}: {len(times)} previews in {seconds:.2f} s, {(len(times) - 1) / max(seconds, 0.001):.0f} a second", flush=True)

    def test_previews(self):
        """Scrubbing by pointer, by keys and by touch shows small pictures at once, and no video of what is passed by."""
        b = self.browser
        t = NOW - 3000
        self.open(t)
        Fake.asked.clear()
        self.shown_previews()
        # A picture a frame: as a hand that moves the pointer.
        b.run("""const band = document.querySelector('.tl-band'), box = band.getBoundingClientRect();
            const send = (kind, share, type) => band.dispatchEvent(new PointerEvent(kind, {pointerId: 7, pointerType: type, button: kind === 'pointermove' ? -1 : 0,
              buttons: 1, isPrimary: true, bubbles: true, clientX: box.left + share * box.width, clientY: box.top + 30}));
            band.setPointerCapture = () => {}; band.hasPointerCapture = () => true;
            window.scrub = (from, to, type) => new Promise((done) => {
              const begun = performance.now(), length = 2000;
              send('pointerdown', from, type);
              const step = () => { const share = Math.min(1, (performance.now() - begun) / length);
                send('pointermove', from + share * (to - from), type);
                if (share < 1) requestAnimationFrame(step); else { send('pointerup', to, type); done(); } };
              requestAnimationFrame(step); });
            await window.scrub(0.2, 0.45, 'mouse')""")
        self.expect_previews(4, "by the pointer")
        passed = [p for p in Fake.asked if NOW - 3000 - 1800 + 0.22 * 3600 < p[1] < NOW - 3000 - 1800 + 0.43 * 3600]
        self.assertLess(len(passed), 8, passed)  # a loaded machine pauses within the movement
        self.picture(self.settled())
        b.until(lambda: not b.find(".tl-preview").is_displayed(), "the video in the place of the preview")
        self.shown_previews()
        b.run("await window.scrub(0.45, 0.3, 'touch')")
        self.expect_previews(4, "by touch")
        self.picture(self.settled())
        self.shown_previews()
        b.find(".tl-band").send_keys(Keys.ARROW_RIGHT * 12)
        b.until(lambda: b.run("return window.shown.length") >= 1, "previews by keys")
        self.picture(self.settled())
        # While it scrubs, the preview is the picture of the time.
        b.run("""const band = document.querySelector('.tl-band'), box = band.getBoundingClientRect();
            const at = (kind, share) => band.dispatchEvent(new PointerEvent(kind, {pointerId: 7, button: 0, bubbles: true, clientX: box.left + share * box.width, clientY: box.top + 30}));
            at('pointerdown', 0.6); window.still = setInterval(() => at('pointermove', 0.7), 50)""")
        b.until(lambda: b.find(".tl-preview").is_displayed() and abs(float(b.find(".tl-preview").get_attribute("data-time")) - self.time()) <= 3, "the preview of the time")
        grey = b.run("""const image = document.querySelector('.tl-preview'), canvas = new OffscreenCanvas(1, 1), c = canvas.getContext('2d');
            c.drawImage(image, 0, 0, 1, 1); return c.getImageData(0, 0, 1, 1).data[0]""")
        self.assertAlmostEqual(grey, brightness(float(b.find(".tl-preview").get_attribute("data-time"))), delta=12)
        if PICTURES:
            (pathlib.Path(PICTURES) / "timeline-scrubbing.png").write_bytes(b.driver.get_screenshot_as_png())
        b.run("clearInterval(window.still)")
        self.picture(self.settled())

    def test_zoom(self):
        b = self.browser
        self.open(NOW - 3000)
        for keys, span in (("+" * 12, 10), ("-" * 16, 90000)):
            b.keys(keys)
            b.until(lambda: float(self.address("span")) == span, f"{span} seconds")  # pylint: disable=cell-var-from-loop
        b.keys("d")
        b.until(lambda: 82000 < float(self.address("span")) < 90000, "the day")
        before = float(self.address("span"))
        b.run("""const x = document.querySelector('.tl-cursor').getBoundingClientRect().left;
            document.querySelector('.tl-band').dispatchEvent(new WheelEvent('wheel', {deltaY: -300, clientX: x, cancelable: true}))""")
        b.until(lambda: float(self.address("span")) < before * 0.8, "the wheel to show less")
        self.assertAlmostEqual(self.settled(), NOW - 3000, delta=0.1)

    def test_frames(self):
        b = self.browser
        self.open(NOW - 3000)
        fps = b.run("return (await import('/app/store.js')).store.cameras.get('door').fps") or 15
        b.keys("..")
        b.until(lambda: abs(float(self.address("t")) - (round(NOW - 3000, 2) + 2 / fps)) < 0.05, "two frames on")
        b.keys(",,,")
        b.until(lambda: abs(float(self.address("t")) - (round(NOW - 3000, 2) - 1 / fps)) < 0.08, "three frames back")

    def test_play(self):
        """Over the ends of pieces, at several speeds; pieces join without a hole, and what is fetched is fetched once."""
        b = self.browser
        t = NOW - 4000
        self.open(t)
        Fake.asked.clear()
        b.keys(" ")
        b.until(lambda: self.time() > t + 6, "six seconds to play")
        self.assertEqual(b.find(".tl-bar [aria-label=Pause]").is_displayed(), True)
        b.keys("]]]")  # 8 times
        b.until(lambda: self.time() > t + 60, "a minute to play")
        b.keys("]]")  # 32 times, which no browser plays by itself
        b.until(lambda: self.time() > t + 150, "two minutes to play")
        b.keys(" ")
        self.picture(self.settled())
        pieces = [p for p in Fake.asked if p[1] < t + 60]
        self.assertEqual(len(pieces), len(set(pieces)), pieces)
        for before, after in zip(pieces, pieces[1:]):
            self.assertEqual(before[2], after[1], pieces)

    def test_gap(self):
        """What is not recorded is left out."""
        b = self.browser
        self.open(GAP[0] - 3)
        b.keys(" ")
        b.until(lambda: self.time() > GAP[1] + 1, "the time after the gap", 40)
        b.keys(" ")
        self.assertLess(self.time(), GAP[1] + 45)
        self.picture(self.settled())

    def test_two_cameras(self):
        b = self.browser
        t = NOW - 5000
        self.open(t)
        b.click('.tl-cameras [data-camera="yard"]')
        self.picture(t, "yard")
        self.assertEqual(len(b.all(".tl-row")), 2)
        b.keys("]")  # twice as fast; Space is the button's that has the focus
        b.click(".tl-bar [aria-label=Play]")
        b.until(lambda: self.time() > t + 10, "ten seconds to play")
        b.click(".tl-bar [aria-label=Pause]")
        t = self.settled()
        self.picture(t, "door", 2)
        self.picture(t, "yard", 2)
        b.until(lambda: self.address("cameras") == "door,yard", "both in the address")

    def search_stored(self):
        self.server.until(lambda: (self.server.get("/api/cameras/door/search?polygon=0,0,1,0,1,1,0,1") or {"hits": []})["hits"], "motion that is stored", 90)

    def test_search(self):
        b = self.browser
        self.search_stored()
        self.open(NOW - 1000, 21600)  # a search covers the days before the end of what is shown: here, the present
        b.click('.tl-camera[data-camera="door"] .tl-search-button')
        b.find(".tl-search h2")
        b.drag(".tl-draw", (0.02, 0.02), (0.5, 0.5), (0.98, 0.98))
        b.find(".tl-hit")
        start = float(b.find(".tl-hit").get_attribute("data-start"))
        b.click(".tl-hit")
        self.assertAlmostEqual(self.settled(), start, delta=0.6)
        # By keys alone: a rectangle that is moved, then sized.
        b.keys(Keys.ESCAPE)
        b.until(lambda: not b.all(".tl-draw"), "the end of the search")
        b.keys("s")
        b.find(".tl-draw")
        b.keys(Keys.ARROW_LEFT, Keys.ENTER)
        b.until(lambda: "there" in b.find(".tl-search [role=status]").text, "what was found")
        self.assertEqual(b.run("return document.querySelector('.tl-region').getAttribute('points').split(' ').length"), 4)
        # A polygon, corner by corner.
        b.keys(Keys.ESCAPE)
        b.click('.tl-camera[data-camera="door"] .tl-search-button')
        b.find(".tl-draw")
        for x, y in ((0.1, 0.1), (0.9, 0.1), (0.5, 0.9), (0.1, 0.1)):
            b.at(".tl-draw", x, y).click().perform()
        b.until(lambda: "there" in b.find(".tl-search [role=status]").text, "what was found in the polygon")
        b.keys(Keys.ESCAPE)

    def test_motion(self):
        """n and p go to the next and the previous motion, as the program has seen it."""
        b = self.browser
        self.search_stored()
        hit = self.server.get("/api/cameras/door/search?polygon=0,0,1,0,1,1,0,1&limit=1000")["hits"][-1]
        b.open(f"timeline?cameras=door&t={hit['start'] - 300:.2f}&span=3600")
        b.find(".tl-camera")
        b.keys("n")
        b.until(lambda: self.time() == int(hit["start"]), "the motion")
        b.open(f"timeline?cameras=door&t={hit['end'] + 1:.2f}&span=3600")
        b.find(".tl-camera")
        b.keys("p")
        b.until(lambda: self.time() == int(hit["start"]), "the motion before")

    @needs_axe
    def test_accessibility(self):
        b = self.browser
        for width, theme in ((1440, "dark"), (360, "light")):
            b.resize(width, 800, theme)
            self.open(NOW - 1900, 7200, "door,yard")
            b.click('.tl-camera[data-camera="door"] .tl-search-button')
            b.find(".tl-draw")
            self.assertLessEqual(b.run("return document.documentElement.scrollWidth"), width)
            self.assertEqual(serious_faults(b), [], f"{width}, {theme}")
            b.keys(Keys.ESCAPE)

    @unittest.skipUnless(PICTURES, "no VIGIL_SCREENSHOTS")
    def test_pictures(self):
        b = self.browser
        for width, high, theme, cameras in ((1440, 900, "dark", "door"), (1440, 900, "light", "door,yard"), (360, 780, "dark", "door")):
            b.resize(width, high, theme)
            self.open(NOW - 1900, 7200, cameras)
            time.sleep(1)
            (pathlib.Path(PICTURES) / f"timeline-{width}-{theme}.jpg").write_bytes(b.picture())
            b.click('.tl-camera[data-camera="door"] .tl-search-button')
            b.drag(".tl-draw", (0.1, 0.1), (0.5, 0.5), (0.9, 0.9))
            time.sleep(2)
            (pathlib.Path(PICTURES) / f"timeline-{width}-{theme}-search.jpg").write_bytes(b.picture())
            b.keys(Keys.ESCAPE)


RECORDED = """\
http: {{listen: 127.0.0.1:{port}}}
storage: {{path: {folder}/data, min_free: 1MB}}
record: {{continuous: {{days: 1}}}}
cameras:
  door: {{source: "scenetestsrc is-live=true ! video/x-raw,format=I420,width=320,height=180,framerate=10/1", motion: false}}
"""


class Recorded(QuietCase):
    """With the program's own recorder."""
    @classmethod
    def setUpClass(cls):
        cls.start_server(RECORDED)
        cls.start_browser()
        cls.server.until(lambda: (r := cls.recorded()) and r["end"] - r["start"] > 10, "ten seconds of recording", 120)

    def setUp(self):
        self.browser.resize(1440, 900, "dark")

    @classmethod
    def recorded(cls):
        now = time.time()
        stretches = cls.server.get(f"/api/cameras/door/timeline?from={now - 3600}&to={now}")["recorded"]
        return stretches[-1] if stretches else None

    def exports(self):
        return self.server.get("/api/exports")["exports"]

    def open(self, span=60):
        t = self.recorded()["end"] - 8
        self.browser.open(f"timeline?cameras=door&t={t:.2f}&span={span}")
        self.browser.until(lambda: self.browser.run("return document.querySelector('.tl-camera video')?.readyState >= 2"), "a picture")
        return t

    def test_goes_on(self):
        """The end of the recording moves by itself; asked for is it every 15 seconds at most."""
        b = self.browser
        self.open()
        state = """return [[...document.querySelectorAll('.tl-recorded')].at(-1).getAttribute('width'),
            performance.getEntriesByType('resource').filter((e) => e.name.includes('/timeline?')).length]"""
        b.until(lambda: b.run(state), "the recording")
        _, asked = b.run(state)
        widths = set()
        b.until(lambda: widths.add(b.run(state)[0]) or len(widths) >= 5, "five ends of the recording", 60)
        self.assertLess(b.run(state)[1] - asked, 4)

    def test_export(self):
        """Marked, made, downloaded, given away and deleted, by keys as far as there are some."""
        b = self.browser
        t = self.open()
        b.keys("i")
        b.until(lambda: b.find(".tl-exports").is_displayed(), "the exports")
        b.keys(*([Keys.ARROW_RIGHT] * 4), "o")  # a second each
        b.until(lambda: b.find(".tl-exports [type=submit]").text == "Export 4 s of door", "what is marked")
        self.assertAlmostEqual(b.box(".tl-marked")[2] / b.box(".tl-band")[2], 4 / 60, delta=0.01)
        b.find(".tl-exports input[type=text]").send_keys("Gate")
        b.click(".tl-exports [type=submit]")
        b.until(lambda: b.all(".tl-export[data-state=done] .tl-export-file"), "a file", 90)
        job = self.exports()[0]
        self.assertAlmostEqual(job["from"], t, delta=0.1)
        self.assertAlmostEqual(job["to"], t + 4, delta=0.1)
        address = b.find(".tl-export-file a").get_attribute("href")
        with urllib.request.urlopen(address, timeout=20) as answer:
            content = answer.read()
            self.assertIn('filename="Gate.mp4"', answer.headers["Content-Disposition"])
        self.assertEqual(hashlib.sha256(content).hexdigest(), job["files"][0]["sha256"])
        self.assertIn(job["files"][0]["sha256"], b.find(".tl-sum").get_attribute("title"))
        b.run("navigator.clipboard.writeText = async (words) => { window.copied = words; }")
        b.click(".tl-export-file button")
        b.until(lambda: b.run("return window.copied"), "the link")
        with urllib.request.urlopen(b.run("return window.copied"), timeout=20) as answer:
            self.assertEqual(answer.read(), content)
        b.click(".tl-export-head button")
        b.until(lambda: not b.all(".tl-export"), "the end of the export")
        self.assertEqual(self.exports(), [])
        b.run("document.activeElement.blur()")
        b.keys(Keys.ESCAPE)
        b.until(lambda: not b.find(".tl-exports").is_displayed(), "the exports to close")
        self.assertEqual(b.run("return document.activeElement.textContent"), "Export")
        b.keys("x")
        b.until(lambda: b.find(".tl-exports").is_displayed(), "the exports by their key")

    def test_cancel(self):
        """One that is encoded shows its progress, and is cancelled or done."""
        b = self.browser
        self.open()
        b.keys("x")
        b.click(".tl-exports input[type=checkbox]")
        b.click(".tl-exports [type=submit]")
        b.until(lambda: b.all(".tl-export"), "the export")
        b.until(lambda: b.all(".tl-export[data-state=done], .tl-export progress"), "its state")
        b.click(".tl-export-head button")
        b.until(lambda: not b.all(".tl-export progress"), "no progress any more")
        for job in self.exports():
            self.server.send("DELETE", f"/api/exports/{job['id']}")

    @needs_axe
    def test_accessibility(self):
        self.looks(lambda width, theme: self.assertEqual(serious_faults(self.browser), [], f"{width}, {theme}"))

    @unittest.skipUnless(PICTURES, "no VIGIL_SCREENSHOTS")
    def test_pictures(self):
        self.looks(lambda width, theme: (pathlib.Path(PICTURES) / f"exports-{width}-{theme}.jpg").write_bytes(self.browser.picture()))

    def looks(self, look):
        b = self.browser
        span = self.recorded()
        for more in ({}, {"name": "Somebody at the gate, for the insurance", "burn_in": True, "timelapse": 10}):
            self.server.send("POST", "/api/exports", {"cameras": ["door"], "from": span["start"] + 1, "to": span["start"] + 9, **more})
        for width, theme in ((1440, "dark"), (390, "light")):
            b.resize(width, 900, theme)
            self.open()
            b.keys("x")
            b.until(lambda: b.all(".tl-export-file"), "a file")
            self.assertLessEqual(b.run("return document.documentElement.scrollWidth"), width)
            if width < 1000:
                b.run("document.querySelector('.tl-exports').scrollIntoView()")
            look(width, theme)
        for job in self.exports():
            self.server.send("DELETE", f"/api/exports/{job['id']}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
