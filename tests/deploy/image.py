# SPDX-License-Identifier: LGPL-2.1-or-later
"""The image of deploy/container, from the Debian packages of a folder: two builds have one hash; its container starts read-only, without GPU,
as another user, and says what is wrong with a volume. Usage: image.py SOURCE_ROOT PACKAGES [--base IMAGE] [--arch amd64|arm64] [--keep] [unittest arguments]

It is no part of the suite: it builds two images, with the network. Needs root, podman, and mmdebstrap where there is no --base.
The source is that of the last commit."""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
parser.add_argument("root", type=pathlib.Path)
parser.add_argument("packages", type=pathlib.Path)
parser.add_argument("--base", default="", help="image of Debian 12; without it mmdebstrap makes one")
parser.add_argument("--arch", default="amd64")
parser.add_argument("--keep", action="store_true", help="keep the image, named vigil-test-1")
OPTIONS, OF_UNITTEST = parser.parse_known_args()
USER = 65534
TIMESTAMP = "1700000000"
CAMERA = "http: {token_file: /run/vigil/tokens}\ncameras: {drawn: {source: scenetestsrc quiet=1}}\n"
if os.geteuid() != 0 or not shutil.which("podman"):
    print("SKIPPED: this test needs root and podman")
    sys.exit(77)


def podman(*words, check=True, limit=600):
    done = subprocess.run(["podman", *map(str, words)], capture_output=True, text=True, timeout=limit, check=False)
    if check and done.returncode:
        raise AssertionError(f"podman {' '.join(map(str, words))} ended with status {done.returncode}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done


def base():
    """The name of an image of Debian 12."""
    if OPTIONS.base:
        return OPTIONS.base
    name = f"localhost/vigil-test-base-{OPTIONS.arch}"
    if podman("image", "exists", name, check=False).returncode:
        with tempfile.TemporaryDirectory() as folder:
            archive = pathlib.Path(folder) / "base.tar"
            subprocess.run(["mmdebstrap", "--variant=minbase", f"--architectures={OPTIONS.arch}", "bookworm", archive, "http://deb.debian.org/debian"],
                           check=True, timeout=1800)
            podman("import", "--arch", OPTIONS.arch, archive, name)
    return name


class Image(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="vigil-image-"))
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        folder.chmod(0o755)
        files = subprocess.run(["git", "-C", OPTIONS.root, "archive", "HEAD", "deploy/container", ".containerignore"], check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=files, check=True)
        shutil.copytree(OPTIONS.packages, folder / "packages", ignore=lambda _, names: [n for n in names if not n.endswith(f"_{OPTIONS.arch}.deb")])
        below, cls.images = base(), ["localhost/vigil-test-1", "localhost/vigil-test-2"]
        for name in cls.images:
            podman("build", "--network", "host", "--no-cache", "--layers=false", "--pull=never", "--timestamp", TIMESTAMP, "--arch", OPTIONS.arch,
                   "--build-arg", f"BUILD_IMAGE={below}", "--build-arg", f"RUN_IMAGE={below}", "-f", folder / "deploy/container/Containerfile", "-t", name, folder, limit=3600)
            if not OPTIONS.keep:
                cls.addClassCleanup(podman, "rmi", "-f", name)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vigil-container-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.folder.chmod(0o755)
        self.volume("store", USER)
        self.volume("secrets", USER)
        self.write("secrets/tokens", f"admin {'a' * 32}\nview {'b' * 32}\n", USER, 0o600)
        self.write("monitor.yaml", CAMERA, 0, 0o644)

    def volume(self, name, owner):
        (self.folder / name).mkdir(mode=0o755, exist_ok=True)
        os.chown(self.folder / name, owner, owner)

    def write(self, name, text, owner, mode):
        file = self.folder / name
        file.write_text(text, encoding="utf-8")
        file.chmod(mode)
        os.chown(file, owner, owner)

    def run_words(self, *options):
        volumes = [f"{self.folder / here}:{there}" for here, there in
                   {"monitor.yaml": "/etc/vigil/monitor.yaml:ro", "secrets": "/run/vigil:ro", "store": "/var/lib/vigil"}.items() if (self.folder / here).exists()]
        return ["run", "--network", "none", "--read-only", "--cap-drop", "all", *(w for v in volumes for w in ("-v", v)), *options, self.images[0]]

    def refused(self, words, *options):
        done = podman(*self.run_words("--rm", *options), check=False)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stderr, words)

    def healthy(self, *options):
        """Starts it; the name of the container, once its health check passes."""
        name = f"vigil-test-{os.getpid()}-{time.monotonic_ns()}"
        podman(*self.run_words("-d", "--name", name, "--health-cmd", "vigil-healthcheck", *options))
        self.addCleanup(podman, "rm", "-f", name)
        limit = time.monotonic() + 300
        while podman("healthcheck", "run", name, check=False).returncode:
            self.assertEqual(podman("inspect", "-f", "{{.State.Status}}", name).stdout.strip(), "running", podman("logs", name).stderr)
            self.assertLess(time.monotonic(), limit, podman("logs", name).stderr)
            time.sleep(1)
        return name

    def ends(self, name):
        podman("stop", "-t", "120", name)
        self.assertEqual(podman("inspect", "-f", "{{.State.ExitCode}}", name).stdout.strip(), "0")

    def test_two_builds_have_one_hash(self):
        one, two = (json.loads(podman("inspect", name).stdout)[0] for name in self.images)
        print(f"\n{one['Id']}\n{two['Id']}, {one['Size'] / 1e6:.0f} MB", flush=True)
        self.assertEqual(one["RootFS"], two["RootFS"])
        self.assertEqual(one["Id"], two["Id"])

    def test_read_only_without_gpu(self):
        name = self.healthy()
        for path in ("/x", "/usr/bin/x", "/etc/vigil/x"):
            self.assertIn("Read-only file system", podman("exec", "--user", "0", name, "touch", path, check=False).stderr)
        self.assertNotEqual(podman("exec", name, "ls", "/dev/dri", check=False).returncode, 0)
        self.assertRegex(podman("exec", name, "cat", "/proc/1/status").stdout, rf"Uid:\t{USER}\t{USER}\t")
        self.ends(name)

    def test_nothing_to_write_to_but_the_volume(self):
        name = self.healthy("--read-only-tmpfs=false")
        self.ends(name)

    def test_another_user(self):
        for path in ("store", "secrets", "secrets/tokens"):
            os.chown(self.folder / path, 1234, 1234)
        name = self.healthy("--user", "1234:1234")
        self.assertRegex(podman("exec", name, "cat", "/proc/1/status").stdout, r"Uid:\t1234\t1234\t")
        self.ends(name)

    def test_volume_of_another_owner(self):
        self.volume("store", 0)
        self.refused(rf"/var/lib/vigil/clips: Permission denied \(/var/lib/vigil belongs to user 0, and this program runs as user {USER}\); make it writable")

    def test_volume_of_another_user(self):
        os.chown(self.folder / "secrets/tokens", 1234, 1234)
        os.chown(self.folder / "secrets", 1234, 1234)
        self.refused(rf"/var/lib/vigil belongs to user {USER}, and this program runs as user 1234", "--user", "1234:1234")

    def test_no_volume(self):
        shutil.rmtree(self.folder / "store")
        self.refused(r"cannot make the folder /var/lib/vigil/clips: (Read-only file system|Permission denied)")

    def test_tokens_of_another_owner(self):
        os.chown(self.folder / "secrets/tokens", 0, 0)
        self.refused(r"/run/vigil/tokens.*Permission denied")

    def test_no_configuration(self):
        (self.folder / "monitor.yaml").unlink()
        self.refused(r"cannot open the configuration '/etc/vigil/monitor.yaml': No such file or directory")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *OF_UNITTEST], verbosity=2)
