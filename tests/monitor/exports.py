# SPDX-License-Identifier: LGPL-2.1-or-later
"""Exports of the recording: files and their SHA-256, links, roles, the time in the picture, bad requests, ten thousand requests, kill -9, full disks,
a part of the recording that goes meanwhile.

exports.py PROGRAM FOLDER. Needs ffmpeg and ffprobe; without, it is skipped. The full disks need unshare and the right to make namespaces."""
import hashlib
import http.client
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import time

from program import Monitor, begin, same
from vigiltest import skip

program, folder = begin("monitor-exports")
root = pathlib.Path(__file__).resolve().parents[2]
if not shutil.which("ffprobe") or not shutil.which("ffmpeg"):
    skip("no ffmpeg or no ffprobe")
data, config = folder / "data", folder / "monitor.yaml"
SCENE = "scenetestsrc is-live=true ! video/x-raw,format=I420,width=320,height=180,framerate=10/1"
CONFIG = """
http: {local: none}
storage: {min_free: 4MB}
record: {continuous: {days: 3}, pre_capture: 1, post_capture: 1}
cameras:
  street: {source: "%s", motion: false}
  yard: {source: "%s", motion: false}
  quiet: {source: "%s", record: {continuous: {enabled: false}}, motion: false}
""" % (SCENE, SCENE, SCENE)
config.write_text(CONFIG)


class Server(Monitor):
    """Asks as an administrator, unless `headers` say otherwise."""
    token = ""

    def ask(self, method, path, body=None, headers=None, raw=False):
        if headers is None:
            headers = {}
        if "Authorization" not in headers:
            headers = {"Authorization": f"Bearer {self.token}", **headers}
        return super().ask(method, path, body, {n: v for n, v in headers.items() if v}, raw)

    def job(self, ident):
        return self.get(f"/api/exports/{ident}")

    def done(self, ident, seconds=180):
        return self.wait(f"export {ident} to end", lambda: (j := self.job(ident)) and j["state"] not in ("queued", "running") and j, seconds)

    def export(self, **more):
        status, job = self.ask("POST", "/api/exports", {"cameras": ["street"], **self.span, **more})
        same(status, 202, job)
        return job["id"]


def start():
    m = Server(program, data, "--config", str(config))
    lines = (data / "token").read_text().split()
    m.token, m.viewer = lines[1], lines[3]
    return m


def line(m, camera="street"):
    now = time.time()
    return m.get(f"/api/cameras/{camera}/timeline?from={now - 3600:.3f}&to={now + 10:.3f}")["recorded"]


def recorded(m, seconds):
    def long_enough():
        lines = [line(m, camera) for camera in ("street", "yard")]
        return all(x and x[-1]["end"] - x[-1]["start"] >= seconds + 1 for x in lines) and max(x[-1]["start"] for x in lines)
    begin = m.wait(f"{seconds} seconds are recorded", long_enough, 120)
    m.span = {"from": begin + 0.5, "to": begin + seconds}


def pictures(file):
    """Their times, and the picture in grey levels; an error of the decoder fails."""
    probed = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "frame=pts_time:stream=width,height", "-of", "json", str(file)],
                            capture_output=True, text=True, check=False)
    if probed.returncode or probed.stderr:
        raise AssertionError(f"{file}: {probed.stderr}")
    found = json.loads(probed.stdout)
    width, height = found["streams"][0]["width"], found["streams"][0]["height"]
    raw = subprocess.run(["ffmpeg", "-v", "error", "-i", str(file), "-fps_mode", "passthrough", "-pix_fmt", "gray", "-f", "rawvideo", "-"], capture_output=True, check=True).stdout
    times = [float(f["pts_time"]) for f in found["frames"]]
    same(len(raw), len(times) * width * height, "bytes of all pictures")
    return times, [raw[i:i + width * height] for i in range(0, len(raw), width * height)], width


def fetch(m, job, n=0):
    status, body = m.ask("GET", f"/api/exports/{job['id']}/file?file={n}", raw=True)
    same(status, 200, "a file")
    same((len(body), hashlib.sha256(body).hexdigest()), (job["files"][n]["bytes"], job["files"][n]["sha256"]), f"file {n}")
    path = folder / job["files"][n]["name"]
    path.write_bytes(body)
    return path, body


def copied(m):
    ident = m.export(cameras=["street", "yard"], name="Täter / links")
    job = m.done(ident)
    same((job["state"], job["progress"], job["reason"], [f["camera"] for f in job["files"]]), ("done", 1, None, ["street", "yard"]), "two cameras")
    for n, camera in enumerate(("street", "yard")):
        path, body = fetch(m, job, n)
        times, _, _ = pictures(path)
        if not 20 < len(times) <= 140:
            raise AssertionError(times)
        status, whole = m.ask("GET", f"/api/cameras/{camera}/recording.mp4?from={m.span['from']}&to={m.span['to']}", raw=True)
        same((status, whole == body), (200, True), "the recording's own bytes")
    same(m.ask("GET", f"/api/exports/{ident}/file", headers={"Range": "bytes=10-19"}, raw=True)[0], 206, "a part")
    same((m.headers["Content-Range"].split("/")[0], m.headers["Content-Disposition"]), ("bytes 10-19", f'attachment; filename="T__ter _ links-{job["files"][0]["name"]}"'), "its headers")
    same(m.ask("GET", f"/api/exports/{ident}/file?file=2")[0], 404, "no such file")
    logged = [x for x in m.get("/api/audit")["entries"] if x["what"] == "export-ended"]
    same([f["sha256"] for f in logged[0]["details"]["files"]], [f["sha256"] for f in job["files"]], "the audit log")
    same([j["id"] for j in m.get("/api/exports")["exports"]], [ident], "the list")
    return ident


def linked(m, ident):
    nobody = {"Authorization": ""}
    same(m.ask("GET", f"/api/exports/{ident}/file", headers=nobody)[0], 401, "without a token")
    link = m.get(f"/api/exports/{ident}/link?seconds=3600&file=1")
    status, body = m.ask("GET", "/" + link["path"], headers=nobody, raw=True)
    same((status, hashlib.sha256(body).hexdigest()), (200, m.job(ident)["files"][1]["sha256"]), "by a link")
    for other in (link["path"].replace("file=1", "file=0"), link["path"].replace("until=1", "until=2"), link["path"][:-1] + ("0" if link["path"][-1] != "0" else "1"),
                  re.sub("key=.*", "key=", link["path"])):
        same(m.ask("GET", "/" + other, headers=nobody)[0], 403, other)
    short = m.get(f"/api/exports/{ident}/link?seconds=1")["path"]
    m.wait("the link to expire", lambda: m.ask("GET", "/" + short, headers=nobody)[0] == 403, 20)
    viewer = {"Authorization": f"Bearer {m.viewer}"}
    same([m.ask("POST", "/api/exports", {"cameras": ["street"], **m.span}, viewer)[0], m.ask("DELETE", f"/api/exports/{ident}", headers=viewer)[0],
          m.ask("GET", f"/api/exports/{ident}/link", headers=viewer)[0], m.ask("GET", "/api/exports", headers=viewer)[0]], [403, 403, 403, 200], "who may only look")
    return link


def refused(m):
    at, to = m.span["from"], m.span["to"]
    ok = {"cameras": ["street"], "from": at, "to": to}
    for body, status, word in (
            ({**ok, "from": to, "to": at}, 400, "before"), ({**ok, "to": at}, 400, "before"), ({**ok, "cameras": ["nobody"]}, 404, "no camera"),
            ({**ok, "cameras": []}, 400, "list"), ({**ok, "cameras": "street"}, 400, "list"), ({**ok, "cameras": ["street", "street"]}, 400, "twice"),
            ({**ok, "cameras": ["../street"]}, 400, "no name"), ({**ok, "cameras": [5]}, 400, "no name"), ({**ok, "cameras": ["quiet"]}, 404, "has no recording"),
            ({**ok, "from": "x"}, 400, "no time"), ({**ok, "from": -5}, 400, "no time"), ({**ok, "from": None}, 400, "no time"), ({"cameras": ["street"], "to": to}, 400, "missing"),
            ({**ok, "from": at - 1e6, "to": at - 1e6 + 60}, 404, "begins at"), ({**ok, "to": time.time() + 3600}, 400, "still to come"),
            ({**ok, "from": at - 90000}, 400, "longer than 1 day"), ({**ok, "timelapse": 1}, 400, "2 to 3600"), ({**ok, "timelapse": 2.5}, 400, "whole"),
            ({**ok, "burn_in": "yes"}, 400, "true, false"), ({**ok, "name": "x" * 81}, 400, "80"), ({**ok, "burnin": True}, 400, "no field"),
            (json.dumps(ok).replace(str(at), "NaN"), 400, "no JSON"), (json.dumps(ok).replace(str(at), "1e999"), 400, ""), ("[]", 400, "no JSON"), ("", 400, "no JSON")):
        got, said = m.ask("POST", "/api/exports", body)
        if got != status or word not in said["error"]:
            raise AssertionError((body, got, said))
    for method, path in (("GET", "/api/exports/none"), ("DELETE", "/api/exports/none"), ("GET", "/api/exports/..%2F..%2Ftoken/file"), ("GET", "/api/exports/none/link")):
        same(m.ask(method, path)[0], 404, path)


def glyphs():
    found = re.findall(r"\{'(.)', \{([^}]*)\}\}", (root / "tools/vigil-monitor/export/burn_in.cpp").read_text())
    return {name: [row[2:] for row in rows.replace(" ", "").split(",")] for name, rows in found}


def read_time(picture, width, font):
    """What is drawn at the top left, one pixel for each of the font's."""
    words = ""
    for n in range(23):
        seen = ["".join("1" if picture[(y + 1) * width + 1 + n * 6 + x] > 125 else "0" for x in range(5)) for y in range(7)]
        wrong, best = min((sum(a != b for a, b in zip("".join(seen), "".join(rows))), name) for name, rows in {**font, " ": ["00000"] * 7}.items())
        words += best if wrong < 5 else "?"
    return words


def encoded(m):
    """Each picture says its time; a time lapse is as much shorter."""
    font = glyphs()
    same(len(font), 15, "glyphs")
    job = m.done(m.export(burn_in=True))
    same((job["state"], job["reason"]), ("done", None), "with the time")
    times, images, width = pictures(fetch(m, job)[0])
    said = set()
    for t, picture in zip(times, images):
        at = job["files"][0]["start"] + t
        words = read_time(picture, width, font)
        said.add(words)
        if words not in {time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(at + d)) for d in (-0.05, 0.05)}:
            raise AssertionError(f"{words} at {at}")
    if len(said) < 4:
        raise AssertionError(said)
    length = job["files"][0]["end"] - job["files"][0]["start"]
    if abs(times[-1] - length) > 1.5:
        raise AssertionError((times[-1], length))
    fast = m.done(m.export(timelapse=4))
    same((fast["state"], fast["reason"]), ("done", None), "a time lapse")
    times, _, _ = pictures(fetch(m, fast)[0])
    if abs(times[-1] - length / 4) > 0.5 or any(b <= a for a, b in zip(times, times[1:])):
        raise AssertionError((times, length))
    fastest = m.done(m.export(timelapse=600, burn_in=True))  # key frames alone
    same((fastest["state"], fastest["reason"]), ("done", None), "a time lapse of key frames")
    print("encoded", len(images), "pictures; the time lapse has", len(times))


def removed(m, ident, link):
    """What waits is cancelled, what has ended goes with its files."""
    one, two = m.export(burn_in=True), m.export(burn_in=True)
    status, job = m.ask("DELETE", f"/api/exports/{two}")
    same((status, job["state"]), (200, "cancelled"), "what waits")
    m.ask("DELETE", f"/api/exports/{one}")
    state = m.done(one)["state"]
    if state not in ("cancelled", "done"):
        raise AssertionError(state)
    same([f.name for f in (data / "exports" / two).iterdir()], ["job.json"], "its folder")
    for gone in (ident, two):
        same(m.ask("DELETE", f"/api/exports/{gone}")[0], 200, "the end")
        same((m.ask("GET", f"/api/exports/{gone}")[0], (data / "exports" / gone).exists()), (404, False), "what was removed")
    same(m.ask("GET", "/" + link["path"], headers={"Authorization": ""})[0], 404, "a link to what is gone")


def flooded(m):
    """Ten thousand requests: few are taken, the others are refused in words, and it goes on."""
    c = m.connect()
    body = json.dumps({"cameras": ["street"], "burn_in": True, **m.span})
    counts = {}
    for _ in range(10000):
        try:
            c.request("POST", "/api/exports", body, {"Authorization": f"Bearer {m.token}"})
            r = c.getresponse()
        except (http.client.HTTPException, OSError):
            c = m.connect()
            continue
        said = r.read()
        counts[r.status] = counts.get(r.status, 0) + 1
        if r.status == 429 and b"wait already" not in said:
            raise AssertionError(said)
    c.close()
    jobs = m.get("/api/exports")["exports"]
    waiting = [j["id"] for j in jobs if j["state"] in ("queued", "running")]
    if set(counts) != {202, 429} or len(waiting) > 100 or counts[202] > 600:
        raise AssertionError((counts, len(waiting)))
    for ident in waiting:
        same(m.ask("DELETE", f"/api/exports/{ident}")[0], 200, "cancelled")
    for job in m.get("/api/exports")["exports"]:
        m.ask("DELETE", f"/api/exports/{job['id']}")
    m.wait("the list to be empty", lambda: [m.ask("DELETE", f"/api/exports/{j['id']}") for j in m.get("/api/exports")["exports"]] == [], 60)
    print("flooded:", counts)


def killed():
    """Exports that were not done begin anew; nothing half stays."""
    for _ in range(3):
        with start() as m:
            recorded(m, 6)
            jobs = [m.export(burn_in=bool(i % 2)) for i in range(6)]
            m.wait("one to run", lambda: any(j["state"] == "running" for j in m.get("/api/exports")["exports"]) or all(j["state"] == "done" for j in m.get("/api/exports")["exports"]), 60)
            m.kill()
        with start() as m:
            for ident in jobs:
                job = m.done(ident)
                same((job["state"], job["reason"]), ("done", None), "after a kill")
                fetch(m, job)
            same(list((data / "exports").rglob("*.part")), [], "parts")
            same(sorted(f.name for j in jobs for f in (data / "exports" / j).glob("*.mp4")), sorted(m.job(j)["files"][0]["name"] for j in jobs), "files")
            m.stop()


def went(m):
    """A part of the recording is deleted before it is read."""
    stretches = sorted((data / "recordings" / "street").rglob("*.mp4"), key=lambda f: f.stat().st_mtime)[-4:]
    ends = [f.stat().st_mtime for f in stretches]
    m.span = {"from": ends[0] - 0.5, "to": ends[2]}
    stretches[1].unlink()
    job = m.done(m.export())
    if job["state"] != "failed" or "deleted" not in job["reason"] or job["files"]:
        raise AssertionError(job)
    same([f.name for f in (data / "exports" / job["id"]).iterdir()], ["job.json"], "what stays of it")


def full():
    """The disk of the exports fills up while one is written; the disk of all has too little left before."""
    disk = folder / "disk"
    disk.mkdir()
    apart = ["unshare", "-m" if os.geteuid() == 0 else "-rm", "sh", "-c"]
    mount = f"mount -t tmpfs -o size=64m tmpfs {shlex.quote(str(disk))} && mkdir {shlex.quote(str(disk / 'exports'))} && mount -t tmpfs -o size=64k tmpfs {shlex.quote(str(disk / 'exports'))}"
    tried = subprocess.run([*apart, mount], capture_output=True, text=True, check=False)
    if tried.returncode:
        print(f"SKIPPED: full disks: no mount namespace here: {tried.stderr.strip()}")
        return
    wrapper = folder / "on-disks-of-its-own"
    wrapper.write_text(f"#!/bin/sh\nexec {shlex.join(apart)} '{mount} && exec \"$@\"' sh {shlex.quote(program)} \"$@\"\n")
    wrapper.chmod(0o755)
    with Server(str(wrapper), disk, "--config", str(config)) as m:
        inside = pathlib.Path(f"/proc/{m.process.pid}/root{disk}")
        m.token = (inside / "token").read_text().split()[1]
        recorded(m, 8)
        for more in ({}, {"burn_in": True}):
            job = m.done(m.export(**more))
            same(job["state"], "failed", job)
            if not re.search("No space left|space", job["reason"]):
                raise AssertionError(job)
            same([f.name for f in (inside / "exports" / job["id"]).iterdir()], ["job.json"], "what stays of it")
        room = shutil.disk_usage(inside).free
        (inside / "filler").write_bytes(bytes(room - (1 << 20)))
        job = m.done(m.export())
        if job["state"] != "failed" or "min_free" not in job["reason"]:
            raise AssertionError(job)
        m.kill()
    print("full disks: refused in words")


with start() as m:
    recorded(m, 10)
    refused(m)
    ident = copied(m)
    link = linked(m, ident)
    encoded(m)
    removed(m, ident, link)
    flooded(m)
    m.stop()
killed()
with start() as m:
    recorded(m, 3)
    went(m)
    m.stop()
full()
print("all is well")
