#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Several pipelines in one program, which share one CUDA context where there is a GPU (packages python3-gi, gir1.2-gstreamer-1.0). Prints
the motion events of each.

    two_cameras.py [PIPELINE...]   each a description with a cudamog "watch"
"""
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402  pylint: disable=wrong-import-position

STANDARD = [f"scenetestsrc seed={seed} num-buffers=300 ! cudamog name=watch output=passthrough ! fakesink" for seed in (1, 2)]
CONTEXT = "gst.cuda.context"


def start(number, description, context):
    """A pipeline that plays, in the given context if there is one; returns it and the context that it uses."""
    pipeline = Gst.parse_launch(description)
    watch = isinstance(pipeline, Gst.Bin) and pipeline.get_by_name("watch")
    if not watch:
        sys.exit(f"pipeline {number} has no element named watch")
    if context:
        pipeline.set_context(context)  # before the elements start, for all of them
    pipeline.set_state(Gst.State.READY)
    context = context or watch.get_context(CONTEXT)
    pipeline.set_state(Gst.State.PLAYING)
    return pipeline, context


def hear(_bus, message, loop, number, left):
    """Prints events; ends the loop after the last pipeline, or an error."""
    if message.type == Gst.MessageType.ELEMENT and message.get_structure().get_name() in ("motion-begin", "motion-end"):
        event = message.get_structure()
        print(f"camera {number}: {event.get_name()} at {event.get_value('running-time') / Gst.SECOND:.2f} s", flush=True)
    elif message.type == Gst.MessageType.ERROR:
        print(f"camera {number}: {message.parse_error().gerror.message}", file=sys.stderr)
        left.add("failed")
        loop.quit()
    elif message.type == Gst.MessageType.EOS:
        left.discard(number)
        if not left:
            loop.quit()


def main(descriptions):
    Gst.init(None)
    loop, left, pipelines, context = GLib.MainLoop(), set(range(1, len(descriptions) + 1)), [], None
    for number, description in enumerate(descriptions, 1):
        pipeline, context = start(number, description, context)
        bus = pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message", hear, loop, number, left)
        pipelines.append(pipeline)
    print("one CUDA context for all" if context else "no CUDA context: the work is done on the processor")
    loop.run()
    for pipeline in pipelines:
        pipeline.set_state(Gst.State.NULL)
    return 1 if "failed" in left else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or STANDARD))
