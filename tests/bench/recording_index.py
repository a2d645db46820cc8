# SPDX-License-Identifier: LGPL-2.1-or-later
"""How fast a long recording answers: any second to its picture in Chromium, scrubbing, search in a region, an export of an hour.

/usr/bin/python3 recording_index.py PROGRAM FOLDER [CAMERAS [DAYS [PART...]]]    64 30 open scrub search export

Records one minute of a drawn street (1920x1080, 15 pictures a second, 4 Mbit/s) once, and makes an index of CAMERAS x DAYS of it: a row for each
minute, whose file is a hard link to that minute. The first camera has previews and moving cells, too. FOLDER keeps all that for the next run.
Needs Chromium and selenium for `open` and `scrub`, room for DAYS x CAMERAS x 1440 names of files, and for an export 2 GB."""
import datetime
import json
import os
import pathlib
import random
import shutil
import sqlite3
import statistics
import struct
import subprocess
import sys
import time
import zlib

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / "monitor"), str(pathlib.Path(__file__).parents[1] / "monitor" / "page")]
from program import Monitor  # noqa: E402  pylint: disable=wrong-import-position

program, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
cameras, days = (int(a) for a in [*sys.argv[3:5], *("64", "30")[len(sys.argv[3:5]):]])
parts = sys.argv[5:] or ["open", "scrub", "search", "export"]
RATE, MINUTE, DAY, MOST_LINKS = 15, 60, 86400, 20000
POLYGON, STILL = "0.2,0.2,0.8,0.2,0.8,0.8,0.2,0.8", "0.96,0.3,1,0.3,1,0.6,0.96,0.6"  # no cell of moving_minute() is in the second one
folder.mkdir(parents=True, exist_ok=True)
rng = random.Random(38)


def seed():
    """One recorded minute: its row and its files."""
    made, clip = folder / "seed", folder / "street.mp4"
    if not clip.exists():
        subprocess.run(["gst-launch-1.0", "-q", *f"scenetestsrc scene=street density=0.5 num-buffers={70 * RATE} ! video/x-raw,format=I420,width=1920,height=1080,framerate={RATE}/1 "
                        f"! x264enc speed-preset=veryfast key-int-max={2 * RATE} bframes=0 bitrate=4000 ! h264parse ! mp4mux ! filesink location={clip}.part".split()], check=True, timeout=590)
        pathlib.Path(f"{clip}.part").rename(clip)
    (folder / "seed.yaml").write_text(f"record: {{continuous: {{days: 1}}}}\ncameras: {{cam0: {{source: {clip}, detect: {{enabled: false}}}}}}\n")
    closed = "SELECT id, duration, bytes, header, stream, codecs, fragments FROM segments WHERE open=0 AND duration>50e6 ORDER BY start LIMIT 1"
    if not (made / "events.db").exists():
        with Monitor(program, made, "--config", str(folder / "seed.yaml")) as m:
            def whole():
                db = sqlite3.connect(f"file:{made}/events.db?mode=ro", uri=True)
                found = db.execute(closed).fetchone()
                db.close()
                return found
            m.wait("a recorded minute", whole, 180)
            m.stop()
    db = sqlite3.connect(made / "events.db")
    row = db.execute(closed).fetchone()
    db.close()
    file = next((made / "recordings").rglob(row[0] + ".mp4"))
    return row, file, file.with_suffix(".previews")


def moving_minute():
    """The cells of a minute (motion_minute.h): a rectangle that moves for some seconds."""
    top, left, still, moves = rng.randrange(0, 12), rng.randrange(0, 24), rng.randrange(5, 30), rng.randrange(2, 20)
    rectangle = bytes([2, 0x80 | top, left, 6, 0x80 | (top + 5), left, 6])
    cells = bytes([1, 0x40 + still - 1]) + rectangle + bytes([0x80 + moves - 1, 0x40 + (60 - still - moves - 1) - 1])
    return cells + struct.pack("<I", zlib.crc32(cells))


def generate():
    """The storage folder, and the time span that its index covers."""
    data, mark = folder / f"data-{cameras}-{days}", folder / f"data-{cameras}-{days}.json"
    if mark.exists():
        return data, json.loads(mark.read_text())
    shutil.rmtree(data, ignore_errors=True)
    row, file, previews = seed()
    _, duration, size, header, stream, codecs, fragments = row
    shutil.copytree(folder / "seed", data, ignore=shutil.ignore_patterns("recordings"))
    db = sqlite3.connect(data / "events.db")
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("DELETE FROM segments")
    db.execute("DELETE FROM gaps")
    step = duration / 1e6
    end = int(time.time()) - 600
    begin = end - days * DAY
    links, original, extra = 0, file, []
    for n in range(cameras):
        rows, folders = [], set()
        for i in range(int((end - begin) / step)):
            start = begin + i * step
            stamp = datetime.datetime.fromtimestamp(start, datetime.timezone.utc)
            name = f"{stamp:%Y%m%dT%H%M%S}{stamp.microsecond // 1000:03d}-cam{n}-{i % 65536:04x}"
            place = data / "recordings" / f"cam{n}" / f"{stamp:%Y-%m-%d}"
            if place not in folders:
                place.mkdir(parents=True, exist_ok=True)
                folders.add(place)
            if links % MOST_LINKS == 0:
                original = folder / f"minute-{links // MOST_LINKS}-{cameras}-{days}.mp4"
                shutil.copy(file, original)
                extra.append(original)
            os.link(original, place / f"{name}.mp4")
            links += 1
            if n == 0 and i % MOST_LINKS == 0:
                shutil.copy(previews, folder / "minute.previews")
            if n == 0:
                shutil.copy(folder / "minute.previews", place / f"{name}.previews")
            rows.append((name, f"cam{n}", int(start * 1e6), duration, size, header, stream, codecs, 0, 0, fragments))
        with db:
            db.executemany("INSERT INTO segments(id, camera, start, duration, bytes, header, stream, codecs, open, tier, fragments) VALUES(?,?,?,?,?,?,?,?,?,?,?)", rows)
        print(f"cam{n}: {len(rows)} minutes", flush=True)
    for original in extra:
        original.unlink()
    db.close()
    db = sqlite3.connect(data / "motion.db")
    with db:
        db.execute("DELETE FROM motion_minutes")
        db.executemany("INSERT INTO motion_minutes(camera, minute, cells) VALUES('cam0', ?, ?)", ((m, moving_minute()) for m in range(begin // MINUTE, end // MINUTE)))
    db.close()
    span = {"begin": begin, "end": end, "rows": links, "gigabytes_an_hour": size / step * 3600 / 1e9}
    mark.write_text(json.dumps(span))
    return data, span


def says(what, values, limit, unit):
    values = sorted(values)
    print(f"{what}: median {statistics.median(values):.0f} {unit}, 95 % {values[int(0.95 * (len(values) - 1))]:.0f}, most {values[-1]:.0f}; of {len(values)}; at most {limit} {unit}", flush=True)


def processor(m):
    """Seconds of the processor so far."""
    return m.wait("figures", lambda: (lambda a: a[0] == 200 and a[1])(m.ask("GET", "/api/stats")), 60)["cpu_seconds"]


def any_second(span):
    return span["begin"] + 60 + rng.random() * (span["end"] - span["begin"] - 120)


def opened(m, browser, span, count=40):
    """From the click on a link with a time to the first picture, and to that of the video."""
    browser.driver.get(f"http://127.0.0.1:{m.port}/#/timeline?cameras=cam0&t={any_second(span):.2f}&span=3600")
    browser.until(lambda: browser.run("const v = document.querySelector('.tl-camera video'); return v && v.readyState >= 2"), "the first picture")
    first, video = [], []
    for _ in range(count):
        camera, t = rng.randrange(cameras), any_second(span)
        one, two = browser.driver.execute_async_script("""const [camera, t, done] = arguments;
            const old = document.querySelector('.tl-screens'), begun = performance.now();
            let first = null;
            location.hash = `#/timeline?cameras=${camera}&t=${t}&span=3600`;
            const look = () => {
              const screens = document.querySelector('.tl-screens');
              if (screens && screens !== old) {
                const small = screens.querySelector('.tl-preview'), film = screens.querySelector('video');
                const plays = film && film.readyState >= 2 && !film.seeking;
                if (first === null && (plays || (small && !small.hidden && small.complete && small.naturalWidth))) first = performance.now() - begun;
                if (plays) return done([first, performance.now() - begun]);
              }
              if (performance.now() - begun > 30000) return done([NaN, NaN]);
              requestAnimationFrame(look);
            };
            requestAnimationFrame(look);""", f"cam{camera}", f"{t:.2f}")
        if one is None or two is None:
            sys.exit(f"no picture of cam{camera} at {t}")
        first.append(one)
        video.append(two)
    says("any second to its first picture in Chromium (of cam0 a preview)", first, 300, "ms")
    says("any second to the video's picture in Chromium", video, 300, "ms")
    times = []
    for _ in range(200):
        t, camera = any_second(span), rng.randrange(cameras)
        c = m.connect()
        began = time.monotonic()
        c.request("GET", f"/api/cameras/cam{camera}/recording.mp4?from={t:.3f}&to={t + 4:.3f}")
        answer = c.getresponse()
        answer.read()
        times.append(1000 * (time.monotonic() - began))
        c.close()
        if answer.status != 200:
            sys.exit(f"{answer.status} for cam{camera} at {t}")
    says("four seconds of any time by HTTP, whole", times, 300, "ms")


def scrubbed(m, browser, span):
    browser.driver.get("about:blank")
    browser.driver.get(f"http://127.0.0.1:{m.port}/#/timeline?cameras=cam0&t={any_second(span):.2f}&span=3600")
    browser.until(lambda: browser.run("const v = document.querySelector('.tl-camera video'); return v && v.readyState >= 2"), "the first picture")
    shown, seconds = browser.driver.execute_async_script("""const done = arguments[0], band = document.querySelector('.tl-band'), box = band.getBoundingClientRect();
        const image = document.querySelector('.tl-preview');
        let shown = 0;
        image.onload = () => shown++;
        band.setPointerCapture = () => {}; band.hasPointerCapture = () => true;
        const send = (kind, share) => band.dispatchEvent(new PointerEvent(kind, {pointerId: 7, pointerType: 'mouse', button: kind === 'pointermove' ? -1 : 0, buttons: 1,
          isPrimary: true, bubbles: true, clientX: box.left + share * box.width, clientY: box.top + 30}));
        const begun = performance.now(), length = 5000;
        send('pointerdown', 0.1);
        const step = () => { const part = (performance.now() - begun) / length;
          send('pointermove', 0.1 + 0.8 * Math.min(1, part));
          if (part < 1) requestAnimationFrame(step); else { send('pointerup', 0.9); done([shown, (performance.now() - begun) / 1000]); } };
        requestAnimationFrame(step);""")
    print(f"scrubbing through 48 minutes in {seconds:.1f} s: {shown / seconds:.1f} pictures a second; at least 10", flush=True)


def searched(m, span):
    for where, polygon in (("where much moved", POLYGON), ("in a corner where nothing moved, so that all is read", STILL)):
        times, hits, before = [], 0, processor(m)
        for _ in range(7):
            began = time.monotonic()
            found = m.get(f"/api/cameras/cam0/search?polygon={polygon}&from={span['begin']}&to={span['end']}&limit=200")
            times.append(1000 * (time.monotonic() - began))
            hits = len(found["hits"])
        work = 1000 * (processor(m) - before) / len(times)
        says(f"search over {days} days of one camera, {where}, {hits} hits, {work:.0f} ms of one processor", times, 1000, "ms")


def exported(m, span):
    start = span["begin"] + 3600
    began, before = time.monotonic(), processor(m)
    status, job = m.ask("POST", "/api/exports", {"cameras": ["cam0"], "from": start, "to": start + 3600})
    if status != 202:
        sys.exit(f"{status} {job}")
    done = m.wait("the export", lambda: (lambda j: j["state"] in ("done", "failed") and j)(m.get(f"/api/exports/{job['id']}")), 600)
    seconds, work = time.monotonic() - began, processor(m) - before
    size = sum(f["bytes"] for f in done["files"]) / 1e9
    if done["state"] != "done":
        sys.exit(str(done))
    print(f"export of an hour, {size:.2f} GB: {seconds:.1f} s, {seconds / size:.2f} s a GB, of these {work / size:.2f} s of one processor; at most 3", flush=True)
    m.ask("DELETE", f"/api/exports/{job['id']}")


place, covers = generate()
yaml = folder / "index.yaml"
yaml.write_text("http: {local: admin}\nstorage: {min_free: 1MB}\nrecord: {continuous: {days: 0}, retain: {days: 0}}\ncameras:\n" +
                "".join(f"  cam{n}: {{source: {folder}/street.mp4, enabled: false}}\n" for n in range(cameras)))
print(f"{covers['rows']} minutes of {cameras} cameras and {days} days; load {os.getloadavg()[0]:.1f}", flush=True)
with Monitor(program, place, "--config", str(yaml)) as monitor:
    monitor.wait("an answer", lambda: monitor.ask("GET", "/healthz")[0] == 200, 600)
    print(f"the program answers {time.monotonic() - monitor.begun:.1f} s after its start", flush=True)
    chromium = None
    if {"open", "scrub"} & set(parts):
        from browser import Browser
        chromium = Browser(f"http://127.0.0.1:{monitor.port}")
    try:
        for part in parts:
            {"open": lambda: opened(monitor, chromium, covers), "scrub": lambda: scrubbed(monitor, chromium, covers),
             "search": lambda: searched(monitor, covers), "export": lambda: exported(monitor, covers)}[part]()
    finally:
        if chromium:
            chromium.quit()
    monitor.stop()
print(f"load {os.getloadavg()[0]:.1f}")
