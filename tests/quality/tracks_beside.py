#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""boxtrack compared with SORT and GStreamer's ioutracker on the same boxes: one table.

    tracks_beside.py --eval VIGIL-EVAL TRUTH.txt OUT BOXES.txt...

TRUTH and BOXES are MOTChallenge's text; OUT is a folder for each tracker's tracks, in the same form. Options: --iou 0.5, --fps 7,
--size 768x576; --chain "boxtrack groups=false" (more than once) for other settings of ours. A tracker that this machine does not
have is named on stderr and left out; ioutracker is in GStreamer 1.28's plugin "tensordecoders" and needs the bindings of GstAnalytics.
"""
import argparse
import pathlib
import re
import subprocess
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst, GLib  # noqa: E402  pylint: disable=wrong-import-position

HERE = pathlib.Path(__file__).resolve().parent


def analytics():
    """GstAnalytics' bindings, or None."""
    try:
        gi.require_version("GstAnalytics", "1.0")
        from gi.repository import GstAnalytics  # pylint: disable=import-outside-toplevel
        return GstAnalytics
    except (ValueError, ImportError):
        return None


def read_boxes(path):
    frames = {}
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        fields = line.split(",")
        if len(fields) >= 6:
            frames.setdefault(int(float(fields[0])), []).append([round(float(v)) for v in fields[2:6]])
    return frames


def iou_tracker(bindings, boxes, out, options):
    """The element ioutracker, with its defaults."""
    frames = read_boxes(boxes)
    width, height = options.size.split("x")
    pipeline = Gst.parse_launch(
        f"appsrc name=in format=time caps=video/x-raw,format=GRAY8,width={width},height={height},framerate={options.fps}/1 "
        "! ioutracker ! fakesink name=out sync=false")
    kind, lines, number = GLib.quark_from_string("person"), [], [0]

    def take(_pad, info):
        number[0] += 1
        meta = bindings.buffer_get_analytics_relation_meta(info.get_buffer())
        if not meta:
            return Gst.PadProbeReturn.OK
        entries = range(bindings.relation_get_length(meta))
        for entry in entries:
            known, detection = meta.get_od_mtd(entry)
            if not known:
                continue
            for other in entries:
                is_track, track = meta.get_tracking_mtd(other)
                if not is_track or meta.get_relation(entry, other) == bindings.RelTypes.NONE:
                    continue
                box = detection.get_location()[1:5]
                lines.append(f"{number[0]},{track.get_info()[1]}," + ",".join(map(str, box)) + ",1,-1,-1,-1\n")
        return Gst.PadProbeReturn.OK

    pipeline.get_by_name("out").get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, take)
    source = pipeline.get_by_name("in")
    for frame in range(1, max(frames, default=0) + 1):
        buffer = Gst.Buffer.new_allocate(None, int(width) * int(height), None)
        buffer.pts = (frame - 1) * Gst.SECOND // options.fps
        buffer.duration = Gst.SECOND // options.fps
        meta = bindings.buffer_add_analytics_relation_meta(buffer)
        for box in frames.get(frame, []):
            meta.add_od_mtd(kind, *box, 1.0)
        source.emit("push-buffer", buffer)
    source.emit("end-of-stream")
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE, Gst.MessageType.ERROR | Gst.MessageType.EOS)
    pipeline.set_state(Gst.State.NULL)
    if message.type == Gst.MessageType.ERROR:
        sys.exit(f"ioutracker: {message.parse_error()[0].message}")
    if not lines:
        sys.exit("ioutracker gave no track at all: the bindings of GstAnalytics do not do what this expects of them")
    out.write_text("".join(lines), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("truth")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("boxes", nargs="+", type=pathlib.Path)
    parser.add_argument("--eval", required=True)
    parser.add_argument("--iou", default="0.5")
    parser.add_argument("--fps", type=int, default=7)
    parser.add_argument("--size", default="768x576")
    parser.add_argument("--chain", action="append")
    options = parser.parse_args()
    Gst.init(None)
    options.out.mkdir(parents=True, exist_ok=True)
    bindings, results = analytics(), []
    has_iou_tracker = bindings and Gst.ElementFactory.find("ioutracker")
    if not has_iou_tracker:
        print(f"LEFT OUT: ioutracker, which {Gst.version_string()} here does not have", file=sys.stderr)
    for boxes in options.boxes:
        sort = options.out / f"{boxes.stem}, SORT"
        subprocess.run([sys.executable, HERE / "sort_tracker.py", boxes, sort], check=True)
        results.append(sort)
        if has_iou_tracker:
            results.append(options.out / f"{boxes.stem}, ioutracker")
            iou_tracker(bindings, boxes, results[-1], options)
        for chain in options.chain or ["boxtrack"]:
            results.append(options.out / f"{boxes.stem}, {re.sub('[^A-Za-z0-9=. -]', '', chain)}")
            subprocess.run([sys.executable, HERE / "tracks_of.py", boxes, results[-1], chain, "--fps", str(options.fps),
                            "--size", options.size], check=True)
    subprocess.run([options.eval, "--tracks", pathlib.Path(options.truth).resolve(), "--iou", options.iou, *(p.name for p in results)], check=True,
                   cwd=options.out)


if __name__ == "__main__":
    main()
