# SPDX-License-Identifier: LGPL-2.1-or-later
"""A dry run of the release names what is missing, and passes when nothing is. Usage: release.py SOURCE_ROOT"""
import os
import pathlib
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
FILES = [".gitignore", "meson.build", "CHANGELOG.md", "debian/changelog", "tools/release.py", "tests/lint/screenshots.py", "tests/lint/clone.py"]
sys.path.insert(0, str(ROOT / "tests/lint"))  # screenshots.py imports from its folder
VIEW = "tools/vigil-monitor/page/events/heatmap.js"


class Release(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "clone"
        for name in FILES:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)
        self.version = re.search(r"^  version: '([^']+)'", (self.root / "meson.build").read_text(encoding="utf-8"), re.M)[1]
        self.git("init", "-q")
        self.make_views()
        # A state that can be released, whatever the project's own is.
        self.write("CHANGELOG.md", f"# Changelog\n\n## [{self.version}] - 2030-01-31\n")
        self.write("debian/changelog", f"vigil ({self.version}-1) unstable; urgency=medium\n")
        self.commit()

    def make_views(self):
        """Pictures, a page that shows them, and the files that draw them, all of the same commit."""
        sys.argv[1:] = [str(self.root)]
        views = runpy.run_path(str(ROOT / "tests/lint/screenshots.py"), run_name="screenshots")
        for image, files in views["VIEWS"].items():
            self.write(f"docs/images/{image}", image)
            for file in files + views["ALL"]:
                self.write(f"tools/vigil-monitor/page/{file}" + ("" if "." in file else "/view.js"), file)
        self.write("README.md", "\n".join(f"![](docs/images/{image})" for image in views["VIEWS"]))

    def git(self, *words, date="2030-01-31T00:00:00"):
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        subprocess.run(["git", "-C", self.root, "-c", "user.name=T", "-c", "user.email=t@t", *words], check=True, capture_output=True,
                       env=dict(os.environ, **dates))

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text, encoding="utf-8")

    def commit(self, **options):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "state", **options)

    def dry_run(self, *options):
        return subprocess.run([sys.executable, self.root / "tools/release.py", "--dry-run", *options], capture_output=True, text=True, check=False)

    def refused(self, words):
        done = self.dry_run()
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(words, done.stderr)

    def test_complete(self):
        done = self.dry_run()
        self.assertEqual(done.returncode, 0, done.stderr)
        for words in ("git", "archive", "dpkg-buildpackage", "podman build", "SHA256SUMS", f"git tag -a v{self.version}"):
            self.assertIn(words, done.stdout)
        self.assertFalse((self.root / "build-release").exists())
        self.assertNotIn("podman", self.dry_run("--no-image").stdout)

    def test_files_and_checksums(self):
        """With programs instead of dpkg-buildpackage and podman: every file has its checksum, and a folder is not used twice."""
        programs = self.root.parent / "bin"
        programs.mkdir()
        for name, text in {"dpkg-buildpackage": "echo package > ../vigil_1.deb", "podman": '[ "$1" = build ] || echo image > "$3"'}.items():
            (programs / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
            (programs / name).chmod(0o755)
        out = self.root.parent / "out"
        command = [sys.executable, self.root / "tools/release.py", "--out", out]
        env = dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}")
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        checked = subprocess.run(["sha256sum", "--check", "SHA256SUMS"], cwd=out, capture_output=True, text=True, check=False)
        self.assertEqual(checked.returncode, 0, checked.stderr)
        names = {f"vigil-{self.version}.tar.gz", f"vigil-{self.version}-image.tar", "vigil_1.deb"}
        self.assertEqual({line.split(":")[0] for line in checked.stdout.splitlines()}, names)
        self.assertIn("is not empty", subprocess.run(command, capture_output=True, text=True, check=False, env=env).stderr)
        (programs / "dpkg-buildpackage").write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
        shutil.rmtree(out)
        failed = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
        self.assertIn("ended with status 3", failed.stderr)
        self.assertFalse((out / "SHA256SUMS").exists())

    def test_changelog_without_the_version(self):
        self.write("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n")
        self.commit()
        self.refused(f"no section '## [{self.version}]")

    def test_wrong_date(self):
        self.write("CHANGELOG.md", f"## [{self.version}] - 2030-13-01\n")
        self.commit()
        self.refused("the date of")

    def test_debian_at_another_version(self):
        self.write("debian/changelog", "vigil (9.9.9-1) unstable; urgency=medium\n")
        self.commit()
        self.refused("debian/changelog is not at")

    def test_debian_unreleased(self):
        self.write("debian/changelog", f"vigil ({self.version}-1) UNRELEASED; urgency=medium\n")
        self.commit()
        self.refused("UNRELEASED")

    def test_made_up_address(self):
        self.write("debian/control", "Maintainer: Nobody <maintainers@vigil.exam" + "ple>\n")
        self.commit()
        self.refused("debian/control: made-up addresses")

    def test_old_picture(self):
        """A picture that is older than the page is refused here; the lint test allows some days."""
        lint = [sys.executable, self.root / "tests/lint/screenshots.py", self.root]
        for date, status in (("2030-02-01T00:00:00", 0), ("2030-03-01T00:00:00", 1)):
            self.write(VIEW, date)
            self.commit(date=date)
            self.refused("README.md:4: docs/images/monitor-heatmap.jpg is of 2030-01-31, and " + VIEW)
            self.assertEqual(subprocess.run(lint, capture_output=True, check=False).returncode, status, date)
        self.write("docs/images/monitor-heatmap.jpg", "taken again")
        self.commit(date="2030-03-02T00:00:00")
        self.assertEqual(self.dry_run().returncode, 0)

    def test_changed_tree(self):
        self.write("CHANGELOG.md", f"## [{self.version}] - 2030-01-31\nmore\n")
        self.refused("the tree has changes")

    def test_tag_at_another_commit(self):
        self.git("tag", f"v{self.version}")
        self.write("new", "")
        self.commit()
        self.refused("raise the version")
        self.git("tag", "-f", f"v{self.version}")
        self.assertEqual(self.dry_run().returncode, 0)


if not shutil.which("git"):
    print("SKIPPED: git is not installed")
    sys.exit(77)
unittest.main()
