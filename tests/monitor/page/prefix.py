# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-monitor's page behind a proxy that shows it below a prefix, as nginx does. Usage: prefix.py VIGIL_MONITOR"""
import sys
import unittest

from case import PageCase
from proxy import Proxy
import hosts
from selenium.webdriver.common.keys import Keys

PREFIX = "/some/cameras"
TOKEN = "admin-token-0123456789"
CONFIG = """\
http: {{listen: 127.0.0.1:{port}, token_file: {folder}/token, local: admin, framed: true}}
storage: {{path: {folder}/data, max_size: 500MB, min_free: 1MB}}
record: {{pre_capture: 1, post_capture: 1}}
cameras:
  door: {{source: "scenetestsrc scene=street", record: {{max_clip: 5}}}}
"""


class PrefixProxy(Proxy):
    hidden = False  # whether it says that it asks for somebody else

    def forward(self):
        if self.path == "/dashboard":  # another page of this address, as Home Assistant's is
            page = f'<!doctype html><title>x</title><link rel="icon" href="data:,"><iframe src="{PREFIX}/" width="1200" height="800"></iframe>'.encode()
            self.send_response_only(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)
            return
        if not self.path.startswith(PREFIX + "/"):
            self.send_error(404)
            return
        headers = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
        more = {} if self.hidden else {"X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "http", "X-Ingress-Path": PREFIX}
        self.pass_on(self.path[len(PREFIX):], {**headers, **more})

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = forward


class Prefix(PageCase):
    def test_prefix(self):
        no_interface = hosts.have_interface()  # before the browser starts
        self.start_server(CONFIG, f"admin {TOKEN}\n")
        server = self.server
        address = self.start_proxy(PrefixProxy)
        self.start_browser(address + PREFIX)
        b = self.browser
        b.open("wall")
        b.find("#token").send_keys(TOKEN, Keys.ENTER)
        b.find(".tile.seen")
        self.assertGreater(b.run("return document.querySelector('.icon').getBoundingClientRect().width"), 0)
        server.until(lambda: any(e["has_clip"] for e in server.get("/api/events")["events"]), "an event with a clip", 60)
        b.open("events")
        b.until(lambda: b.run("return document.querySelector('.thumb img').naturalWidth"), "a picture of an event")
        for view, sign in ("heatmap", ".heat-hours a"), ("system", ".view-system dd, .view-system td"), ("camera/door", ".stage.seen"):
            b.open(view)
            b.find(sign)
        if why_not := server.get("/api/stats")["webrtc"]["reason"] or no_interface:
            print("SKIPPED in part:", why_not)
        else:
            b.open("camera/door")
            b.until(lambda: b.run("return document.querySelector('.stage-way')?.dataset.way") == "webrtc", "live video by WebRTC")
            b.open("events")
            server.until(lambda: server.get("/api/stats")["webrtc"]["viewers"] == 0, "the view to end", 20)
        b.driver.get(b.url + "/camera/door")  # an address that somebody typed
        b.find(".tile.seen")
        found = b.run("return performance.getEntriesByType('resource').map((e) => new URL(e.name).pathname)")
        self.assertEqual([path for path in found if not path.startswith(PREFIX + "/")], [])
        # Inside a page of the same address.
        b.driver.get(address + "/dashboard")
        b.driver.switch_to.frame(0)
        b.find(".tile.seen")
        self.assertEqual([c for c in b.complaints() if "401" not in c], [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
