# SPDX-License-Identifier: LGPL-2.1-or-later
"""The monitor as a container runs it: another user, a file system that is read only, volumes of other owners; its health check; the start
of Home Assistant's add-on. Mount namespaces stand for the container: no image is built. Usage: container.py SOURCE_ROOT VIGIL_MONITOR

Needs root, unshare and setpriv; without them it is skipped, and said so."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT, MONITOR = pathlib.Path(sys.argv.pop(1)).resolve(), pathlib.Path(sys.argv.pop(1)).resolve()
USER = "65534"
HEALTH = ROOT / "deploy/container/healthcheck"
ADDON = ROOT / "deploy/home-assistant/vigil"
CAMERA = "cameras: {drawn: {source: scenetestsrc quiet=1}}\n"
if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"], check=False).returncode or not shutil.which("setpriv"):
    print("SKIPPED: this test needs root, unshare --mount and setpriv")
    sys.exit(77)
# Everything is read only but the folders that are tmpfs here, as volumes and --tmpfs are.
INSIDE = """set -e
mount --make-rprivate /
for folder in $WRITABLE; do mount -t tmpfs -o mode=755 tmpfs "$folder"; chown $OWNER "$folder"; done
mount -o remount,bind,ro /
exec setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs "$@"
"""


class Container(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vigil-container-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.folder.chmod(0o755)
        for name in ("store", "scratch"):
            (self.folder / name).mkdir(mode=0o755)
        self.config = self.folder / "monitor.yaml"
        self.config.write_text(CAMERA, encoding="utf-8")

    def start(self, *arguments, writable=("store", "scratch"), owner=USER):
        scratch = str(self.folder / "scratch")
        environment = {**os.environ, "WRITABLE": " ".join(str(self.folder / w) for w in writable), "OWNER": owner, "HOME": scratch,
                       "XDG_CACHE_HOME": scratch, "TMPDIR": scratch, "GST_REGISTRY": scratch + "/registry"}
        process = subprocess.Popen(["unshare", "--mount", "sh", "-c", INSIDE, "sh", MONITOR, "--config", self.config, "--listen", "127.0.0.1:0", "--storage",
                                    self.folder / "store", *arguments], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def refused(self, words, **how):
        process = self.start(**how)
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 1, out + err)
        self.assertRegex(err, words)

    def test_healthy(self):
        process = self.start()
        port = re.search(r":(\d+)/", process.stdout.readline())[1]
        health = subprocess.run([HEALTH, port], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((health.returncode, health.stdout), (0, ""))
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
        self.assertRegex(status, rf"Uid:\t{USER}\t{USER}\t")
        process.terminate()
        self.assertEqual(process.wait(120), 0)
        health = subprocess.run([HEALTH, port], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(health.returncode, 1)
        self.assertIn(f"nothing listens on port {port}", health.stdout)

    def test_volume_of_another_owner(self):
        self.refused(r"cannot make the folder .*/store/clips: Permission denied \(.*/store belongs to user 0, and this program runs as user 65534\); make it writable",
                     owner="0")

    def test_storage_read_only(self):
        self.refused(r"cannot make the folder .*/store/clips: (Read-only file system|Permission denied)", writable=("scratch",))

    def test_configuration_of_another_owner(self):
        self.config.chmod(0o600)
        self.refused(r"cannot open the configuration '.*monitor.yaml': Permission denied")

    def test_no_configuration(self):
        self.config.unlink()
        self.refused(r"cannot open the configuration '.*monitor.yaml': No such file or directory")


class AddOn(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vigil-add-on-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.folder.chmod(0o755)
        for name in ("data", "config", "bin"):
            (self.folder / name).mkdir(mode=0o755)
        (self.folder / "bin/vigil-monitor").symlink_to(MONITOR)

    def start(self):
        environment = {**os.environ, "VIGIL_DATA_FOLDER": str(self.folder / "data"), "VIGIL_CONFIG_FOLDER": str(self.folder / "config"),
                       "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "HOME": str(self.folder), "GST_REGISTRY": str(self.folder / "registry")}
        return subprocess.run([ADDON / "start", "--check"], env=environment, capture_output=True, text=True, timeout=120, check=False)

    def test_starts(self):
        first = self.start()
        self.assertEqual(first.returncode, 0, first.stdout + first.stderr)
        token = re.search(r"sign in with this token: ([0-9a-f]{32})$", first.stdout, re.M)[1]
        tokens = self.folder / "data/tokens"
        self.assertEqual(tokens.read_text(encoding="utf-8"), f"admin {token}\n")
        self.assertEqual((tokens.stat().st_mode & 0o777, tokens.stat().st_uid, (self.folder / "data/storage").stat().st_uid), (0o600, 65534, 65534))
        # What a person wrote stays, and the token is not shown again.
        config = self.folder / "config/monitor.yaml"
        text = config.read_text(encoding="utf-8").replace("  drawn:", "  hall:")
        config.write_text(text, encoding="utf-8")
        again = self.start()
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
        self.assertNotIn(token, again.stdout + again.stderr)
        self.assertEqual(config.read_text(encoding="utf-8"), text)

    def test_nothing_mounted(self):
        shutil.rmtree(self.folder / "config")
        start = self.start()
        self.assertEqual(start.returncode, 1)
        self.assertIn("cannot write to", start.stderr)

    def test_port(self):
        """The port of ingress is the one that the first configuration listens on; the page may be framed."""
        port = re.search(r"^ingress_port: (\d+)$", (ADDON / "config.yaml").read_text(encoding="utf-8"), re.M)[1]
        self.assertRegex((ADDON / "start").read_text(encoding="utf-8"), rf'http: {{listen: "0\.0\.0\.0:{port}",.*framed: true')


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[1:])
