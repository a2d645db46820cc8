#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A detector that is not ours, before boxtrack: a network by GStreamer's onnxinference, and its boxes by a tensor decoder, become tracks and events.

Needs onnxinference and yolov8tensordec (GStreamer 1.28 with ONNX Runtime), and Vigil with GstAnalytics. The network is made here: it finds squares."""
import pathlib
import sys
import tempfile
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).parents[1]), str(pathlib.Path(__file__).parents[1] / "monitor")]

from vigiltest import skip  # noqa: E402  pylint: disable=wrong-import-position

import onnx_file  # noqa: E402  pylint: disable=wrong-import-position

try:
    import gi
    gi.require_version("Gst", "1.0")
    gi.require_version("GstVideo", "1.0")
    from gi.repository import GLib, Gst, GstVideo
except (ImportError, ValueError) as e:
    skip(f"GStreamer's bindings of Python are not there ({e})")

Gst.init(None)
for needed in ("onnxinference", "yolov8tensordec"):
    if not Gst.ElementFactory.find(needed):
        skip(f"{Gst.version_string()} has no {needed}: GStreamer 1.28 with ONNX Runtime has")
try:
    gi.require_version("GstAnalytics", "1.0")
    from gi.repository import GstAnalytics
except ValueError as e:
    skip(f"GstAnalytics' bindings of Python are not there ({e})")

SIZE, SIDE, STEP, RATE = 64, 16, 2, 10
FIRST, LAST, FRAMES = 6, 50, 60  # the squares are there from FIRST to LAST
HIDDEN = range(26, 30)  # the green one is not
GREEN = (40, 44)
COLOURS = {"red": (250, 10, 10, 255), "green": (10, 250, 10, 255)}
# A range for each channel: onnxinference of GStreamer 1.28.8 makes 0 of the channels that have none.
INFO = f"""[modelinfo]
version=1.0
group-id=yolo-v8-out

[picture]
dir=input
type=float32
dims=1,3,{SIZE},{SIZE}
ranges=0.0,1.0;0.0,1.0;0.0,1.0

[found]
dir=output
type=float32
dims=1,6,625
id=yolo-v8-out
dims-order=col-major
"""
CORNER = "[[0.5, 0.6], [1, 0.6], [1, 1], [0.5, 1]]"
# Along the line, downwards, the right is the picture's left.
RULES = f"""{{"lines": [{{"name": "gate", "points": [[0.5, 0], [0.5, 1]]}}],
  "zones": [{{"name": "corner", "polygon": {CORNER}, "classes": ["green"]}}, {{"name": "not here", "polygon": {CORNER}, "classes": ["red"]}}]}}"""
EVENTS = ("line-cross", "wrong-way", "zone-enter", "zone-leave")


def picture(squares):
    rows = [bytearray(b"\x20\x20\x20\xff" * SIZE) for _ in range(SIZE)]
    for kind, (x, y) in squares.items():
        for row in rows[y:y + SIDE]:
            row[4 * x:4 * (x + SIDE)] = bytes(COLOURS[kind]) * SIDE
    return b"".join(rows)


def scene(n):
    """The places of the squares: a red one goes from the left to the right; a green one stands, and is away for a while."""
    if not FIRST <= n < LAST:
        return {}
    return {"red": (n - FIRST, 4), **({} if n in HIDDEN else {"green": GREEN})}


class AnyDetector(unittest.TestCase):
    def test_tracks_and_events(self):
        frames, messages = self.played("boxtrack groups=false lost-after=600 stationary-hold=600 ! boxrules name=rules hysteresis=2", [scene(n) for n in range(FRAMES)])
        events = [(s.get_name(), s.get_string("line") or s.get_string("zone"), s.get_string("type"), s.get_uint64("id")[1]) for s in messages if s.get_name() in EVENTS]
        ids = {}
        for n, (detections, tracks, tracking, _) in enumerate(frames):
            here = scene(n)
            self.assertEqual(tracking, set(tracks), f"frame {n}: GstAnalytics has the same tracks as the boxes")
            self.assertEqual(sorted(kind for kind, _ in detections), sorted(here), f"frame {n}: the network finds each square once, and nothing else")
            for kind, box in [*detections, *((kind, box) for kind, box in tracks.values())]:
                place = (*here[kind], SIDE, SIDE)
                self.assertLessEqual(max(abs(a - b) for a, b in zip(box, place, strict=True)), STEP + 1, f"frame {n}: {kind} at {box}, expected {place}")
            for number, (kind, _) in tracks.items():
                ids.setdefault(kind, set()).add(number)
        self.assertEqual({kind: len(of) for kind, of in ids.items()}, {"red": 1, "green": 1}, f"one track for each square: {ids}")
        red, green = ids["red"].pop(), ids["green"].pop()
        self.assertNotEqual(red, green)
        confirmed = FIRST + RATE // 2
        for n in [*range(FIRST), *range(confirmed, FRAMES)]:
            self.assertEqual({kind for kind, _ in frames[n][1].values()}, set(scene(n)), f"frame {n}: tracks")
        self.assertEqual(events, [("zone-enter", "corner", "green", green), ("line-cross", "gate", "red", red), ("zone-leave", "corner", "green", green)])
        classes = [c for *_, more in frames for c in more]
        self.assertEqual(classes, [["zone-enter", "corner"], ["line-cross", "gate", "backward"]], "events on frames: zone-leave comes when no detection is left")

    def test_names_of_what_moves(self):
        """The order of vigil-monitor: the network is in the source, and says what the tracks of cudamog's boxes are."""
        scenes = [{"red": (n - 20, 4)} if 20 <= n < 68 else {} for n in range(80)]
        _, messages = self.played("cudamog backend=cpu output=passthrough min-area=20 ! boxtrack groups=false roi-type=motion ! tracklabel", scenes)
        begun = [s.get_string("type") for s in messages if s.get_name() == "track-begin"]
        self.assertEqual(begun, ["motion"])
        names = [(s.get_string("label"), s.get_string("by"), s.get_double("score")[1] > 0.7) for s in messages if s.get_name() == "track-label"]
        self.assertGreater(len(names), 1)
        self.assertEqual(set(names), {("red", "detector", True)})

    def played(self, elements, scenes):
        """Of each frame detections, tracks, GstAnalytics' numbers of tracks, and classes of events; the messages of elements."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "squares.onnx").write_bytes(onnx_file.coloured_squares(SIZE, SIDE, STEP))
            (folder / "squares.onnx.modelinfo").write_text(INFO)
            (folder / "labels").write_text("red\ngreen\n")
            pipeline = Gst.parse_launch(f"appsrc name=in format=time ! onnxinference model-file={folder}/squares.onnx ! yolov8tensordec label-file={folder}/labels iou-threshold=0.1 "
                                        f"class-confidence-threshold=0.6 ! {elements} ! appsink name=out sync=false")
            source, out, rules = (pipeline.get_by_name(n) for n in ("in", "out", "rules"))
            if rules:
                rules.props.rules = RULES
            source.props.caps = Gst.Caps.from_string(f"video/x-raw,format=RGBA,width={SIZE},height={SIZE},framerate={RATE}/1")
            pipeline.set_state(Gst.State.PLAYING)
            for n, squares in enumerate(scenes):
                buffer = Gst.Buffer.new_wrapped(picture(squares))
                buffer.pts, buffer.duration = n * Gst.SECOND // RATE, Gst.SECOND // RATE
                source.emit("push-buffer", buffer)
            source.emit("end-of-stream")
            frames, messages, bus = [], [], pipeline.get_bus()
            while sample := out.emit("try-pull-sample", 60 * Gst.SECOND):
                frames.append(self.found(sample.get_buffer()))
            while message := bus.pop():
                self.assertNotEqual(message.type, Gst.MessageType.ERROR, message.type == Gst.MessageType.ERROR and message.parse_error())
                if message.type == Gst.MessageType.ELEMENT:
                    messages.append(message.get_structure().copy())
            pipeline.set_state(Gst.State.NULL)
        self.assertEqual(len(frames), len(scenes))
        return frames, messages

    @staticmethod
    def found(buffer):
        detections, classes, tracks, tracking = [], [], {}, set()
        meta = GstAnalytics.buffer_get_analytics_relation_meta(buffer)
        for i in range(GstAnalytics.relation_get_length(meta) if meta else 0):
            is_object, box = meta.get_od_mtd(i)
            if is_object:
                detections.append((GLib.quark_to_string(box.get_obj_type()), tuple(box.get_location()[1:5])))
            is_track, track = meta.get_tracking_mtd(i)
            if is_track:
                tracking.add(track.get_info()[1])
            is_class, c = meta.get_cls_mtd(i)
            if is_class:
                classes.append([GLib.quark_to_string(c.get_quark(k)) for k in range(c.get_length())])
        for number in range(64):
            roi = GstVideo.buffer_get_video_region_of_interest_meta_id(buffer, number)
            track = roi and roi.get_param("track")
            if track and track.get_string("state") == "tracked":  # others are estimates of boxtrack
                tracks[track.get_uint64("id")[1]] = (GLib.quark_to_string(roi.roi_type), (roi.x, roi.y, roi.w, roi.h))
        return detections, tracks, tracking, classes


if __name__ == "__main__":
    unittest.main()
