# SPDX-License-Identifier: LGPL-2.1-or-later
"""A camera is turned on vigil-monitor's page: by pointer, keys and buttons; presets and home. Usage: ptz_page.py VIGIL_MONITOR [PICTURES]

With PICTURES, a folder, pictures of each step are put there, wide and narrow. A simulated ONVIF device turns a drawn picture, in a network
namespace."""
import pathlib
import sys
import tempfile
import time
import unittest
import urllib.parse

from case import PageCase
import hosts

hosts.need_own_network()

from accessibility import axe_file, serious_faults
from onvif_devices import PASSWORD, USER, Device, Head
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from turning_camera import TurningCamera

CONFIG = """\
http: {{{{listen: 127.0.0.1:{{port}}}}}}
storage: {{{{path: {{folder}}/data, max_size: 500MB, min_free: 1MB}}}}
record: {{{{pre_capture: 1, post_capture: 1}}}}
cameras:
  dome: {{{{source: "{source}", onvif: {{{{address: "{address}"}}}}}}}}
  fixed: {{{{source: "scenetestsrc scene=indoor", live: {{{{height: 360, fps: 5}}}}}}}}
"""


class Turn(PageCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="vigil-turn-")
        cls.addClassCleanup(folder.cleanup)
        cls.head = Head()
        cls.device = Device("127.0.9.1", head=cls.head)
        cls.camera = TurningCamera(pathlib.Path(folder.name), cls.head)
        login = ":".join(urllib.parse.quote(word, safe="") for word in (USER, PASSWORD))
        cls.start_server(CONFIG.format(source=cls.camera.source, address=cls.device.url.replace("http://", f"http://{login}@")))
        cls.start_browser()
        cls.server.until(lambda: (c := cls.server.camera("dome"))["state"] == "online" and c["ptz"], "the camera to be online and to turn", 90)

    def setUp(self):
        self.begin_anew()
        self.browser.open("camera/dome?view=plain")
        self.browser.until(lambda: self.browser.all(".stage.seen"), "the picture")

    def tearDown(self):
        # A row of presets comes with the answer to the click that asked for it.
        self.assertEqual([c for c in self.browser.complaints() if "layout jumped" not in c], [])

    def steer(self):
        self.browser.click(".head-tools button[aria-label='Turn the camera']")
        self.browser.until(lambda: self.browser.all(".ptz-layer:not([hidden])"), "the layer that turns")

    def stopped(self, what):
        self.server.until(lambda: not self.head.turning(), f"{what}: it stands still", 20)

    def test_pointer(self):
        """The picture is held away from its middle: it turns there, and stops when it is let go of."""
        b, head = self.browser, self.head
        head.order(target=600.0)
        self.steer()
        self.stopped("at first")
        for side, way in ((0.9, 1), (0.1, -1)):
            before, stops = head.place(), head.stops
            b.at(".ptz-layer", side, 0.5).click_and_hold().perform()
            self.server.until(lambda: way * (head.place() - before) > 150, "the camera turns while it is held", 20)
            self.server.until(lambda: b.run("return Number(document.querySelector('.ptz-way').getAttribute('x2'))") * way > 50, "the arrow shows the way")
            b.mouse().release().perform()
            self.stopped("let go of")
            self.assertGreater(head.stops, stops, "by a stop")
        # The middle turns nothing.
        moves = head.moves
        b.at(".ptz-layer", 0.5, 0.5).click_and_hold().pause(0.8).release().perform()
        self.assertEqual(head.moves, moves)
        b.until(lambda: "no events" in b.run("return document.querySelector('.ptz-hint').textContent"), "it says that there are no events meanwhile")
        b.until(lambda: "Hold" in b.run("return document.querySelector('.ptz-hint').textContent"), "and when there are again", 90)
        if axe_file():
            self.assertEqual(serious_faults(b), [])

    def test_keys(self):
        """Arrow keys turn while they are held; the page that goes away stops it."""
        b, head = self.browser, self.head
        head.order(target=600.0)
        b.keys("c")
        b.until(lambda: b.all(".ptz-layer:not([hidden])"), "a key makes the picture turn the camera")
        self.stopped("at first")
        before, stops = head.place(), head.stops
        ActionChains(b.driver).key_down(Keys.ARROW_RIGHT).perform()
        self.server.until(lambda: head.place() - before > 150, "it turns while the key is held", 20)
        ActionChains(b.driver).key_up(Keys.ARROW_RIGHT).perform()
        self.stopped("the key is let go of")
        self.assertGreater(head.stops, stops)
        zooms = head.zooms
        ActionChains(b.driver).key_down("+").perform()
        self.server.until(lambda: head.zooms > zooms, "the key of the zoom", 20)
        ActionChains(b.driver).key_up("+").perform()
        b.keys("h")
        self.server.until(lambda: abs(head.place() - head.home) < 1, "home by a key", 20)
        ActionChains(b.driver).key_down(Keys.ARROW_LEFT).perform()
        self.server.until(lambda: head.place() < head.home - 50, "it turns", 20)
        b.driver.get("about:blank")
        self.stopped("the page is gone")
        ActionChains(b.driver).key_up(Keys.ARROW_LEFT).perform()
        self.browser.open("camera/dome?view=plain")
        b.until(lambda: b.all(".stage.seen"), "the picture")
        b.keys("c")
        b.until(lambda: b.all(".ptz-layer:not([hidden])"), "on")
        b.keys(Keys.ESCAPE)
        b.until(lambda: not b.all(".ptz-layer:not([hidden])"), "off by Escape, and the view stays")
        self.assertEqual(b.run("return location.hash.split('?')[0]"), "#/camera/dome")

    def test_tap_while_it_stops(self):
        """A key that is tapped while the stop of the move before is answered turns the camera all the same."""
        b, head = self.browser, self.head
        head.order(target=600.0)
        b.keys("c")
        b.until(lambda: b.all(".ptz-layer:not([hidden])"), "on")
        self.stopped("at first")
        b.run("""const fetched = window.fetch, answered = new Promise((r) => { window.answer = r; }); window.stops = 0; window.moves = [];
            window.fetch = async (to, how) => {
              if (String(to).endsWith("ptz/move")) window.moves.push(JSON.parse(how.body).pan);
              const r = await fetched(to, how);
              if (String(to).endsWith("ptz/stop")) { window.stops++; await answered; }
              return r;
            };""")
        ActionChains(b.driver).key_down(Keys.ARROW_RIGHT).perform()
        b.until(lambda: b.run("return window.moves.includes(0.5)"), "a move to the right")
        ActionChains(b.driver).key_up(Keys.ARROW_RIGHT).perform()
        b.until(lambda: b.run("return window.stops === 1"), "the stop, whose answer waits")
        moves = head.moves
        ActionChains(b.driver).key_down(Keys.ARROW_LEFT).key_up(Keys.ARROW_LEFT).perform()
        self.assertEqual(b.run("return window.moves.filter((pan) => pan < 0)"), [], "not before the stop is answered")
        b.run("window.answer()")
        b.until(lambda: b.run("return window.moves.filter((pan) => pan < 0).length === 1"), "one move to the left")
        self.server.until(lambda: head.moves > moves, "the camera heard of it", 20)
        b.until(lambda: b.run("return window.stops === 2"), "a stop after it")
        self.stopped("after the tap")
        # Opposite ways at once ask for nothing, and nothing of them stays.
        b.run("const before = window.fetch; window.fetch = async (to, how) => { const r = await before(to, how); if (String(to).endsWith('ptz/stop')) await new Promise((r) => setTimeout(r, 1000)); return r; };")
        ActionChains(b.driver).key_down(Keys.ARROW_RIGHT).key_up(Keys.ARROW_RIGHT).perform()
        b.until(lambda: b.run("return window.stops === 3"), "the third stop")
        ActionChains(b.driver).key_down(Keys.ARROW_LEFT).key_up(Keys.ARROW_LEFT).key_down(Keys.ARROW_RIGHT).key_up(Keys.ARROW_RIGHT).perform()
        time.sleep(1.5)
        self.stopped("after both")
        b.run("window.moves = []")
        ActionChains(b.driver).key_down(Keys.ARROW_LEFT).key_up(Keys.ARROW_LEFT).perform()
        b.until(lambda: b.run("return window.moves.includes(-0.5)"), "a move to the left and nothing else")

    def test_presets(self):
        """A view is kept by a name, gone to, and removed; all of it fits on a phone."""
        b, head = self.browser, self.head
        head.order(target=200.0)
        self.stopped("at the view")
        self.steer()
        names = lambda: b.run("return [...document.querySelectorAll('.ptz-go')].map((e) => e.textContent)")  # noqa: E731
        b.click(".ptz-tools > button[aria-expanded]")
        b.until(lambda: "no presets yet" in b.run("return document.querySelector('.ptz-presets').textContent"), "no presets")
        b.click(".ptz-new input")
        b.keys("Gate <north>", Keys.ENTER)
        b.until(lambda: names() == ["Gate <north>"], "the preset in the list")
        self.pictures("presets")
        b.click(".ptz-bar button[aria-label='Home position']")
        self.server.until(lambda: abs(head.place() - head.home) < 1, "home", 20)
        b.click(".ptz-go")
        self.server.until(lambda: abs(head.place() - 200) < 1, "the preset", 20)
        b.until(lambda: b.all(".ptz-go[aria-current]"), "the list says where it looks")
        zooms = head.zooms
        box = b.run("const r = document.querySelector('.ptz-bar button[aria-label=Nearer]').getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]")
        chain = b.mouse()
        chain.w3c_actions.pointer_action.move_to_location(round(box[0]), round(box[1]))
        chain.click_and_hold().pause(0.4).release().perform()
        self.server.until(lambda: head.zooms > zooms, "the button of the zoom", 20)
        for theme in ("dark", "light"):
            b.resize(360, 740, theme)
            outside = b.run("""const stage = document.querySelector('.stage').getBoundingClientRect(); return [...document.querySelectorAll('.ptz-bar, .ptz-tools > :not([hidden]), .ptz-list *')].filter((e) => {
                const r = e.getBoundingClientRect(); return r.width && (r.left < 0 || r.right > 360); }).map((e) => e.className)""")
            self.assertEqual(outside, [], "within 360 pixels")
            self.assertLessEqual(b.run("return document.documentElement.scrollWidth"), 360)
        b.resize(1280, 800, "dark")
        b.click(".ptz-presets button[aria-label^='Remove the preset']")
        b.until(lambda: names() == [] and not head.presets, "removed")

    def test_fixed(self):
        """Nothing of it where the camera does not turn, and in German there is German."""
        b = self.browser
        b.open("camera/fixed")
        b.until(lambda: b.all(".stage.seen"), "the picture")
        self.assertEqual(b.run("return [document.querySelector('.ptz-layer').hidden, document.querySelector('.ptz-bar').hidden, document.querySelector('.head-tools button').hidden]"), [True, True, True])
        b.keys("c")
        self.assertEqual(b.run("return document.querySelector('.ptz-layer').hidden"), True)
        self.assertEqual(b.run("return document.querySelector('#switch-device_events').closest('.switch-row').hidden"), True, "no device, no events of its own")
        b.run("localStorage.setItem('language', 'de')")
        b.open("camera/dome?view=plain")
        b.until(lambda: b.all(".head-tools button[aria-label='Kamera drehen']"), "German")
        b.run("localStorage.clear()")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
