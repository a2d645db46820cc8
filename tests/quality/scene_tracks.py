#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tracks, crossings and left objects of drawn scenes, whose truth is exact: one table.

    scene_tracks.py --eval VIGIL-EVAL OUT SCENE[:SECONDS[:FPS[:PROPERTIES]]]...

e.g. traffic:600:15 left-bag:300:10 crossing:60:5:seed=2. Each is drawn by scenetestsrc and goes through --chain (default cudamog !
boxtrack ! boxrules, with the line that scenetestsrc counts at, and one zone over the whole picture in which things are left). OUT gets
the true tracks and those found, as MOTChallenge's text, and the messages. Printed for each: MOTA, IDF1, switches at --iou (vigil-eval;
the truth are objects of which at least --visible is seen), crossings in both directions found and true, and left and removed objects
found and true, with the alarm's delay after --left seconds from when the thing was put down. --seeds 11-22 plays each scene with each
of these seeds and sums up at the end; --no-tracks leaves MOTA and its like out.

Crossings that nobody can count are no error, whether they are found or not: those of objects of which less than --visible is seen all
through the second around the crossing, and those of the last second of a scene.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import Gst  # noqa: E402  pylint: disable=wrong-import-position

from tracks_of import plain, rois  # noqa: E402  pylint: disable=wrong-import-position


class Scene:
    """One run."""

    def __init__(self, words, options):
        parts = words.split(":")
        self.name, self.seconds = parts[0], float(parts[1]) if len(parts) > 1 else 60
        self.fps = int(parts[2]) if len(parts) > 2 else 15
        self.settings = parts[3] if len(parts) > 3 else ""
        self.words, self.options, self.events = words, options, []
        self.truth, self.found = {}, {}  # time -> lines
        self.seen = {}  # id -> times in seconds at which --visible or more of it is seen

    def take_truth(self, _pad, info):
        buffer = info.get_buffer()
        lines = []
        for meta in rois(buffer):
            truth = meta.get_param("truth")
            if truth.get_double("visible")[1] < self.options.visible:
                continue
            self.seen.setdefault(meta.id, []).append(buffer.pts / 1e9)
            left, top, right, bottom = (truth.get_double(side)[1] for side in ("left", "top", "right", "bottom"))
            lines.append((meta.id, left, top, right - left, bottom - top))
        self.truth[buffer.pts] = lines
        return Gst.PadProbeReturn.OK

    def take_found(self, _pad, info):
        buffer = info.get_buffer()
        lines = []
        for meta in rois(buffer):
            track = meta.get_param("track")
            if track and track.get_string("state") != "predicted":
                lines.append((track.get_uint64("id")[1], meta.x, meta.y, meta.w, meta.h))
        self.found[buffer.pts] = lines
        return Gst.PadProbeReturn.OK

    def play(self):
        size = self.options.size.split("x")
        rules = json.dumps({"lines": [{"name": "middle", "points": [[0.5, 0], [0.5, 1]]}],
                            "zones": [{"name": "all", "polygon": [[0, 0], [1, 0], [1, 1], [0, 1]],
                                       "left-object": self.options.left}]})
        pipeline = Gst.parse_launch(
            f"scenetestsrc name=scene scene={self.name} num-buffers={round(self.seconds * self.fps)} {self.settings} "
            f"scene.src ! video/x-raw,format=I420,width={size[0]},height={size[1]},framerate={self.fps}/1 ! {self.options.chain} "
            "! boxrules name=rules ! fakesink name=found sync=false scene.truth ! fakesink name=truth sync=false")
        pipeline.get_by_name("rules").set_property("rules", rules)
        for name, take in (("found", self.take_found), ("truth", self.take_truth)):
            pipeline.get_by_name(name).get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, take)
        pipeline.set_state(Gst.State.PLAYING)
        bus = pipeline.get_bus()
        while message := bus.timed_pop(Gst.CLOCK_TIME_NONE):
            if message.type == Gst.MessageType.ELEMENT:
                structure = message.get_structure()
                if structure.get_name() != "truth-lines":
                    self.events.append({"event": structure.get_name(), **plain(structure)})
            elif message.type == Gst.MessageType.ERROR:
                sys.exit(f"{self.words}: {message.parse_error()[0].message}")
            elif message.type == Gst.MessageType.EOS:
                break
        pipeline.set_state(Gst.State.NULL)

    def save(self):
        stem = self.words.replace(":", "-")
        for kind, frames in (("truth", self.truth), ("found", self.found)):
            lines = []
            for number, time in enumerate(sorted(self.truth), 1):
                lines += [f"{number}," + ",".join(map(str, line)) + ",1,-1,-1,-1\n" for line in frames.get(time, [])]
            (self.options.out / f"{stem}-{kind}.txt").write_text("".join(lines), encoding="utf-8")
        (self.options.out / f"{stem}.jsonl").write_text("".join(json.dumps(e) + "\n" for e in self.events), encoding="utf-8")
        return stem

    def scores(self, stem):
        result = self.options.out / f"{stem}.json"
        subprocess.run([self.options.eval, "--tracks", self.options.out / f"{stem}-truth.txt", "--iou", self.options.iou,
                        "--json", result, self.options.out / f"{stem}-found.txt"], check=True, stdout=subprocess.DEVNULL)
        return json.loads(result.read_text(encoding="utf-8"))["tracks"][0]

    def crossings(self, event):
        return collections.Counter(e["direction"] for e in self.events if e["event"] == event)

    def countable(self):
        """The true crossings without those that nobody can count."""
        seen = lambda e: any(abs(t - e["timestamp"] / 1e9) <= 0.5 for t in self.seen.get(e["id"], []))  # noqa: E731
        return collections.Counter(e["direction"] for e in self.events if e["event"] == "truth-cross" and seen(e)
                                   and e["timestamp"] / 1e9 < self.seconds - 1)

    def alarms(self):
        """Left and removed, found and true, and the seconds from when an alarm is due to when it is reported."""
        count = collections.Counter(e["event"] for e in self.events)
        due = [e["since"] / 1e9 + self.options.left for e in self.events if e["event"] == "truth-object-left"]
        reported = [e["stream-time"] / 1e9 for e in self.events if e["event"] == "object-left"]
        due = [t for t in due if t < self.seconds]  # those of the last seconds are not due
        delays = [min((t - d for t in reported if abs(t - d) < 5), key=abs, default=None) for d in due]
        found = " ".join("missed" if d is None else f"{d:+.1f}" for d in delays)
        return (f"{count['object-left']} / {len(due)}", f"{count['object-removed']} / {count['truth-object-removed']}", found)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("scenes", nargs="+")
    parser.add_argument("--eval", required=True)
    parser.add_argument("--chain", default="cudamog output=passthrough post-messages=false ! boxtrack post-messages=false")
    parser.add_argument("--size", default="640x480")
    parser.add_argument("--iou", default="0.3")
    parser.add_argument("--visible", type=float, default=0.3)
    parser.add_argument("--left", type=float, default=5)
    parser.add_argument("--seeds", help="FIRST-LAST")
    parser.add_argument("--no-tracks", action="store_true")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    Gst.init(None)
    assert Gst.Buffer and Gst.Structure  # two threads that meet a type first at the same time would make it twice
    print("scene:seconds:fps              MOTA   IDF1  switches  crossings found (true)       error  left  removed  alarms late by, s")
    if options.seeds:
        first, last = map(int, options.seeds.split("-"))
        options.scenes = [f"{words}{':' * (3 - words.count(':'))}seed={seed}" for words in options.scenes
                          for seed in range(first, last + 1)]
    errors, crossed = 0, 0
    for words in options.scenes:
        scene = Scene(words, options)
        scene.play()
        stem = scene.save()
        score = {"mota": float("nan"), "idf1": float("nan"), "switches": "-"} if options.no_tracks else scene.scores(stem)
        found, true, countable = scene.crossings("line-cross"), scene.crossings("truth-cross"), scene.countable()
        error = sum(max(countable[d] - found[d], found[d] - true[d], 0) for d in ("forward", "backward"))
        total = sum(true.values())
        counts = f"{found['forward']}+{found['backward']} ({true['forward']}+{true['backward']})"
        left, removed, delays = scene.alarms()
        share = f"{100 * error / total:.1f} %" if total else "-"
        print(f"{words:28} {score['mota']:7.3f} {score['idf1']:6.3f} {score['switches']:9} {counts:>22} {error:5} {share:>6}  "
              f"{left:>5}  {removed:>5}  {delays}", flush=True)
        errors, crossed = errors + error, crossed + total
    if crossed and len(options.scenes) > 1:
        print(f"all: error {errors} of {crossed} crossings, {100 * errors / crossed:.2f} %")


if __name__ == "__main__":
    main()
