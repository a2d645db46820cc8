#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Embeds cudamog in Python (packages python3-gi, gir1.2-gstreamer-1.0, gir1.2-gst-plugins-base-1.0): takes masks and frames
into the program, reads the boxes, draws the busiest frame, hears the events, and changes a property while it plays.

    watch.py [PICTURE.pgm [PIPELINE]]   a description of cudamog "watch" and appsinks "masks" and "frames", both GRAY8
"""
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import GLib, Gst, GstApp, GstVideo  # noqa: E402  pylint: disable=wrong-import-position

STANDARD = ("scenetestsrc num-buffers=300 ! tee name=t "
            "t. ! queue ! cudamog name=watch output=mask ! appsink name=masks max-buffers=4 sync=false "
            "t. ! queue ! videoconvert ! video/x-raw,format=GRAY8 ! appsink name=frames max-buffers=4 sync=false")
assert GstApp  # makes pull_sample() a method


def hear(bus, watch):
    """Prints what the bus has; False after an error."""
    while message := bus.pop_filtered(Gst.MessageType.ELEMENT | Gst.MessageType.ERROR):
        if message.type == Gst.MessageType.ERROR:
            print(message.parse_error().gerror.message, file=sys.stderr)
            return False
        event = message.get_structure()
        known, time = event.get_uint64("running-time")
        if known:
            print(f"{event.get_name()} at {time / Gst.SECOND:.2f} s")
        # During motion the model learns nothing under foreground; afterwards at the default rate.
        if event.get_name() == "motion-begin":
            watch.set_property("foreground-rate", 0.0)
        elif event.get_name() == "motion-end":
            watch.set_property("foreground-rate", 0.02)
    return True


def pixels(buffer):
    """The bytes of a GRAY8 buffer."""
    good, mapped = buffer.map(Gst.MapFlags.READ)
    assert good
    copy = bytes(mapped.data)
    buffer.unmap(mapped)
    return copy


def boxes(buffer):
    """(x, y, width, height) of each blob: their metas are numbered from 0 on."""
    number = 0
    while meta := GstVideo.buffer_get_video_region_of_interest_meta_id(buffer, number):
        if GLib.quark_to_string(meta.roi_type) == "motion":
            yield meta.x, meta.y, meta.w, meta.h
        number += 1


def draw(path, mask, frame):
    """Writes the frame: what is not foreground at half its brightness, the boxes in white."""
    caps = frame.get_caps().get_structure(0)
    width, height = caps.get_value("width"), caps.get_value("height")
    picture = bytearray(f if m == 255 else f // 2
                        for m, f in zip(pixels(mask.get_buffer()), pixels(frame.get_buffer())))
    stride = len(picture) // height
    for x, y, w, h in boxes(mask.get_buffer()):
        for row in y, y + h - 1:
            picture[row * stride + x:row * stride + x + w] = b"\xff" * w
        for row in range(y, y + h):
            picture[row * stride + x] = picture[row * stride + x + w - 1] = 255
    with open(path, "wb") as file:
        file.write(b"P5 %d %d 255\n" % (width, height))
        for row in range(height):
            file.write(picture[row * stride:row * stride + width])


def main(path="watch.pgm", description=STANDARD, *more):
    # The picture is written: a video that was given in its place must not be lost.
    if more or not path.endswith(".pgm"):
        print(f"usage: watch.py [PICTURE.pgm [PIPELINE]]\nPICTURE.pgm is written; its name must end in .pgm, unlike '{path}'. "
              "To watch a video, name it in PIPELINE", file=sys.stderr)
        return 2
    Gst.init(None)
    pipeline = Gst.parse_launch(description)
    watch, masks, frames = (pipeline.get_by_name(n) for n in ("watch", "masks", "frames"))
    if not (watch and masks and frames):
        sys.exit("the pipeline lacks watch, masks or frames")
    most, busiest, good = 0, None, True
    pipeline.set_state(Gst.State.PLAYING)
    while good and not masks.is_eos():
        mask = masks.try_pull_sample(Gst.SECOND // 10)
        frame = mask and frames.pull_sample()  # one for each mask, in the same order
        if frame and (area := pixels(mask.get_buffer()).count(255)) > most:  # 255 is foreground, 127 a shadow
            most, busiest = area, (mask, frame)
        good = hear(pipeline.get_bus(), watch)
    good = good and hear(pipeline.get_bus(), watch)
    if busiest:
        draw(path, *busiest)
    print(f"{most} pixels moved at the busiest")
    pipeline.set_state(Gst.State.NULL)
    return 0 if good else 1


sys.exit(main(*sys.argv[1:]))
