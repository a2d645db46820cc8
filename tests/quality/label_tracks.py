#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tracks with features and the truth about each, as JSON lines for label_accuracy: drawn scenes, whose truth is exact, and labelled video.

    label_tracks.py OUT.jsonl SOURCE... [--crops FOLDER] [--codebook MODEL [--background-weight W]]

SOURCE: drawn:NAME:SCENE:SEED:SECONDS[:PROPERTIES], such as drawn:same:street:11:120:pole=8,aside=-15. Or real:NAME[:BEFORE], with
NAME one of the sequences below, read from $VIGIL_DATA (by default ../shared/data next to the source). NAME is the line's "set". Before that
the same camera sees the sequences BEFORE, with + between them, of which no track is kept: the place's usual sizes and speeds are learnt then.

A line: {"set", "label", "views", "shape": {feature: value}}. The features are those of tracklabel at the end of the track. A track is kept
with eight views or more. In a drawn scene its label is the object that most of its boxes fit best, at an intersection over union of 0.3
or more; tracks of which fewer than half of the boxes fit one are "none". In labelled video it is as SEQUENCES says.

--crops: for each track its largest view with a tenth of its size around it, as a PGM of 64x64 in FOLDER/SET, and "crop" in the line.
--codebook: the track's vector as tracklabel says it, "appearance" in the line. --background-weight: what tracklabel's property of that name is then.
"""
import collections
import io
import json
import os
import pathlib
import sys
import tempfile

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import GLib, Gst, GstVideo  # noqa: E402  pylint: disable=wrong-import-position

from tracks_of import plain, rois  # noqa: E402  pylint: disable=wrong-import-position

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("VIGIL_DATA") or ROOT.parent / "shared" / "data")
LEAST_VIEWS, SIZE, RATE = 8, (320, 240), 10
CROP, MARGIN = 64, 0.1
CLASSES = {"person": "person", "car": "vehicle", "bicycle": "bicycle"}
CHAIN = "cudamog backend=cpu output=passthrough post-messages=false min-area={}{} ! boxtrack post-messages=false ! tracklabel min-views=4{}"
# Name: file or pictures, frames a second, min-area, pictures of the truth (None: all confirmed tracks are `label`), number of the first frame,
# value of the truth that counts, label where that covers 30 % of the boxes, label elsewhere (None: not kept).
SEQUENCES = {
    "highway": ("cdnet_highway/input/in%06d.jpg", 25, 60, "cdnet_highway/groundtruth/gt{:06d}.png", 1, 255, "vehicle", None),
    "pedestrians": ("cdnet_pedestrians/input/in%06d.jpg", 25, 60, "cdnet_pedestrians/groundtruth/gt{:06d}.png", 1, 255, "person", None),
    "pets09": ("mot15_PETS09_first/PETS09-S2L1-1-400.mp4", 7, 250, None, 0, 0, None, "person"),
    "vtest": ("vtest/vtest.avi", 10, 250, None, 0, 0, None, "person"),
    "vehicles": ("bgslib_vehicles/video.avi", 30, 250, None, 0, 0, None, "vehicle"),
    "car-detection": ("intel_car-detection/car-detection.mp4", 12.5, 250, None, 0, 0, None, "vehicle"),
    **{f"ped2-{clip}": (f"ucsd_ped2/{clip}/%03d.jpg", 10, 40, f"ucsd_ped2/{clip}_mask/{{:03d}}.png", 0, 255, "wheels", "person") for clip in ("01", "02", "04")},
}


def overlap(a, b):
    """Intersection over union of (left, top, right, bottom)."""
    w, h = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    if w <= 0 or h <= 0:
        return 0
    return w * h / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - w * h)


def crop_of(buffer, caps, box):
    """Luma of the box with its margin, CROP x CROP, each pixel the mean of those that it covers."""
    width, height = (caps.get_structure(0).get_int(side)[1] for side in ("width", "height"))
    meta = GstVideo.buffer_get_video_meta(buffer)
    stride = meta.stride[0] if meta else -(-width // 4) * 4
    right, data = buffer.map(Gst.MapFlags.READ)
    if not right:
        return None
    dx, dy = MARGIN * (box[2] - box[0]), MARGIN * (box[3] - box[1])
    x0, y0, x1, y1 = max(0, box[0] - dx), max(0, box[1] - dy), min(width, box[2] + dx), min(height, box[3] + dy)

    def parts(first, last):
        each = (last - first) / CROP
        for i in range(CROP):
            a = int(first + i * each)
            yield a, max(a + 1, int(first + (i + 1) * each))
    columns = list(parts(x0, x1))
    out = bytearray()
    pixels = bytes(data.data)
    for top, bottom in parts(y0, y1):
        lines = [pixels[y * stride:y * stride + width] for y in range(top, min(bottom, height))]
        out += bytes(sum(sum(line[a:b]) for line in lines) // max(1, len(lines) * len(lines[0][a:b])) if lines and lines[0][a:b] else 0 for a, b in columns)
    buffer.unmap(data)
    return bytes(out)


class Run:
    """One sequence through the chain; .tracks: id -> [(time, box)], .ended: tracklabel's last word of each."""
    crops = None  # the folder for them
    codebook = ""  # tracklabel's properties
    masks = ""  # cudamog's

    def __init__(self, description, chain):
        self.largest = {}  # by track: area and crop
        self.tracks, self.truth, self.ended = collections.defaultdict(list), {}, []
        pipeline = Gst.parse_launch(description.format(chain=chain + " ! fakesink name=found sync=false"))
        pipeline.get_by_name("found").get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, self.take_found)
        if truth := pipeline.get_by_name("truth"):
            truth.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, self.take_truth)
        pipeline.set_state(Gst.State.PLAYING)
        while message := pipeline.get_bus().timed_pop(Gst.CLOCK_TIME_NONE):
            if message.type == Gst.MessageType.ERROR:
                sys.exit(message.parse_error()[0].message)
            if message.type == Gst.MessageType.EOS:
                break
            if message.type == Gst.MessageType.ELEMENT and message.get_structure().get_name() == "track-label":
                said = plain(message.get_structure())
                if said["ended"] and said["views"] >= LEAST_VIEWS:
                    self.ended.append(said)
        pipeline.set_state(Gst.State.NULL)

    def take_found(self, pad, info):
        buffer = info.get_buffer()
        for meta in rois(buffer):
            track = meta.get_param("track")
            if track and track.get_string("state") == "tracked":
                number, box = track.get_uint64("id")[1], (meta.x, meta.y, meta.x + meta.w, meta.y + meta.h)
                self.tracks[number].append((buffer.pts, box))
                if self.crops and meta.w * meta.h > 1.1 * self.largest.get(number, (0, None))[0]:
                    self.largest[number] = meta.w * meta.h, crop_of(buffer, pad.get_current_caps(), box)
        return Gst.PadProbeReturn.OK

    def take_truth(self, _pad, info):
        buffer = info.get_buffer()
        self.truth[buffer.pts] = [(GLib.quark_to_string(meta.roi_type), [meta.get_param("truth").get_double(side)[1] for side in ("left", "top", "right", "bottom")])
                                  for meta in rois(buffer)]
        return Gst.PadProbeReturn.OK

    def lines(self, name, label_of):
        for said in self.ended:
            label = label_of(self.tracks[said["id"]])
            if label:
                line = {"set": name, "label": label, "views": said["views"], "shape": said["features"]}
                if "vector" in said:
                    line["appearance"] = said["vector"]
                crop = self.largest.get(said["id"], (0, None))[1]
                if crop:
                    folder = Run.crops / name
                    folder.mkdir(parents=True, exist_ok=True)
                    path = folder / f"{len(list(folder.iterdir())):05d}.pgm"
                    path.write_bytes(b"P5\n%d %d\n255\n" % (CROP, CROP) + crop)
                    line["crop"] = str(path)
                yield line


def drawn(name, scene, seed, seconds, properties=""):
    run = Run(f"scenetestsrc name=scene scene={scene} seed={seed} num-buffers={round(float(seconds) * RATE)} {properties.replace(',', ' ')} "
              f"scene.src ! video/x-raw,format=I420,width={SIZE[0]},height={SIZE[1]},framerate={RATE}/1 ! {{chain}} "
              "scene.truth ! fakesink name=truth sync=false", CHAIN.format(60, Run.masks, Run.codebook))

    def label_of(boxes):
        fits = collections.Counter()
        for time, box in boxes:
            best = max(run.truth.get(time, []), key=lambda t: overlap(t[1], box), default=None)
            if best and overlap(best[1], box) >= 0.3:
                fits[best[0]] += 1
        kind, count = fits.most_common(1)[0] if fits else ("", 0)
        return CLASSES.get(kind) if 2 * count >= len(boxes) else "none"
    return run.lines(name, label_of)


def in_one(folder, names):
    """Pictures of several sequences under numbers in a row; how many there are before those of the last one."""
    number = before = 0
    for name in names:
        before = number
        for picture in sorted((DATA / SEQUENCES[name][0]).parent.glob("*.jpg")):
            (pathlib.Path(folder) / f"{number:06d}.jpg").symlink_to(picture.resolve())
            number += 1
    return before


def real(name, others=""):
    file, fps, area, pictures, first, value, there, elsewhere = SEQUENCES[name]
    with tempfile.TemporaryDirectory() as folder:
        where, before = DATA / file, 0
        if others:
            before, where = in_one(folder, [*others.split("+"), name]), pathlib.Path(folder) / "%06d.jpg"
        if "%" in file:
            start = next(n for n in range(100000) if pathlib.Path(str(where) % n).exists())
            head = f"multifilesrc location={where} start-index={start} caps=image/jpeg,framerate={round(fps * 2)}/2 ! jpegdec ! videoconvert"
        else:
            head = f"filesrc location={where} ! decodebin ! videoconvert"
        run = Run(head + " ! {chain}", CHAIN.format(area, Run.masks, Run.codebook))
    first -= before
    if not pictures:
        return run.lines(name, lambda _boxes: elsewhere)
    from PIL import Image  # pylint: disable=import-outside-toplevel
    known = {}

    def picture(number):
        if number not in known:
            path = DATA / pictures.format(number)
            known[number] = Image.open(io.BytesIO(path.read_bytes())).convert("L") if path.exists() else None
        return known[number]

    def label_of(boxes):
        if round(boxes[0][0] * fps / 1e9) < before:
            return None
        shares = []
        for time, box in boxes:
            truth = picture(first + round(time * fps / 1e9))
            if truth:
                part = truth.crop(box)
                shares.append(part.histogram()[value] / max(1, part.width * part.height))
        if not shares:
            return None
        return there if sum(shares) / len(shares) >= 0.3 else elsewhere
    return run.lines(name, label_of)


def main():
    Gst.init(None)
    assert Gst.Buffer and Gst.Structure  # two threads that meet a type first at the same time would make it twice
    words = sys.argv[2:]
    if "--crops" in words:
        at = words.index("--crops")
        Run.crops = pathlib.Path(words[at + 1])
        del words[at:at + 2]
    if "--codebook" in words:
        at = words.index("--codebook")
        Run.codebook = f" codebook-location={words[at + 1]}"
        del words[at:at + 2]
    if "--background-weight" in words:
        at = words.index("--background-weight")
        Run.masks, Run.codebook = " attach-mask=true", f"{Run.codebook} background-weight={words[at + 1]}"
        del words[at:at + 2]
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        for source in words:
            kind, *parts = source.split(":")
            count = collections.Counter()
            for line in (drawn if kind == "drawn" else real)(*parts):
                out.write(json.dumps(line) + "\n")
                count[line["label"]] += 1
            print(f"{source}: {dict(count)}", flush=True)


if __name__ == "__main__":
    main()
