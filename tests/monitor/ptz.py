# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cameras that turn, and what cameras find by themselves, with simulated ONVIF devices, good and bad, in a network namespace of their own.

ptz.py PROGRAM FOLDER [NAME OF A CHECK]..."""
import json
import sys
import threading
import time
import urllib.parse

import hosts

hosts.need_own_network()

from program import Monitor, begin, same  # noqa: E402
from vigiltest import true  # noqa: E402

from onvif_devices import PASSWORD, USER, Canary, Device, Head, notification  # noqa: E402
from turning_camera import TurningCamera  # noqa: E402

program, folder = begin("monitor-ptz")
ELSEWHERE = "127.0.0.200"
SCENE = "scenetestsrc scene=indoor quiet=1000 is-live=true ! video/x-raw,width=320,height=180,framerate=5/1"


def address(device, user=USER, password=PASSWORD):
    login = ":".join(urllib.parse.quote(word, safe="") for word in (user, password))
    return device.url.replace("http://", f"http://{login}@")


def started(name, cameras):
    """`cameras`: by name, (source, device, whether its own events are wanted)."""
    own = folder / name
    own.mkdir(exist_ok=True)
    described = {camera: {"source": source, **({"onvif": {"address": address(device), "events": events}} if device else {})} for camera, (source, device, events) in cameras.items()}
    (own / "monitor.yaml").write_text(json.dumps({"record": {"pre_capture": 1, "post_capture": 1, "max_clip": 10}, "cameras": described}))
    return Monitor(program, own / "data", "--config", str(own / "monitor.yaml"))


def can_turn(m, camera):
    return m.wait(f"{camera} says that it turns", lambda: m.get(f"/api/cameras/{camera}")["ptz"], 60)


def order(m, camera, what, body=None, wanted=200):
    status, said = m.ask("POST", f"/api/cameras/{camera}/ptz/{what}", body or {})
    same(status, wanted, f"{what} {body}: {said}")
    return said


def rests(m, camera):
    return m.wait(f"{camera} is at rest", lambda: not m.get(f"/api/cameras/{camera}")["ptz"]["turning"], 90)


def labels(m, camera):
    return [e["label"] for e in m.get(f"/api/events?camera={camera}&limit=500")["events"]]


def moves():
    """A move stops when it is not asked for again, also when somebody goes away; presets and home; nothing where nothing turns."""
    head = Head()
    device, fixed = Device("127.0.4.1", head=head), Device("127.0.4.2")
    with started("moves", {"dome": (SCENE, device, False), "fixed": (SCENE, fixed, False), "plain": (SCENE, None, False)}) as m:
        same(can_turn(m, "dome"), {"pan_tilt": True, "zoom": True, "home": True, "presets": 16, "turning": False}, "what it can do")
        m.wait("a device that does not turn", lambda: m.ask("POST", "/api/cameras/fixed/ptz/move", {"pan": 1})[0] == 400, 30)
        same([m.get(f"/api/cameras/{c}")["ptz"] for c in ("fixed", "plain")], [None, None], "cameras that do not turn")
        same(m.ask("POST", "/api/cameras/plain/ptz/move", {"pan": 1})[0], 404, "no device")
        same(m.ask("POST", "/api/cameras/none/ptz/move", {"pan": 1})[0], 404, "no camera")
        # Asked for once: our own stop comes, and before the device's timeout.
        before = head.place()
        order(m, "dome", "move", {"pan": 0.5, "tilt": 0})
        true(head.turning(), "it turns")
        m.wait("the stop comes", lambda: head.stops == 1, 20)
        true(not head.turning() and head.place() > before + 50, f"from {before} to {head.place()}")
        # Asked for again and again it goes on; then a stop by hand.
        stops = head.stops
        for _ in range(6):
            order(m, "dome", "move", {"pan": -0.2, "zoom": 0.1})
            time.sleep(0.4)
        same((head.turning(), head.stops), (True, stops), "it goes on while it is asked")
        order(m, "dome", "stop")
        same((head.turning(), head.stops), (False, stops + 1), "it stops")
        time.sleep(3)
        same(head.stops, stops + 1, "once is enough")
        for body in ({"pan": 2}, {"pan": "1"}, {"pan": True}, {"pan": 1, "x": 1}, [], {"tilt": None}):
            same(m.ask("POST", "/api/cameras/dome/ptz/move", body)[0], 400, f"a wrong body: {body}")
        token = order(m, "dome", "presets", {"name": "Gate & <yard>"})["preset"]
        at = head.place()
        order(m, "dome", "go", {"home": True})
        m.wait("home", lambda: abs(head.place() - head.home) < 1, 20)
        order(m, "dome", "go", {"preset": token})
        m.wait("the preset", lambda: abs(head.place() - at) < 1, 20)
        same([(p["token"], p["name"], p["here"]) for p in m.get("/api/cameras/dome/ptz")["presets"]], [(token, "Gate & <yard>", True)], "the presets; a token that is a path is none")
        order(m, "dome", "go", {"home": True})
        m.wait("home again", lambda: abs(head.place() - head.home) < 1, 20)
        order(m, "dome", "presets", {"preset": token})
        true(abs(head.presets[token][1] - head.home) < 1, "the preset is another view now")
        for body in ({"preset": "../../x"}, {"preset": ""}, {"home": False}, {"home": True, "preset": token}, {}, {"preset": 1}):
            same(m.ask("POST", "/api/cameras/dome/ptz/go", body)[0], 400, f"a wrong body: {body}")
        same(m.ask("POST", "/api/cameras/dome/ptz/go", {"preset": "none"})[0], 400, "no such preset: the device says so")
        for body in ({}, {"name": ""}, {"name": "x" * 65}, {"name": "a\nb"}, {"name": 1}):
            same(m.ask("POST", "/api/cameras/dome/ptz/presets", body)[0], 400, f"a wrong body: {body}")
        same(m.ask("DELETE", f"/api/cameras/dome/ptz/presets/{token}")[0], 200, "removed")
        same((head.presets, m.get("/api/cameras/dome/ptz")["presets"]), ({}, []), "it is gone")
        what = [line["what"] for line in m.get("/api/audit")["entries"]]
        true({"ptz-move", "ptz-stop", "ptz-go", "ptz-set-preset", "ptz-remove-preset"} <= set(what), f"who did what: {what}")
        same(what.count("ptz-move"), 2, "a move that goes on is one line")
        text = str([m.ask("GET", path)[1] for path in ("/api/cameras", "/api/config", "/api/audit", "/api/stats")]) + "".join(m.log)
        true("s3cret" not in text and urllib.parse.quote(PASSWORD, safe="") not in text, "the device's password")
        # A program that is killed: the device's own time ends the move.
        order(m, "dome", "move", {"pan": 0.1})
        timeouts = head.timeouts
        m.kill()
    time.sleep(3)
    same((head.turning(), head.timeouts), (False, timeouts + 1), "without the program the device's own time ends a move")


def media2():
    """Devices whose profiles are of Media2 alone turn, too, and say their events."""
    by = {kind: Device(f"127.0.6.{i + 1}", kind, head=Head()) for i, kind in enumerate(("media2", "services", "media2-broken"))}
    with started("media2", {kind: (SCENE, device, True) for kind, device in by.items()}) as m:
        for kind, device in by.items():
            can_turn(m, kind)
            before = device.head.place()
            order(m, kind, "move", {"pan": 0.5})
            m.wait(f"{kind}: it turns, and stops", lambda h=device.head, b=before: h.stops == 1 and h.place() > b, 30)
            m.wait(f"{kind}: subscribed", lambda k=kind: m.get(f"/api/cameras/{k}")["device_events"]["subscribed"], 60)
        m.stop()


def wrong_devices():
    """Devices that answer late, never, or for another host: the program goes on, and nobody else is asked."""
    kinds = ["ptz-elsewhere", "redirect", "stuck", "slow", "malformed", "huge", "bomb"]
    by = {kind: Device(f"127.0.5.{i + 1}", kind, ELSEWHERE, head=Head()) for i, kind in enumerate(kinds)}
    canary = Canary(ELSEWHERE, [by["ptz-elsewhere"].port, by["redirect"].port])
    with started("wrong", {kind: (SCENE, by[kind], False) for kind in kinds}) as m:
        for kind in ("redirect", "stuck"):
            can_turn(m, kind)
        status, said = m.ask("POST", "/api/cameras/redirect/ptz/move", {"pan": 1})
        same(status, 400, said)
        true("302" in said["error"], said)
        m.wait("the reason is in the log", lambda: any("ptz-elsewhere: its ONVIF device" in line and "nothing is asked there" in line for line in m.log), 60)
        # A device that takes a move and never answers: it is stopped all the same.
        head = by["stuck"].head
        answers = []
        asking = [threading.Thread(target=lambda: answers.append(m.ask("POST", "/api/cameras/stuck/ptz/move", {"pan": 0.1}))) for _ in range(6)]
        for thread in asking:
            thread.start()
        while any(t.is_alive() for t in asking):
            same(m.ask("GET", "/healthz")[0], 200, "others are answered meanwhile")
            same(m.ask("GET", "/api/cameras")[0], 200, "the main loop goes on")
            time.sleep(0.2)
        true(503 in [a[0] for a in answers], f"no answer: {answers}")
        m.wait("it is stopped", lambda: head.stops >= 1 and not head.turning(), 60)
        for kind in ("slow", "malformed", "huge", "bomb", "ptz-elsewhere"):
            same(m.get(f"/api/cameras/{kind}")["ptz"], None, f"{kind}: nobody knows whether it turns")
            true(m.ask("POST", f"/api/cameras/{kind}/ptz/move", {"pan": 1})[0] in (400, 503), kind)
        same([c["state"] for c in m.get("/api/cameras")], len(kinds) * ["online"], "the pictures go on")
        same(canary.connections, 0, "requests to a host that nobody named")
        m.stop()


def quiet():
    """While the camera turns there are no events; the models of presets are kept, recalled, bounded by their presets and camera."""
    head = Head()
    device = Device("127.0.6.1", head=head)
    camera = TurningCamera(folder / "pictures", head)
    models = folder / "quiet/data/models/dome-views"
    config = {"dome": (camera.source, device, False), "drawn": (SCENE, None, False)}
    with started("quiet", config) as m:
        can_turn(m, "dome")
        m.wait("pictures", lambda: m.get("/api/cameras/dome")["state"] == "online", 60)
        head.order(target=100.0)
        time.sleep(4)
        gate = order(m, "dome", "presets", {"name": "gate"})["preset"]
        order(m, "dome", "go", {"home": True})
        m.wait("the turn is said", lambda: m.get("/api/cameras/dome")["ptz"]["turning"], 10)
        rests(m, "dome")
        yard = order(m, "dome", "presets", {"name": "yard"})["preset"]
        # What no order of ours turns makes events, once the view is known (kernels/tamper/tamper_detector.h).
        time.sleep(12)
        head.order(target=head.home + 60)
        m.wait("events of a turn by another hand", lambda: labels(m, "dome"), 60)
        head.order(target=head.home)
        m.wait("home", lambda: not head.turning(), 20)
        order(m, "dome", "presets", {"preset": yard})
        m.wait("they are over", lambda: all(e["end_time"] for e in m.get("/api/events?camera=dome&limit=500")["events"]), 90)
        seen = len(labels(m, "dome"))
        began = time.time()
        # There and back, by moves and by presets, with a rest at each.
        for where in (gate, yard):
            order(m, "dome", "go", {"preset": where})
            rests(m, "dome")
        for pan in (1, -1):
            for _ in range(5):
                order(m, "dome", "move", {"pan": pan})
                time.sleep(0.4)
            order(m, "dome", "stop")
        rests(m, "dome")
        order(m, "dome", "go", {"preset": gate})
        rests(m, "dome")
        time.sleep(13)  # until the view is known
        same(labels(m, "dome")[: len(labels(m, "dome")) - seen], [], f"events of {time.time() - began:.0f} s of turns")
        order(m, "dome", "go", {"preset": yard})
        true(f"preset-{gate}.mog" in [p.name for p in models.iterdir()], "the model of the view that was left")
        rests(m, "dome")
        same({p["name"]: p["here"] for p in m.get("/api/cameras/dome/ptz")["presets"]}, {"gate": False, "yard": True}, "where it looks")
        same(next(p["model"] for p in m.get("/api/cameras/dome/ptz")["presets"] if p["token"] == gate), True, "whose model is kept")
        # Somebody comes to the gate while it looks elsewhere: its model knows that there was nobody.
        camera.thing = True
        order(m, "dome", "go", {"preset": gate})
        rests(m, "dome")
        m.wait("what is new at the gate is found at once", lambda: "motion" in labels(m, "dome")[: len(labels(m, "dome")) - seen], 20)
        same([x for x in labels(m, "dome")[: len(labels(m, "dome")) - seen] if x != "motion"], [], "and nothing else")
        m.wait("its end", lambda: m.get("/api/events?camera=dome&label=motion")["events"][0]["end_time"], 60)
        # Without its model the yard is learnt again, with what is there.
        (models / f"preset-{yard}.mog").unlink(missing_ok=True)
        seen = len(labels(m, "dome"))
        order(m, "dome", "go", {"preset": yard})
        rests(m, "dome")
        time.sleep(6)
        same(labels(m, "dome")[: len(labels(m, "dome")) - seen], [], "what is at the yard is its background now")
        camera.thing = False
        same(m.ask("DELETE", f"/api/cameras/dome/ptz/presets/{gate}")[0], 200, "the preset goes")
        true(not (models / f"preset-{gate}.mog").exists(), "and its model")
        (models / "preset-x.mog").write_bytes(b"x")
        file = folder / "quiet/monitor.yaml"
        whole = json.loads(file.read_text())
        del whole["cameras"]["dome"]
        file.write_text(json.dumps(whole))
        same(m.ask("POST", "/api/reload", {})[0], 200, "the camera goes")
        m.wait("and its models", lambda: not models.exists(), 20)
        m.stop()


def own_events():
    """What cameras find becomes events where that is wanted; it comes again after an outage, and takes leave."""
    by = {"good": Device("127.0.7.1"), "reference": Device("127.0.7.2", "reference"), "clock": Device("127.0.7.3", "clock"), "off": Device("127.0.7.4")}
    with started("events", {name: (SCENE, device, name != "off") for name, device in by.items()}) as m:
        for name in ("good", "reference", "clock"):
            m.wait(f"{name}: subscribed", lambda n=name: m.get(f"/api/cameras/{n}")["device_events"]["subscribed"], 60)
        same(m.get("/api/cameras/off")["device_events"], {"enabled": False, "subscribed": False, "reason": None}, "off unless it is asked for")
        m.wait("pictures", lambda: all(c["state"] == "online" for c in m.get("/api/cameras")), 60)
        for name in ("good", "reference", "clock"):
            by[name].say(notification("tns1:VideoSource/MotionAlarm", "true", "Initialized"), notification("tns1:Device/HardwareFailure/Fan", "true"))
            e = m.wait(f"{name}: an event", lambda n=name: next(iter(m.get(f"/api/events?camera={n}&label=device-motion")["events"]), None), 30)
            same((e["end_time"], abs(e["start_time"] - time.time()) < 30), (None, True), f"{name}: by our clock: {e}")
            by[name].say(notification("tns1:VideoSource/MotionAlarm", "false"))
            m.wait(f"{name}: its end", lambda n=name: m.get(f"/api/events?camera={n}&label=device-motion")["events"][0]["end_time"], 30)
        good = by["good"]
        good.say(notification("tns1:RuleEngine/LineDetector/Crossed"), notification("tns1:RuleEngine/TamperDetector/Tamper", "true"), notification("tns1:Device/Trigger/DigitalInput", "true", source="7"))
        m.wait("the others", lambda: {"device-line", "device-tamper", "device-input"} <= set(labels(m, "good")), 30)
        m.wait("with a clip", lambda: m.get("/api/events?camera=good&label=device-line")["events"][0]["has_clip"], 60)
        # The device starts again, and knows of no subscription.
        good.gone.set()
        m.wait("its outage is said", lambda: m.get("/api/cameras/good")["device_events"]["reason"], 60)
        m.wait("what went on ends", lambda: m.get("/api/events?camera=good&label=device-tamper")["events"][0]["end_time"], 30)
        good.subscriptions.clear()
        good.gone.clear()
        m.wait("subscribed again", lambda: m.get("/api/cameras/good")["device_events"]["subscribed"], 120)
        good.say(notification("tns1:VideoSource/MotionAlarm", "true"))
        m.wait("an event again", lambda: labels(m, "good").count("device-motion") == 2, 30)
        m.wait("Renew", lambda: "Renew" in good.actions, 60)
        same(m.ask("PATCH", "/api/cameras/good/switches", {"device_events": False})[1]["device_events"]["enabled"], False, "switched off")
        m.wait("it takes leave", lambda: not good.subscriptions, 30)
        same(m.ask("PATCH", "/api/cameras/off/switches", {"device_events": True})[0], 200, "switched on")
        m.wait("subscribed", lambda: m.get("/api/cameras/off")["device_events"]["subscribed"], 60)
        same((m.get("/api/cameras/good")["reconnects"], m.get("/api/cameras/off")["reconnects"]), (0, 0), "the pictures went on")
        m.stop()
    m_left = [name for name in ("reference", "clock", "off") if by[name].subscriptions]
    same(m_left, [], "all subscriptions end with the program")
    same(sum(d.replayed + d.basic for d in by.values()), 0, "no nonce twice, and no password")


def wrong_events():
    """Cameras that send millions of messages, no XML, answers without end or none, or name another host: nothing is harmed."""
    kinds = ["pull-elsewhere", "pull-flood", "pull-huge", "pull-bomb", "pull-malformed", "pull-silent", "no-renew"]
    by = {kind: Device(f"127.0.8.{i + 1}", kind, ELSEWHERE) for i, kind in enumerate(kinds)}
    canary = Canary(ELSEWHERE, [by["pull-elsewhere"].port])
    with started("wrong-events", {kind: (SCENE, by[kind], True) for kind in kinds}) as m:
        m.wait("no-renew: subscribed", lambda: m.get("/api/cameras/no-renew")["device_events"]["subscribed"], 60)
        m.wait("the flood", lambda: by["pull-flood"].actions.count("PullMessages") > 20, 120)
        begun = time.monotonic()
        while time.monotonic() - begun < 25:
            same(m.ask("GET", "/healthz")[0], 200, "the program answers")
            time.sleep(1)
        rate = by["pull-flood"].actions.count("PullMessages") / (time.monotonic() - begun)
        true(rate < 20, f"a camera that always has more to say is asked {rate:.0f} times a second")
        true(len(labels(m, "pull-flood")) <= 60, "a limit of events")
        for kind in ("pull-elsewhere", "pull-huge", "pull-bomb", "pull-malformed"):
            said = m.wait(f"{kind}: why not", lambda k=kind: m.get(f"/api/cameras/{k}")["device_events"]["reason"], 60)
            print(f"{kind}: {said}")
        m.wait("no-renew goes on", lambda: "Renew" in by["no-renew"].actions, 60)
        by["no-renew"].say(notification("tns1:VideoSource/MotionAlarm", "true"))
        m.wait("an event", lambda: "device-motion" in labels(m, "no-renew"), 30)
        same([c["state"] for c in m.get("/api/cameras")], len(kinds) * ["online"], "the pictures go on")
        same(canary.connections, 0, "requests to a host that nobody named")
        m.stop()


CHECKS = [moves, media2, wrong_devices, quiet, own_events, wrong_events]
asked = sys.argv[3:]
for check in CHECKS:
    if not asked or check.__name__ in asked:
        begun_at = time.monotonic()
        check()
        print(f"{check.__name__}: {time.monotonic() - begun_at:.1f} s", flush=True)
