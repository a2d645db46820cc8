#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs frames through a chain of elements and writes the boxes of each as MOTChallenge's text.

    tracks_of.py VIDEO OUT.txt CHAIN    CHAIN as for gst-launch-1.0, e.g. "cudamog output=passthrough ! boxtrack"
    tracks_of.py 'FOLDER/in%06d.jpg' OUT.txt CHAIN --fps 25    JPEG pictures, from the first that is there
    tracks_of.py BOXES.txt OUT.txt CHAIN --size 768x576 --fps 7    boxes (MOT text) on empty frames, for a chain without pixels

Boxes with a parameter "track" are written with its id; without any such box in the whole stream all boxes, with id -1. Options:
--estimates  also the boxes of tracks that were not found in the frame;  --messages FILE  the elements' messages, as JSON lines.
"""
import argparse
import array
import json
import pathlib
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import GLib, Gst, GstVideo  # noqa: E402  pylint: disable=wrong-import-position


def rois(buffer):
    """The region-of-interest metas of a buffer."""
    assert GstVideo
    api = GstVideo.video_region_of_interest_meta_api_get_type()
    count, numbers = buffer.get_n_meta(api), 0
    number = 0
    # Bindings find metas by id alone; ids are 0, 1, ... of a frame's boxes, and not all need be there.
    while numbers < count and number < 4096:
        meta = GstVideo.buffer_get_video_region_of_interest_meta_id(buffer, number)
        number += 1
        if meta:
            numbers += 1
            yield meta


def plain(structure):
    """A structure as JSON takes it."""
    fields = {}
    for i in range(structure.n_fields()):
        name = structure.nth_field_name(i)
        if structure.get_field_type(name).name == "GstValueArray":  # bindings need not know this type
            values = structure.get_array(name)[1]
            fields[name] = [plain(values.get_nth(n)) for n in range(values.n_values)]
        else:
            value = structure.get_value(name)
            if isinstance(value, GLib.Bytes):  # floats; it lives as long as its structure
                value = array.array("f", value.get_data()).tolist()
            fields[name] = plain(value) if isinstance(value, Gst.Structure) else value
    return fields


def read_boxes(path):
    frames = {}
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        fields = line.split(",")
        if len(fields) >= 6:
            frames.setdefault(int(float(fields[0])), []).append([float(v) for v in fields[2:6]])
    return frames


class Writer:
    """Collects what comes out, frame by frame."""

    def __init__(self, estimates):
        self.tracks, self.boxes, self.frame, self.estimates = [], [], 0, estimates

    def take(self, _pad, info):
        self.frame += 1
        for meta in rois(info.get_buffer()):
            line = f"{self.frame},{{}},{meta.x},{meta.y},{meta.w},{meta.h},1,-1,-1,-1"
            self.boxes.append(line.format(-1))
            track = meta.get_param("track")
            if track and (self.estimates or track.get_string("state") != "predicted"):
                self.tracks.append(line.format(track.get_uint64("id")[1]))
        return Gst.PadProbeReturn.OK

    def save(self, path):
        lines = self.tracks or self.boxes
        pathlib.Path(path).write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def feed(source, frames, fps, last):
    """Empty buffers with the boxes of the file."""
    for number in range(1, last + 1):
        buffer = Gst.Buffer.new_allocate(None, 1, None)
        buffer.pts = (number - 1) * Gst.SECOND // fps
        buffer.duration = Gst.SECOND // fps
        for i, box in enumerate(frames.get(number, [])):
            meta = GstVideo.buffer_add_video_region_of_interest_meta(
                buffer, "motion", *(max(0, round(v)) for v in box))
            meta.id = i
        source.emit("push-buffer", buffer)
    source.emit("end-of-stream")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("chain")
    parser.add_argument("--size", default="768x576")
    parser.add_argument("--fps", type=int, default=7)
    parser.add_argument("--estimates", action="store_true")
    parser.add_argument("--messages")
    options = parser.parse_args()
    Gst.init(None)
    width, height = options.size.split("x")
    from_text = options.input.endswith(".txt")
    if from_text:
        head = ("appsrc name=in format=time caps=video/x-raw,format=GRAY8,"
                f"width={width},height={height},framerate={options.fps}/1")
    elif "%" in options.input:
        first = next(n for n in range(100000) if pathlib.Path(options.input % n).exists())
        head = (f"multifilesrc location={options.input} start-index={first} caps=image/jpeg,framerate={options.fps}/1 "
                "! jpegdec ! videoconvert")
    else:
        head = f"filesrc location={options.input} ! decodebin ! videoconvert"
    pipeline = Gst.parse_launch(f"{head} ! {options.chain} ! fakesink name=out sync=false")
    writer = Writer(options.estimates)
    pipeline.get_by_name("out").get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, writer.take)
    if from_text:
        frames = read_boxes(options.input)
        feed(pipeline.get_by_name("in"), frames, options.fps, max(frames, default=0))
    pipeline.set_state(Gst.State.PLAYING)
    bus, heard = pipeline.get_bus(), []
    kinds = Gst.MessageType.ELEMENT | Gst.MessageType.ERROR | Gst.MessageType.WARNING | Gst.MessageType.EOS
    failed = False
    while message := bus.timed_pop_filtered(Gst.CLOCK_TIME_NONE, kinds):
        if message.type == Gst.MessageType.ELEMENT:
            structure = message.get_structure()
            heard.append(json.dumps({"event": structure.get_name(), **plain(structure)}))
            continue
        if message.type == Gst.MessageType.EOS:
            break
        error = message.parse_error() if message.type == Gst.MessageType.ERROR else message.parse_warning()
        print(error.gerror.message if hasattr(error, "gerror") else error[0].message, file=sys.stderr)
        if message.type == Gst.MessageType.ERROR:
            failed = True
            break
    pipeline.set_state(Gst.State.NULL)
    writer.save(options.output)
    if options.messages:
        pathlib.Path(options.messages).write_text("".join(line + "\n" for line in heard), encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
