# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each expression of the Grafana dashboard is asked of a Prometheus that watches two running monitors: it must have an answer, and the numbers on
the dashboard's first row must be those of two monitors with a camera each; one monitor is stopped, and they must change.

dashboard.py SOURCE_ROOT VIGIL_MONITOR. Needs the program prometheus; without, it is skipped."""
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from vigiltest import free_port, skip  # pylint: disable=wrong-import-position

root, monitor = pathlib.Path(sys.argv[1]), sys.argv[2]
if not shutil.which("prometheus"):
    skip("no prometheus")
PANELS = json.loads((root / "deploy/grafana/vigil.json").read_text(encoding="utf-8"))["panels"]
ASKED = [(p["title"], t["expr"]) for p in PANELS for t in p["targets"]]
PATIENCE = 90


class Prometheus:
    def __init__(self, folder, targets):
        self.address = f"127.0.0.1:{free_port()}"
        configuration = {"global": {"scrape_interval": "1s", "scrape_timeout": "1s"},
                         "scrape_configs": [{"job_name": "vigil", "static_configs": [{"targets": targets}]}]}
        path = folder / "prometheus.yml"  # JSON is YAML
        path.write_text(json.dumps(configuration), encoding="utf-8")
        self.log = open(folder / "prometheus.log", "w", encoding="utf-8")
        self.process = subprocess.Popen(["prometheus", f"--config.file={path}", f"--storage.tsdb.path={folder / 'tsdb'}", f"--web.listen-address={self.address}"],
                                        stdout=self.log, stderr=subprocess.STDOUT)

    def close(self):
        self.process.terminate()
        self.process.wait(30)
        self.log.close()

    def ask(self, expression):
        """The numbers of the answer."""
        try:
            with urllib.request.urlopen(f"http://{self.address}/api/v1/query?{urllib.parse.urlencode({'query': expression})}", timeout=10) as answer:
                return [float(r["value"][1]) for r in json.load(answer)["data"]["result"]]
        except urllib.error.HTTPError as e:
            raise AssertionError(f"{expression}: {e.read().decode()}") from e
        except (urllib.error.URLError, ConnectionError):
            return []  # it is not there yet

    def until(self, what, good):
        """Asks until `good` is true of the answer."""
        deadline, found = time.monotonic() + PATIENCE, []
        while time.monotonic() < deadline:
            found = self.ask(what)
            if good(found):
                return found
            time.sleep(0.5)
        raise AssertionError(f"{what}: {found} after {PATIENCE} s")


def start_monitor(folder):
    process = subprocess.Popen([monitor, "--listen", "127.0.0.1:0", "--storage", folder, "scenetestsrc"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               text=True)
    return process, "127.0.0.1:" + re.search(r":(\d+)/", process.stdout.readline())[1]


def of(title):
    return next(e for t, e in ASKED if t == title)


def check(prometheus, processes):
    for title, expression in ASKED:
        found = prometheus.until(expression, bool)
        assert all(math.isfinite(x) for x in found), (title, found)
        print(f"{title}: {', '.join(f'{x:.6g}' for x in found)}")
    assert prometheus.ask("vigil_no_such_metric") == []
    for title, number in (("Cameras online", 2), ("Cameras offline", 0), ("Shards that answer", 2), ("Storage that takes no events", 0)):
        prometheus.until(of(title), lambda found, n=number: found == [n])
    assert sum(prometheus.ask(of("Frames a second, all cameras of a shard"))) > 0
    processes[1].kill()
    for title in ("Shards that answer", "Cameras online"):
        prometheus.until(of(title), lambda found: found == [1])
    print("one monitor killed: one shard answers, one camera is online")


with tempfile.TemporaryDirectory(prefix="vigil-dashboard-") as name:
    work, monitors = pathlib.Path(name), []
    try:
        for shard in range(2):
            monitors.append(start_monitor(work / f"storage-{shard}"))
        server = Prometheus(work, [target for _, target in monitors])
        try:
            check(server, [p for p, _ in monitors])
        except AssertionError:
            print((work / "prometheus.log").read_text(encoding="utf-8")[-2000:])
            raise
        finally:
            server.close()
    finally:
        for one, _ in monitors:
            one.terminate()
            one.wait(30)
print("all good")
