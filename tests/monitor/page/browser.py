# SPDX-License-Identifier: LGPL-2.1-or-later
"""A headless Chromium that also tells what it asked for, what its console said and what jumped."""
import base64
import json
import tempfile
import time
import urllib.parse

from selenium import webdriver
from selenium.common.exceptions import JavascriptException, StaleElementReferenceException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.support.ui import WebDriverWait

# Adds up what moved without somebody's doing, as the browser itself scores it.
WATCH_SHIFTS = """
window.jumps = [];
new PerformanceObserver((list) => {
  for (const e of list.getEntries()) if (!e.hadRecentInput)
    window.jumps.push([e.value, ...e.sources.map((s) => s.node?.className?.baseVal ?? s.node?.className ?? s.node?.nodeName)]);
}).observe({ type: "layout-shift", buffered: true });
"""


class Browser:
    def __init__(self, url, language="en-GB", arguments=()):
        self.url = url
        self.profile = tempfile.TemporaryDirectory(prefix="vigil-chromium-")
        options = Options()
        options.binary_location = "/usr/bin/chromium"
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--lang={language}", "--mute-audio",
                     "--autoplay-policy=no-user-gesture-required", f"--user-data-dir={self.profile.name}", *arguments):
            options.add_argument(word)
        options.add_experimental_option("prefs", {"intl.accept_languages": language})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.driver.set_script_timeout(120)  # the accessibility checker takes half a minute on a busy machine
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH_SHIFTS})
        self.resize(1280, 800, "dark")

    def resize(self, width, height, theme):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]})

    def open(self, place):
        self.driver.get("about:blank")
        self.driver.get(f"{self.url}/#/{place}")

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def find(self, selector):
        return self.until(lambda: self.run("return document.querySelector(arguments[0])", selector), selector)

    def click(self, selector):
        """Clicks an element once it is there and enabled: a disabled button swallows the click."""
        def clicked():
            element = self.run("return document.querySelector(arguments[0])", f"{selector}:not(:disabled)")
            if element:
                element.click()
            return element
        self.until(clicked, f"{selector}, enabled")

    def all(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])]", selector)

    def until(self, condition, what, seconds=60):
        """Waits until the condition holds. Lists are drawn again while they are looked at, so elements that went, or are not
        there yet (a script that reads a member of null), count as a condition that does not hold yet."""
        wait = WebDriverWait(self.driver, seconds, 0.1, ignored_exceptions=[StaleElementReferenceException, JavascriptException])
        return wait.until(lambda _: condition(), f"waited {seconds} s in vain for {what}")

    def keys(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def mouse(self):
        return ActionChains(self.driver, duration=40)

    def box(self, selector):
        return self.run("const b = document.querySelector(arguments[0]).getBoundingClientRect(); return [b.left, b.top, b.width, b.height]", selector)

    def at(self, selector, x, y):
        """Moves the mouse to a share of the element's width and height; returns the chain."""
        box = self.box(selector)
        chain = self.mouse()
        chain.w3c_actions.pointer_action.move_to_location(round(box[0] + x * box[2]), round(box[1] + y * box[3]))
        return chain

    def drag(self, selector, *places):
        """Presses at the first place, goes slowly over the others and lets go, in one chain: a slider lets go between two."""
        box = self.box(selector)
        chain = self.mouse()
        pointer = chain.w3c_actions.pointer_action
        for number, (x, y) in enumerate(places):
            pointer.move_to_location(round(box[0] + x * box[2]), round(box[1] + y * box[3]))
            if number == 0:
                pointer.pointer_down()
            pointer.pause(0.4)
        pointer.pointer_up()
        chain.perform()

    def picture(self):
        """JPEG of the page, small enough for the documentation."""
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "jpeg", "quality": 72})
        return base64.b64decode(shot["data"])

    def save_pictures(self, folder, name, selector=None):
        """Of a screen and of a phone, as NAME-WIDTH.jpg; scrolled to the element."""
        folder.mkdir(parents=True, exist_ok=True)
        for width, height in ((1280, 800), (360, 740)):
            self.resize(width, height, "dark")
            if selector:
                self.run("document.querySelector(arguments[0]).scrollIntoView()", selector)
            time.sleep(0.7)
            (folder / f"{name}-{width}.jpg").write_bytes(self.picture())
        self.resize(1280, 800, "dark")

    def grey(self, selector="canvas.picture"):
        """Mean grey level of a canvas, 0 to 255."""
        return self.driver.execute_async_script("""
            const done = arguments[1];
            createImageBitmap(document.querySelector(arguments[0])).then((bitmap) => {
              const canvas = new OffscreenCanvas(64, 36), c = canvas.getContext("2d");
              c.drawImage(bitmap, 0, 0, 64, 36);
              const d = c.getImageData(0, 0, 64, 36).data;
              let sum = 0;
              for (let i = 0; i < d.length; i += 4) sum += d[i] + d[i + 1] + d[i + 2];
              done(sum / (d.length / 4 * 3));
            });""", selector)

    def complaints(self):
        """What went wrong since the last call: errors on the console, requests to other hosts, jumps of the layout."""
        found = [f"console: {line['message']}" for line in self.driver.get_log("browser") if line["level"] in ("SEVERE", "WARNING")]
        own = urllib.parse.urlsplit(self.url).netloc
        for line in self.driver.get_log("performance"):
            message = json.loads(line["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                address = urllib.parse.urlsplit(message["params"]["request"]["url"])
                if address.scheme in ("http", "https", "ws", "wss") and address.netloc != own:
                    found.append(f"request to another host: {address.geturl()}")
        jumps = self.run("return window.jumps ?? []")
        if sum(j[0] for j in jumps) > 0.02:
            found.append(f"the layout jumped: {jumps}")
        return found

    def quit(self):
        self.driver.quit()
        self.profile.cleanup()
