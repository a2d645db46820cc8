# SPDX-License-Identifier: LGPL-2.1-or-later
"""Statements of the documents that have been wrong before, each held against the code. Usage: statements.py SOURCE_ROOT [VIGIL-MONITOR]"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
MONITOR = sys.argv.pop(1) if len(sys.argv) > 1 else None


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


class Statements(unittest.TestCase):
    def test_examples_learn_no_faster_than_the_default(self):
        """The examples set foreground-rate to learn slower during motion, and then go back to the default."""
        default = float(re.search(r"^  foreground-rate +:.*?Default: +([\d.e+-]+)",
                                  subprocess.run(["gst-inspect-1.0", "cudamog"], capture_output=True, text=True, check=True).stdout, re.DOTALL | re.MULTILINE)[1])
        for name in ("motion_events.cpp", "watch.c", "watch.py"):
            rates = [float(x) for x in re.findall(r'"foreground-rate",\s*([\d.]+)', text(f"examples/{name}"))]
            with self.subTest(name):
                self.assertEqual(len(rates), 2)
                self.assertLess(rates[0], default)
                self.assertAlmostEqual(rates[1], default, places=6)

    def test_every_message_is_in_the_table(self):
        """The table of messages-and-metadata.md has each message that an element can post, and no other."""
        posted = set()
        for path in sorted((ROOT / "gst").rglob("*.cpp")):
            source = path.read_text(encoding="utf-8")
            for call in re.findall(r"(?:new_timed_structure|new_motion_message|post_track)\(([^;]*?);", source):
                posted.update(re.findall(r'"([a-z]+(?:-[a-z]+)*)"', call.split("time")[0]))
            for names in re.findall(r"const char \*(?:message|name)_of\([^)]*\) \{(.*?)\n\}", source, re.DOTALL):
                posted.update(n for n in re.findall(r'return "([a-z-]+)"', names) if "-" in n)
        posted.update(re.findall(r'return "([a-z-]+)"', re.search(r"const char \*name_of\(Kind.*?\n\}", text("kernels/rules/event.cpp"), re.DOTALL)[0]))
        posted -= {"unknown"}
        table = text("docs/reference/messages-and-metadata.md").split("| message | from |", 1)[1].split("\n\n", 1)[0]
        shown = set()
        for row in table.splitlines()[2:]:
            shown.update(re.findall(r"`([a-z-]+)`", row.split("|")[1]))
        self.assertGreater(len(posted), 20, posted)
        self.assertEqual(shown, posted)

    def test_every_metadata_is_in_the_table(self):
        """The table of messages-and-metadata.md has each metadata that an element attaches, and no other."""
        attached = set()
        files = {p: p.read_text(encoding="utf-8") for p in sorted((ROOT / "gst").rglob("*.[ch]*")) if p.suffix in (".h", ".cpp")}
        for path, source in files.items():
            # Constants mean the same in a folder; parameter_of() is a function of the same file.
            names = dict(re.findall(r'constexpr const char \*(\w+) = "([^"]+)"', "".join(t for p, t in files.items() if p.parent == path.parent)))
            attached.update(names[n] for n in re.findall(r"gst_meta_register_custom\((\w+)", source))
            attached.update(re.findall(r'add_tensor_meta\(buffer, "([^"]+)"', source))
            attached.update(re.findall(r"gst_analytics_relation_meta_add_(\w+)_mtd", source))
            if "region_of_interest_meta_add_param" in source:
                made = re.findall(r"(?:add_param\(\s*\w+,|\*parameter_of\([^)]*\) \{\s.*?)\s*gst_structure_new\(\s*([\w\"]+)", source, re.DOTALL)
                attached.update(names.get(n, n.strip('"')) for n in made + re.findall(r"gst_structure_new_empty\((\w+_param)\)", source))
        table = text("docs/reference/messages-and-metadata.md").split("| element | meta | content |", 1)[1].split("\n\n", 1)[0]
        shown = set(re.findall(r"(?:named|parameter|id) `([a-z-]+)`", table))
        analytics = {"od": "object detection", "segmentation": "segmentation", "cls": "GstAnalyticsClsMtd", "tracking": "GstAnalyticsTrackingMtd"}
        shown.update(kind for kind, words in analytics.items() if words in table)
        self.assertGreater(len(attached), 10, attached)
        self.assertEqual(shown, attached)

    @unittest.skipUnless(MONITOR, "this build has no vigil-monitor")
    def test_monitor_yaml_has_every_key(self):
        """docs/monitor.yaml has each key that the program takes."""
        said = subprocess.run([MONITOR, "--describe-config"], capture_output=True, text=True, check=True).stdout
        keys = {part for row in json.loads(said) for part in row["path"].split(".") if part not in ("NAME", "ITEM")}
        example = text("docs/monitor.yaml")
        self.assertGreater(len(keys), 30, keys)
        self.assertEqual([k for k in sorted(keys) if not re.search(rf"\b{k}\b( with TLS)?:", example)], [])

    @unittest.skipUnless(MONITOR, "this build has no vigil-monitor")
    def test_configuration_pages_are_up_to_date(self):
        done = subprocess.run([sys.executable, ROOT / "tools/config_reference.py", MONITOR, "--check"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_every_metric_is_on_its_page(self):
        """metrics.md has each name that /metrics answers, and no other."""
        source = text("tools/vigil-monitor/http/metrics.cpp")
        names = set(re.findall(r'\b(?:one|head)\("(\w+)"', source)) | set(re.findall(r'^ +\{"(camera_\w+)", "', source, re.MULTILINE))
        self.assertGreater(len(names), 15, names)
        self.assertEqual(set(re.findall(r"`vigil_(\w+)`", text("docs/reference/metrics.md"))), names)

    def test_http_api_page_is_up_to_date(self):
        done = subprocess.run([sys.executable, ROOT / "tools/http_api_page.py", "--check"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_where_recordings_go(self):
        """The pages name the folder that ./run monitor records into."""
        self.assertIn('--storage "$build/monitor"', text("run"))
        for page in ("docs/reference/monitor.md",):
            self.assertIn("`build/monitor`", text(page), page)

    def test_tamper_detection_is_not_said_to_need_the_cpu(self):
        for page in ("docs/reference/monitor.md", "docs/reference/presets.md", "docs/reference/elements/cudamog.md", "CHANGELOG.md"):
            for line in text(page).splitlines():
                if "camera-covered" in line or "watch-camera" in line or "camera itself" in line:
                    self.assertNotRegex(line, r"on the (CPU|processor)( only)?\b(?!,)", page)

    def test_the_readme_has_no_figures(self):
        """README.md quotes no measurement, which could fall behind its source: docs/index.md leads to the figures."""
        self.assertEqual(re.findall(r"\b0\.\d{3}\b|\b\d+(?:\.\d+)? (?:ms|fps|frames)\b", text("README.md")), [])
        self.assertIn("explanation/quality.md", text("docs/index.md"))

    def test_placeholders_are_where_maintainers_md_says(self):
        """No made-up address of the project outside the places that MAINTAINERS.md lists."""
        if not shutil.which("git"):
            self.skipTest("git is not installed")
        done = subprocess.run(["git", "-C", ROOT, "grep", "-l", "vigil" + r"\.example"], capture_output=True, text=True, check=False)
        if done.returncode > 1:
            self.skipTest("this is no clone: " + done.stderr)
        self.assertEqual(set(done.stdout.split()), {"MAINTAINERS.md", "debian/changelog", "debian/control", "deploy/conda/recipe.yaml", "deploy/home-assistant/repository.yaml",
                                                    "deploy/home-assistant/vigil/config.yaml", "deploy/homebrew/vigil.rb", "gst/elements.h"})

    def test_the_number_of_operations(self):
        """A page that says how many operations the HTTP API has says the number of openapi.json."""
        paths = json.loads(text("docs/api/openapi.json"))["paths"]
        operations = sum(verb in {"get", "put", "post", "patch", "delete"} for path in paths.values() for verb in path)
        for page in ("README.md", "docs/reference/monitor.md", "docs/reference/shards.md", "docs/reference/http-api.md"):
            for said in re.findall(r"(\d+) operations", text(page)):
                self.assertEqual(int(said), operations, page)


unittest.main()
