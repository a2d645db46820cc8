# SPDX-License-Identifier: LGPL-2.1-or-later
"""What people get wrong on the page of vigil-monitor, and what changes under their hands. Usage: mistakes.py VIGIL_MONITOR"""
import pathlib
import signal
import sys
import unittest

from case import QuietCase


from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

ADMIN, VIEW = "admin-token-0123456789", "view-token-0123456789"
STEPS = {"coordinates": "0.06,0.62,0.42,0.56,0.47,0.93,0.08,0.97", "loiter_seconds": 30}
CONFIG = """\
http: {{listen: 127.0.0.1:{port}, token_file: {folder}/token, local: admin}}
storage: {{path: {folder}/data, max_size: 500MB, min_free: 1MB}}
cameras:
  door: {{source: "scenetestsrc scene=street"}}
  hall: {{source: "scenetestsrc scene=indoor"}}
"""


class Mistakes(QuietCase):
    @classmethod
    def setUpClass(cls):
        cls.start_server(CONFIG, f"admin {ADMIN}\nview {VIEW}\n")
        cls.config = pathlib.Path(cls.server.folder.name) / "monitor.yaml"
        cls.start_browser()
        cls.wait_for_cameras()

    def field(self, selector):
        return self.browser.run("return document.querySelector(arguments[0]).value", selector)

    def type_into(self, selector, *keys):
        b = self.browser
        b.find(selector)
        b.run("const e = document.querySelector(arguments[0]); e.scrollIntoView({block: 'center'}); e.focus(); e.select()", selector)
        b.keys(*keys, Keys.ENTER)

    def type_day(self, day):
        """Types a day into the field of the view; its order of year, month and day is the browser's."""
        b = self.browser
        b.find('input[type="date"]')
        b.run("document.querySelector('input[type=date]').focus()")
        order = b.run("return new Intl.DateTimeFormat().formatToParts(new Date()).map((p) => p.type).filter((t) => t !== 'literal')")
        year, month, date = day.split("-")
        b.run("window.typedInto = document.querySelector('input[type=date]')")
        b.keys("".join({"year": year, "month": month, "day": date}[part] for part in order))
        self.assertTrue(b.run("return window.typedInto.isConnected"))

    def test_addresses(self):
        """Addresses that somebody typed, or kept from another time."""
        b = self.browser
        b.open("camera/%E0%A4%A")
        b.until(lambda: "There is no camera" in b.find("main").text, "words")
        b.open("heatmap?day=banana")
        b.until(lambda: b.find(".view-head h2").text == "Today", "today's heat map")
        b.open("events?day=banana&camera=gone")
        b.until(lambda: self.field('[aria-label="Camera"]') == "gone", "the camera in the filter")
        b.click(".empty a, .empty button")
        b.until(lambda: self.field('[aria-label="Camera"]') == "", "no filter")

    def test_typed_day(self):
        """A day is typed figure by figure: 0002, 0020 and 0202 come before 2026."""
        b = self.browser
        b.open("events")
        day = b.run("const { dateValue, dayStart, now } = await import('/app/time.js'); return dateValue(dayStart(now(), -1))")
        for view in "events", "heatmap":
            b.open(view)
            b.find(".card, .heat")
            self.type_day(day)
            b.until(lambda: b.run("return location.hash").endswith(f"day={day}"), f"{day} in the address of {view}")  # pylint: disable=cell-var-from-loop
            self.assertEqual(self.field('input[type="date"]'), day)

    def open_door_with_steps(self):
        self.server.send("PUT", "/api/cameras/door/zones/steps", STEPS)
        self.addCleanup(self.server.send, "DELETE", "/api/cameras/door/overrides")
        self.browser.open("camera/door")
        self.browser.find(".stage.seen")

    def test_fields(self):
        """What a field shows is what holds, whatever was typed."""
        b = self.browser
        self.open_door_with_steps()
        number = "[data-element=cudamog] [data-name=components] input[type=number]"
        b.run("document.querySelector('.tabs input[value=controls]').click()")
        for typed, holds in ("3", 3), ("99", 5), ("-4", 1), (Keys.DELETE, 1), ("2.6", 3), ("e", 3):
            self.type_into(number, typed)
            b.until(lambda: self.field(number) == str(holds) == str(self.server.value("door", "cudamog", "components")["value"]),  # pylint: disable=cell-var-from-loop
                    f"{holds} after {typed!r}")
        b.run("document.querySelector('.tabs input[value=areas]').click()")
        name, loiter = '[data-area="zones/steps"] input[type="text"]', '[data-area="zones/steps"] input[type="number"]'
        for typed in 'K\u00fcche "1"', " ", "a/b":
            self.type_into(name, typed)
            b.until(lambda: "cannot be a name" in b.find(".notice.bad:last-child").text and self.field(name) == "steps", f"the name that holds after {typed!r}")
        self.assertEqual(list(self.server.camera("door")["zones"]), ["steps"])
        for typed, shown, holds in ("45", "45", 45), ("e", "45", 45), ("-5", "", 0), ("1e9", "86400", 86400), (Keys.DELETE, "", 0), ("2.5", "2.5", 2.5):
            self.type_into(loiter, typed)
            b.until(lambda: self.field(loiter) == shown and self.server.camera("door")["zones"]["steps"]["loiter_seconds"] == holds,  # pylint: disable=cell-var-from-loop
                    f"{shown!r} after {typed!r}")

    def test_two_pages(self):
        """Somebody else deletes what this page is about to take back."""
        b = self.browser
        self.open_door_with_steps()
        b.run("document.querySelector('.tabs input[value=areas]').click()")
        self.type_into('[data-area="zones/steps"] input[type="text"]', "stairs")
        self.server.until(lambda: list(self.server.camera("door")["zones"]) == ["stairs"], "the new name")
        b.find('[aria-label="Undo"]:not(:disabled)')  # the page has the server's answer
        self.server.send("DELETE", "/api/cameras/door/zones/stairs")
        b.until(lambda: not b.all(".area"), "the zone to go here too")
        b.run("document.activeElement.blur()")
        ActionChains(b.driver).key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()
        b.until(lambda: b.run("return [...document.querySelectorAll('.area')].map((e) => e.dataset.area)") == ["zones/steps"], "the zone with its old name")
        self.assertEqual(b.all(".notice.bad"), [])
        # The browser itself notes each answer of 404; there is one, and no other complaint.
        said = b.complaints()
        self.assertEqual(len(said), 1, said)
        self.assertIn("zones/stairs", said[0])

    def test_camera_goes(self):
        """A camera is taken out of the configuration while somebody looks at it."""
        b = self.browser
        before = self.config.read_text(encoding="utf-8")
        b.open("camera/hall")
        b.find(".stage.seen")
        self.config.write_text("".join(line for line in before.splitlines(keepends=True) if "hall:" not in line), encoding="utf-8")
        self.server.process.send_signal(signal.SIGHUP)
        b.until(lambda: b.run("return location.hash") == "#/wall", "the wall")
        self.assertIn("hall is not configured any more", b.find(".notice").text)
        # Where its video ended first, the browser notes that it is gone, and once that its pictures are.
        self.assertLessEqual(len([c for c in b.complaints() if "cameras=hall" not in c and "/hall/" not in c]), 0)
        self.config.write_text(before, encoding="utf-8")
        self.server.process.send_signal(signal.SIGHUP)
        b.until(lambda: len(b.all(".tile")) == 2, "the camera on the wall again")
        b.run("window.jumps = []")  # with another number of cameras the wall is another one

    def test_server_goes(self):
        """The server ends while somebody looks: what is left of its pictures must not look live."""
        b = self.browser
        grey = "return getComputedStyle(document.querySelector('.stage')).filter"
        b.open("camera/door")
        b.find(".stage.seen")
        b.until(lambda: b.run(grey) == "none", "a picture as it is")
        self.server.process.kill()
        self.server.process.wait()
        try:
            b.until(lambda: "grayscale" in b.run(grey), "a picture that is no more live to look grey")
            b.run("document.querySelector('.tabs input[value=areas]').click()")
            b.keys("z")
            b.at(".draw", 0.2, 0.3).click_and_hold().perform()
            b.at(".draw", 0.5, 0.6).release().perform()
            self.assertIn("Try it again", b.find(".notice.bad").text)
            self.assertEqual(b.all(".area"), [])
        finally:
            self.server.start()
        b.until(lambda: b.run(grey) == "none", "the picture again")
        b.until(lambda: b.run("return document.querySelector('.stage-way')?.dataset.way") in ("webrtc", "mp4"), "its video again")
        # The new server knows nothing of the video that the page ends: 404, which the browser notes. Where its camera is slow to
        # start, it has no video for a moment: 503.
        expected = "ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED", "/whep", "/live.mp4"
        self.assertEqual([c for c in b.complaints() if not any(e in c for e in expected)], [])

    def test_tokens(self):
        """From another machine: a wrong token, who may only look, and a way out again."""
        b = self.browser
        headers = {"X-Forwarded-For": "192.0.2.1"}  # as a proxy says whom it asks for
        b.driver.execute_cdp_cmd("Network.enable", {})
        b.driver.execute_cdp_cmd("Network.setExtraHTTPHeaders", {"headers": headers})
        self.addCleanup(b.driver.execute_cdp_cmd, "Network.setExtraHTTPHeaders", {"headers": {}})

        def sign_in(token):
            b.find("#token")
            self.type_into("#token", token)

        b.open("wall")
        sign_in("no token of this server")
        b.until(lambda: "not known" in b.find("#token-error").text, "why not")
        sign_in(VIEW)
        b.find(".tile.seen")
        b.open("camera/door")
        b.find(".stage.seen")
        self.assertTrue(b.run("return [...document.querySelectorAll('.area-tools button')].every((e) => e.disabled)"))
        b.click('.rail [aria-label="Sign out"]')
        sign_in(ADMIN)
        b.find(".area-tools button:not(:disabled)")
        b.resize(360, 740, "dark")
        self.addCleanup(b.resize, 1280, 800, "dark")
        b.open("system")
        b.until(lambda: b.run("return [...document.querySelectorAll('.narrow-only .button')].filter((e) => e.offsetHeight).map((e) => e.textContent)")
                == ["Theme", "Sign out"], "the rail's buttons, for which a narrow screen has no room")
        b.run("[...document.querySelectorAll('.narrow-only .button')].at(-1).click()")
        b.find("#token")
        # Answers of 401 are the browser's own complaints; nothing else is said.
        # So is the end of a video with the right to see it.
        self.assertEqual([c for c in b.complaints() if "401" not in c and "live.mp4" not in c], [])

    def test_dead_session(self):
        """At the server's own machine, which needs no token: a session that ended leaves the page, and shows no login. Elsewhere the login is shown."""
        b = self.browser
        b.driver.execute_cdp_cmd("Network.enable", {})
        self.addCleanup(b.driver.execute_cdp_cmd, "Network.setExtraHTTPHeaders", {"headers": {}})

        def sign_in():
            status = b.run("return (await fetch('api/login', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ token: arguments[0] }) })).status", VIEW)
            self.assertEqual(status, 200)
            b.run("location.reload()")
            b.until(lambda: b.run("return document.documentElement.dataset.role") == "view" and b.all(".tile.seen"), "the wall of the session")

        def end_session():
            for session in self.server.get("/api/sessions")["sessions"]:
                self.server.send("DELETE", f"/api/sessions/{session['id']}")

        b.open("wall")
        b.find(".tile.seen")
        sign_in()
        end_session()  # while the page shows live pictures
        b.until(lambda: b.run("return document.documentElement.dataset.role") == "admin" and b.all(".tile.seen"), "the wall as this machine shows it")
        self.assertEqual(b.all(".login"), [])
        sign_in()
        b.driver.get("about:blank")
        end_session()  # before the page is loaded
        b.driver.get(self.server.url)
        b.until(lambda: b.run("return document.documentElement.dataset.role") == "admin" and b.all(".tile.seen"), "the wall after a start with a dead cookie")
        self.assertEqual(b.all(".login"), [])
        sign_in()
        b.driver.execute_cdp_cmd("Network.setExtraHTTPHeaders", {"headers": {"X-Forwarded-For": "192.0.2.1"}})
        end_session()
        b.find(".login form:not([hidden]) #token")
        b.driver.delete_all_cookies()
        self.assertEqual([c for c in b.complaints() if "401" not in c and "ERR_INCOMPLETE_CHUNKED" not in c and "live.mp4" not in c and "whep" not in c], [])

    def test_users(self):
        """A user with some cameras: signs in by name, sees those alone, changes the own password, and is out once the session is ended."""
        b, password = self.browser, "correct horse battery"
        self.server.send("POST", "/api/users", {"name": "vera", "role": "viewer", "password": password, "cameras": ["door"]})
        self.addCleanup(self.server.send, "DELETE", "/api/users/vera")
        b.open("system")
        b.until(lambda: b.run("return [...document.querySelectorAll('.users .user-row strong')].map((e) => e.textContent)") == ["vera"], "the list of users")
        b.driver.execute_cdp_cmd("Network.enable", {})
        b.driver.execute_cdp_cmd("Network.setExtraHTTPHeaders", {"headers": {"X-Forwarded-For": "192.0.2.1"}})
        self.addCleanup(b.driver.execute_cdp_cmd, "Network.setExtraHTTPHeaders", {"headers": {}})

        def sign_in(name, word):
            b.find("#user")
            b.run("document.querySelector('#user').value = arguments[0]", name)
            self.type_into("#password", word)

        b.run("location.reload()")
        sign_in("vera", "wrong password")
        b.until(lambda: "name or the password" in b.find("#token-error").text, "why not")
        sign_in("Vera", password)
        b.find(".rail")
        b.open("wall")
        b.find(".tile.seen")
        self.assertEqual(b.run("return [...document.querySelectorAll('.tile')].length"), 1)
        b.open("camera/hall")
        b.until(lambda: "There is no camera" in b.find("main").text, "another camera is as none")
        b.open("system")
        b.until(lambda: len(b.run("return [...document.querySelectorAll('.people-list li .badge')].map((e) => e.textContent)")) == 1, "the own session")
        self.assertFalse(b.run("return !!document.querySelector('.users')"))
        fields = b.run("return [...document.querySelectorAll('.people-form input')].map((e, i) => { e.id = `own-${i}`; return e.type; })")
        self.assertEqual(fields, ["password", "password"])
        b.run("document.querySelector('#own-0').value = arguments[0]; window.before = true", password)
        before = {s["id"] for s in self.server.get("/api/sessions")["sessions"] if s["name"] == "vera"}
        self.type_into("#own-1", "another password")

        def others():
            return [s["id"] for s in self.server.get("/api/sessions")["sessions"] if s["name"] == "vera" and s["id"] not in before]
        b.until(lambda: len(others()) == 1, "a session of the new password")
        b.until(lambda: b.run("return !window.before && !!document.querySelector('.people-form')"), "the page, still signed in")
        self.server.send("DELETE", f"/api/sessions/{others()[0]}")
        b.find("#user")
        b.click(".login .button.quiet")
        b.find("#token:focus")
        # A session that somebody else ends takes its live pictures with it.
        self.assertEqual([c for c in b.complaints() if "401" not in c and "ERR_INCOMPLETE_CHUNKED" not in c], [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
