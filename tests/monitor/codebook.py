# SPDX-License-Identifier: LGPL-2.1-or-later
"""A codebook of the site's own pictures: made when asked, taken only where labels are known better by it, replaced by hand, killed, deleted, covered.

codebook.py PROGRAM FOLDER MANY_PROCESSORS"""
import base64
import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tarfile
import time

from program import Monitor, begin

program, folder = begin("monitor-codebook")
SOURCE = "scenetestsrc is-live=true quiet=0.5 density=2 ! video/x-raw,format=I420,width=320,height=180,framerate=8/1"
config, data = folder / "monitor.yaml", folder / "data"
BELOW = data / "labels"
EXAMPLES, CODEBOOK, NIGHT = BELOW / "examples.json", BELOW / "codebook.model", BELOW / "night"
SIDE = 64


def configure(labels, privacy=""):
    config.write_text(f"""
record: {{pre_capture: 1, post_capture: 1, max_clip: 5}}
labels: {labels}
cameras:
  street:
    source: "{SOURCE}"
    cudamog: {{motion-hold: 300}}
    {privacy}
""")


def start(**more):
    return Monitor(program, data, "--config", str(config), **more)


def text_of(picture):
    return base64.urlsafe_b64encode(bytes(picture)).decode().rstrip("=")


def bars(seed, upright):
    """Bars of a random width and place with some noise: upright in the upper half and across in the lower one, or the reverse."""
    r = random.Random(seed)
    width, offset = r.randint(6, 9), r.randint(0, 16)
    return [min(255, max(0, (200 if (((x if upright == (y < SIDE // 2) else y) + offset) // width) % 2 else 60) + r.randint(-15, 15))) for y in range(SIDE) for x in range(SIDE)]


def noise(seed):
    r = random.Random(seed)
    return [r.randint(0, 255) for _ in range(SIDE * SIDE)]


def example(label, n, shape, picture):
    return {"label": label, "event": "", "camera": "gate", "shape": {k: v + 0.02 * n for k, v in shape.items()}, "picture": text_of(picture)}


WALKER = {"aspect": 0.9, "size": -2.4, "speed": 0.2, "filled": 0.5, "rhythm": 0.5, "straightness": 0.99, "travel": 2}
WAGON = {"aspect": -0.6, "size": -1.1, "speed": 0.6, "filled": 0.7, "rhythm": 0.1, "straightness": 0.99, "travel": 1}


def examples():
    return json.loads(EXAMPLES.read_text(encoding="utf-8"))["examples"]


def bring(m, some):
    for at in range(0, len(some), 8):  # a body has at most 64 KiB
        status, answer = m.ask("POST", "/api/labels/import", {"format": "vigil-labels", "version": 1, "examples": some[at:at + 8]})
        assert status == 200, (status, answer)


def state(m):
    return m.get("/api/labels")["codebook"]


def make(m):
    """Asks for a codebook; what became of it."""
    before = (state(m)["last"] or {}).get("time")
    status, answer = m.ask("POST", "/api/labels/codebook")
    assert status == 200, (status, answer)
    return m.wait("a codebook", lambda: (lambda s: not s["making"] and s["last"] and s["last"]["time"] != before and s["last"])(state(m)), 300)


def many_processors():
    """The limits of vigil-train do for a machine of 32 processors, for each of which OpenBLAS would take memory."""
    real, wrapper = pathlib.Path(program).parent.parent / "vigil-train/vigil-train", folder / "on-many-processors"
    wrapper.write_text(f"#!/bin/sh\nLD_PRELOAD={sys.argv[3]} exec {real} \"$@\"\n")
    wrapper.chmod(0o755)
    with start(env=dict(os.environ, VIGIL_TRAIN=str(wrapper))) as m:
        last = make(m)
        assert last["accuracy_after"] is not None and "failed" not in (last["reason"] or ""), last
        m.stop()


def on_disk(words):
    """Files of the storage folder with these bytes in them."""
    return [str(p) for p in data.rglob("*") if p.is_file() and words in p.read_bytes()]


def off():
    """Without the option nothing is kept or made."""
    configure("{}")
    with start() as m:
        assert state(m) is None
        assert m.ask("POST", "/api/labels/codebook")[0] == 409
        bring(m, [example("walker", 0, WALKER, noise(0))])
        assert "picture" not in examples()[0], "no picture is kept unless the configuration says so"
        assert m.ask("DELETE", "/api/labels/walker")[0] == 200
        m.stop()


def refused_and_taken():
    configure("{codebook: true, hour: 3}")
    with start() as m:
        assert state(m) == {"in_use": None, "making": False, "hour": 3, "last": None}, state(m)
        last = make(m)
        assert not last["taken"] and "there are 0 pictures of examples" in last["reason"] and not CODEBOOK.exists(), last

        # Shape and motion tell these apart, and the pictures are noise: a codebook would not help.
        bring(m, [example(label, n, shape, noise(100 * n + at)) for n in range(24) for at, (label, shape) in enumerate((("walker", WALKER), ("wagon", WAGON)))])
        last = make(m)
        assert not last["taken"] and not CODEBOOK.exists(), last
        assert last["pictures"] >= 48 and last["accuracy_before"] >= 0.9 and "not be known better" in last["reason"], last
        assert not NIGHT.exists(), "the pictures for it are gone"
        for label in "walker", "wagon":
            assert m.ask("DELETE", f"/api/labels/{label}")[0] == 200

        # The same shape, and pictures that tell them apart.
        bring(m, [example(label, 5 * random.Random(2 * n + upright).random(), WALKER, bars(1000 * n + upright, bool(upright))) for n in range(24) for upright, label in enumerate(("post van", "other van"))])
        last = make(m)
        assert last["taken"] and last["reason"] is None and CODEBOOK.exists() and not NIGHT.exists(), last
        assert last["accuracy_after"] >= 0.8 and last["accuracy_after"] >= last["accuracy_before"] + 0.02, last
        print(f"own codebook: accuracy {last['accuracy_before']:.3f} before, {last['accuracy_after']:.3f} with it, {last['pictures']} pictures, {last['seconds']:.1f} s")
        own = state(m)["in_use"]
        m.wait("vectors by it", lambda: {x.get("codebook") for x in examples()} == {own})
        m.wait("the training by it", lambda: all(x["accuracy"] >= 0.8 for x in m.get("/api/labels")["labels"]))
        m.wait("it is said", lambda: any("codebook of" in line and "it is in use" in line for line in m.log))
        metrics = m.ask("GET", "/metrics")[1].decode()
        assert "vigil_label_codebook_in_use 1" in metrics, metrics[:2000]

        # Answers go on, and an event's own picture is kept with the example.
        event = m.wait("an event with a picture", lambda: next((e for e in m.get("/api/events?limit=50")["events"] if e["has_snapshot"] and e["box"] and e["end_time"] and e["labels"]), None), 150)
        assert m.ask("POST", f"/api/events/{event['id']}/label", {"label": "somebody"})[0] == 200
        mine = next(x for x in examples() if x["label"] == "somebody")
        assert len(mine["picture"]) == -(-SIDE * SIDE * 4 // 3) and mine["codebook"] == own and len(mine["appearance"]) == 48, mine

        # Export carries pictures; the name of a person takes them along.
        _, text = m.ask("GET", "/api/labels/export", raw=True)
        assert json.loads(text)["examples"] == examples() and mine["picture"].encode() in text
        backup = folder / "backup.tar"
        subprocess.run([program, "--config", str(config), "--storage", str(data), "--backup", str(backup)], check=True, capture_output=True, timeout=120)
        with tarfile.open(backup) as tar:
            names = tar.getnames()
            assert any(n.endswith("labels/codebook.model") for n in names) and not any("labels/night" in n for n in names), names
        # Its event may go: the example stays until the label goes, and then nothing of the picture is left.
        assert m.ask("DELETE", f"/api/events/{event['id']}")[0] == 200
        assert m.ask("DELETE", "/api/labels/somebody") == (200, {"examples": 1})
        assert on_disk(mine["picture"].encode()) == [], "a forgotten example leaves no picture"
        m.stop()


def killed():
    """Killed while a codebook is made: the one before stays, and the pictures go at the next start."""
    before = CODEBOOK.read_bytes()
    (folder / "whole.model").write_bytes(before)
    slow = folder / "slow.sh"
    # Before the model is there, and when it is whole but not looked at yet. $3: where it goes.
    for what in "", f"cp {folder}/whole.model \"$3\"; ":
        slow.write_text(f"#!/bin/sh\n{what}touch {NIGHT}/here\nexec sleep 60\n")
        slow.chmod(0o700)
        with start(env={**os.environ, "VIGIL_TRAIN": str(slow)}) as m:
            assert m.ask("POST", "/api/labels/codebook")[0] == 200
            m.wait("pictures for vigil-train", (NIGHT / "here").exists, 60)
            assert (NIGHT / "pictures.y4m").stat().st_size > 40 * SIDE * SIDE
            assert m.ask("POST", "/api/labels/codebook")[0] == 409, "one at a time"
            m.wait("answers go on meanwhile", lambda: m.get("/api/labels")["labels"])
            m.kill()
        assert CODEBOOK.read_bytes() == before and (NIGHT / "pictures.y4m").exists()
        with start() as m:
            m.wait("the pictures are gone", lambda: not NIGHT.exists())
            assert state(m)["in_use"] and CODEBOOK.read_bytes() == before
            m.stop()
    # A normal end waits for nobody.
    with start(env={**os.environ, "VIGIL_TRAIN": str(slow)}) as m:
        assert m.ask("POST", "/api/labels/codebook")[0] == 200
        m.wait("pictures for vigil-train", (NIGHT / "here").exists, 60)
        m.stop()
    assert not NIGHT.exists() and CODEBOOK.read_bytes() == before
    with start() as m:
        last = make(m)  # and the next one is made as ever
        assert last["accuracy_after"] >= 0.8, last
        assert not last["taken"] or (BELOW / "codebook.model.previous").read_bytes() == before, last
        m.stop()


def by_hand():
    """Another codebook in its place, as by a person, or by a program that was killed after it was renamed and before vectors were made again."""
    ways = folder / "pictures"
    ways.mkdir()
    for n in range(20):
        (ways / f"{n}.pgm").write_bytes(b"P5\n%d %d\n255\n" % (SIDE, SIDE) + bytes(bars(n + 7000, n % 2 == 0)))
    trainer = pathlib.Path(program).parent.parent / "vigil-train" / "vigil-train"
    subprocess.run([trainer, "codebook", "-o", folder / "other.model", "--seed", "9", "--projected", "16", "--components", "8", "--scales", "3", "--largest-scale", "1",
                    *ways.iterdir()], check=True, capture_output=True, timeout=300)
    before = {x["codebook"] for x in examples()}
    shutil.copy(folder / "other.model", CODEBOOK)
    with start() as m:
        now = state(m)["in_use"]
        assert now not in before, (now, before)
        m.wait("vectors that were made again", lambda: {x["codebook"] for x in examples()} == {now})
        m.wait("it is said", lambda: any("made again" in line for line in m.log))
        m.wait("no vector is set aside", lambda: m.get("/api/labels")["set_aside"] == 0 and m.get("/api/labels")["labels"])
        m.stop()
    # What is no codebook is set aside, and said; labels go on by shape and motion.
    for bad in CODEBOOK.read_bytes()[:-100], b"", struct.pack("<100i", *range(100)), b"VIGILFIS" + os.urandom(2000):
        CODEBOOK.write_bytes(bad)
        with start() as m:
            assert state(m)["in_use"] is None and not CODEBOOK.exists()
            m.wait("it is said", lambda: any("codebook.model" in line and "set aside" in line for line in m.log))
            assert len(m.get("/api/labels")["labels"]) == 2 or m.wait("labels", lambda: len(m.get("/api/labels")["labels"]) == 2)
            m.stop()


def no_trainer():
    """At the hour, by the time zone, and without vigil-train."""
    until = int(time.time()) % 86400 - (3 * 3600 - 20)  # in this zone it is 20 seconds before three
    zone = f"VGL{'-' if until < 0 else ''}{abs(until) // 3600}:{abs(until) // 60 % 60:02}:{abs(until) % 60:02}"
    with start(env={**os.environ, "VIGIL_TRAIN": "/nonexistent", "TZ": zone}) as m:
        assert state(m)["last"] is None
        last = m.wait("the hour", lambda: state(m)["last"], 180)
        assert not last["taken"] and "vigil-tools" in last["reason"], last
        m.stop()
    fails = folder / "fails.sh"
    fails.write_text('#!/bin/sh\necho "no space left on device, limits $(ulimit -t) $(nice) $(ulimit -v)" >&2\nexit 1\n')
    fails.chmod(0o700)
    with start(env={**os.environ, "VIGIL_TRAIN": str(fails)}) as m:
        last = make(m)
        assert not last["taken"] and "no space left on device, limits 900 19" in last["reason"] and not NIGHT.exists(), last
        m.stop()


def folder_in_place():
    """A folder where the codebook should be is set aside as well. A full disk: codebook_parts.cpp."""
    CODEBOOK.mkdir()  # a folder in its place refuses even root
    (CODEBOOK / "x").touch()
    with start() as m:
        assert m.get("/api/labels") and state(m)["in_use"] is None
        m.stop()
    for left in BELOW.glob("codebook.model*"):
        if left.is_dir():
            shutil.rmtree(left)


SAYS = {**os.environ, "GST_DEBUG": "tracklabel:4", "GST_DEBUG_NO_COLOR": "1"}


def looked_at(m):
    """By which codebooks the elements looked at tracks; "": by none."""
    return [line.split("by codebook '")[1].rstrip("'\n") for line in m.log if "tracks are looked at by codebook '" in line]


def covered():
    """Of a camera with privacy an example has what everybody sees, and tracks, which are not covered yet, are not looked at."""
    configure("{codebook: true}", 'privacy: {polygons: {all: {coordinates: "0,0,1,0,1,1,0,1"}}}')
    shutil.copy(folder / "whole.model", CODEBOOK)
    with start(env=SAYS) as m:
        m.wait("what was taught", lambda: looked_at(m))
        began = m.get("/api/stats")["time"]
        event = m.wait("an event with a picture", lambda: next((e for e in m.get("/api/events?limit=50")["events"] if e["start_time"] > began and e["has_snapshot"] and e["box"] and e["labels"]), None), 150)
        assert m.ask("POST", f"/api/events/{event['id']}/label", {"label": "covered"})[0] == 200
        picture = next(x for x in examples() if x["label"] == "covered")["picture"]
        pixels = base64.urlsafe_b64decode(picture + "=" * (-len(picture) % 4))
        assert max(pixels) - min(pixels) <= 8, (min(pixels), max(pixels))
        assert set(looked_at(m)) == {""}, looked_at(m)
        m.stop()


def covered_later():
    """Privacy that is drawn when examples have pictures already takes these away, and none of an older event comes back."""
    def of(label):
        return next(x for x in examples() if x["label"] == label)

    def pictured(m, after=0.0):
        return [e for e in m.get("/api/events?limit=50")["events"] if e["start_time"] > after and e["has_snapshot"] and e["box"] and e["end_time"] and e["labels"]]
    configure("{codebook: true}")
    with start(env=SAYS) as m:
        m.wait("tracks are looked at", lambda: state(m)["in_use"] in looked_at(m))
        began = m.get("/api/stats")["time"]
        first, second, third = m.wait("three events with pictures", lambda: (lambda found: len(found) >= 3 and found[:3])(pictured(m, began)), 240)
        assert m.ask("POST", f"/api/events/{first['id']}/label", {"label": "plain"})[0] == 200
        picture = of("plain")["picture"]
        gate = [x["picture"] for x in examples() if x["camera"] == "gate" and "picture" in x]
        assert gate, "another camera's pictures are there, too"
        assert m.ask("PUT", "/api/cameras/street/privacy/all", {"coordinates": "0,0,1,0,1,1,0,1"})[0] == 200
        m.wait("its picture is gone", lambda: "picture" not in of("plain"))
        assert on_disk(picture.encode()) == [], "no file has it"
        assert of("plain")["shape"] and [x["picture"] for x in examples() if x["camera"] == "gate" and "picture" in x] == gate, "nothing else is gone"
        m.wait("it is said", lambda: any("private now" in line for line in m.log))
        m.wait("tracks are looked at no more", lambda: looked_at(m)[-1] == "")
        assert m.ask("POST", f"/api/events/{second['id']}/label", {"label": "older"})[0] == 200
        assert "picture" not in of("older"), "an event from before has a plain picture"
        bring(m, [{**example("brought", 0, WALKER, noise(1)), "camera": "street"}])
        assert "picture" not in of("brought"), "nobody knows what is in a picture from a file"
        m.stop()
    with start() as m:
        assert m.ask("POST", f"/api/events/{third['id']}/label", {"label": "older still"})[0] == 200
        assert "picture" not in of("older still"), "it is remembered"
        began = m.get("/api/stats")["time"]
        later = m.wait("an event behind the cover", lambda: next(iter(pictured(m, began)), None), 150)
        assert m.ask("POST", f"/api/events/{later['id']}/label", {"label": "later"})[0] == 200
        assert "picture" in of("later"), "a covered picture is kept"
        # Less is private: what was kept stays.
        assert m.ask("DELETE", "/api/cameras/street/privacy/all")[0] == 200
        m.wait("the change is remembered", lambda: json.loads((BELOW / "covered.json").read_text(encoding="utf-8")) == {})
        assert "picture" in of("later")
        for label in "plain", "older", "brought", "older%20still", "later":
            assert m.ask("DELETE", f"/api/labels/{label}") == (200, {"examples": 1}), label
        m.stop()


def damaged_cover():
    """The file of covered cameras is damaged: it is set aside, which is said, and there is a new one."""
    file = BELOW / "covered.json"

    def remembered():
        return file.is_file() and "street" in json.loads(file.read_text(encoding="utf-8"))
    configure("{codebook: true}", 'privacy: {polygons: {whole: {coordinates: "0,0,1,0,1,1,0,1"}}}')
    with start() as m:
        m.wait("the cover is remembered", remembered)
        m.stop()
    for way in "empty", "zeroed", "cut", "folder":
        text = file.read_bytes()
        file.unlink()
        if way == "folder":
            file.mkdir()
            (file / "x").touch()
        else:
            file.write_bytes({"empty": b"", "zeroed": bytes(len(text)), "cut": text[:-5]}[way])
        with start() as m:
            m.wait(f"it is said of {way}", lambda: any("covered.json" in s and "set aside" in s for s in m.get("/api/stats")["storage"]["set_aside"]))
            m.wait(f"a new file, after {way}", remembered)
            m.stop()
    with start() as m:  # a sound one is not touched
        m.wait("cameras", lambda: m.get("/api/cameras"))
        assert len(list(BELOW.glob("covered.json.damaged-*"))) == 4 and not any("covered.json" in line for line in m.log), m.log
        m.stop()


def switched_off():
    assert any("picture" in x for x in examples())
    configure("{codebook: false}")
    with start() as m:
        m.wait("pictures are deleted", lambda: not any("picture" in x for x in examples()))
        m.wait("it is said", lambda: any("are deleted" in line for line in m.log))
        m.stop()


# Each goes on from what the one before has left.
checks = [off, refused_and_taken, many_processors, killed, by_hand, no_trainer, folder_in_place, covered, covered_later, damaged_cover, switched_off]
for check in checks:
    print(f"-- {check.__name__}", flush=True)
    check()
print("all good")
