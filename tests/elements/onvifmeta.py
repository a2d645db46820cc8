#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""onvifmeta: ids, places, classes and events are the same after a round trip through XML, which is valid.

onvifmeta.py RELAXNG

The documents are always held against RELAXNG, a subset in words of our own. Where VIGIL_ONVIF_XSD names a folder with ONVIF's schema
(the folder wsdl of github.com/onvif/specs) and the files that it imports (b-2.xsd, bf-2.xsd, t-1.xsd, ws-addr.xsd, xml.xsd), they are held against
that, too."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import Gst, GstVideo  # noqa: E402  pylint: disable=wrong-import-position

RELAXNG = pathlib.Path(sys.argv.pop(1))
WIDTH, HEIGHT, RATE = 640, 480, 10
NS = {"tt": "http://www.onvif.org/ver10/schema", "wsnt": "http://docs.oasis-open.org/wsn/b-2"}
ODD = 'a<b>&"c" \u00e4\U0001f408'
RULES = """{"zones": [{"name": "left", "polygon": [[0,0],[0.5,0],[0.5,1],[0,1]], "loitering": 1, "max-speed": 5},
                      {"name": %s, "polygon": [[0,0],[1,0],[1,1],[0,1]], "crowd": {"count": 2, "seconds": 0.2}}],
            "lines": [{"name": "gate", "points": [[0.5,0],[0.5,1]], "wrong-way": "forward"}]}""" % ('"' + ODD.replace('"', '\\"') + '"')
START, START_NS = "2026-11-26T08:00:00Z", 1795680000 * Gst.SECOND
# Who imports what, by address.
IMPORTS = {"http://docs.oasis-open.org/wsn/b-2.xsd": "b-2.xsd", "http://docs.oasis-open.org/wsrf/bf-2.xsd": "bf-2.xsd", "http://docs.oasis-open.org/wsn/t-1.xsd": "t-1.xsd",
           "http://www.w3.org/2005/08/addressing/ws-addr.xsd": "ws-addr.xsd", "http://www.w3.org/2001/xml.xsd": "xml.xsd", "http://www.w3.org/2009/01/xml.xsd": "xml.xsd"}


def validate(folder, how, documents):
    """What xmllint says of these files; empty: all are valid."""
    env = dict(os.environ, XML_CATALOG_FILES=str(folder / "catalog.xml"))
    done = subprocess.run(["xmllint", "--nonet", "--noout", *how, *documents], capture_output=True, text=True, env=env, check=False)
    return "" if done.returncode == 0 else "\n".join(line for line in done.stderr.splitlines() if not line.endswith(" validates"))[:4000]


class Chain:
    """Frames with boxes through boxtrack, tracklabel, boxrules and onvifmeta; what went in and what came out."""

    def __init__(self, settings=f"start-time={START} video-source=cam&1", rules=RULES):
        self.pipeline = Gst.parse_launch("appsrc name=in format=time ! boxtrack ! tracklabel ! boxrules name=rules ! "
                                         f"onvifmeta name=onvif {settings} ! appsink name=out sync=false max-buffers=0")
        self.pipeline.get_by_name("rules").props.rules = rules
        self.source = self.pipeline.get_by_name("in")
        self.source.props.caps = Gst.Caps.from_string(f"video/x-raw,format=GRAY8,width={WIDTH},height={HEIGHT},framerate={RATE}/1")
        self.frames, self.documents, self.messages, self.warnings, self.errors = {}, [], [], [], []
        self.pipeline.get_by_name("onvif").get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, self.take)

    def take(self, _pad, info):
        buffer, found = info.get_buffer(), {}
        for number in range(32):
            meta = GstVideo.buffer_get_video_region_of_interest_meta_id(buffer, number)
            track = meta and meta.get_param("track")
            if track:
                label = meta.get_param("label")
                found[track.get_uint64("id")[1]] = ((meta.x, meta.y, meta.w, meta.h), label and label.get_string("label"))
        self.frames[buffer.pts] = found
        return Gst.PadProbeReturn.OK

    def frame(self, n, boxes, unix=None):
        buffer = Gst.Buffer.new_allocate(None, 1, None)
        buffer.pts, buffer.duration = n * Gst.SECOND // RATE, Gst.SECOND // RATE
        if unix is not None:
            buffer.add_reference_timestamp_meta(Gst.Caps.from_string("timestamp/x-unix"), unix, Gst.CLOCK_TIME_NONE)
        for i, (kind, box) in enumerate(boxes):
            GstVideo.buffer_add_video_region_of_interest_meta(buffer, kind, *box).id = i
        self.source.emit("push-buffer", buffer)

    def run(self, frames=60, boxes=lambda n: [("motion", (20 + 7 * n, 300, 150, 70)), ("motion", (600 - 8 * n, 100, 34, 90))], unix=lambda n: None):
        self.pipeline.set_state(Gst.State.PLAYING)
        for n in range(frames):
            self.frame(n, boxes(n), unix(n))
        self.source.emit("end-of-stream")
        out = self.pipeline.get_by_name("out")
        while sample := out.emit("try-pull-sample", 20 * Gst.SECOND):
            buffer = sample.get_buffer()
            self.documents.append((buffer.pts, buffer.extract_dup(0, buffer.get_size()), sample.get_caps().to_string()))
        bus = self.pipeline.get_bus()
        while message := bus.pop():
            if message.type == Gst.MessageType.ELEMENT and message.src.name == "rules":
                s = message.get_structure()
                self.messages.append((s.get_name(), {s.nth_field_name(i): s.get_value(s.nth_field_name(i)) for i in range(s.n_fields())}))
            elif message.type == Gst.MessageType.ERROR:
                self.errors.append(message.parse_error()[0].message)
            elif message.type == Gst.MessageType.WARNING:
                self.warnings.append(message.parse_warning()[0].message)
        self.pipeline.set_state(Gst.State.NULL)
        return self


def text_of(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def iso(ns):
    seconds, rest = divmod(ns, Gst.SECOND)
    clock = seconds - START_NS // Gst.SECOND
    return f"2026-11-26T08:{clock // 60:02}:{clock % 60:02}.{rest // 1000:06}Z"


class Onvif(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.chain = Chain().run()
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="vigil-onvif-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        for n, (_, document, _) in enumerate(cls.chain.documents):
            (cls.folder / f"{n:03}.xml").write_bytes(document)

    def test_ids_places_and_classes(self):
        self.assertEqual(self.chain.errors, [])
        self.assertEqual({caps for _, _, caps in self.chain.documents}, {"application/x-onvif-metadata, parsed=(boolean)true"})
        read, classes = {}, set()
        for pts, document, _ in self.chain.documents:
            frame = ET.fromstring(document).find("tt:VideoAnalytics/tt:Frame", NS)
            if frame is None:
                continue
            self.assertEqual(frame.get("UtcTime"), iso(START_NS + pts))
            read[pts] = {}
            for o in frame.findall("tt:Object", NS):
                box = {k: float(v) for k, v in o.find("tt:Appearance/tt:Shape/tt:BoundingBox", NS).attrib.items()}
                place = ((box["left"] + 1) * WIDTH / 2, (1 - box["top"]) * HEIGHT / 2, (box["right"] - box["left"]) * WIDTH / 2, (box["top"] - box["bottom"]) * HEIGHT / 2)
                kind = o.find("tt:Appearance/tt:Class/tt:Type", NS)
                read[pts][int(o.get("ObjectId"))] = (tuple(round(v) for v in place), {"Human": "person", "Vehicle": "vehicle"}.get(kind.text) if kind is not None else None)
                classes.add(kind.text if kind is not None else None)
        objects = {pts: found for pts, found in self.chain.frames.items() if found}
        self.assertGreater(len(objects), 40)
        self.assertEqual({pts: found for pts, found in read.items() if found}, objects)
        self.assertEqual(classes, {None, "Human", "Vehicle"})

    def test_events(self):
        read = []
        for _, document, _ in self.chain.documents:
            for message in ET.fromstring(document).findall("tt:Event/wsnt:NotificationMessage", NS):
                inner = message.find("wsnt:Message/tt:Message", NS)
                items = {part: {i.get("Name"): i.get("Value") for i in inner.findall(f"tt:{part}/tt:SimpleItem", NS)} for part in ("Source", "Data")}
                read.append((message.find("wsnt:Topic", NS).text, inner.get("UtcTime"), items["Source"], items["Data"]))
        self.assertEqual(len(read), len(self.chain.messages))
        topics = {}
        for (topic, utc, source, data), (name, fields) in zip(read, self.chain.messages):
            topics[name] = topic
            self.assertEqual(data["Event"], name)
            self.assertEqual(source, {"VideoSource": "cam&1", "Rule": fields.get("zone", fields.get("line"))})
            self.assertEqual(utc, iso(START_NS + fields["timestamp"]))
            if "id" in fields:
                self.assertEqual(data["ObjectId"], str(fields["id"]))
            for field, value in fields.items():
                if field in ("timestamp", "stream-time", "running-time", "duration", "zone", "line", "id"):
                    continue
                if isinstance(value, float):
                    self.assertEqual(float(data[field]), value, (name, field))
                else:
                    self.assertEqual(data[field], text_of(value), (name, field))
        self.assertEqual(topics, {"zone-enter": "tns1:RuleEngine/FieldDetector/ObjectsInside", "zone-leave": "tns1:RuleEngine/FieldDetector/ObjectsInside",
                                  "zone-count": "tns1:RuleEngine/CountAggregation/OccupancyCounter", "loitering": "tns1:RuleEngine/LoiteringDetector/ObjectIsLoitering",
                                  "line-cross": "tns1:RuleEngine/LineDetector/Crossed", "wrong-way": "tns1:RuleEngine/vigil:WrongWay", "speed": "tns1:RuleEngine/vigil:Speed",
                                  "crowd": "tns1:RuleEngine/vigil:Crowd"})
        self.assertIn(ODD, {source["Rule"] for _, _, source, _ in read})

    def test_valid_by_our_subset(self):
        files = sorted(self.folder.glob("[0-9]*.xml"))
        self.assertGreater(len(files), 40)
        self.assertEqual(validate(self.folder, ["--relaxng", str(RELAXNG)], files), "")
        wrong = self.folder / "wrong.bad"
        wrong.write_text(files[20].read_text(encoding="utf-8").replace("ObjectId=", "Object="), encoding="utf-8")
        self.assertNotEqual(validate(self.folder, ["--relaxng", str(RELAXNG)], [wrong]), "", "the oracle finds what is wrong")

    def test_valid_by_onvif(self):
        schema = os.environ.get("VIGIL_ONVIF_XSD")
        if not schema:
            self.skipTest("VIGIL_ONVIF_XSD names no folder with ONVIF's metadatastream.xsd: only our own subset was used")
        found = {p.name: p.resolve() for p in pathlib.Path(schema).rglob("*") if p.is_file()}
        lines = [f'<{kind} {name}="{address}" uri="{found[file].as_uri()}"/>' for address, file in IMPORTS.items() for kind, name in (("uri", "name"), ("system", "systemId"))]
        (self.folder / "catalog.xml").write_text('<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">' + "".join(lines) + "</catalog>", encoding="utf-8")
        # Of onvif.xsd only what events need: libxml2 finds the content of other types in it not deterministic.
        of_schema = "http://www.w3.org/2001/XMLSchema"
        ET.register_namespace("xs", of_schema)
        root = ET.Element(f"{{{of_schema}}}schema", {"targetNamespace": NS["tt"], "elementFormDefault": "qualified", "xmlns:tt": NS["tt"]})
        ET.SubElement(root, f"{{{of_schema}}}include", {"schemaLocation": found["metadatastream.xsd"].as_uri()})
        wanted = {"Message", "MessageExtension", "ItemList", "ItemListExtension", "PropertyOperation"}
        root.extend(e for e in ET.parse(found["onvif.xsd"]).getroot() if e.get("name") in wanted)
        self.assertEqual(len(root), 1 + len(wanted))
        ET.ElementTree(root).write(self.folder / "all.xsd", encoding="utf-8")
        files = sorted(self.folder.glob("[0-9]*.xml"))
        self.assertEqual(validate(self.folder, ["--schema", str(self.folder / "all.xsd")], files), "")
        wrong = self.folder / "wrong.bad"
        wrong.write_text(re.sub("UtcTime=", "Time=", files[20].read_text(encoding="utf-8")), encoding="utf-8")
        self.assertNotEqual(validate(self.folder, ["--schema", str(self.folder / "all.xsd")], [wrong]), "", "the oracle finds what is wrong")

    def test_a_quiet_scene(self):
        """A document a second says that the stream goes on; one without objects follows the last with some."""
        chain = Chain().run(frames=60, boxes=lambda n: [("person", (100 + 10 * n, 100, 40, 90))] if n < 10 else [])
        self.assertEqual(chain.errors, [])
        times = [pts for pts, _, _ in chain.documents]
        self.assertLessEqual(max(b - a for a, b in zip(times, times[1:])), Gst.SECOND)
        self.assertLess(len(times), 50)
        self.assertIn(b">Human<", b"".join(d for _, d, _ in chain.documents), "a detector's type is the class")

    def test_times_of_frames(self):
        unix = START_NS + 5 * Gst.SECOND
        chain = Chain(settings="").run(frames=5, boxes=lambda n: [], unix=lambda n: unix + n * Gst.SECOND // RATE)
        self.assertEqual(ET.fromstring(chain.documents[0][1]).find("tt:VideoAnalytics/tt:Frame", NS).get("UtcTime"), iso(unix))
        chain = Chain(settings="start-time=yesterday").run(frames=2, boxes=lambda n: [])
        self.assertIn(b"UtcTime=\"20", chain.documents[0][1])

    def test_caps_without_a_size(self):
        chain = Chain()
        chain.source.props.caps = Gst.Caps.from_string("video/x-h264")
        chain.run(frames=2, boxes=lambda n: [])
        self.assertTrue(any("no width and height" in e for e in chain.errors), chain.errors)


if not any((pathlib.Path(p) / "xmllint").is_file() for p in os.environ["PATH"].split(":")):
    print("SKIPPED: there is no xmllint (Debian: libxml2-utils)")
    sys.exit(77)
Gst.init(None)
unittest.main()
