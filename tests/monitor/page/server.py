# SPDX-License-Identifier: LGPL-2.1-or-later
"""Starts vigil-monitor with drawn cameras and a folder of its own, and asks it questions."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))

from vigiltest import free_port, skip, wait_for  # pylint: disable=wrong-import-position

CONFIG = """\
http: {{listen: 127.0.0.1:{port}}}
storage: {{path: {folder}/data, max_size: 500MB, min_free: 1MB}}
record: {{pre_capture: 1, post_capture: 1}}
cameras:
  door: {{source: "scenetestsrc scene=street", live: {{height: 360, fps: 8}}}}
  hall: {{source: "scenetestsrc scene=indoor seed=2", live: {{height: 360, fps: 8}}}}
  yard: {{source: "scenetestsrc scene=crowd seed=3", live: {{height: 360, fps: 8}}}}
  parking: {{source: "scenetestsrc scene=stopped-car seed=4", live: {{height: 360, fps: 8}}}}
"""


class Server:
    def __init__(self, program, config=CONFIG, tokens=""):
        """`tokens`: the text of the file `token` in its folder."""
        self.folder = tempfile.TemporaryDirectory(prefix="vigil-page-")
        self.process = None
        if program.startswith("http://"):  # one that runs already: for work on the page
            self.url = program.rstrip("/")
            return
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        file = pathlib.Path(self.folder.name) / "monitor.yaml"
        file.write_text(config.format(port=port, folder=self.folder.name), encoding="utf-8")
        if tokens:
            token_file = pathlib.Path(self.folder.name) / "token"
            token_file.touch(0o600)
            token_file.write_text(tokens, encoding="utf-8")
        self.log = open(pathlib.Path(self.folder.name) / "log", "w+", encoding="utf-8")
        self.command = [program, "--config", str(file)]
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=self.log, stderr=subprocess.STDOUT)
        self.until(lambda: self.get("/api/version"), "the server to answer", 90)  # the first start reads all of GStreamer's plugins

    def get(self, path):
        try:
            with urllib.request.urlopen(self.url + path, timeout=10) as answer:
                return json.load(answer)
        except OSError:
            if self.process and self.process.poll() is not None:
                raise RuntimeError(f"vigil-monitor ended with {self.process.returncode}: {self.said()}") from None
            return None

    def send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def camera(self, name):
        return next(c for c in self.get("/api/cameras") if c["name"] == name)

    def value(self, camera, factory, name):
        elements = self.get(f"/api/cameras/{camera}/elements")["elements"]
        properties = next(e for e in elements if e["factory"] == factory)["properties"]
        return next(p for p in properties if p["name"] == name)

    def until(self, condition, what, seconds=40):
        return wait_for(what, condition, seconds, detail=self.said)

    def said(self):
        if not self.process:
            return ""
        self.log.seek(0)
        return "the server said: " + self.log.read()[-2000:]

    def end(self):
        """The program, which start() begins again."""
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError("vigil-monitor did not end within 20 s of SIGTERM; " + self.said()) from None

    def stop(self):
        if self.process:
            try:
                self.end()
            finally:
                self.log.close()
                self.folder.cleanup()


def missing():
    """Why these tests cannot run here, or None."""
    try:
        import selenium  # pylint: disable=import-outside-toplevel,unused-import
    except ImportError:
        return "python3-selenium is not installed"
    return next((f"{name} is not installed" for name in ("/usr/bin/chromium", "/usr/bin/chromedriver") if not os.path.exists(name)), None)


def skip_without():
    """Ends the test as skipped where it cannot run."""
    why_not = missing()
    if why_not:
        skip(why_not)
