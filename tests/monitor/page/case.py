# SPDX-License-Identifier: LGPL-2.1-or-later
"""What each test of the page begins with: a server, a browser, and where the modules of tests/monitor are."""
import http.server
import pathlib
import sys
import threading
import unittest
import urllib.parse

import server as servers

servers.skip_without()
sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from accessibility import axe_file  # pylint: disable=wrong-import-position
from browser import Browser  # pylint: disable=wrong-import-position

PROGRAM = sys.argv[1]
PICTURES = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None  # for tests that say so: a folder for pictures of each step


def needs_axe(test):
    """A test that is skipped where the accessibility checker is missing."""
    if axe_file():
        return test
    print("SKIPPED: the accessibility check: axe is not installed (pip install axe-playwright-python, or VIGIL_AXE=axe.min.js)")
    return unittest.skip("axe is not installed")(test)


class PageCase(unittest.TestCase):
    """The class methods are for setUpClass(): what they start ends after the last test of the class."""

    @classmethod
    def start_server(cls, config=servers.CONFIG, tokens=""):
        cls.server = servers.Server(PROGRAM, config, tokens)
        cls.addClassCleanup(cls.server.stop)

    @classmethod
    def start_browser(cls, url="", arguments=()):
        """On the server's page, or on another address."""
        cls.browser = Browser(url or cls.server.url, arguments=arguments)
        cls.addClassCleanup(cls.browser.quit)

    @classmethod
    def start_proxy(cls, handler):
        """A kind of proxy.Proxy before the server; returns its address."""
        handler.behind = urllib.parse.urlsplit(cls.server.url).netloc
        proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        cls.addClassCleanup(proxy.shutdown)
        return f"http://127.0.0.1:{proxy.server_port}"

    @classmethod
    def wait_for_cameras(cls):
        cls.server.until(lambda: all(c["state"] == "online" for c in cls.server.get("/api/cameras")), "all cameras to be online", 60)

    def pictures(self, name, selector=None):
        """Where the program's second argument is a folder: Browser.save_pictures()."""
        if PICTURES:
            self.browser.save_pictures(PICTURES, name, selector)

    def begin_anew(self):
        """As a browser that has never seen the page, with the usual window."""
        self.browser.run("try { localStorage.clear() } catch { }")
        self.browser.resize(1280, 800, "dark")


class QuietCase(PageCase):
    """Each test ends with a page that did nothing wrong (Browser.complaints)."""

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])
