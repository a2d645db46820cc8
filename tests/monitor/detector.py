# SPDX-License-Identifier: LGPL-2.1-or-later
"""The detector: names by a network on crops of tracks, figures about it, wrong models and wrong answers.

detector.py PROGRAM FOLDER MODULE

MODULE is empty in builds without OpenCV.

The network says which colour the picture has in the mean, so its right answer is known: a red ball is before the camera."""
import shutil
import subprocess
import sys

from onnx_file import boxes, mean_colour, of_one_size, root_of_green
from program import Monitor, begin
from vigiltest import skip

program, folder = begin("monitor-detector")
config, data = folder / "monitor.yaml", folder / "data"
BALL = "videotestsrc is-live=true pattern=ball motion=wavy foreground-color=0xffff0000 background-color=0xff606060 ! video/x-raw,format=I420,width=320,height=240,framerate=10/1"
SIZE = 64
good = folder / "colour.onnx"
good.write_bytes(mean_colour(SIZE))


def write(detector, camera=""):
    config.write_text(f"""
record: {{pre_capture: 0, post_capture: 0, max_clip: 3}}
{detector}
cameras:
  hall:
    source: "{BALL}"
    cudamog: {{motion-hold: 300}}
    {camera}
""", encoding="utf-8")


def section(model=good, more="", **keys):
    keys = {"layout": "classes", "size": SIZE, "classes": "[red, green, blue]", "rate": 5, **keys}
    return f'detector: {{model: "{model}", {", ".join(f"{k}: {v}" for k, v in keys.items())}, {more}}}'


def refused():
    got = subprocess.run([program, "--check", "--config", str(config)], capture_output=True, text=True, check=False)
    return got.stderr if got.returncode else ""


write(section())
if not sys.argv[3]:
    skip("this build has no OpenCV dnn; monitor-detector-module shows that it says so")
assert not refused(), refused()
for bad, words in (("detector: {classes: [a]}", "model is missing"), (f"detector: {{model: {good}}}", "classes is missing"),
                   (section(more="colours: cmyk"), "'cmyk' is no order of colours; allowed: rgb, bgr"), (section(size=4000), "16 to 2048"),
                   (section(size="64x"), "'64x' is no number"), (section(rate=1000), "0.1 to 30"), (section(more="labels: {red: ''}"), "label"),
                   (section(layout="yolo"), "'yolo' is no layout; allowed: classes, fastestdet, yolov5, yolov8")):
    write(bad)
    assert words in refused(), (bad, refused())
write("", "detector: true")
assert "no section detector" in refused(), refused()


def events(m, query=""):
    return m.get("/api/events?limit=500" + query)["events"]


def by_detector(m, label):
    return [e for e in events(m) if any(x["by"] == "detector" and x["label"] == label for x in e["labels"])]


def detector(m):
    return m.get("/api/stats")["detectors"]


# The ball is red, and that is what the site calls a visitor.
write(section(more="labels: {red: visitor, green: lawn}"))
with Monitor(program, data, "--config", str(config)) as m:
    named = m.wait("events that the detector has named", lambda: (lambda found: len(found) >= 4 and found)(by_detector(m, "visitor")), 200)
    for e in named:
        [label] = [x for x in e["labels"] if x["by"] == "detector"]
        assert label["guessed"] and label["score"] > 0.9, e["labels"]
    assert not [e for e in events(m) if any(x["label"] in ("lawn", "red", "blue") for x in e["labels"])]
    assert named[0]["id"] in [e["id"] for e in events(m, "&label=visitor")], "its names filter"
    m.wait("a track with the name", lambda: "visitor" in m.get("/api/cameras/hall")["labels"])
    [d] = detector(m)
    assert d["state"] == "ready" and d["reason"] is None and d["model"] == str(good), d
    uptime = m.get("/api/stats")["uptime_seconds"]
    assert 0 < d["inferences"] <= 5 * uptime + 1, (d, uptime)
    assert d["classes"] == 3 and 0 < d["named"] <= d["inferences"] and d["refused"] == 0 and 0 <= d["waiting"] <= 2 and 0 < d["inference_seconds"] < 10, d
    metrics = m.ask("GET", "/metrics")[1].decode()
    figures = {line.split()[0]: float(line.split()[1]) for line in metrics.splitlines() if line.startswith("vigil_detector")}
    assert figures['vigil_detectors{state="ready"}'] == 1 and figures["vigil_detector_inferences_total"] >= d["inferences"], figures
    assert figures["vigil_detector_refused_total"] == 0 and 0 < figures["vigil_detector_inference_seconds"] < 10, figures
    print(f"{d['inferences']} inferences in {uptime:.0f} s, {d['cpu_seconds']:.2f} s of processor time, of {m.get('/api/stats')['cameras'][0]['frames']} frames")
    # A person's word stays, and what was taught goes before the detector.
    for e in named[:3]:
        status, e = m.ask("POST", f"/api/events/{e['id']}/label", {"label": "my ball"})
        assert status == 200 and e["taught"] and e["labels"] == [{"label": "my ball", "score": 1, "guessed": False, "by": "person"}], e
    m.wait("an event that is named by examples", lambda: [e for e in events(m) if any(x["by"] == "examples" and x["label"] == "my ball" for x in e["labels"])], 120)
    for e in named[:3]:
        assert [x["by"] for x in m.get(f"/api/events/{e['id']}")["labels"]] == ["person"], e["id"]
    assert m.ask("DELETE", "/api/labels/my%20ball")[0] == 200
    m.wait("the detector's name again", lambda: set(x["id"] for x in by_detector(m, "visitor")) & {e["id"] for e in named[:3]})

    # Read again: a camera that does not want it, then a model that cannot be used. The camera goes on.
    write(section(), "detector: false")
    assert m.ask("POST", "/api/reload")[1]["restarted"] == ["hall"]
    m.wait("pictures", lambda: m.get("/api/cameras/hall")["state"] == "online")
    m.stop()

# Models that are none: the reason is in the log and in the statistics, events go on, names by shape too.
whole = good.read_bytes()
wrong = {**{f"truncated {i}": whole[:len(whole) * i // 8] for i in range(1, 8)}, "empty": b"", "picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20, "text": b"hello\n" * 100, "two outputs": mean_colour(SIZE, outputs=2), "nothing but zeros": bytes(5000)}
for name, content in wrong.items():
    path = folder / f"{name}.onnx"
    path.write_bytes(content)
other_size, nan, infinite, huge, sometimes = (folder / f"{name}.onnx" for name in ("of 32x32", "nan", "infinite", "huge", "sometimes"))
other_size.write_bytes(of_one_size(SIZE // 2))
nan.write_bytes(mean_colour(SIZE, scale=float("nan")))
infinite.write_bytes(boxes(SIZE, [float("inf"), 0, float("-inf"), 1, 1, 1, 1]))
huge.write_bytes(boxes(SIZE, [1e30, -1e30, 1e30, 1e30, 1, 1, 1]))
sometimes.write_bytes(root_of_green(SIZE))
cases = [(section(folder / f"{name}.onnx"), f"{name}.onnx") for name in wrong]
cases += [(section(folder / "missing.onnx"), "missing.onnx"), (section(folder), str(folder)),
          (section(classes="[red, green]"), "1x3"),
          (section(other_size), f"{other_size} takes no picture of 64x64"), (section(nan), "infinite or no number"), (section(infinite, layout="yolov8"), "infinite or no number"),
          (section(layout="fastestdet"), "1x8xHxW"),
          (section(more="labels: {cat: animal}"), "'cat'"),
          (section(classes=folder / "missing.names"), "missing.names")]
write(cases[0][0])
shutil.rmtree(data)
with Monitor(program, data, "--config", str(config)) as m:
    for text, words in cases:
        write(text)
        assert m.ask("POST", "/api/reload")[0] == 200
        [d] = m.wait(f"the failure of {words}", lambda: (lambda found: found and found[-1]["state"] == "failed" and words in found[-1]["reason"] and found[-1:])(detector(m)))
        assert d["inferences"] == 0, d
        print(f"{d['reason']}")
        m.wait("the line in the log", lambda: any(words in line and "events have no names by the detector" in line for line in m.log))
    before = len(events(m))
    m.wait("an event without a detector", lambda: len(events(m)) > before, 60)
    # Boxes that no picture has: they fit no track, so they name nothing.
    write(section(huge, layout="yolov8"))
    assert m.ask("POST", "/api/reload")[0] == 200
    d = m.wait("inferences with huge boxes", lambda: (lambda found: [x for x in found if x["model"] == str(huge) and x["inferences"] >= 3])(detector(m)), 120)[0]
    assert (d["state"], d["named"], d["refused"], d["reason"]) == ("ready", 0, 0, None), d
    # An answer that is no number, on the crops of this camera alone: counted, said once, and nothing else stops.
    write(section(sometimes, classes="[a, b, c]"))
    assert m.ask("POST", "/api/reload")[0] == 200
    d = m.wait("refused answers", lambda: (lambda found: [x for x in found if x["model"] == str(sometimes) and x["refused"] >= 3])(detector(m)), 120)[0]
    assert (d["state"], d["named"]) == ("ready", 0) and str(sometimes) in d["reason"] and "no number" in d["reason"], d
    assert len([line for line in m.log if str(sometimes) in line and "only counted" in line]) == 1, m.log
    [refusals] = [line for line in m.ask("GET", "/metrics")[1].decode().splitlines() if line.startswith("vigil_detector_refused_total ")]
    assert float(refusals.split()[1]) >= d["refused"], (refusals, d)
    # Mended, it works without a restart of the program.
    write(section())
    assert m.ask("POST", "/api/reload")[0] == 200
    m.wait("events that the detector has named", lambda: by_detector(m, "red"), 120)
    m.wait("the end of those that no camera uses", lambda: [x["state"] for x in detector(m)] == ["ready"])
    m.stop()
