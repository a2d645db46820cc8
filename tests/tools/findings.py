#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What elements post, put on frames, and what vigil-scan writes is as docs/api/findings-1.schema.json says.

findings.py VIGIL_SCAN"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from vigiltest import skip, skip_for  # noqa: E402  pylint: disable=wrong-import-position
from vigiltest.findings import API, MISSING, Findings  # noqa: E402  pylint: disable=wrong-import-position

skip_for(MISSING)
try:
    import gi
    gi.require_version("Gst", "1.0")
    gi.require_version("GstVideo", "1.0")
    from gi.repository import Gst, GstVideo
except (ImportError, ValueError) as e:
    skip(f"GStreamer's bindings of Python are not there ({e})")

SCAN = sys.argv.pop(1)
TIMES = ("timestamp", "stream-time", "running-time", "duration")
NONE = 2 ** 64 - 1
RULES = json.dumps({"zones": [{"name": "left", "polygon": [[0, 0], [0.5, 0], [0.5, 1], [0, 1]], "loitering": 1, "crowd": {"count": 2, "seconds": 0.2}, "left-object": 1, "max-speed": 5},
                              {"name": "all", "polygon": [[0, 0], [1, 0], [1, 1], [0, 1]], "loitering": 2, "left-object": 2}],
                    "lines": [{"name": "gate", "points": [[0.5, 0], [0.5, 1]], "wrong-way": "forward"}, {"name": "kerb", "points": [[0, 0.6], [1, 0.6]], "wrong-way": "backward"}]})
EVENTS = ("zone-enter", "zone-leave", "loitering", "speed", "line-cross", "wrong-way", "object-left", "object-removed")
CHAIN = "cudamog backend=cpu output=passthrough absorb-after=60 ! boxtrack ! tracklabel ! boxrules name=rules"


def array(structure, field):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # there is no other way to read an array
        found, values = structure.get_array(field)
        all_of = [values.get_nth(i) for i in range(values.n_values)] if found else None
        # The array owns its structures, and goes.
        return all_of and [v.copy() if isinstance(v, Gst.Structure) else v for v in all_of]


def value_of(structure, field):
    values = array(structure, field)
    if values is not None:
        return [plain(v) if isinstance(v, Gst.Structure) else v for v in values]
    value = structure.get_value(field)
    if isinstance(value, Gst.Structure):
        return plain(value)
    return None if field in TIMES and value == NONE else value


def plain(structure, named=False):
    """The JSON of a structure."""
    out = {"name": structure.get_name()} if named else {}
    return out | {structure.nth_field_name(i): value_of(structure, structure.nth_field_name(i)) for i in range(structure.n_fields())}


def results_of(buffer):
    """The JSON of a frame's metadata."""
    regions = []
    for number in range(64):
        meta = GstVideo.buffer_get_video_region_of_interest_meta_id(buffer, number)
        if not meta:
            continue
        signed = [v - 2 ** 32 if v >= 2 ** 31 else v for v in (meta.x, meta.y)]
        region = {"type": "motion", "id": meta.id, "x": signed[0], "y": signed[1], "width": meta.w, "height": meta.h}
        for name in ("blob", "track", "label"):
            if param := meta.get_param(name):
                region[name] = plain(param)
        if events := [plain(p, named=True) for name in EVENTS if (p := meta.get_param(name))]:
            region["events"] = events
        regions.append(region)
    custom = buffer.get_custom_meta("vigil-rules")
    events = [plain(e, named=True) for e in array(custom.get_structure(), "events")] if custom else []
    return {"timestamp": buffer.pts, "regions": regions, "events": events}


def watch(findings, scene, frames):
    pipeline = Gst.parse_launch(f"scenetestsrc name=s num-buffers={frames} quiet=1 scene={scene} s.truth ! fakesink sync=false "
                                f"s.src ! video/x-raw,format=I420,width=320,height=240,framerate=15/1 ! {CHAIN} ! fakesink name=out sync=false")
    if rules := pipeline.get_by_name("rules"):
        rules.props.rules = RULES
    wrong = []

    def look(check):
        try:
            check()
        except AssertionError as e:  # the pipeline must come to its end first
            wrong.append(str(e))

    def take(_pad, info):
        look(lambda: findings.check("frame", results_of(info.get_buffer())))
        return Gst.PadProbeReturn.OK

    pipeline.get_by_name("out").get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, take)
    pipeline.set_state(Gst.State.PLAYING)
    bus = pipeline.get_bus()
    while message := bus.timed_pop_filtered(300 * Gst.SECOND, Gst.MessageType.ELEMENT | Gst.MessageType.EOS | Gst.MessageType.ERROR):
        if message.type == Gst.MessageType.ERROR:
            wrong.append(message.parse_error()[0].message)
        if message.type != Gst.MessageType.ELEMENT:
            break
        look(lambda s=message.get_structure(): findings.message(plain(s, named=True)))
    pipeline.set_state(Gst.State.NULL)
    if wrong:
        raise AssertionError("\n".join(wrong[:5]))


class Schema(unittest.TestCase):
    def test_has_every_message(self):
        table = (API.parent / "reference" / "messages-and-metadata.md").read_text(encoding="utf-8").split("| message | from |", 1)[1].split("\n\n", 1)[0]
        shown = {name for row in table.splitlines()[2:] for name in re.findall(r"`([a-z-]+)`", row.split("|")[1])}
        schema = Findings().schema
        self.assertEqual({name.removeprefix("fields-") for name in schema["$defs"] if name.startswith("fields-")}, shown)

    def test_elements(self):
        findings = Findings()
        for scene, frames in (("street", 300), ("left-bag", 600), ("crowd", 300), ("covered", 200)):
            watch(findings, scene, frames)
        print(dict(sorted(findings.counts.items())))
        for name in ("motion-begin", "motion-end", "track-begin", "track-update", "track-end", "track-label", "zone-enter", "zone-leave", "zone-count", "loitering", "speed", "crowd",
                     "line-cross", "wrong-way", "object-left", "object-removed", "truth-lines", "truth-cross", "camera-covered"):
            self.assertGreater(findings.counts.get(name, 0), 0, name)
        self.assertEqual(findings.counts["frame"], 1400)

    def test_scan(self):
        findings = Findings()
        with tempfile.TemporaryDirectory() as folder:
            video, out = pathlib.Path(folder) / "street.avi", pathlib.Path(folder) / "out"
            subprocess.run(["gst-launch-1.0", "-q", "scenetestsrc", "num-buffers=300", "quiet=1", "scene=crowd", "!", "video/x-raw,format=I420,width=320,height=240,framerate=15/1", "!",
                            "jpegenc", "quality=95", "!", "avimux", "!", "filesink", f"location={video}"], check=True, timeout=120)
            rules = pathlib.Path(folder) / "rules.json"
            rules.write_text(RULES, encoding="utf-8")
            subprocess.run([SCAN, "--out", out, "--chain", CHAIN + f" rules-location={rules}", video], check=True, timeout=300)
            for path in out.glob("*.jsonl"):
                for line in path.read_text(encoding="utf-8").splitlines():
                    record = json.loads(line)
                    findings.check("scan-" + record["record"], record)
                    findings.check("scan-record", record)
        print(dict(sorted(findings.counts.items())))
        for kind in ("file", "event", "track", "message", "activity", "end"):
            self.assertGreater(findings.counts.get("scan-" + kind, 0), 0, kind)

    def test_the_oracle_finds_what_is_wrong(self):
        findings = Findings()
        good = {"name": "zone-count", "zone": "door", "count": 2, "timestamp": 1, "stream-time": 1, "running-time": None, "duration": None}
        self.assertEqual(findings.errors("message", good), [])
        for wrong in (good | {"count": "2"}, good | {"more": 1}, {k: v for k, v in good.items() if k != "zone"}, good | {"timestamp": 1.5}, good | {"name": "zone-counts"}):
            self.assertNotEqual(findings.errors("message", wrong), [], wrong)
        self.assertNotEqual(findings.errors("scan-record", {"record": "end", "frames": 1}), [])
        self.assertNotEqual(findings.errors("notification", {"type": "new", "before": {}, "after": {}}), [])


Gst.init(None)
unittest.main()
