# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a recording holds at the end of a long run: seconds that the API reported, gaps and their reasons, rows of the index and files.

Each file of a segment has a closed row and each row its file, of the same size; each plays to its end by ffprobe, with sound where the camera has
some. A second that was reported is there until retention deletes it. Each hole has a reason."""
import collections
import json
import math
import sqlite3
import subprocess
import time


def whole_seconds(stretches):
    return {s for r in stretches for s in range(math.ceil(r["start"]), math.floor(r["end"]))}


def played(file):
    """What is wrong with a file of a segment (empty: nothing), its pictures, and the kinds of its streams."""
    done = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=codec_type,nb_read_frames", "-of", "json", str(file)],
                          capture_output=True, text=True, timeout=120, check=False)
    if done.returncode or done.stderr:
        return done.stderr[-200:] or f"ffprobe ended with {done.returncode}", 0, set()
    streams = {s["codec_type"]: int(s.get("nb_read_frames", 0)) for s in json.loads(done.stdout)["streams"]}
    empty = [kind for kind, n in streams.items() if not n]
    return (f"nothing of {empty[0]}" if empty or not streams else ""), streams.get("video", 0), set(streams)


class Recorded:
    def __init__(self, cameras, with_sound):
        self.cameras, self.with_sound = cameras, with_sound
        self.begun, self.reported = time.time(), {c: set() for c in cameras}

    def timeline(self, m, camera):
        return m.get(f"/api/cameras/{camera}/timeline?from={self.begun:.3f}&to={time.time() + 5:.3f}")

    def note(self, m):
        for c in self.cameras:
            self.reported[c] |= whole_seconds(self.timeline(m, c)["recorded"])

    def lost(self, m):
        """Seconds that were reported and are gone although retention did not delete them; prints what is recorded and why something is not."""
        out = {}
        for c in self.cameras:
            t = self.timeline(m, c)
            now = whole_seconds(t["recorded"])
            oldest = math.ceil(t["oldest"] or 0)
            out[c] = {s for s in self.reported[c] - now if s >= oldest}
            holes = collections.defaultdict(list)
            for g in t["gaps"]:
                holes[g["reason"]].append(g["end"] - g["start"])
            print(f"{c}: {len(now)} seconds recorded, {len(self.reported[c] | now)} reported ever, lost {len(out[c])}; gaps:",
                  ", ".join(f"{len(v)} {reason}, {sum(v):.0f} s, {max(v):.1f} at most" for reason, v in sorted(holes.items())) or "none", flush=True)
        return {c: sorted(s)[:5] for c, s in out.items() if s}

    def wrong(self, data):
        """What is wrong with rows and files after the program's end."""
        db = sqlite3.connect(f"file:{data}/events.db?mode=ro", uri=True)
        rows = {r[0]: r[1:] for r in db.execute("SELECT id, camera, bytes, open FROM segments")}
        db.close()
        files = {f.stem: f for f in (data / "recordings").rglob("*.mp4")}
        wrong = [f"{i}: a row that is open" for i, r in rows.items() if r[2]]
        wrong += [f"{i}: a row without a file" for i in rows.keys() - files.keys()] + [f"{i}: a file without a row" for i in files.keys() - rows.keys()]
        wrong += [f"{p.name}: previews of no segment" for p in (data / "recordings").rglob("*.previews") if p.stem not in rows]
        wrong += [f"{p.name}: left over" for p in (data / "recordings").rglob("*") if p.is_file() and p.suffix not in (".mp4", ".previews")]
        pictures = 0
        for i in rows.keys() & files.keys():
            camera, size, _ = rows[i]
            if files[i].stat().st_size != size:
                wrong.append(f"{i}: {files[i].stat().st_size} bytes, {size} in the index")
            if camera not in self.cameras:
                continue
            problem, n, kinds = played(files[i])
            if not problem and camera in self.with_sound and "audio" not in kinds:
                problem = "no sound"
            if problem:
                wrong.append(f"{i}: {problem}")
            pictures += n
        print(f"{len(rows)} segments in the index, {len(files)} files, {sum(f.stat().st_size for f in files.values()) / 1e6:.0f} MB, {pictures} pictures decoded; wrong: {len(wrong)}", flush=True)
        return wrong
