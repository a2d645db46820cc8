#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Gives the tracks of label_tracks.py --crops the Fisher vectors of their crops, for label_accuracy.

    label_vectors.py IN.jsonl CODEBOOK OUT.jsonl    CODEBOOK: a model of vigil-train codebook

A line gets "vector". On stdout: crops, and the processor time of one.
"""
import json
import pathlib
import struct
import sys
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402  pylint: disable=wrong-import-position


def main():
    Gst.init(None)
    assert Gst.Structure
    lines = [json.loads(line) for line in pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()]
    crops = [line for line in lines if "crop" in line]
    pixels = [pathlib.Path(line["crop"]).read_bytes().split(b"\n", 3) for line in crops]
    side = int(pixels[0][1].split()[0])
    pipeline = Gst.parse_launch(f"appsrc name=in format=time caps=video/x-raw,format=GRAY8,width={side},height={side},framerate=10/1"
                                f" ! gpufisher backend=cpu attach-vector=true post-messages=false model-location={sys.argv[2]} ! fakesink name=out sync=false")
    found = []

    def take(_pad, info):
        vector = info.get_buffer().get_custom_meta("vigil-fisher").get_structure().get_value("vector").get_data()
        found.append(struct.unpack(f"<{len(vector) // 4}f", vector))
        return Gst.PadProbeReturn.OK
    pipeline.get_by_name("out").get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, take)
    pipeline.set_state(Gst.State.PLAYING)
    before = time.process_time()
    for n, (*_, picture) in enumerate(pixels):
        buffer = Gst.Buffer.new_wrapped(picture)
        buffer.pts, buffer.duration = n * Gst.SECOND // 10, Gst.SECOND // 10
        pipeline.get_by_name("in").emit("push-buffer", buffer)
    pipeline.get_by_name("in").emit("end-of-stream")
    message = pipeline.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    if message.type == Gst.MessageType.ERROR:
        sys.exit(message.parse_error()[0].message)
    print(f"{len(found)} crops of {side}x{side}, {len(found[0])} numbers, {1000 * (time.process_time() - before) / len(found):.2f} ms of processor time for each")
    pipeline.set_state(Gst.State.NULL)
    for line, vector in zip(crops, found, strict=True):
        line["vector"] = vector
    pathlib.Path(sys.argv[3]).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
