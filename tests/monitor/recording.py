# SPDX-License-Identifier: LGPL-2.1-or-later
"""Continuous recording: what is recorded, served and listed; what kill -9 leaves; a removed folder; a disk that hangs.

recording.py PROGRAM FOLDER [PART...]. Needs ffprobe; without, it is skipped. VIGIL_KILLS: how often the program is killed (3)."""
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

from program import Monitor, begin, same
from slow_folder import slow_disk
from vigiltest import skip

program, folder = begin("monitor-recording")
if not shutil.which("ffprobe"):
    skip("no ffprobe")
data, second, config = folder / "data", folder / "second", folder / "monitor.yaml"
second.mkdir()
config.write_text(f"""
storage: {{cold: {{path: {second}, days: 0, min_free: 0B}}}}
record: {{continuous: {{days: 3}}, motion: {{days: 14}}, events: {{days: 30}}}}
cameras:
  street: {{source: "scenetestsrc is-live=true quiet=0 density=2 ! video/x-raw,format=I420,width=320,height=180,framerate=15/1", cudamog: {{motion-hold: 3000}}}}
  quiet: {{source: "scenetestsrc is-live=true ! video/x-raw,format=I420,width=320,height=180,framerate=5/1", record: {{continuous: {{enabled: false}}}}}}
""")


KILLS = int(os.environ.get("VIGIL_KILLS", "3"))
probed = set()


def start():
    return Monitor(program, data, "--config", str(config))


def probe(file):
    """Pictures of a file, decoded; an error of the decoder fails."""
    done = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries", "stream=nb_read_frames,codec_name", "-of", "json", str(file)],
                          capture_output=True, text=True, check=False)
    if done.returncode or done.stderr:
        raise AssertionError(f"{file}: {done.stderr}")
    return int(json.loads(done.stdout)["streams"][0]["nb_read_frames"])


def line(m, camera="street", back=3600):
    now = time.time()
    return m.get(f"/api/cameras/{camera}/timeline?from={now - back:.3f}&to={now + 10:.3f}")


def length(m):
    return sum(r["end"] - r["start"] for r in line(m)["recorded"])


def files():
    """Of both folders."""
    return sorted(f for place in (data, second) for f in (place / "recordings").rglob("*.mp4"))


def served(m):
    m.wait("six seconds are recorded", lambda: length(m) >= 6, 90)
    t = line(m)
    recorded = t["recorded"][-1]
    if t["oldest"] is None or abs(t["oldest"] - t["recorded"][0]["start"]) > 0.01 or len(t["motion"]["levels"]) != round(3610 / t["motion"]["step"] + 0.499):
        raise AssertionError(t)
    begin, end = recorded["start"] + 1.5, recorded["start"] + 4
    path = f"/api/cameras/street/recording.mp4?from={begin}&to={end}"
    status, whole = m.ask("GET", path, raw=True)
    headers = m.headers
    same(status, 200, "a range")
    first = float(headers["X-Recording-Start"])
    # A key frame comes each two seconds.
    if not begin - 2.5 < first <= begin or not end - 0.1 <= float(headers["X-Recording-End"]) < end + 1.5:
        raise AssertionError((begin, end, headers))
    if not headers["Content-Type"].startswith('video/mp4; codecs="avc1.'):
        raise AssertionError(headers)
    same(int(headers["Content-Length"]), len(whole), "its length")
    (folder / "range.mp4").write_bytes(whole)
    pictures = probe(folder / "range.mp4")
    wanted = (float(headers["X-Recording-End"]) - first) * 15
    if not wanted / 6 < pictures <= wanted + 2:  # a loaded machine leaves pictures out
        raise AssertionError(f"{pictures} pictures, {wanted} at most")
    same(m.ask("GET", path, raw=True)[1], whole, "the same bytes again")
    for begins, ends in ((0, 9), (100, 5000), (len(whole) - 7, len(whole) - 1)):
        status, part = m.ask("GET", path, headers={"Range": f"bytes={begins}-{ends}"}, raw=True)
        same((status, part == whole[begins:ends + 1]), (206, True), f"bytes {begins}-{ends}")
        same(m.headers["Content-Range"], f"bytes {begins}-{ends}/{len(whole)}", "Content-Range")
    status, nothing = m.ask("HEAD", path, raw=True)
    same((status, nothing, int(m.headers["Content-Length"])), (200, b"", len(whole)), "HEAD")
    same(m.ask("GET", path, headers={"Range": f"bytes={len(whole)}-"})[0], 416, "behind its end")
    for query, status, word in ((f"from={begin - 1e6}&to={begin - 1e6 + 60}", 404, "begins at"), (f"from={begin - 1e6}&to={begin}", 400, "six hours"),
                                ("from=5&to=4", 400, "before"), ("to=4", 400, "needed"), ("from=x&to=4", 400, "number")):
        got, said = m.ask("GET", f"/api/cameras/street/recording.mp4?{query}")
        if got != status or word not in said["error"]:
            raise AssertionError((query, got, said))
    same(m.ask("GET", "/api/cameras/nobody/recording.mp4?from=1&to=2")[0], 404, "no such camera")
    same(m.ask("GET", "/api/cameras/nobody/timeline?from=1&to=2")[0], 404, "no such camera's timeline")
    same(m.ask("GET", f"/api/cameras/quiet/recording.mp4?from={begin}&to={end}")[0], 404, "a camera that is not recorded")
    same((line(m, "quiet")["recorded"], line(m, "quiet")["oldest"]), ([], None), "its timeline")
    print(f"served {len(whole)} bytes, {pictures} pictures")


def killed():
    """At most a second is lost, which is looked at as 2.5 s here: the machine may be loaded. Previews are made and segments move to the second
    folder meanwhile; each file is there once and plays, and nothing is left over."""
    worst = 0
    for i in range(KILLS):
        with start() as m:
            before = length(m)
            m.wait("it records again", lambda: length(m) > before + 1, 90)
            time.sleep(random.uniform(0, 2))
            last = line(m)["recorded"][-1]["end"]
            at = time.time()
            m.kill()
        time.sleep(1.5)  # a shorter gap is none
        with start() as m:
            t = line(m)
            ends = [r["end"] for r in t["recorded"] if r["start"] < at]
            if max(ends) < last - 0.01 or at - max(ends) > 2.5:
                raise AssertionError(f"killed at {at}, recorded until {max(ends)}, {last} was reported")
            if i % 2:
                m.wait("segments move", lambda: m.get("/api/stats")["storage"]["cold"]["recordings_bytes"] > 0, 60)
            m.wait("it records once more", lambda: line(m)["recorded"][-1]["end"] > at + 1, 90)
            gaps = [g["reason"] for g in line(m)["gaps"] if g["start"] >= max(ends) - 0.01]
            same(gaps, ["program stopped"], "the gap")
            m.stop()
        for file in files():
            if file not in probed:
                probe(file)
                probed.add(file)
        same(sorted(p.name for place in (data, second) for p in (place / "recordings").rglob("*") if p.is_file() and p.suffix not in (".mp4", ".previews")), [], "halves")
        if {f.stem for f in (data / "recordings").rglob("*.previews")} - {f.stem for f in files()}:
            raise AssertionError("previews without a segment")
        db = sqlite3.connect(data / "events.db")
        same((db.execute("SELECT count(*) FROM segments WHERE open").fetchone()[0], sorted(r[0] + ".mp4" for r in db.execute("SELECT id FROM segments"))),
             (0, [f.name for f in sorted(files(), key=lambda f: f.name)]), "rows and files")
        same(db.execute("PRAGMA user_version").fetchone()[0], 4, "the database's version")
        db.close()
        worst = max(worst, at - max(ends))
    moved = len(list((second / "recordings").rglob("*.mp4")))
    print(f"killed {KILLS} times: {worst:.2f} s lost at most, {len(files())} files play, {moved} of them in the second folder")


def compared():
    """A row without its file goes, a file without its row is found, a foreign file stays."""
    db = sqlite3.connect(data / "events.db")
    gone, lost = [r[0] for r in db.execute("SELECT id FROM segments ORDER BY start LIMIT 2")]
    db.execute("DELETE FROM segments WHERE id=?", (lost,))
    start_of = db.execute("SELECT count(*) FROM segments").fetchone()[0]
    db.commit()
    db.close()
    next(f for f in files() if f.stem == gone).unlink()
    foreign = files()[0].parent / "holiday.mp4"
    foreign.write_text("not ours")
    with start() as m:
        m.wait("the file is found again", lambda: any("found again" in x for x in m.log) and any("are gone" in x or "is gone" in x for x in m.log), 40)
        m.stop()
    db = sqlite3.connect(data / "events.db")
    same((db.execute("SELECT count(*) FROM segments WHERE id=?", (gone,)).fetchone()[0], db.execute("SELECT count(*) FROM segments WHERE id=?", (lost,)).fetchone()[0]), (0, 1), "rows")
    db.close()
    same((foreign.read_text(), start_of > 0), ("not ours", True), "a foreign file")


def events(m, **wanted):
    return [e for e in m.get("/api/events?camera=street&limit=100")["events"] if e["label"] == "motion" and all(e[k] == v for k, v in wanted.items())]


def playable(m, event):
    """The pictures of an event's clip, whole and in pieces."""
    path = f"/api/events/{event['id']}/clip.mp4"
    status, whole = m.ask("GET", path, raw=True)
    same((status, m.headers["Content-Type"][:9], int(m.headers["Content-Length"])), (200, "video/mp4", len(whole)), "a clip")
    (folder / "clip.mp4").write_bytes(whole)
    status, part = m.ask("GET", path, headers={"Range": "bytes=100-4999"}, raw=True)
    same((status, part == whole[100:5000]), (206, True), "a part of it")
    m.ask("GET", path + "?download=1", raw=True)
    if event["id"] not in m.headers["Content-Disposition"]:
        raise AssertionError(m.headers)
    return probe(folder / "clip.mp4")


def clips():
    """Clips of events are parts of the recording: nothing is written twice, also not what was killed; files of before stay clips."""
    before = {p.name for p in (data / "clips").rglob("*.mp4")} if (data / "clips").exists() else set()
    begun = time.time()
    with start() as m:
        new = m.wait("an event with a clip", lambda: next((e for e in events(m, has_clip=True) if e["end_time"] and e["start_time"] > begun), None), 180)
        same({p.name for p in (data / "clips").rglob("*.mp4")}, before, "files of clips")
        length = new["clip_end"] - new["clip_start"]
        if not new["end_time"] - new["start_time"] <= length <= new["end_time"] - new["start_time"] + 16 or new["clip_start"] > new["start_time"]:
            raise AssertionError(new)
        pictures = playable(m, new)
        if not 0 < pictures <= (length + 2) * 15:
            raise AssertionError(f"{pictures} pictures in {length} s")
        known = {e["id"] for e in events(m)}
        running = m.wait("an event that goes on", lambda: next((e for e in events(m, end_time=None)), None), 180)
        time.sleep(3)
        m.kill()
    with start() as m:
        e = m.wait("it has its clip and its end", lambda: next((e for e in events(m, id=running["id"]) if e["has_clip"] and e["end_time"]), None), 60)
        print("killed within an event:", playable(m, e), "pictures of its clip;", len(known), "events before")
        m.ask("POST", f"/api/events/{new['id']}/retain", {"retain": True})
        m.stop()
    db = sqlite3.connect(data / "events.db")
    held = db.execute("SELECT count(*) FROM segments WHERE held=2").fetchone()[0]
    if not held:
        raise AssertionError("the kept event holds nothing")
    db.close()
    # The recording is switched off: what there is stays, new events have files of their own.
    text = config.read_text()
    config.write_text(text.replace("continuous: {days: 3}, ", "pre_capture: 1, post_capture: 1, "))
    with start() as m:
        if not playable(m, new):
            raise AssertionError("the old clip")
        m.wait("an event with a file of its own", lambda: next((e for e in events(m, has_clip=True) if e["clip_end"] is None), None), 180)
        m.stop()
    config.write_text(text)


def previews():
    """Small pictures of the recording, by time."""
    with start() as m:
        m.wait("a preview of now", lambda: m.ask("GET", f"/api/cameras/street/preview?at={time.time() - 4:.1f}", raw=True)[0] == 200 and abs(float(m.headers["X-Capture-Time"]) - time.time()) < 10, 60)
        t = line(m)["recorded"][-1]
        sizes = []
        for i in range(5):
            at = t["start"] + (t["end"] - t["start"]) * i / 5
            status, jpeg = m.ask("GET", f"/api/cameras/street/preview?at={at}", raw=True)
            same((status, m.headers["Content-Type"], jpeg[:2]), (200, "image/jpeg", b"\xff\xd8"), "a preview")
            if abs(float(m.headers["X-Capture-Time"]) - at) > 12:
                raise AssertionError((at, m.headers))
            sizes.append(len(jpeg))
        for query, status, word in (("", 400, "at"), ("?at=x", 400, "number")):
            got, said = m.ask("GET", "/api/cameras/street/preview" + query)
            if got != status or word not in said["error"]:
                raise AssertionError((query, got, said))
        same(m.ask("GET", "/api/cameras/street/preview?at=5", raw=True), (204, b""), "nothing there")
        same(m.ask("GET", "/api/cameras/nobody/preview?at=5")[0], 404, "no such camera")
        m.stop()
    names = {f.stem for f in (data / "recordings").rglob("*.previews")}
    if not names or names - {f.stem for f in files()}:
        raise AssertionError(f"previews without a segment: {names}")
    orphan = max((data / "recordings").rglob("*.previews"), key=lambda f: f.name)  # the newest has not moved yet
    orphan.with_suffix(".mp4").unlink()
    with start() as m:
        m.wait("previews of a segment that is gone go", lambda: not orphan.exists(), 60)
        m.stop()
    print("previews of", min(sizes), "to", max(sizes), "bytes")


def vanished():
    """The folder is removed while it records: a gap says so, and the recording goes on in a new one."""
    with start() as m:
        before = length(m)
        m.wait("it records", lambda: length(m) > before + 1, 90)
        shutil.rmtree(data / "recordings")
        m.wait("a gap says so", lambda: "file removed" in [g["reason"] for g in line(m)["gaps"]], 90)
        m.wait("it goes on", lambda: files() and line(m)["recorded"] and line(m)["recorded"][-1]["end"] > time.time() - 3, 90)
        m.stop()


def hangs():
    """The disk hangs for a quarter of a minute under the recording: no probe waits for it, what was reported is there, and what is missing has its reason."""
    own, skipped = folder / "hangs", []
    own.mkdir()
    with slow_disk(own / "real", own / "data/recordings", skipped) as disk:
        if not disk:
            print("SKIPPED in part:", *skipped)
            return
        plain = own / "monitor.yaml"
        plain.write_text("\n".join(x for x in config.read_text().splitlines() if not x.startswith("storage:")))
        with Monitor(program, own / "data", "--config", str(plain)) as m:
            m.wait("six seconds are recorded", lambda: length(m) >= 6, 90)
            reported = line(m)["recorded"]
            os.kill(disk.pid, signal.SIGSTOP)
            begun, slowest = time.monotonic(), 0
            while time.monotonic() - begun < 15:
                asked = time.monotonic()
                same(m.ask("GET", "/healthz", raw=True)[0], 200, "a probe meanwhile")
                slowest = max(slowest, time.monotonic() - asked)
                time.sleep(0.2)
            os.kill(disk.pid, signal.SIGCONT)
            after = time.time()
            t = m.wait("it is recorded again", lambda: (lambda t: t["recorded"] and t["recorded"][-1]["end"] > after + 3 and t)(line(m)), 90)
            if not all(any(now["start"] <= r["start"] + 0.01 and r["end"] - 0.01 <= now["end"] for now in t["recorded"]) for r in reported):
                raise AssertionError(f"{reported} was reported, {t['recorded']} is there")
            if {g["reason"] for g in t["gaps"]} - {"disk slow", "disk failed"} or len(t["recorded"]) > len(t["gaps"]) + 1:
                raise AssertionError(t)
            if slowest > 5:
                raise AssertionError(f"a probe waited {slowest:.1f} s")
            m.stop()
        played = sum(probe(file) for file in sorted((own / "real").rglob("*.mp4")))
        print(f"the disk hung for 15 s: {played} pictures play, /healthz within {slowest:.2f} s, gaps {[(g['reason'], round(g['end'] - g['start'], 1)) for g in t['gaps']]}")


def whole():
    with start() as m:
        served(m)
        m.stop()


for part in sys.argv[3:] or ("whole", "killed", "compared", "clips", "previews", "vanished", "hangs"):
    globals()[part]()
print("all is well")
