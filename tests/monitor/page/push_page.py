# SPDX-License-Identifier: LGPL-2.1-or-later
"""Messages by web push on vigil-monitor's page: this device is subscribed, set, tested and ended, and the service worker shows what comes.

Chromium's own push service is out of reach of a test: the page gets a subscription of this test, and messages come by the browser's test interface.
The way over a push service is the matter of tests/monitor/push.py. Usage: push_page.py VIGIL_MONITOR"""
import json
import sys
import time
import unittest

from case import needs_axe, PageCase
from accessibility import serious_faults

CONFIG = """\
http: {{listen: 127.0.0.1:{port}}}
storage: {{path: {folder}/data, max_size: 500MB, min_free: 1MB}}
record: {{pre_capture: 1, post_capture: 1}}
cameras:
  door: {{source: "scenetestsrc scene=street", record: {{max_clip: 5}}}}
  hall: {{source: "scenetestsrc quiet=1"}}
"""
# A subscription with a key that is one (the browser's of RFC 8291, appendix A).
FAKE = """
if (location.protocol === "http:") {
window.fakeSubscribed = null;
const made = { endpoint: "https://push.example/send/1", unsubscribe: async () => { window.fakeSubscribed = null; sessionStorage.removeItem("fake"); return true; },
  toJSON: () => ({ endpoint: "https://push.example/send/1", expirationTime: null,
    keys: { p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", auth: "BTBZMqHH6r4Tts7J_aSIgg" } }) };
if (sessionStorage.getItem("fake")) window.fakeSubscribed = made;
PushManager.prototype.subscribe = async (options) => { window.fakeOptions = options; window.fakeSubscribed = made; sessionStorage.setItem("fake", "1"); return made; };
PushManager.prototype.getSubscription = async () => window.fakeSubscribed;
}
"""


def fake_push(browser, url):
    """A push service of the browser's own, and the permission to send to it."""
    browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": FAKE})
    browser.driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["notifications"], "origin": url})


class PushPage(PageCase):
    @classmethod
    def setUpClass(cls):
        cls.start_server(CONFIG)
        cls.start_browser()
        fake_push(cls.browser, cls.server.url)

    def devices(self):
        return self.server.get("/api/push")["devices"]

    def open_panel(self):
        b = self.browser
        b.open("system")
        b.find(".devices h2")
        b.until(lambda: b.run("return navigator.serviceWorker.controller !== null"), "the service worker")

    def button(self, words):
        b = self.browser
        b.until(lambda: b.run("const e = [...document.querySelectorAll('.devices button')].find((e) => e.textContent === arguments[0] && !e.disabled); e?.click(); return Boolean(e)", words),
                f"the button {words!r}")

    def test_device(self):
        """Subscribed with the server's key; each choice is stored; a test that fails says why; ended here, and from elsewhere."""
        b, s = self.browser, self.server
        self.open_panel()
        self.button("Send messages to this device")
        device = s.until(lambda: next(iter(self.devices()), None), "the device")
        self.assertEqual(b.run("return [window.fakeOptions.userVisibleOnly, window.fakeOptions.applicationServerKey]"), [True, s.get("/api/push")["key"]])
        self.assertEqual((device["language"], bool(device["time_zone"])), ("en", True))

        def chip(group, words):
            b.until(lambda: b.run("""const e = [...document.querySelectorAll(`.devices [role=group][aria-label="${arguments[0]}"] button`)].find((e) => e.textContent === arguments[1]);
                e?.click(); return Boolean(e)""", group, words), f"{words} of {group}")

        def now(**wanted):
            s.until(lambda: {k: self.devices()[0][k] for k in wanted} == wanted, f"{wanted}")
        chip("Cameras", "door")
        now(cameras=["door"])
        chip("Kinds of events", "Loitering")
        now(labels=["loitering"])
        chip("Days", "Sun")
        now(days=[7])
        for label, value in ("Quiet from", "22:00"), ("Quiet until", "06:30"):
            b.find(f'.devices [aria-label="{label}"]')
            b.run("const e = document.querySelector(`.devices [aria-label=\"${arguments[0]}\"]`); e.value = arguments[1]; e.dispatchEvent(new Event('change'))", label, value)
        now(quiet_hours="22:00-06:30")
        b.find('.devices [aria-label="Minutes between two messages"]')
        b.run("const e = document.querySelector('.devices [aria-label=\"Minutes between two messages\"]'); e.value = '5'; e.dispatchEvent(new Event('change'))")
        now(min_interval=300)
        self.button("Send a message for a test")
        self.assertIn("did not go out", b.find(".notice.bad").text)  # push.example is no host
        self.open_panel()  # a reload keeps all
        b.until(lambda: b.all('.devices [aria-label="Quiet from"]') and b.run("return document.querySelector('.devices [aria-label=\"Quiet from\"]').value") == "22:00", "the settings again")
        self.button("End the messages")
        s.until(lambda: not self.devices(), "no device")
        self.assertIsNone(b.run("return localStorage.getItem('push-device')"))
        self.button("Send messages to this device")
        device = s.until(lambda: next(iter(self.devices()), None), "the device again")
        s.send("DELETE", f"/api/push/devices/{device['id']}")  # from elsewhere: a phone that was lost
        b.run("location.reload()")
        b.until(lambda: b.run("return localStorage.getItem('push-device') === null && window.fakeSubscribed === null"), "the page to follow")
        self.assertEqual([c for c in b.complaints() if "did not go out" not in c], [])

    def shown(self, data):
        """The message that the browser shows when its push service brings this; title, text, language, begin of the picture, place."""
        b = self.browser
        script = """const list = await (await navigator.serviceWorker.ready).getNotifications();
            return list.map((n) => [n.title, n.body, n.lang, (n.image ?? "").slice(0, 23), n.data?.place ?? null]);"""

        def message():
            # A new profile's first registration has the number 0. While a page is being loaded the test interface drops what it is given.
            b.driver.execute_cdp_cmd("ServiceWorker.enable", {})
            b.driver.execute_cdp_cmd("ServiceWorker.deliverPushMessage", {"origin": self.server.url, "registrationId": "0", "data": data})
            for _ in range(20):
                if found := b.run(script):
                    return found
                time.sleep(0.2)
            return None
        found = b.until(message, "the message")
        b.run("for (const n of await (await navigator.serviceWorker.ready).getNotifications()) n.close()")
        b.until(lambda: not b.run(script), "no message")
        return found[0]

    def test_messages(self):
        """One event, several, and one that cannot be read; with the picture, in the language of the device, and a touch leads to the event."""
        s = self.server
        event = s.until(lambda: next((e for e in s.get("/api/events?limit=20")["events"] if e["has_snapshot"] and e["end_time"]), None), "an event with a picture", 90)
        self.open_panel()
        one = {"id": event["id"], "camera": "door", "label": "motion", "time": event["start_time"]}
        title, body, language, image, place = self.shown(json.dumps({"kind": "events", "language": "de", "count": 1, "cameras": ["door"], "events": [one]}))
        self.assertEqual((title, language, image, place), ("Bewegung bei door", "de", "data:image/jpeg;base64,", f"#/events?id={event['id']}"))
        self.assertRegex(body, r"^\d\d:\d\d:\d\d$")
        title, body, *_, place = self.shown(json.dumps({"kind": "events", "language": "en", "count": 7, "cameras": ["door", "hall"], "events": [one, {**one, "id": "gone", "camera": "hall", "label": "loitering"}]}))
        self.assertEqual((title, place), ("7 events: door, hall", "#/review"))
        self.assertRegex(body, r"^\d\d:\d\d:\d\d Motion door\n\d\d:\d\d:\d\d Loitering hall\nand 5 more$")
        self.assertEqual(self.shown("no JSON")[0], "A test of Vigil")
        self.assertEqual(self.browser.complaints(), [])

    @needs_axe
    def test_accessibility(self):
        b = self.browser
        self.open_panel()
        self.button("Send messages to this device")
        b.find(".device-settings")
        for theme, width in ("dark", 1280), ("light", 360):
            b.resize(width, 800, theme)
            self.assertEqual(serious_faults(b), [], f"{theme}, {width}")
        b.resize(1280, 800, "dark")
        self.button("End the messages")
        self.server.until(lambda: not self.devices(), "no device")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
