#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tracks and crossings of real videos at lower frame rates: every second, fourth, ... frame of them.

    track_rates.py --eval VIGIL-EVAL DATA OUT [--boxtrack "max-speed=6"]

DATA is the folder of the labelled videos, of which mot15_PETS09_first and bgslib_vehicles are used; OUT gets the tracks and the truth of
the frames that were kept, as MOTChallenge's text. The settings are those of the benchmarks' table at the full rate, except --boxtrack.
"""
import argparse
import collections
import json
import pathlib
import subprocess

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import Gst  # noqa: E402  pylint: disable=wrong-import-position

from tracks_of import rois  # noqa: E402  pylint: disable=wrong-import-position


def play(video, step, chain, rules):
    """Tracks and crossings with every step-th frame: [frame -> lines of text], {(line, direction): count}."""
    pipeline = Gst.parse_launch(f"filesrc location={video} ! decodebin ! videoconvert ! identity name=in ! {chain} "
                                "! boxrules name=rules ! fakesink name=out sync=false")
    pipeline.get_by_name("rules").set_property("rules", json.dumps(rules))
    number, frames = [-1], []

    def thin(_pad, _info):
        number[0] += 1
        return Gst.PadProbeReturn.DROP if number[0] % step else Gst.PadProbeReturn.OK

    def take(_pad, info):
        lines = []
        for meta in rois(info.get_buffer()):
            track = meta.get_param("track")
            if track and track.get_string("state") != "predicted":
                lines.append(f"{track.get_uint64('id')[1]},{meta.x},{meta.y},{meta.w},{meta.h},1,-1,-1,-1")
        frames.append(lines)
        return Gst.PadProbeReturn.OK

    buffers = Gst.PadProbeType.BUFFER
    pipeline.get_by_name("in").get_static_pad("src").add_probe(buffers, thin)
    pipeline.get_by_name("out").get_static_pad("sink").add_probe(buffers, take)
    pipeline.set_state(Gst.State.PLAYING)
    counts = collections.Counter()
    kinds = Gst.MessageType.ELEMENT | Gst.MessageType.ERROR | Gst.MessageType.EOS
    while message := pipeline.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE, kinds):
        if message.type == Gst.MessageType.ERROR:
            raise SystemExit(f"{video}: {message.parse_error()[0].message}")
        if message.type == Gst.MessageType.EOS:
            break
        event = message.get_structure()
        if event.get_name() == "line-cross":
            counts[event.get_string("line"), event.get_string("direction")] += 1
    pipeline.set_state(Gst.State.NULL)
    return frames, counts


def write(path, frames):
    path.write_text("".join(f"{n},{line}\n" for n, lines in enumerate(frames, 1) for line in lines), encoding="utf-8")


def pets(folder, step, options):
    lines, asked = [], {}
    for row in (folder / "lines.csv").read_text(encoding="utf-8").splitlines():
        fields = row.split(",")
        if len(fields) == 7 and fields[1].isdigit():
            x1, y1, x2, y2, asked[fields[0], "forward"], asked[fields[0], "backward"] = map(int, fields[1:])
            lines.append({"name": fields[0], "points": [[x1, y1], [x2, y2]]})
    frames, counts = play(folder / "PETS09-S2L1-1-400.mp4", step,
                          f"cudamog backend=cpu output=passthrough min-area=250 ! boxtrack {options.boxtrack}",
                          {"units": "pixels", "lines": lines})
    truth = [[] for _ in frames]
    for row in (folder / "gt.txt").read_text(encoding="utf-8").splitlines():
        frame, rest = row.split(",", 1)
        if (int(frame) - 1) % step == 0:
            truth[(int(frame) - 1) // step].append(rest)
    found, true, result = (options.out / f"pets-{step}{end}" for end in (".txt", "-truth.txt", ".json"))
    write(found, frames)
    write(true, truth)
    words = []
    for iou in ("0.5", "0.3"):
        subprocess.run([options.eval, "--tracks", true, "--iou", iou, "--json", result, found], check=True, stdout=subprocess.DEVNULL)
        s = json.loads(result.read_text(encoding="utf-8"))["tracks"][0]
        words.append(f"{s['mota']:.3f} / {s['idf1']:.3f} / {s['switches']}")
    error = sum(abs(counts[key] - true) for key, true in asked.items())
    return f"{words[0]} | {words[1]} | {error} of {sum(asked.values())}"


def vehicles(folder, step, options):
    _, counts = play(folder / "video.avi", step, f"cudamog backend=cpu output=passthrough min-area=600 ! boxtrack {options.boxtrack}",
                     {"anchor": "centre", "lines": [{"name": "middle", "points": [[0.5, 0], [0.5, 1]]}]})
    return f"{counts['middle', 'backward']} right, {counts['middle', 'forward']} left (5, 0)"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--eval", required=True)
    parser.add_argument("--boxtrack", default="")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    Gst.init(None)
    print("| frames a second | MOTA / IDF1 / switches, IoU 0.5 | IoU 0.3 | lines' errors |")
    for step in (1, 2):
        print(f"| PETS09, {7 / step:.2g} | {pets(options.data / 'mot15_PETS09_first', step, options)} |", flush=True)
    for step in (1, 2, 4, 10):
        print(f"| vehicles, {30 / step:.2g} | {vehicles(options.data / 'bgslib_vehicles', step, options)} |", flush=True)


if __name__ == "__main__":
    main()
