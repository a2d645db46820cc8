# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-monitor when the system's clock is set by an hour, back and forth, while events go on: each event lasts as long as it did, clips end
when they should and play, the log says it once for each time; set 15 days ahead, it deletes nothing. Needs libfaketime, which makes the program believe that the clock was set.

clock.py PROGRAM FOLDER"""
import glob
import json
import os
import subprocess
import time

from program import Monitor, begin
from vigiltest import skip

program, folder = begin("monitor-clock")
library = next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")), None)
if not library:
    skip("no libfaketime here (Debian: apt-get install libfaketime)")
clock, config = folder / "clock", folder / "monitor.yaml"
SOURCE = "scenetestsrc is-live=true quiet=0.5 density=2 ! video/x-raw,format=I420,width=320,height=180,framerate=15/1"
PRE, POST, LONGEST = 2, 2, 8
config.write_text(f"""
record: {{pre_capture: {PRE}, post_capture: {POST}, max_clip: {LONGEST}}}
cameras:
  street: {{source: "{SOURCE}", cudamog: {{motion-hold: 300}}}}
""")


def set_clock(seconds):
    new = folder / "clock.new"
    new.write_text(f"{seconds:+d}s\n")
    new.rename(clock)  # at once: the program may be reading it


def length(path):
    """Seconds of video in a clip, by playing it."""
    played = subprocess.run(["gst-launch-1.0", "-v", "filesrc", f"location={path}", "!", "qtdemux", "!", "h264parse", "!", "avdec_h264", "!", "fakesink",
                             "silent=false"], capture_output=True, text=True, timeout=60)
    if played.returncode:
        raise AssertionError(f"{path}: {played.stderr}")
    return played.stdout.count("last-message = chain") / 15


def events(m):
    return m.get("/api/events?limit=500")["events"]


def one_step(m, by, what):
    """Sets the clock while an event goes on, and waits until two more have ended since."""
    going = m.wait(f"an event that goes on, {what}", lambda: [e for e in events(m) if e["end_time"] is None], 60)
    time.sleep(1)
    before = {e["id"] for e in events(m)}
    set_clock(by)
    m.wait(f"the log says so, {what}", lambda: any(f"clock was set by {'-' if 'back' in what else ''}3" in line for line in m.log), 15)
    m.wait(f"the event that went on has ended, {what}", lambda: all(m.get(f"/api/events/{e['id']}")["end_time"] for e in going), LONGEST + POST + 10)
    m.wait(f"an event that began since has a clip, {what}", lambda: [e for e in events(m) if e["id"] not in before and e["has_clip"]], 60)


env = {**os.environ, "LD_PRELOAD": f"{os.environ.get('VIGIL_TEST_PRELOAD', '')} {library}".strip(), "FAKETIME_TIMESTAMP_FILE": str(clock), "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_NO_CACHE": "1"}
set_clock(0)
with Monitor(program, folder / "data", "--config", str(config), env=env) as m:
    m.wait("an event with a clip", lambda: [e for e in events(m) if e["has_clip"]], 60)
    one_step(m, -3600, "an hour back")
    one_step(m, 0, "an hour forward")
    said = [line for line in m.log if "clock was set" in line]
    if len(said) != 2:
        raise AssertionError(f"the log says it {len(said)} times: {said}")
    if m.get("/api/cameras/street")["reconnects"]:
        raise AssertionError("the camera restarted")
    all_events = events(m)
    m.stop()
# A wrong time server, or an empty battery: as of today all events would be too old.
set_clock(15 * 86400)
with Monitor(program, folder / "data", "--config", str(config), env=env) as m:
    m.wait("the clock is doubted", lambda: "not trusted" in (m.get("/api/stats")["storage"]["next"] or ""), 30)
    if gone := {e["id"] for e in all_events} - {e["id"] for e in events(m)}:
        raise AssertionError(f"a clock that is 15 days ahead deletes events: {gone}")
    m.stop()
set_clock(0)
lines = [json.loads(line) for line in (folder / "data/events.jsonl").read_text().splitlines()]
for e in [e for e in all_events if e["end_time"] is not None] + lines:
    lasted = e["end_time"] - e["start_time"]
    if not 0 <= lasted <= LONGEST + 3:
        raise AssertionError(f"an event of {lasted:.1f} s: {e}")
clips = 0
for e in all_events:
    if not e["has_clip"] or e["end_time"] is None:
        continue
    clips += 1
    seconds = length(next((folder / "data/clips/street").rglob(e["id"] + ".mp4")))
    # A clip begins with a key frame, of which there is one every two seconds, and lasts at most PRE + the event + POST and a little.
    most = PRE + 2 + (e["end_time"] - e["start_time"]) + POST + 3
    if not 1 < seconds <= most:
        raise AssertionError(f"a clip of {seconds:.1f} s, at most {most:.1f} expected: {e}")
    if not -1 < e["start_time"] - e["clip_start"] < PRE + 6:
        raise AssertionError(f"the clip begins {e['start_time'] - e['clip_start']:.1f} s before its event: {e}")
print(f"all good, {len(all_events)} events, {clips} clips")
