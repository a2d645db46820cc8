#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Zones and lines in Python (packages python3-gi, gir1.2-gstreamer-1.0): prints each event as a line of JSON, and moves a zone while it
plays.

    events.py [PIPELINE]   a description with a boxrules "rules"
"""
import json
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402  pylint: disable=wrong-import-position

STANDARD = ("scenetestsrc num-buffers=300 ! cudamog backend=cpu output=passthrough ! boxtrack post-messages=false "
            "! boxrules name=rules ! fakesink")


def zone(left, right):
    """The zone "middle" between two parts of the picture's width, as a user drew it."""
    corners = [[left, 0.2], [right, 0.2], [right, 1], [left, 1]]
    return json.dumps({"name": "middle", "polygon": corners, "loitering": 3})


def fields(structure):
    """A structure without its arrays, which the events of boxrules have none of."""
    names = [structure.nth_field_name(i) for i in range(structure.n_fields())]
    return {n: structure.get_value(n) for n in names if structure.get_field_type(n).name != "GstValueArray"}


def main(description=STANDARD):
    Gst.init(None)
    pipeline = Gst.parse_launch(description)
    rules = pipeline.get_by_name("rules")
    if not rules:
        sys.exit("the pipeline has no boxrules named rules")
    rules.set_property("rules", '{"lines": [{"name": "gate", "points": [[0.5, 0], [0.5, 1]]}]}')
    rules.emit("add-zone", zone(0.3, 0.5))
    pipeline.set_state(Gst.State.PLAYING)
    bus, moved, status = pipeline.get_bus(), False, 0
    kinds = Gst.MessageType.ELEMENT | Gst.MessageType.WARNING | Gst.MessageType.ERROR | Gst.MessageType.EOS
    while message := bus.timed_pop_filtered(Gst.CLOCK_TIME_NONE, kinds):
        if message.type == Gst.MessageType.ELEMENT and message.src == rules:
            event = message.get_structure()
            print(json.dumps({"event": event.get_name(), **fields(event)}), flush=True)
            if not moved:
                moved = rules.emit("add-zone", zone(0.3, 0.7))  # the same name: it takes the zone's place
        elif message.type == Gst.MessageType.WARNING:
            print(message.parse_warning()[0].message, file=sys.stderr)
        elif message.type == Gst.MessageType.ERROR:
            print(message.parse_error()[0].message, file=sys.stderr)
            status = 1
            break
        elif message.type == Gst.MessageType.EOS:
            break
    pipeline.set_state(Gst.State.NULL)
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
