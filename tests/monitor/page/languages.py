# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page of vigil-monitor in each of its languages: chosen by the browser or by hand, whole, and within the window of a phone and of a desk.

Usage: languages.py VIGIL_MONITOR"""
import json
import pathlib
import sys
import unittest

from case import PageCase
from browser import Browser


TEXTS = pathlib.Path(__file__).resolve().parents[3] / "tools/vigil-monitor/page/texts"
CATALOGUES = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted(TEXTS.glob("*.json"))}
VIEWS = {"wall": ".tile.seen", "camera/door": ".stage.seen", "events": ".cards", "review": ".view-review h1", "timeline": ".tl-bar", "heatmap": ".heat", "labels": ".labels-view:not([hidden])", "system": "tbody tr"}
# All that a person reads or hears, but what the server or the browser says.
SHOWN = """
const out = [];
for (const node of document.querySelectorAll('body *')) {
  if (node.closest('.control, .facts-list, code, option[lang], .agent')) continue;
  for (const name of ['aria-label', 'title', 'placeholder']) if (node.hasAttribute(name)) out.push(node.getAttribute(name));
  for (const child of node.childNodes) if (child.nodeType === 3 && child.data.trim()) out.push(child.data.trim());
}
return out;
"""


class Languages(PageCase):
    @classmethod
    def setUpClass(cls):
        cls.start_server()
        cls.wait_for_cameras()

    def browser(self, language):
        b = Browser(self.server.url, language)
        self.addCleanup(b.quit)
        return b

    def check_views(self, b, language, width):
        """No text is in English that has another word in this language, nothing is wider than the window, and the console is silent."""
        catalogue = CATALOGUES[language]
        foreign = {text for text, found in catalogue.items() if isinstance(found, str) and found != text and "{" not in text and text not in catalogue.values()}
        b.resize(width, 900, "dark")
        for view, sign in VIEWS.items():
            b.open(view)
            b.find(sign)
            self.assertEqual(b.run("return document.documentElement.lang"), language)
            english = sorted(set(b.run(SHOWN)) & foreign)
            self.assertEqual(english, [], f"{view} in {language}")
            over = b.run("return document.documentElement.scrollWidth - innerWidth")
            self.assertLessEqual(over, 0, f"{view} in {language} is {over} pixels wider than {width}")
            cut = b.run("""return [...document.querySelectorAll('.place span, .button, .view-head h1')].filter((e) => e.offsetParent && e.scrollWidth > e.clientWidth + 1)
                .map((e) => e.textContent)""")
            self.assertEqual(cut, [], f"texts that are cut in {view}, {language}, at {width}")
            b.run("window.jumps = []")  # of the layout: page.py's matter

    def test_german(self):
        """By the browser's language; at the sizes of a phone and of a desk."""
        b = self.browser("de-DE,de")
        for width in 360, 1440:
            self.check_views(b, "de", width)
        self.assertEqual([c for c in b.complaints() if "favicon" not in c], [])
        found = b.run("""const { bytes, digits, span, fixed } = await import('/app/time.js'); const { tn } = await import('/app/text.js');
            return [bytes(1.5e6), digits(0.25), span(90000), fixed(2, 1), tn("1 event", "{n} events", 1), tn("1 event", "{n} events", 1200)];""")
        self.assertEqual(found, ["1,5 MB", "0,25", "1 T 1 h", "2,0", "1 Ereignis", "1.200 Ereignisse"])

    def test_others(self):
        """Chosen by hand, and kept; a language that the page does not have is shown in English."""
        b = self.browser("ja-JP,ja")
        b.open("system")
        b.find("tbody tr")
        self.assertEqual((b.run("return document.documentElement.lang"), b.find("h1").text), ("en", "System"))
        for language in ("fr", "es", "it"):
            b.find("#language")
            b.run("const e = document.querySelector('#language'); window.before = true; e.value = arguments[0]; e.dispatchEvent(new Event('change'))", language)
            b.until(lambda: not b.run("return window.before"), "the page again")
            b.find("tbody tr")
            self.assertEqual(b.find(".view-head h1").text, CATALOGUES[language]["System"])
            self.check_views(b, language, 360)
        b.open("system")
        b.find("#language")
        b.run("const e = document.querySelector('#language'); window.before = true; e.value = ''; e.dispatchEvent(new Event('change'))")
        b.until(lambda: not b.run("return window.before") and b.all("h1") and b.find("h1").text == "System", "English again")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
