#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""boxtrack ! tracklabel on boxes without pixels: messages, metadata, statistics, models, mistakes.

tracklabel.py FOLDER"""
import hashlib
import json
import math
import pathlib
import struct
import sys
import unittest

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import GLib, Gst, GstVideo  # noqa: E402  pylint: disable=wrong-import-position

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from vigiltest import wait_for  # noqa: E402  pylint: disable=wrong-import-position

FOLDER = pathlib.Path(sys.argv.pop())
CODEBOOK = pathlib.Path(__file__).parents[2] / "gst/tracklabel/drawn.model"
RATE = 10


def walker(n):
    width = 34 + round(10 * math.sin(2 * math.pi * 2 * n / RATE))
    return (30 + 6 * n - width // 2, 60, width, 90)


def car(n):
    return (20 + 10 * n, 300, 150, 70)


def plain(structure):
    out = {}
    for i in range(structure.n_fields()):
        name = structure.nth_field_name(i)
        value = structure.get_value(name)
        if isinstance(value, GLib.Bytes):  # which lives as long as its structure
            value = bytes(value.get_data())
        out[name] = plain(value) if isinstance(value, Gst.Structure) else value
    return out


class Chain:
    """Pushes frames, keeps messages and the parameters "label" of what came out."""

    def __init__(self, settings="", tracks=""):
        self.pipeline = Gst.parse_launch(f"appsrc name=in format=time ! boxtrack {tracks} ! tracklabel name=label {settings} ! fakesink name=out sync=false")
        self.source, self.element = self.pipeline.get_by_name("in"), self.pipeline.get_by_name("label")
        self.caps(640, 480)
        self.labels, self.appearances, self.messages, self.errors, self.warnings = [], [], [], [], []
        self.came_out = 0
        self.pipeline.get_by_name("out").get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, self.take)

    def caps(self, width, height):
        self.source.props.caps = Gst.Caps.from_string(f"video/x-raw,format=GRAY8,width={width},height={height},framerate={RATE}/1")

    def take(self, _pad, info):
        buffer = info.get_buffer()
        self.came_out += 1
        for number in range(8):
            meta = GstVideo.buffer_get_video_region_of_interest_meta_id(buffer, number)
            if meta and (appearance := meta.get_param("appearance")):
                self.appearances.append(plain(appearance))
            label = meta and meta.get_param("label")
            if label:
                self.labels.append((meta.get_param("track").get_uint64("id")[1], plain(label)))
        return Gst.PadProbeReturn.OK

    def frame(self, n, boxes):
        """Boxes: kind, place and, if it is known, the detector's confidence."""
        buffer = Gst.Buffer.new_allocate(None, 1, None)
        buffer.pts, buffer.duration = n * Gst.SECOND // RATE, Gst.SECOND // RATE
        for i, (kind, box, *confidence) in enumerate(boxes):
            meta = GstVideo.buffer_add_video_region_of_interest_meta(buffer, kind, *box)
            meta.id = i
            for c in confidence:
                meta.add_param(Gst.Structure.new_from_string(f"detection, confidence=(double){c}, label_id=(int)1"))
        self.source.emit("push-buffer", buffer)

    def run(self, frames=45, between=None, more=lambda n: []):
        """`between(n)`: after frame n has come out."""
        self.pipeline.set_state(Gst.State.PLAYING)
        for n in range(frames):
            self.frame(n, [("motion", walker(n)), ("motion", car(n)), *more(n)])
            if between:
                wait_for(f"frame {n}", lambda n=n: self.came_out > n, pause=0.005)
                between(n)
        self.source.emit("end-of-stream")
        kinds = Gst.MessageType.ELEMENT | Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.WARNING
        while message := self.pipeline.get_bus().timed_pop_filtered(120 * Gst.SECOND, kinds):
            if message.type == Gst.MessageType.ELEMENT and message.get_structure().get_name() == "track-label":
                self.messages.append(plain(message.get_structure()))
            if message.type == Gst.MessageType.ERROR:
                self.errors.append(message.parse_error()[0].message)
            if message.type == Gst.MessageType.WARNING:
                self.warnings.append(message.parse_warning()[0].message)
            if message.type in (Gst.MessageType.EOS, Gst.MessageType.ERROR):
                break
        stats = self.element.props.stats
        self.stats = {f: stats.get_uint64(f)[1] for f in ("frames", "tracks", "decided", "changed", "ended")}
        self.pipeline.set_state(Gst.State.NULL)
        return self


def model(name, examples):
    path = FOLDER / name
    path.write_text(examples if isinstance(examples, str) else json.dumps({"format": "vigil-labels", "version": 1, "examples": examples}), encoding="utf-8")
    return path


class TrackLabel(unittest.TestCase):
    def test_shapes(self):
        chain = Chain().run()
        self.assertEqual(chain.errors, [])
        ended = {m["id"]: m for m in chain.messages if m["ended"]}
        self.assertEqual(sorted(m["label"] for m in ended.values()), ["person", "vehicle"])
        for m in ended.values():
            self.assertFalse(m["taught"])
            self.assertTrue(0.5 <= m["score"] <= 1 and m["views"] >= 30 and m["age"] > 2 * Gst.SECOND, m)
            self.assertIn("timestamp", m)
            upright = m["features"]["aspect"] > 0
            self.assertEqual(m["label"], "person" if upright else "vehicle")
            self.assertNotIn("relative-size", m["features"], "what is not known is missing")
        first = [m for m in chain.messages if not m["ended"]]
        self.assertTrue(all(m["views"] >= 8 and m["age"] >= 700 * Gst.MSECOND for m in first), first)
        self.assertEqual({m["id"] for m in first}, set(ended))
        self.assertEqual((chain.stats["frames"], chain.stats["tracks"], chain.stats["decided"], chain.stats["ended"]), (45, 0, 2, 2))
        # On the frames from the decision on, to the end.
        self.assertGreater(len(chain.labels), 50)
        for track, label in chain.labels[-2:]:
            self.assertEqual(label["label"], ended[track]["label"])
            self.assertTrue(0.5 <= label["score"] <= 1 and not label["taught"] and label["views"] > 30, label)

    def taught(self):
        shape = {"aspect": 0.9, "size": -2.1, "speed": 0.3, "filled": 0.6}
        flat = {**shape, "aspect": -0.7, "size": -1.5}
        return model("taught.json", [{"label": name, "shape": {k: v + 0.01 * n for k, v in s.items()}} for n in range(12) for name, s in (("Frau \"Ä\" 🐈", shape), ("bus", flat))])

    def test_taught_while_playing(self):
        """A file that is set while the element plays counts from then on. A damaged one is a warning, and the one before stays."""
        path, bad = self.taught(), model("bad.json", "hello")
        chain = Chain()
        chain.run(between=lambda n: chain.element.set_property("model-location", str({15: path, 30: bad}[n])) if n in (15, 30) else None)
        self.assertEqual(chain.errors, [])
        self.assertEqual(len(chain.warnings), 1, chain.warnings)
        self.assertIn("no JSON", chain.warnings[0])
        self.assertEqual(sorted(m["label"] for m in chain.messages if m["ended"]), ["Frau \"Ä\" 🐈", "bus"])
        nothing = Chain(f"model-location={path}")
        nothing.run(between=lambda n: nothing.element.set_property("model-location", "") if n == 15 else None)
        self.assertEqual(sorted(m["label"] for m in nothing.messages if m["ended"]), ["person", "vehicle"])

    def test_taught(self):
        chain = Chain(f"model-location={self.taught()}").run()
        ended = [m for m in chain.messages if m["ended"]]
        self.assertEqual(sorted(m["label"] for m in ended), ["Frau \"Ä\" 🐈", "bus"])
        self.assertTrue(all(m["taught"] for m in ended))

    def test_without_a_rule(self):
        chain = Chain("shape-rule=false").run()
        self.assertEqual({m["label"] for m in chain.messages}, {""}, "tracks have features, and no label")
        self.assertTrue(all(m["features"] for m in chain.messages))
        self.assertEqual(chain.labels, [])

    def test_quiet(self):
        chain = Chain("post-messages=false").run()
        self.assertEqual(chain.messages, [])
        self.assertTrue(chain.labels, "metadata stays")

    def test_detections(self):
        """Boxes of another detector name the tracks that they lie on. What was taught goes before them."""
        def near(box, dx, dy):
            return (box[0] + dx, box[1] + dy, *box[2:])

        def found(n):
            return [("postman", near(walker(n), 4, -6), 0.8), ("dog", near(walker(n), 0, 150), 0.9), ("motion", near(car(n), 3, 0))]
        chain = Chain(tracks="roi-type=motion").run(more=lambda n: found(n)[:2])
        self.assertEqual(chain.errors, [])
        ended = {m["label"]: m for m in chain.messages if m["ended"]}
        self.assertEqual(sorted(ended), ["postman", "vehicle"])
        self.assertAlmostEqual(ended["postman"]["score"], 0.8)
        self.assertEqual([(m["by"], m["taught"]) for m in (ended["postman"], ended["vehicle"])], [("detector", False), ("shape", False)])
        self.assertEqual({label["by"] for _, label in chain.labels if label["label"] == "postman"}, {"detector"})
        off = Chain("detections=false", tracks="roi-type=motion").run(more=lambda n: found(n)[:2])
        self.assertEqual(sorted(m["label"] for m in off.messages if m["ended"]), ["person", "vehicle"])
        weak = Chain(tracks="roi-type=motion").run(more=lambda n: [("postman", walker(n), 0.4)])
        self.assertEqual(sorted(m["label"] for m in weak.messages if m["ended"]), ["person", "vehicle"], "a score below the threshold")
        taught = Chain(f"model-location={self.taught()}", tracks="roi-type=motion").run(more=lambda n: found(n)[:2])
        self.assertEqual(sorted((m["label"], m["by"], m["taught"]) for m in taught.messages if m["ended"]), [("Frau \"Ä\" 🐈", "examples", True), ("bus", "examples", True)])
        # The tracks are those of the detector's own boxes.
        own = Chain().run(more=lambda n: [("cat", (400 + n, 60, 40, 30), 0.7)])
        self.assertEqual(sorted((m["label"], m["by"]) for m in own.messages if m["ended"]), [("cat", "detector"), ("person", "shape"), ("vehicle", "shape")])

    def test_name_track(self):
        """Answers that come by the action signal, late, from any thread. Those that find nothing count against the name."""
        def say(chain, n, answers):
            for track, word in answers.get(n, []):
                chain.element.emit("name-track", track, word, 0.9)
        chain = Chain()
        chain.run(between=lambda n: say(chain, n, {20: [(1, "cat"), (2, "cat")], 21: [(999999, "cat"), (0, "cat")]}))
        self.assertEqual(sorted((m["label"], m["by"]) for m in chain.messages if m["ended"]), [("cat", "detector"), ("cat", "detector")])
        self.assertEqual({m["label"] for m in chain.messages if m["views"] < 15}, {"person", "vehicle"}, "before, by shape")
        other = Chain()
        other.run(between=lambda n: say(other, n, {20: [(1, "cat")], 22: [(1, ""), (1, "a\nb"), (1, "x" * 65)]}))
        self.assertIn("cat", {m["label"] for m in other.messages})
        self.assertEqual(sorted(m["label"] for m in other.messages if m["ended"]), ["person", "vehicle"])
        for n in range(5000):  # without frames that take them
            other.element.emit("name-track", n, "cat", math.nan)

    def test_place(self):
        """What an element learnt of its place goes on in the next one, if pictures have the same size."""
        def run_with(place, width=640):
            chain = Chain()
            chain.caps(width, 480)
            if place:
                chain.element.set_property("place", place)
            chain.run()
            return chain.element.get_property("place"), [m for m in chain.messages if "relative-size" in m["features"]]
        place, known = run_with(None)
        self.assertEqual(known, [])
        place, known = run_with(place)
        self.assertEqual(known, [], "two tracks are too few")
        place, known = run_with(place)
        self.assertTrue(known, "four tracks are enough")
        self.assertEqual(run_with(place, 320)[1], [], "another size is another place")
        for bad in ("place, width=640.0", "nonsense", "place, width=(double)640, height=(double)480, numbers=(double)<1, 2>",
                    "place, width=(double)640, height=(double)480, numbers=(string)<a, b>"):
            self.assertEqual(run_with(Gst.Structure.new_from_string(bad))[1], [], bad)

    def test_looks(self):
        """With a codebook tracks are looked at. Of two labels of one shape the picture decides, and vectors of another codebook do not count."""
        class Pictures(Chain):
            """Frames with stripes in the boxes, upright or across."""
            upright = True

            def frame(self, n, boxes):
                pixels = bytearray(b"\x60" * (640 * 480))
                for _, (x, y, w, h), *_ in boxes:
                    for row in range(max(0, y), min(480, y + h)):
                        for column in range(max(0, x), min(640, x + w)):
                            pixels[640 * row + column] = 220 if ((column - x if self.upright else row - y) // 6) % 2 else 30
                buffer = Gst.Buffer.new_wrapped(bytes(pixels))
                buffer.pts, buffer.duration = n * Gst.SECOND // RATE, Gst.SECOND // RATE
                for i, (kind, box, *_) in enumerate(boxes):
                    GstVideo.buffer_add_video_region_of_interest_meta(buffer, kind, *box).id = i
                self.source.emit("push-buffer", buffer)

        def looked(settings, upright=True):
            chain = Pictures(f"codebook-location={CODEBOOK} {settings}")
            chain.upright = upright
            chain.run(frames=25)
            self.assertEqual((chain.errors, chain.warnings), ([], []))
            return chain
        seen = {}
        for upright in True, False:
            chain = looked("", upright)
            ended = [m for m in chain.messages if m["ended"]]
            self.assertEqual(len(ended), 2)
            for m in ended:
                self.assertTrue(1 <= m["pictures"] <= 4 and len(m["codebook"]) == 16, m)
                vector = list(struct.unpack("<48f", m["vector"]))
                self.assertAlmostEqual(sum(v * v for v in vector), 1, 4)
                seen.setdefault(upright, []).append((m, vector))
            self.assertLessEqual(chain.element.props.stats.get_uint64("pictures")[1], 8 + 2)
            self.assertGreaterEqual(chain.element.props.stats.get_uint64("pictures")[1], 4)
        book = seen[True][0][0]["codebook"]
        self.assertEqual(book, hashlib.sha256(CODEBOOK.read_bytes()).hexdigest()[:16])
        on_frame = looked("most-pictures=1")
        self.assertTrue(on_frame.appearances and all(a["codebook"] == book and a["pictures"] == 1 and len(a["vector"]) == 192 for a in on_frame.appearances))
        self.assertEqual(looked("most-pictures-of-frame=0").appearances, [])

        examples = [{"label": name, "shape": m["features"], "appearance": vector, "codebook": book}
                    for upright, name in ((True, "upright"), (False, "across")) for _ in range(6) for m, vector in seen[upright]]
        taught = model("looks.json", examples)
        for upright, name in (True, "upright"), (False, "across"):
            chain = looked(f"model-location={taught}", upright)
            self.assertEqual({m["label"] for m in chain.messages if m["ended"]}, {name})
        other = model("other.json", [{**e, "codebook": "0" * 16} for e in examples])
        scores = [m["score"] for m in looked(f"model-location={other}").messages if m["ended"] and m["taught"]]
        self.assertTrue(all(s < 0.7 for s in scores), f"shape and motion say nothing here: {scores}")
        # A codebook that comes and goes while it plays.
        chain = Pictures()
        chain.run(frames=25, between=lambda n: chain.element.set_property("codebook-location", {5: str(CODEBOOK), 15: "/nonexistent", 20: ""}[n]) if n in (5, 15, 20) else None)
        self.assertEqual(len(chain.warnings), 1, chain.warnings)
        self.assertTrue(chain.appearances)

    def test_background_weight(self):
        """With masks the background counts less: such vectors are of a codebook of another name. Frames without masks are one warning, and no vector."""
        def looked(masks, settings):
            pipeline = Gst.parse_launch("scenetestsrc scene=street seed=5 num-buffers=120 ! video/x-raw,format=I420,width=320,height=240,framerate=10/1 ! "
                                        f"cudamog backend=cpu output=passthrough min-area=60 {masks} ! boxtrack ! tracklabel codebook-location={CODEBOOK} {settings} ! fakesink sync=false")
            pipeline.set_state(Gst.State.PLAYING)
            vectors, warnings = [], []
            kinds = Gst.MessageType.ELEMENT | Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.WARNING
            while message := pipeline.get_bus().timed_pop_filtered(120 * Gst.SECOND, kinds):
                self.assertNotEqual(message.type, Gst.MessageType.ERROR)
                if message.type == Gst.MessageType.EOS:
                    break
                if message.type == Gst.MessageType.WARNING:
                    warnings.append(message.parse_warning()[0].message)
                elif message.get_structure().get_name() == "track-label" and (said := plain(message.get_structure())).get("vector"):
                    vectors.append((said["codebook"], said["id"], said["vector"]))
            pipeline.set_state(Gst.State.NULL)
            return vectors, warnings
        book = hashlib.sha256(CODEBOOK.read_bytes()).hexdigest()[:16]
        whole, warnings = looked("attach-mask=true", "")
        self.assertEqual((warnings, {name for name, *_ in whole}), ([], {book}))
        weighted, warnings = looked("attach-mask=true", "background-weight=0.25")
        self.assertEqual((warnings, {name for name, *_ in weighted}), ([], {book + "/0.25"}))
        self.assertEqual([track for _, track, _ in whole], [track for _, track, _ in weighted])
        self.assertNotEqual([vector for *_, vector in whole], [vector for *_, vector in weighted])
        vectors, warnings = looked("", "background-weight=0.25")
        self.assertEqual((vectors, len(warnings)), ([], 1))
        self.assertIn("attach-mask=true", warnings[0])

    def test_backends(self):
        """backend=cuda is an error where there is no GPU; auto is a warning there, and the vectors are the CPU's."""
        chain = Chain(f"codebook-location={CODEBOOK} backend=cuda").run(frames=3)
        if not chain.errors:
            self.skipTest("there is a GPU")
        self.assertIn("backend=cpu", chain.errors[0])
        chain = Chain(f"codebook-location={CODEBOOK} backend=auto").run(frames=3)
        self.assertEqual(chain.errors, [])
        self.assertIn("The CPU does the work", chain.warnings[0])
        self.assertEqual(Chain("backend=cuda").run(frames=3).errors, [], "without a codebook nothing works there")

    def test_bad_codebooks(self):
        whole = CODEBOOK.read_bytes()
        for name, data in ("cut.model", whole[:-100]), ("empty.model", b""), ("none.model", None), ("text.model", b"hello" * 99), ("magic.model", whole[:8] + bytes(500)):
            path = FOLDER / name
            path.unlink(missing_ok=True)
            if data is not None:
                path.write_bytes(data)
            chain = Chain(f"codebook-location={path}").run(frames=3)
            self.assertEqual(len(chain.errors), 1, name)
            self.assertIn(name, chain.errors[0])
        # Frames whose bytes are too few for their caps: one warning, and tracks go on by shape.
        chain = Chain(f"codebook-location={CODEBOOK}").run()
        self.assertEqual((chain.errors, len(chain.warnings)), ([], 1), chain.warnings)
        self.assertEqual(sorted(m["label"] for m in chain.messages if m["ended"]), ["person", "vehicle"])
        self.assertEqual(chain.appearances, [])

    def test_short_visit(self):
        """A car that is in view for 1.2 s has a label, at five frames a second too, before it is gone."""
        for rate, frames in (5, 7), (10, 13):
            class Slow(Chain):
                rate = 5

                def frame(self, n, boxes):
                    buffer = Gst.Buffer.new_allocate(None, 1, None)
                    buffer.pts, buffer.duration = n * Gst.SECOND // self.rate, Gst.SECOND // self.rate
                    x = 20 + 400 * n // self.rate
                    GstVideo.buffer_add_video_region_of_interest_meta(buffer, "motion", x, 300, 100, 45).id = 0
                    self.source.emit("push-buffer", buffer)
            chain = Slow()
            chain.rate = rate
            chain.run(frames=frames)
            self.assertEqual([m["label"] for m in chain.messages if not m["ended"]], ["vehicle"], rate)
            self.assertGreaterEqual(min(m["age"] for m in chain.messages), 700 * Gst.MSECOND)
            self.assertTrue(chain.labels, rate)

    def test_gaps(self):
        """Five of nine pictures at five a second are too few for a label; five in a row are enough."""
        for missing, labels in ((), ["vehicle"]), ((2, 3, 5, 6), []):
            class Gaps(Chain):
                def frame(self, n, boxes):
                    buffer = Gst.Buffer.new_allocate(None, 1, None)
                    buffer.pts, buffer.duration = n * Gst.SECOND // 5, Gst.SECOND // 5
                    if n not in self.missing:
                        GstVideo.buffer_add_video_region_of_interest_meta(buffer, "motion", 20 + 40 * n, 300, 100, 45).id = 0
                    self.source.emit("push-buffer", buffer)
            Gaps.missing = missing
            chain = Gaps(tracks="confirm-after=0").run(frames=7 if not missing else 9)
            self.assertEqual([m["label"] for m in chain.messages if not m["ended"]], labels, missing)

    def test_too_short(self):
        chain = Chain("min-time=60000").run()
        self.assertEqual((chain.messages, chain.labels), ([], []))
        self.assertEqual(chain.stats["ended"], 2)

    def test_bad_models(self):
        for name, text, words in (("none.json", None, "none.json"), ("text.json", "hello", "no JSON"), ("cut.json", '{"format": "vigil-la', "no JSON"),
                                  ("newer.json", '{"format": "vigil-labels", "version": 9, "examples": []}', "version is 9")):
            path = FOLDER / name if text is None else model(name, text)
            chain = Chain(f"model-location={path}").run(frames=3)
            self.assertEqual(len(chain.errors), 1, name)
            self.assertIn(words, chain.errors[0])

    def test_another_size(self):
        chain = Chain()
        chain.run(between=lambda n: chain.caps(320, 240) if n == 22 else None)
        self.assertEqual(chain.errors, [])
        self.assertGreaterEqual(chain.stats["ended"], 2)


Gst.init(None)
unittest.main()
