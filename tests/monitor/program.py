# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-monitor under test: started, asked, stopped, killed."""
import http.client
import json
import pathlib
import re
import shutil
import signal
import ssl
import struct
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from vigiltest import SLOWER, same, true, wait_for  # pylint: disable=wrong-import-position,unused-import


STARTS_WITHIN = 180 * SLOWER  # seconds: the first start reads all of GStreamer's plugins
ANSWERS_WITHIN = 20 * SLOWER


def begin(name):
    """Of a test's arguments the program, and a new folder of this name in the tests' one."""
    folder = pathlib.Path(sys.argv[2]).resolve() / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return str(pathlib.Path(sys.argv[1]).resolve()), folder


class Monitor:
    """A running program; its log is in .log, line by line."""

    def __init__(self, program, folder, *args, env=None, host=None):
        """`host`: where it runs (hosts.py); otherwise here."""
        self.host = host
        self.command = [*(host.prefix if host else ()), program, "--listen", "127.0.0.1:0", "--storage", str(folder), *args]
        self.log = []
        self.begun = time.monotonic()
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
        threading.Thread(target=lambda: self.log.extend(iter(self.process.stderr.readline, "")), daemon=True).start()
        limit = threading.Timer(STARTS_WITHIN, self.process.send_signal, [signal.SIGABRT])  # no start may hang
        limit.start()
        line = self.process.stdout.readline()
        limit.cancel()
        found = re.match(r"(https?)://127\.0\.0\.1:(\d+)/", line)
        if not found:
            time.sleep(0.2)
            raise RuntimeError(f"no address after {time.monotonic() - self.begun:.0f} s, but {line!r}; {''.join(self.log)}")
        self.tls = found[1] == "https"
        self.port = int(found[2])

    def connect(self):
        if self.host:
            with self.host.entered():  # a socket stays in the network in which it was made
                c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=ANSWERS_WITHIN)
                c.connect()
                return c
        if not self.tls:
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=ANSWERS_WITHIN)
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=ANSWERS_WITHIN, context=context)

    def ask(self, method, path, body=None, headers=None, raw=False):
        """Status and body; JSON read where it is JSON."""
        c = self.connect()
        try:
            data = json.dumps(body) if isinstance(body, (dict, list)) else body
            c.request(method, path, data, headers or {})
            r = c.getresponse()
            content = r.read()
            headers = self.headers = dict(r.getheaders())  # self's are those of the last answer on any thread
        finally:
            c.close()
        if raw or not content or "json" not in headers.get("Content-Type", ""):
            return r.status, content
        return r.status, json.loads(content)

    def get(self, path):
        status, body = self.ask("GET", path)
        if status != 200:
            raise AssertionError(f"GET {path}: {status} {body}")
        return body

    def wait(self, what, condition, seconds=40):
        """Asks again and again until the condition gives something true, which is returned."""
        return wait_for(what, condition, seconds, detail=lambda: f"log:\n{''.join(self.log[-20:])}")

    def live(self, query="", seconds=3.0):
        """Records of the live stream for so long: (type, camera, view, flags, time, payload)."""
        c = self.connect()
        c.request("GET", "/api/live" + query)
        r = c.getresponse()
        end = time.monotonic() + seconds
        try:
            while time.monotonic() < end:
                head = r.read(16)
                if len(head) < 16:
                    return  # the program has ended
                kind, n, view, flags, m, micros = struct.unpack(">BBBBIQ", head)
                name = r.read(n).decode()
                payload = r.read(m)
                yield chr(kind), name, view, flags, micros / 1e6, payload
        except http.client.IncompleteRead:
            return  # the program has ended
        finally:
            c.close()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(40 * SLOWER)
        if code:
            raise AssertionError(f"it ended with {code}; log:\n{''.join(self.log[-20:])}")

    def kill(self):
        self.process.kill()
        self.process.wait(60 * SLOWER)  # a loaded machine takes its time

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()
