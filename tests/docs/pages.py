# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tutorials and how-to pages: their code is the examples', their configurations and settings are taken by the programs, their messages are
the programs' own, and their sentences are short. Usage: pages.py SOURCE_ROOT PIPELINES [VIGIL_MONITOR], PIPELINES of pipelines.cpp"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT, PIPELINES, *MONITOR = (pathlib.Path(a).resolve() for a in sys.argv[1:])
PAGES = [ROOT / "README.md", ROOT / "docs/index.md", *sorted((ROOT / "docs/tutorials").glob("*.md")), *sorted((ROOT / "docs/how-to").glob("*.md"))]
SKIPPED = 77
OF_OTHERS = {'no element "cudamog"', "cannot open the configuration"}  # GStreamer's own; read_text_file puts its words together
TEXT = {p: p.read_text(encoding="utf-8") for p in PAGES}


def fences(text, *languages):
    return [body for language, body in re.findall(r"^```(\w*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE) if language in languages]


def prose(text):
    """Sentences of paragraphs and lists: no code, tables, headings, quotes of programs."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    lines = [re.sub(r"^(- |\d+\. |> )", "", line.strip()) for line in text.splitlines() if line.strip() and not re.match(r"[|#!<]", line.strip())]
    return [s for line in lines for s in re.split(r"(?<=[.:?!])\s+(?=[A-Z`*\[])", line)]


def settings(page, form):
    """The backticked parts in the last column of the rows of a form."""
    rows = re.findall(rf"^\| {form} \|(.*)\|$", page, re.MULTILINE)
    return [s for row in rows for s in re.findall(r"`([^`]+)`", row)]


class Pages(unittest.TestCase):
    def test_there_are_pages(self):
        self.assertGreater(len(PAGES), 15)

    def test_code_is_the_examples(self):
        """Each listing of a tutorial is in a file of examples/, line by line."""
        sources = [p.read_text(encoding="utf-8") for p in (ROOT / "examples").rglob("*") if p.suffix in {".cpp", ".c", ".py", ".rs"} and "target" not in p.parts]
        count = 0
        for page in PAGES:
            if page.parent.name == "tutorials":
                for body in fences(TEXT[page], "cpp", "c", "python", "rust"):
                    count += 1
                    self.assertTrue(any(body in s for s in sources), f"{page.name}: no example has\n{body}")
        self.assertGreater(count, 10)

    def check(self, page, text):
        """A configuration, or a part of one, is taken by vigil-monitor --check."""
        keys = set(re.findall(r"^(\w+):", text, re.MULTILINE))
        if not keys <= {"http", "mqtt", "storage", "record", "cameras", "webhook", "presets", "detector"} or keys == {"record"}:
            text = "cameras:\n  c:\n    source: x\n" + "".join(f"    {line}\n" for line in text.splitlines())
        elif "cameras" not in keys:
            text += "\ncameras: {c: {source: x}}\n"
        names = {name: "x" for name in re.findall(r"\$\{(\w+)\}", text)}
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "monitor.yaml"
            if "certificate" in text:
                subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=x", "-keyout", f"{folder}/key.pem",
                                "-out", f"{folder}/cert.pem"], check=True, capture_output=True)
            file.write_text(text.replace("/etc/vigil", folder).replace("/run/vigil", folder), encoding="utf-8")
            done = subprocess.run([MONITOR[0], "--config", file, "--check", "--storage", folder], capture_output=True, text=True, check=False, env={**os.environ, **names},
                                  timeout=120)
            if "vigil-detector.module, which is missing" in done.stderr and not (pathlib.Path(MONITOR[0]).parent / "vigil-detector.module").exists():
                print(f"SKIPPED: the detector of {page.name}, which this build does not have")
                return
            self.assertEqual(done.returncode, 0, f"{page.name}:\n{text}\n{done.stdout}{done.stderr}")

    def test_configurations(self):
        count = 0
        for page in PAGES:
            for body in fences(TEXT[page], "yaml"):
                if not body.startswith("alias:"):  # Home Assistant's own
                    self.check(page, body)
                    count += 1
        self.assertGreater(count, 6)

    def test_settings_of_false_alarms(self):
        """The YAML of its tables is taken by the monitor, and what is given for gst-launch by GStreamer."""
        page = ROOT / "docs/how-to/reduce-false-alarms.md"
        shown = [s for s in settings(TEXT[page], "YAML") if ":" in s]
        self.assertGreater(len(shown), 5)
        for s in shown:
            self.check(page, f"cudamog: {s}\n" if s.startswith("{") else f"{s}\n")
        launched = [s for s in settings(TEXT[page], "gst-launch") if s.startswith(("cudamog ", "clbilateral "))]
        self.assertGreater(len(launched), 4)
        for s in launched:
            done = subprocess.run([PIPELINES, *f"videotestsrc ! {s} ! fakesink".split()], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, s + done.stderr)

    def test_messages_are_the_programs(self):
        """What the tables of troubleshooting call a message is in the sources."""
        literals = " ".join(re.sub(r'"\s*\n\s*"', "", p.read_text(encoding="utf-8")) for p in sorted((ROOT / "tools/vigil-monitor").rglob("*.cpp")))
        literals = re.sub(r'\\"', '"', literals)
        count, missing = 0, []
        for row in re.findall(r"^\| `([^`|]+)` \|", TEXT[ROOT / "docs/how-to/troubleshooting.md"], re.MULTILINE):
            for part in re.split(r" \.\.\. | 5 ", row):
                if part not in OF_OTHERS:
                    missing += [part] * (part not in literals)
                    count += 1
        self.assertEqual(missing, [])
        self.assertGreater(count, 25)

    def test_sentences_are_short(self):
        """On average 17 words at most, and none over 35."""
        for page in PAGES:
            words = [len(s.split()) for s in prose(TEXT[page])]
            self.assertLessEqual(sum(words) / len(words), 17, page.name)
            self.assertEqual([s for s in prose(TEXT[page]) if len(s.split()) > 35], [], page.name)

    def test_the_way_to_a_service_is_short(self):
        """README and the first tutorial together are at most 1,500 words."""
        words = sum(len(TEXT[ROOT / p].split()) for p in ("README.md", "docs/tutorials/first-camera.md"))
        self.assertLessEqual(words, 1500)

    def test_form(self):
        """Code has its language, tables at most six columns; there are no dates and no commits; each page can be reached from the index."""
        index = TEXT[ROOT / "docs/index.md"]
        for page in PAGES:
            opening = [f for i, f in enumerate(re.findall(r"^```.*$", TEXT[page], re.MULTILINE)) if i % 2 == 0]
            self.assertNotIn("```", opening, page.name)
            for row in re.findall(r"^\|.*\|$", TEXT[page], re.MULTILINE):
                self.assertLessEqual(len(re.sub(r"`[^`]*`|\\\|", "", row).split("|")) - 2, 6, f"{page.name}: {row}")
            plain = re.sub(r"^```.*?^```", "", TEXT[page], flags=re.DOTALL | re.MULTILINE)
            self.assertNotRegex(plain, r"\b20\d\d-\d\d-\d\d\b|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b", page.name)
            if page.parent.name in ("tutorials", "how-to"):
                self.assertIn(f"({page.parent.name}/{page.name}", index)


if __name__ == "__main__":
    if not MONITOR:
        del Pages.test_configurations, Pages.test_settings_of_false_alarms
    good = unittest.main(argv=sys.argv[:1], exit=False).result.wasSuccessful()
    if good and not MONITOR:
        print("SKIPPED: configurations and settings: vigil-monitor is not built")
    sys.exit((0 if MONITOR else SKIPPED) if good else 1)
