# SPDX-License-Identifier: LGPL-2.1-or-later
"""A camera is found and added on vigil-monitor's page, in a network namespace with simulated ONVIF devices. Usage: setup_page.py VIGIL_MONITOR [PICTURES]

With PICTURES, a folder, pictures of each step are put there, wide and narrow."""
import pathlib
import subprocess
import sys
import time
import unittest

from case import PageCase, PICTURES
import hosts

hosts.need_own_network()

from accessibility import axe_file, serious_faults
from onvif_devices import PASSWORD, USER, Device, Network

CONFIG = """\
http: {{listen: 127.0.0.1:{port}}}
storage: {{path: {folder}/data, max_size: 500MB, min_free: 1MB}}
record: {{pre_capture: 1, post_capture: 1}}
cameras: {{}}
"""
RTSP = 8554


class SetUp(PageCase):
    @classmethod
    def setUpClass(cls):
        cls.camera = subprocess.Popen(["/usr/bin/python3", str(pathlib.Path(__file__).parents[1] / "camera_server.py"), str(RTSP), "127.0.3.1", "1"],
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        cls.addClassCleanup(cls.camera.kill)
        cls.camera.stdout.readline()
        cls.network = Network([Device("127.0.3.1", rtsp_port=RTSP, main="/video", sub="/cam0"), Device("127.0.3.2"), Device("127.0.3.3", "elsewhere"), Device("127.0.3.4", "clock")])
        cls.start_server(CONFIG)
        cls.start_browser()

    def button(self, words, within=".setup"):
        b = self.browser
        b.until(lambda: b.run("const e = [...document.querySelectorAll(`${arguments[1]} button`)].find((e) => (e.getAttribute('aria-label') ?? e.textContent) === arguments[0] && !e.disabled); "
                              "e?.click(); return Boolean(e)", words, within), f"the button {words!r}")

    def press(self, words, within=".setup"):
        """As button(), by the mouse."""
        b = self.browser
        find = "return [...document.querySelectorAll(`${arguments[1]} button`)].find((e) => (e.getAttribute('aria-label') ?? e.textContent) === arguments[0] && !e.disabled)"

        def pressed():
            element = b.run(find, words, within)
            if element:
                element.click()
            return element
        b.until(pressed, f"the button {words!r}")

    def test_a_minute(self):
        """From the first page of an empty configuration to a camera that is recorded and analysed, by mouse and keys."""
        b, s = self.browser, self.server
        b.open("")
        b.until(lambda: "No camera yet" in b.run("return document.body.textContent"), "an empty configuration")
        self.assertEqual(self.network.probes, 0, "nothing is searched before somebody asks")
        b.run("window.presses = 0; document.addEventListener('mousedown', (e) => { window.presses += e.isTrusted; }, true)")
        begun = time.monotonic()
        b.click("a[href='#/system']")
        self.press("Search the network")
        self.press("Set up 127.0.3.1")
        b.keys(USER, "\t", PASSWORD)
        self.press("What would be done?")
        self.press("Add the camera", ".plan")
        camera = s.until(lambda: next((c for c in s.get("/api/cameras") if c["state"] == c["record_stream"]["state"] == "online"), None), "a camera that is looked at and recorded", 120)
        took, presses = time.monotonic() - begun, b.run("return window.presses")
        print(f"from an empty configuration to a camera in {took:.1f} s and {presses} clicks")
        self.assertLessEqual(took, 60)
        self.assertTrue(3 < presses <= 5, presses)
        s.until(lambda: next(c["frames"] for c in s.get("/api/stats")["cameras"]) > 0, "pictures that are analysed")
        s.send("DELETE", f"/api/cameras/{camera['name']}")
        s.until(lambda: s.get("/api/cameras") == [], "taken away")

    def test_camera(self):
        """From an empty configuration: search, choose, see what would be done, add; then take it away."""
        b, s = self.browser, self.server
        b.open("system")
        b.find(".setup h2")
        self.pictures("empty", ".setup")
        self.button("Search the network")
        b.until(lambda: len(b.all(".setup .people-list li strong")) == 3, "three devices")
        self.assertIn("another host", b.run("return document.querySelector('.setup').textContent"))
        self.pictures("found", ".setup")
        self.button("Set up 127.0.3.4")
        fields = b.all(".setup > .people-form input")
        fields[1].send_keys(USER)
        fields[2].send_keys("wrong password")
        self.button("What would be done?")
        b.until(lambda: "refuses this user or password" in b.run("return document.body.textContent"), "the reason of a wrong password")
        b.run("const e = document.querySelectorAll('.setup > .people-form input')[2]; e.value = ''")
        fields[2].send_keys(PASSWORD)
        self.button("What would be done?")
        b.until(lambda: "ahead" in b.run("return document.querySelector('.plan').textContent"), "a wrong clock is said")
        self.pictures("clock", ".setup")
        self.button("Set up 127.0.3.1")
        self.button("What would be done?")
        b.find(".plan form")
        words = b.run("return document.querySelector('.plan').textContent")
        for wanted in ("Simulated & Sons Eye 12 (fast) at 127.0.3.1", "Main stream: H264 1920 × 1080", "Sub stream: H264 640 × 360"):
            self.assertIn(wanted, words)
        self.assertEqual(b.run("return [...document.querySelectorAll('.plan select')].map((e) => e.value)"), ["main", "sub"])
        # Both streams are seen before anything is saved.
        b.until(lambda: len(b.all(".plan .look img")) == 2, "pictures of both streams", 60)
        looks = b.run("return [...document.querySelectorAll('.look')].map((e) => e.textContent)")
        for wanted in ("Looked at", "H.264, 160 × 90", "frames/s", "A key frame every", "Without sound"):
            self.assertIn(wanted, looks[0])
        self.assertIn("320 × 180", looks[1])
        b.until(lambda: b.run("return [...document.querySelectorAll('.look img')].every((e) => e.complete && e.naturalWidth > 100)"), "the browser draws them")
        self.assertEqual(s.get("/api/cameras"), [], "nothing is done before")
        faults = serious_faults(b) if axe_file() else []
        self.assertEqual(faults, [])
        b.resize(360, 740, "dark")
        self.assertLess(max(b.run("return [...document.querySelectorAll('.plan .field-row')].map((e) => e.offsetHeight)")), 90, "fields on a phone are as high as their words")
        b.resize(1280, 800, "dark")
        self.pictures("plan", ".setup")
        self.button("Add the camera", ".plan")
        s.until(lambda: [(c["name"], c["state"], c["record_stream"]["state"]) for c in s.get("/api/cameras")] == [("Eye-12-fast", "online", "online")], "the camera is looked at and recorded", 120)
        b.until(lambda: b.run("return document.querySelector('.table-room th .badge:not([hidden])')?.textContent") == "added here", "marked in the table")
        self.pictures("added", ".setup")
        # An address that is typed: what is wrong with it is said before it is saved.
        b.run("for (const e of document.querySelectorAll('.setup > .people-form input')) e.value = ''")
        fields[0].send_keys(f"rtsp://127.0.3.1:{RTSP}/audio")
        self.button("What would be done?")
        b.until(lambda: "offers no video" in b.run("return document.querySelector('.plan .look-fault')?.textContent ?? ''"), "why it cannot be used", 60)
        self.assertTrue(b.run("return [...document.querySelectorAll('.plan button')].every((e) => !e.disabled)"), "it can be added all the same")
        self.pictures("fault", ".setup")
        b.run("for (const e of document.querySelectorAll('.setup > .people-form input')) e.value = ''")
        fields[0].send_keys(f"rtsp://127.0.3.1:{RTSP}/video")
        self.button("What would be done?")
        b.until(lambda: "Looked at and recorded" in b.run("return document.querySelector('.plan .look')?.textContent ?? ''"), "one stream for both", 60)
        self.pictures("typed", ".setup")
        self.title()
        b.open("system")
        self.assertNotIn(PASSWORD, b.run("return document.body.textContent"))
        self.button("Take away Front door 門")
        self.button("Take away", "dialog")
        s.until(lambda: s.get("/api/cameras") == [], "taken away")
        b.until(lambda: "None." in b.run("return document.querySelector('.setup').textContent"), "the list is empty")
        # Answers come seconds after the click that asked for them, and need room then.
        self.assertEqual([c for c in b.complaints() if "400" not in c and "layout jumped" not in c], [])


    def title(self):
        """A title is shown everywhere in the place of the name, which links keep."""
        b = self.browser
        b.open("camera/Eye-12-fast")
        b.until(lambda: b.run("const e = [...document.querySelectorAll('.tabs input')].at(-1); e?.click(); return document.querySelector('#camera-title')?.offsetHeight > 0"), "the field of the title")
        b.run("const e = document.querySelector('#camera-title'); e.value = '  Front door 門 '; e.dispatchEvent(new Event('change'))")
        b.until(lambda: b.run("return document.querySelector('h1').textContent") == "Front door 門", "the page's heading")
        self.assertEqual(self.server.get("/api/cameras")[0]["title"], "Front door 門")
        if PICTURES:
            for width in (1280, 360):
                b.resize(width, 900, "dark")
                b.run("document.querySelector('#camera-title').scrollIntoView({ block: 'center' })")
                time.sleep(0.5)
                (PICTURES / f"title-{width}.jpg").write_bytes(b.picture())
            b.resize(1280, 800, "dark")
        b.run("const e = document.querySelector('#camera-title'); e.value = 'a\\u202eb'; e.dispatchEvent(new Event('change'))")
        b.until(lambda: "is no title" in b.run("return document.body.textContent"), "why not")
        self.assertEqual(b.run("return document.querySelector('#camera-title').value"), "Front door 門")
        b.open("wall")
        b.until(lambda: b.run("return document.querySelector('.tile-name')?.textContent") == "Front door 門", "on the wall")
        self.assertTrue(b.run("return document.querySelector('.tile-name').href").endswith("#/camera/Eye-12-fast"), "links keep the name")
        if PICTURES:
            time.sleep(1)
            (PICTURES / "title-wall.jpg").write_bytes(b.picture())
        b.open("timeline?cameras=Eye-12-fast")
        b.until(lambda: "Front door 門" in b.run("return document.querySelector('.tl-name')?.textContent ?? ''"), "in the timeline")
        b.open("events")
        b.until(lambda: "Front door 門" in b.run("return [...document.querySelectorAll('option')].map((e) => e.textContent).join()"), "in the filters")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
