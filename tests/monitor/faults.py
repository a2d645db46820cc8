# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-monitor when things go wrong around it: a disk that is full, pictures of changing sizes, a model of another size, a webhook
that is away, cameras that are none; and by TLS.

faults.py PROGRAM FOLDER"""
import contextlib
import json
import pathlib
import resource
import shutil
import sqlite3
import struct
import subprocess
import sys
import time

from program import Monitor, begin, same
from receiver import Receiver

program, folder = begin("monitor-faults")
config = folder / "monitor.yaml"
SCENE = "scenetestsrc is-live=true quiet=0.5 density=2 ! video/x-raw,format=I420,width=320,height=180,framerate=15/1"


def full_disk():
    """The disk is full: the log has one line, viewers go on, and events of that time are stored when there is room again."""
    hook = Receiver([503, 500])
    config.write_text(f"""
webhook: {{url: "http://user:hidden@127.0.0.1:{hook.port}/events"}}
record: {{pre_capture: 1, post_capture: 1, max_clip: 3}}
cameras:
  street: {{source: "{SCENE}", cudamog: {{motion-hold: 300}}}}
""")
    with Monitor(program, folder / "full", "--config", str(config)) as m:
        m.wait("an event", lambda: m.get("/api/events")["events"], 60)
        m.wait("the webhook takes it at the third try", hook.taken, 30)
        same([g.status for g in hook.got][:3], [503, 500, 200], "tries")
        same({g.body for g in hook.got[:3]}, {hook.got[0].body}, "the same event each time")
        same(json.loads(hook.got[0].body)["type"], "new", "its first news")
        soft, hard = resource.prlimit(m.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(m.process.pid, resource.RLIMIT_FSIZE, (1, hard))  # no file grows beyond a byte: as a full disk
        m.wait("the full disk is noticed", lambda: not m.get("/api/stats")["storage"]["writable"], 60)
        same(m.ask("PUT", "/api/cameras/street/zones/gate", {"coordinates": "0,0,1,0,1,1"})[0], 507, "a change that is not stored is said to be none")
        before = len(m.log)
        seen, least = set(), time.monotonic() + 12
        for kind, _, _, _, _, payload in m.live("?pictures=0", 60):
            record = json.loads(payload) if kind == "E" else {}
            if record.get("kind") == "event":
                seen.add(record["event"]["id"])
            if seen and time.monotonic() > least:
                break
        if not seen:
            raise AssertionError("viewers receive no event while the disk is full")
        resource.prlimit(m.process.pid, resource.RLIMIT_FSIZE, (soft, hard))
        m.wait("the disk works again", lambda: m.get("/api/stats")["storage"]["writable"], 30)
        for event in seen:
            m.wait(f"event {event} of that time", lambda e=event: m.ask("GET", f"/api/events/{e}")[0] == 200, 20)
        stored = folder / "full/overrides.json"
        m.wait("the change is stored by itself", lambda: stored.exists() and "gate" in stored.read_text(), 40)
        same(sum("events are kept in memory" in line for line in m.log), 1, "lines of the log about the full disk")
        if len(m.log) - before > 12 + 2 * len(seen):
            raise AssertionError("a full disk floods the log:\n" + "".join(m.log[before:]))
        m.wait("a clip, now", lambda: any(e["has_clip"] and e["start_time"] > time.time() - 20 for e in m.get("/api/events")["events"]), 60)
        for e in m.get("/api/events?limit=500")["events"]:
            if e["has_snapshot"]:
                same(m.ask("GET", f"/api/events/{e['id']}/thumbnail.jpg")[0], 200, "a picture that was announced")
            if e["has_clip"]:
                same(m.ask("GET", f"/api/events/{e['id']}/clip.mp4")[0], 200, "a clip that was announced")
        same("hidden" in "".join(m.log) + json.dumps(m.get("/api/config")), False, "the webhook's password is shown")

        def delivered():
            return {b["after"]["id"] for b in (json.loads(g.body) for g in hook.taken()) if b["type"] == "end"}
        # A letter that could not be marked as delivered is sent again after up to 30 s; those of that time wait behind it.
        m.wait("the webhook receives an event of the time when the disk was full", lambda: seen & delivered(), 90)
        m.stop()
    for line in (folder / "full/events.jsonl").read_text().splitlines():
        json.loads(line)


def lines():
    """The file of finished events cannot be written, and the program is killed: the lines are there after the next start, each once."""
    config.write_text(f"record: {{pre_capture: 0, post_capture: 1, max_clip: 3}}\ncameras:\n  street: {{source: \"{SCENE}\", cudamog: {{motion-hold: 300}}}}\n")
    file = folder / "lines/events.jsonl"
    file.parent.mkdir()
    file.symlink_to(folder / "a folder that is away/events.jsonl")

    def finished():
        return {e["id"] for e in m.get("/api/events?limit=500")["events"] if e["end_time"]}
    with Monitor(program, folder / "lines", "--config", str(config)) as m:
        m.wait("two finished events", lambda: len(finished()) >= 2, 90)
        m.wait("the log says so", lambda: any("events.jsonl" in line and "wait in the database" in line for line in m.log), 10)
        before = finished()
        m.kill()
    file.unlink()
    with Monitor(program, folder / "lines", "--config", str(config)) as m:
        m.wait("the lines", lambda: file.exists() and before <= {json.loads(line)["id"] for line in file.read_text().splitlines()}, 20)
        m.stop()
    ids = [json.loads(line)["id"] for line in file.read_text().splitlines()]
    same(len(ids), len(set(ids)), "each line once")


def drops():
    """Frames that a source leaves out, since what is behind it takes too long, are counted."""
    config.write_text(f'cameras:\n  slow: {{source: "{SCENE} ! identity sleep-time=200000", detect: {{fps: all}}, record: {{enabled: false}}}}\n')
    with Monitor(program, folder / "drops", "--config", str(config)) as m:
        m.wait("frames that are left out", lambda: m.get("/api/stats")["cameras"][0]["drops"] >= 10, 60)
        c, most = m.get("/api/stats")["cameras"][0], (time.monotonic() - m.begun) * 15
        if c["frames"] + c["drops"] > most:
            raise AssertionError(f"{c['frames']} frames and {c['drops']} left out of {most:.0f} at the most")
        same('vigil_camera_drops{camera="slow"}' in m.ask("GET", "/metrics")[1].decode(), True, "for Prometheus")
        m.stop()


def sizes():
    """A camera whose pictures change their size goes on; so does one whose saved model is of another size."""
    def part(width, height, n, seconds):
        return (f"scenetestsrc quiet=0.5 density=2 num-buffers={seconds * 15} ! video/x-raw,format=I420,width={width},height={height},framerate=15/1 "
                f"! c.sink_{n}")
    # Three live sources would start together: the second would be six seconds late and rush past. One clocksync behind them plays each at its own speed.
    change = "concat name=c " + " ".join(part(w, h, n, s) for n, (w, h, s) in enumerate([(320, 180, 6), (480, 270, 6), (160, 120, 3000)])) + " c. ! clocksync"
    config.write_text(f"record: {{pre_capture: 1, post_capture: 1}}\ncameras:\n  turning: {{source: \"{change}\", masks: {{m: {{coordinates: '0,0,1,0,1,0.1'}}}}}}\n")
    with Monitor(program, folder / "sizes", "--config", str(config)) as m:
        widths = []

        def last_size():
            c = m.get("/api/cameras/turning")
            if not widths or widths[-1] != c["width"]:
                widths.append(c["width"])
            return c["width"] == 160 and c["state"] == "online"
        m.wait("the third size", last_size, 60)
        if 480 not in widths:
            raise AssertionError(widths)
        same(m.get("/api/cameras/turning")["reconnects"], 0, "without another start")
        same(m.ask("GET", "/api/cameras/turning/latest.jpg")[0], 200, "its picture")
        m.stop()
    models = list((folder / "sizes/models").iterdir())
    same(len(models) >= 1, True, "a saved model")
    config.write_text(f'cameras:\n  turning: {{source: "{SCENE}"}}\n')
    with Monitor(program, folder / "sizes", "--config", str(config)) as m:
        m.wait("a camera whose model is of another size", lambda: m.get("/api/cameras/turning")["state"] == "online", 30)
        same(m.get("/api/cameras/turning")["reconnects"], 0, "at once")
        m.stop()
    same([f.name for f in (folder / "sizes/models").glob("*.bak")], ["turning.mog.bak"], "the other model is kept")


def no_cameras():
    """Sources that give no pictures, each in its way: offline with a reason, and the others do not notice."""
    (folder / "garbage.mp4").write_bytes(bytes(range(256)) * 4000)
    (folder / "empty.mp4").write_bytes(b"")
    config.write_text(f"""
record: {{pre_capture: 0, post_capture: 1, max_clip: 3}}
cameras:
  good: {{source: "{SCENE}"}}
  jpeg: {{source: "{SCENE} ! jpegenc"}}
  garbage: {{source: "{folder}/garbage.mp4"}}
  empty: {{source: "{folder}/empty.mp4"}}
  missing: {{source: "{folder}/missing.mp4"}}
  sound: {{source: "audiotestsrc is-live=true ! audio/x-raw,rate=8000 ! alawenc"}}
  silent: {{source: "http://127.0.0.1:9/x"}}
""")
    with Monitor(program, folder / "none", "--config", str(config)) as m:
        m.wait("pictures", lambda: m.get("/api/cameras/good")["state"] == "online")
        m.wait("another codec", lambda: m.get("/api/cameras/jpeg")["state"] == "online", 30)
        for name in "garbage", "empty", "missing", "sound", "silent":
            c = m.wait(f"{name} is offline", lambda n=name: (x := m.get(f"/api/cameras/{n}"))["state"] == "offline" and x, 40)
            print(f"{name}: {c['reason']}")
            if not c["reason"]:
                raise AssertionError(c)
        same("no video" in m.get("/api/cameras/sound")["reason"], True, "what is wrong with sound alone")
        same(m.get("/api/cameras/good")["reconnects"], 0, "the good camera did not notice")
        c = m.wait("clips of another codec", lambda: next((e for e in m.get("/api/events?camera=jpeg")["events"] if e["has_clip"]), None), 60)
        same(m.ask("GET", f"/api/events/{c['id']}/clip.mp4")[0], 200, "its clip")
        lines = [line for line in m.log if " missing: " in line]
        same(len(lines), 1, f"one line for what stays wrong: {lines}")
        m.stop()


def duration(file):
    """Seconds that an MP4 file says it lasts: of mvhd, version 0."""
    data = file.read_bytes()
    at = data.rindex(b"mvhd") + 4  # the first is of the time when the file was being written
    if data[at]:
        raise AssertionError("an mvhd of another version")
    scale, length = struct.unpack(">II", data[at + 12:at + 20])
    return length / scale


def files():
    """A file plays at its own speed, again and again."""
    clip = folder / "clip.mp4"
    subprocess.run(["gst-launch-1.0", "-q", *"scenetestsrc quiet=0 num-buffers=45 ! video/x-raw,format=I420,width=320,height=180,framerate=15/1".split(),
                    *f"! x264enc speed-preset=ultrafast key-int-max=15 ! h264parse ! mp4mux ! filesink location={clip}".split()], check=True, timeout=60)
    # The film's end ends its motion, which comes again 1.4 s later: within post_capture, so that the event goes on.
    config.write_text(f'record: {{pre_capture: 1, post_capture: 2, max_clip: 10}}\ncameras:\n  film: {{source: "{clip}", detect: {{fps: all}}}}\n')
    shutil.copy(clip, folder / "par!ty.mp4")  # a name with a sign that stands between elements elsewhere
    with Monitor(program, folder / "named", str(folder / "par!ty.mp4")) as m:
        m.wait("pictures of a file with such a name", lambda: m.get("/api/cameras/camera1")["state"] == "online", 14)
        m.stop()
    with Monitor(program, folder / "files", "--config", str(config)) as m:
        m.wait("pictures of the file", lambda: m.get("/api/cameras/film")["state"] == "online", 14)
        time.sleep(8)  # it has begun again twice
        for _ in range(5):  # a busy machine may be slower for a while, but never faster
            begun, first = time.monotonic(), m.get("/api/stats")["cameras"][0]["frames"]
            time.sleep(6)
            rate = (m.get("/api/stats")["cameras"][0]["frames"] - first) / (time.monotonic() - begun)
            if rate > 8:
                break
        if not 8 < rate < 18:
            raise AssertionError(f"{rate:.1f} frames a second of a file of 15")
        same(m.get("/api/cameras/film")["reconnects"], 0, "it begins again without a reconnection")
        # A clip that holds the file's end and its begin again lasts as long as it was filmed.
        e = m.wait("a long clip", lambda: next((e for e in m.get("/api/events")["events"] if e["has_clip"] and e["end_time"] and e["end_time"] - e["clip_start"] > 6), None), 60)
        (folder / "again.mp4").write_bytes(m.ask("GET", f"/api/events/{e['id']}/clip.mp4", raw=True)[1])
        filmed, lasts = e["end_time"] - e["clip_start"], duration(folder / "again.mp4")
        if abs(lasts - filmed) > 0.25 * filmed:
            raise AssertionError(f"a clip of {lasts:.1f} s of an event that it shows for {filmed:.1f} s")
        m.stop()


def deleted():
    """Of an event that is deleted while it goes on nothing stays on the disk, though its clip is finished later."""
    config.write_text(f'record: {{pre_capture: 1, post_capture: 1, max_clip: 6}}\ncameras:\n  street: {{source: "{SCENE}"}}\n')
    data = folder / "deleted"
    with Monitor(program, data, "--config", str(config)) as m:
        clip = m.wait("a clip being written", lambda: list((data / "clips").rglob("*.part")))[0]
        event = clip.name.split(".")[0]
        m.wait("the event goes", lambda: m.ask("DELETE", f"/api/events/{event}")[0] == 200)
        same(clip.exists(), True, "its clip goes on")
        m.wait("the clip's end", lambda: not clip.exists())
        m.wait("its files are gone", lambda: not list(data.rglob(f"{event}*")), 10)
        m.stop()


def twice():
    """A second program on the same storage folder is refused, and the clip that the first one writes stays whole."""
    config.write_text(f'record: {{pre_capture: 1, post_capture: 1, max_clip: 8}}\ncameras:\n  street: {{source: "{SCENE}"}}\n')
    data = folder / "twice"
    with Monitor(program, data, "--config", str(config)) as m:
        m.wait("a clip being written", lambda: list((data / "clips").rglob("*.part")))
        done = subprocess.run([program, "--config", str(config), "--listen", "127.0.0.1:0", "--storage", str(data)], capture_output=True, text=True, timeout=30)
        same((done.returncode, "another vigil-monitor" in done.stderr), (1, True), f"the second one: {done.stderr}")
        m.wait("the clip", lambda: [e for e in m.get("/api/events")["events"] if e["has_clip"] and e["end_time"]])
        same([line for line in m.log if "is lost" in line], [], "clips that are lost")
        m.stop()


def tls():
    """By TLS, with tokens: what a token of role view may do, and cookies that are sent by TLS alone."""
    made = subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1", "-subj", "/CN=test",
                           "-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")], capture_output=True, check=False)
    if made.returncode:
        print("SKIPPED in part: TLS, since openssl makes no certificate:", made.stderr.decode()[-200:])
        return
    config.write_text(f"""
http: {{certificate: {folder}/cert.pem, key: {folder}/key.pem, token_file: {folder}/token, local: admin}}
cameras:
  street: {{source: "{SCENE}"}}
""")
    with Monitor(program, folder / "tls", "--config", str(config)) as m:
        same(m.tls, True, "it says https")
        tokens = dict(line.split() for line in (folder / "token").read_text().splitlines())
        proxied = {"X-Forwarded-For": "192.0.2.1"}  # without this, a request from this machine needs no token
        same(m.ask("GET", "/api/cameras", headers=proxied)[0], 401, "without a token")
        same(m.ask("POST", "/api/login", {"token": "x" * 32}, proxied)[0], 401, "a wrong token")
        same(m.ask("POST", "/api/login", {"token": tokens["view"]}, proxied)[0], 200, "the right one")
        cookie = m.headers["Set-Cookie"]
        for word in "HttpOnly", "SameSite=Strict", "Secure":
            if word not in cookie:
                raise AssertionError(cookie)
        view = {**proxied, "Cookie": cookie.split(";")[0]}
        same(m.ask("GET", "/api/cameras", headers=view)[0], 200, "by cookie")
        same(m.ask("PATCH", "/api/cameras/street/switches", {"motion": False}, view)[0], 403, "a viewer changes nothing")
        admin = {**proxied, "Authorization": "Bearer " + tokens["admin"]}
        same(m.ask("PATCH", "/api/cameras/street/switches", {"motion": False}, admin)[0], 200, "an administrator does")
        m.wait("pictures by TLS", lambda: any(r[0] == "J" for r in m.live("?cameras=street", 2)))
        same(any(t in "".join(m.log) for t in tokens.values()), False, "tokens in the log")
        m.stop()
    (folder / "key.pem").write_text("no key")
    done = subprocess.run([program, "--config", str(config), "--listen", "127.0.0.1:0", "--storage", str(folder / "tls")], capture_output=True, text=True, timeout=30)
    same((done.returncode, "certificate" in done.stderr), (1, True), f"a key that is none: {done.stderr}")


def warnings():
    """What two cameras warn of is said of each, once."""
    # Frames that lack the mask which tracklabel is asked to use: one that comes at the first track, and could at each.
    looks = f"tracklabel: {{codebook-location: {pathlib.Path(__file__).resolve().parents[2] / 'gst/tracklabel/drawn.model'}, background-weight: 0.5}}"
    config.write_text("record: {enabled: false}\ncameras:\n" + "".join(f"  {name}: {{source: \"{SCENE}\", {looks}}}\n" for name in ("left", "right")))
    with Monitor(program, folder / "warnings", "--config", str(config)) as m:
        def said(name):
            return [line for line in m.log if f" {name}: " in line and "attach-mask" in line]
        m.wait("both warnings", lambda: said("left") and said("right"), 60)
        before = m.get("/api/stats")["cameras"][0]["frames"]
        m.wait("more pictures", lambda: m.get("/api/stats")["cameras"][0]["frames"] > before + 20, 40)
        same((len(said("left")), len(said("right"))), (1, 1), "warnings")
        m.stop()


def newer():
    """A database of a newer version is refused, with what to do, and left as it is."""
    config.write_text(f'cameras:\n  street: {{source: "{SCENE}"}}\n')
    data = folder / "newer"
    data.mkdir()
    with contextlib.closing(sqlite3.connect(data / "events.db")) as db:
        db.execute("CREATE TABLE later(what TEXT)")
        db.execute("INSERT INTO later VALUES('kept')")
        db.execute("PRAGMA user_version=99")
        db.commit()
    done = subprocess.run([program, "--config", str(config), "--listen", "127.0.0.1:0", "--storage", str(data)], capture_output=True, text=True, timeout=30)
    same((done.returncode, "newer version" in done.stderr, "99" in done.stderr), (1, True, True), f"a newer database: {done.stderr}")
    with contextlib.closing(sqlite3.connect(data / "events.db")) as db:
        same(db.execute("SELECT what FROM later").fetchall(), [("kept",)], "what it held")
        same(db.execute("SELECT name FROM sqlite_master WHERE name='events'").fetchall(), [], "tables of this version in it")


checks = [full_disk, lines, drops, sizes, no_cameras, files, deleted, twice, tls, warnings, newer]
for check in [c for c in checks if c.__name__ in sys.argv[3:]] or checks:
    begun = time.monotonic()
    check()
    print(f"{check.__name__} good, {time.monotonic() - begun:.0f} s", flush=True)
