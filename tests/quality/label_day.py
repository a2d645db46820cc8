#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A drawn day with label filters: which crossings of the picture's middle are reported for persons and vehicles alone, against the truth.

    label_day.py SEED FRAMES_A_SECOND [--hours FROM-TO] [--teach TRACKS.jsonl SET NUMBER] [--with NAME PROPERTIES]...

Three lines lie on scenetestsrc's line "middle": with labels: [person], with labels: [vehicle], and without labels ("any"). A crossing is right if the truth has one of that
kind and direction at most ten seconds before it and not yet matched, or up to one second later. --hours: of the day (12 is the scene's begin), after two minutes
in which nothing counts; 36 is the end. --teach: the same tracks are also named by NUMBER tracks of each label of a set of label_tracks.py, without the shape rule.
--with: and by a tracklabel with these properties, where nothing is taught. --mask PROPERTIES: cudamog's.
"""
import collections
import json
import pathlib
import random
import sys
import tempfile

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402  pylint: disable=wrong-import-position

SIZE, BEFORE, AFTER, WARM_UP = (320, 240), 10, 1, 120
KINDS = {"person": "person", "car": "vehicle"}


def examples(path, of_set, number):
    lines = [json.loads(line) for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines()]
    lines = [line for line in lines if line["set"] == of_set and line["label"] != "none"]
    random.Random(1).shuffle(lines)
    taken, out = collections.Counter(), []
    for line in lines:
        taken[line["label"]] += 1
        if taken[line["label"]] <= number:
            out.append({"label": line["label"], "shape": line["shape"]})
    return {"format": "vigil-labels", "version": 1, "examples": out}


def matched(truth, found):
    """How many found ones are right; each truth counts once."""
    left, right = sorted(truth), 0
    for time in sorted(found):
        hit = next((t for t in left if t - AFTER <= time <= t + BEFORE), None)
        if hit is not None:
            left.remove(hit)
            right += 1
    return right


def main():
    words = sys.argv[1:]
    hours, namers = [12, 36], {"nothing taught": ""}
    if "--hours" in words:
        at = words.index("--hours")
        hours = [float(hour) for hour in words[at + 1].split("-")]
        del words[at:at + 2]
    mask = ""
    if "--mask" in words:
        at = words.index("--mask")
        mask = words[at + 1]
        del words[at:at + 2]
    while "--with" in words:
        at = words.index("--with")
        namers[words[at + 1]] = words[at + 2]
        del words[at:at + 3]
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as taught:
        if "--teach" in words:
            at = words.index("--teach")
            json.dump(examples(words[at + 1], words[at + 2], int(words[at + 3])), taught)
            taught.flush()
            namers[f"{words[at + 3]} taught"] = f"model-location={taught.name} shape-rule=false"
            del words[at:at + 4]
        play(words[0], int(words[1]), hours, namers, mask)


def seconds_of(hour):
    """Since the scene's begin at noon."""
    return 3600 * (24 if hour == 36 else (hour - 12) % 24)


def play(seed, rate, hours, namers, mask):
    Gst.init(None)
    assert Gst.Structure
    begin, end = map(seconds_of, hours)
    line = {"points": [[0.5, 0], [0.5, 1]]}
    rules = json.dumps({"lines": [*({"name": label, "labels": [label], **line} for label in KINDS.values()), {"name": "any", **line}]})
    branches = "".join(f" t. ! queue ! tracklabel post-messages=false {how} ! boxrules name=rules-{n} ! fakesink sync=false" for n, how in enumerate(namers.values()))
    pipeline = Gst.parse_launch(
        f"scenetestsrc name=s scene=day seed={seed} s.src ! video/x-raw,format=I420,width={SIZE[0]},height={SIZE[1]},framerate={rate}/1"
        f" ! cudamog backend=cpu output=passthrough post-messages=false min-area=60 {mask} ! boxtrack post-messages=false ! tee name=t"
        f"{branches} s.truth ! queue ! fakesink sync=false")
    names = dict(enumerate(namers))
    for n in names:
        pipeline.get_by_name(f"rules-{n}").props.rules = rules
    # The source keeps the seek for its start. A seek of the playing pipeline comes once from each sink, and what is drawn between two of them is learnt by
    # cudamog, once more or less often in each run.
    pipeline.set_state(Gst.State.READY)
    pipeline.get_state(Gst.CLOCK_TIME_NONE)
    flags = Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE
    seek = Gst.Event.new_seek(1, Gst.Format.TIME, flags, Gst.SeekType.SET, round(max(0, begin - WARM_UP) * Gst.SECOND), Gst.SeekType.SET, round(end * Gst.SECOND))
    assert pipeline.get_by_name("s").send_event(seek)
    pipeline.set_state(Gst.State.PLAYING)
    truth, found = collections.defaultdict(list), collections.defaultdict(list)
    kinds = Gst.MessageType.ELEMENT | Gst.MessageType.EOS | Gst.MessageType.ERROR
    while message := pipeline.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE, kinds):
        if message.type == Gst.MessageType.ERROR:
            sys.exit(message.parse_error()[0].message)
        if message.type == Gst.MessageType.EOS:
            break
        said = message.get_structure()
        if said.get_name() not in ("truth-cross", "line-cross"):
            continue
        time = said.get_uint64("stream-time")[1] / Gst.SECOND
        if time < begin:
            continue
        if said.get_name() == "truth-cross":
            for label in KINDS.get(said.get_string("type"), ""), "any":
                truth[label, said.get_string("direction")].append(time)
        else:
            namer = names[int(message.src.get_name().split("-")[1])]
            found[namer, said.get_string("line"), said.get_string("direction")].append(time)
    pipeline.set_state(Gst.State.NULL)
    ways = ("forward", "backward")
    for namer in namers:
        for label in (*KINDS.values(), "any"):
            right = sum(matched(truth[label, way], found[namer, label, way]) for way in ways)
            true, said = sum(len(truth[label, way]) for way in ways), sum(len(found[namer, label, way]) for way in ways)
            print(f"seed {seed}, {hours[0]:g} to {hours[1]:g} h, {namer}, {label}: {true} crossings, {said} reported, {right} right, {said - right} false", flush=True)


if __name__ == "__main__":
    main()
