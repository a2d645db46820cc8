# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-monitor's page as an app, below a proxy's prefix: manifest, service worker, what is shown while the server is away, and a new version.

Usage: install.py VIGIL_MONITOR"""
import json
import sys
import unittest
import urllib.parse

from case import PageCase
from browser import Browser
from prefix import CONFIG, PREFIX, PrefixProxy

OPEN = CONFIG.replace("token_file: {folder}/token, local: admin, framed: true", "local: admin")


class Gateway(PrefixProxy):
    """Answers 502 while the server is away, and can give the service worker another version."""
    version = ""

    def forward(self):
        if self.path == PREFIX + "/service-worker.js" and self.version:
            body = f'importScripts("service-worker.js?as-it-is");\n// {self.version}\n'.encode()
            return self.answer(200, "text/javascript", body)
        try:
            return super().forward()
        except ConnectionRefusedError:
            return self.answer(502, "text/html", b"<title>Bad gateway</title>")

    def answer(self, status, kind, body):
        self.send_response_only(status)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(body)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = forward


class Install(PageCase):
    @classmethod
    def setUpClass(cls):
        # The visitors of a proxy need a token; these tests are about the page, so that the proxy hides that it is one.
        cls.start_server(OPEN)
        Gateway.hidden = True
        cls.address = cls.start_proxy(Gateway) + PREFIX

    def setUp(self):
        Gateway.version = ""
        self.browser = Browser(self.address)
        self.addCleanup(self.browser.quit)
        self.browser.open("wall")
        self.browser.find(".tile.seen")
        self.browser.until(lambda: self.browser.run("return navigator.serviceWorker.controller !== null"), "a service worker that has taken over")

    def wait_away(self):
        b = self.browser
        b.until(lambda: b.all(".offline h1") and b.find(".offline h1").text == "The server is away", "the page without a server")
        self.assertEqual(b.run("return document.querySelectorAll('canvas, video, .tile').length"), 0)

    def test_manifest(self):
        b = self.browser
        found = b.driver.execute_cdp_cmd("Page.getAppManifest", {})
        self.assertEqual(found["errors"], [])
        manifest = json.loads(found["data"])
        root = f"{b.url}/"
        self.assertEqual([urllib.parse.urljoin(found["url"], manifest[key]) for key in ("start_url", "scope")], [root, root])
        for icon in manifest["icons"]:
            width, height = b.driver.execute_async_script("""const done = arguments[1], i = new Image();
                i.onload = () => done([i.naturalWidth, i.naturalHeight]); i.onerror = () => done([0, 0]); i.src = arguments[0];""", urllib.parse.urljoin(found["url"], icon["src"]))
            self.assertEqual(icon["sizes"] in ("any", f"{width}x{height}") and width > 0, True, icon)
        # Chromium says "in-incognito" of its own test profile; all else would keep the page from being installed.
        errors = b.driver.execute_cdp_cmd("Page.getInstallabilityErrors", {})["installabilityErrors"]
        self.assertEqual([e for e in errors if e["errorId"] != "in-incognito"], [])
        registration = b.run("const r = await navigator.serviceWorker.ready; return [r.scope, r.updateViaCache]")
        self.assertEqual(registration, [root, "none"])
        self.assertEqual(b.complaints(), [])

    def test_away(self):
        """While the server is away a reload shows that, and no picture; then the page comes back by itself, at its place."""
        b, s = self.browser, self.server
        b.open("camera/door")
        b.find(".stage.seen")
        s.process.kill()
        s.process.wait()
        try:
            b.run("location.reload()")
            self.wait_away()
            b.driver.get(f"{b.url}/camera/door")  # an address that somebody typed
            self.wait_away()
            self.assertEqual(b.run("return location.pathname"), PREFIX + "/")
            b.driver.get(f"{b.url}/#/camera/door")
            self.wait_away()
            status = b.driver.execute_async_script("const done = arguments[0]; fetch('api/cameras').then((r) => done(r.status), (e) => done(String(e)))")
            self.assertEqual(status, 502, "the API is never answered by the service worker")
        finally:
            s.start()
        b.find(".stage.seen")
        self.assertEqual(b.run("return location.hash"), "#/camera/door")
        kept = b.run("""const out = [];
            for (const name of await caches.keys()) for (const r of await (await caches.open(name)).keys()) out.push(new URL(r.url).pathname);
            return out;""")
        self.assertEqual([path for path in kept if "/api/" in path or path.endswith(("/", "index.html", "main.js"))], [], "what is kept in the browser")
        self.assertIn(PREFIX + "/offline.html", kept)

    def test_without_proxy(self):
        """The same where nothing answers at all."""
        b, s = self.browser, self.server
        b.driver.get(s.url)
        b.find(".tile.seen")
        b.until(lambda: b.run("return navigator.serviceWorker.controller !== null"), "a service worker")
        s.process.kill()
        s.process.wait()
        try:
            b.run("location.reload()")
            self.wait_away()
        finally:
            s.start()
        b.find(".tile.seen")

    def test_new_version(self):
        """Another version of the program: the page says so, loads it, and the files of before are gone."""
        b = self.browser
        before = b.run("return caches.keys()")
        self.assertEqual(len(before), 1)
        b.run("await (await navigator.serviceWorker.ready).update()")
        self.assertEqual(b.all(".notice"), [], "the same version is no news")
        Gateway.version = "another"
        b.run("window.before = true; await (await navigator.serviceWorker.ready).update()")
        b.until(lambda: "new version" in b.find(".notice").text, "the notice")
        b.click(".notice .button")
        b.until(lambda: b.run("return !window.before") and b.all(".tile.seen"), "the page again")
        self.assertEqual(len(b.run("return caches.keys()")), 1)
        self.assertEqual(b.complaints(), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
