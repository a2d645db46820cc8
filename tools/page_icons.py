#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws the icons of vigil-monitor's page from favicon.svg, by Chromium and selenium. Usage: page_icons.py

icon-SIZE.png has round corners, maskable-SIZE.png fills the square (phones cut their own shape out of it), touch-180.png is for iOS, and
badge-96.png is the eye in one colour, which Android shows next to messages."""
import base64
import pathlib
import re
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

PAGE = pathlib.Path(__file__).resolve().parent / "vigil-monitor/page"
svg = (PAGE / "favicon.svg").read_text(encoding="utf-8")
square = svg.replace(' rx="7"', "")
# A phone may cut away a fifth at each side: the eye is smaller there.
maskable = re.sub(r"(<path.*)</svg>", r'<g transform="translate(16 16) scale(.8) translate(-16 -16)">\1</g></svg>', square, flags=re.S)
badge = re.sub(r"<rect[^>]*/>", "", svg).replace("#5cc8e8", "#fff").replace("#f6b042", "#fff")

options = Options()
options.binary_location = "/usr/bin/chromium"
with tempfile.TemporaryDirectory() as profile:
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}"):
        options.add_argument(word)
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    driver.execute_cdp_cmd("Emulation.setDefaultBackgroundColorOverride", {"color": {"r": 0, "g": 0, "b": 0, "a": 0}})
    for name, text, size in ("icon-192", svg, 192), ("icon-512", svg, 512), ("maskable-512", maskable, 512), ("touch-180", maskable, 180), ("badge-96", badge, 96):
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": size, "height": size, "deviceScaleFactor": 1, "mobile": False})
        driver.get("data:text/html;base64," + base64.b64encode(f"<style>*{{margin:0}}svg{{display:block;width:{size}px;height:{size}px}}</style>{text}".encode()).decode())
        shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
        (PAGE / f"icons/{name}.png").write_bytes(base64.b64decode(shot["data"]))
    driver.quit()
