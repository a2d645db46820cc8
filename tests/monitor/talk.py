# SPDX-License-Identifier: LGPL-2.1-or-later
"""People speak to cameras by WebRTC: what the camera hears, who may, and what ends it.

talk.py PROGRAM FOLDER [long | announce | only CASE ...]. Needs GstRtspServer for the system's python3; aiortc speaks, without it a part is skipped and said so.
`long`: nobody speaks longer than five minutes. `announce`: speech goes to addresses by ANNOUNCE."""
import asyncio
import json
import pathlib
import subprocess
import sys
import threading
import time

import rtsp_camera
import talk_client
from odd_rtsp import OddRtsp
from program import Monitor, begin, same
from rtsp_camera import CameraServer
from vigiltest import answer_of, free_port, skip, skip_for

program, folder = begin("monitor-talk")
LONG = sys.argv[3:] == ["long"]
ANNOUNCE = sys.argv[3:] == ["announce"]
skip_for(rtsp_camera.MISSING)
PORT, HORN = free_port(), free_port()
ELSEWHERE = OddRtsp("127.0.0.2", "mute")
ODD = {kind: OddRtsp("127.0.0.1", kind, ELSEWHERE.url[7:-7], "a:b") for kind in ("silent", "login", "redirect", "mute")}
SDP = {"Content-Type": "application/sdp"}
ADMIN, VIEW = "admin-token-of-the-test", "view-token-of-the-test"
(folder / "token").touch(0o600)
(folder / "token").write_text(f"admin {ADMIN}\nview {VIEW} watcher\n")
PASSWORD = "correct horse battery"
NAMES = ["talk", "talka", "other", "mute"]
# What takes speech by ANNOUNCE, by camera. The cameras have no back channel.
ADDRESSES = {"horn": f"rtsp://speaker:sesame%3Aopen@127.0.0.1:{HORN}/horn", "wrong": f"rtsp://speaker:guess99@127.0.0.1:{HORN}/horn", "nowhere": f"rtsp://speaker:sesame%3Aopen@127.0.0.1:{HORN}/none",
             "plays": f"rtsp://127.0.0.1:{PORT}/mute", "refused": f"rtsp://127.0.0.1:{free_port()}/horn", **{kind: odd.url.replace("//", "//a:b@") for kind, odd in ODD.items() if kind != "mute"},
             "unable": ODD["mute"].url}
config = folder / "monitor.yaml"


def configure(more=""):
    config.write_text(f"""
http: {{token_file: {folder}/token}}
record: {{continuous: {{days: 1}}}}
cameras:
""" + "".join(f'  {name}: {{source: "rtsp://127.0.0.1:{PORT}/{name}", motion: false{more if name == "talk" else ""}}}\n' for name in NAMES) + "".join(
        f'  {name}: {{source: scenetestsrc, motion: false, record: {{enabled: false}}, talk: "{address}"}}\n' for name, address in ADDRESSES.items() if ANNOUNCE) + f"""
  off: {{source: "rtsp://127.0.0.1:{PORT}/talk", talk: false, motion: false}}
  drawn: {{source: "scenetestsrc", motion: false}}
  gone: {{source: "rtsp://127.0.0.1:{free_port()}/gone", motion: false}}
""")


configure()
# An offer as a browser writes it, of nobody.
OFFER = "\r\n".join([
    "v=0", "o=- 1 2 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE 0", "m=audio 9 UDP/TLS/RTP/SAVPF 111 0 8", "c=IN IP4 0.0.0.0", "a=mid:0", "a=sendonly", "a=rtcp-mux",
    "a=ice-ufrag:abcd", "a=ice-pwd:abcdefghijklmnopqrstuv", "a=setup:actpass", "a=fingerprint:sha-256 " + ":".join(["AB"] * 32), "a=rtpmap:111 opus/48000/2",
    "a=rtpmap:0 PCMU/8000", "a=rtpmap:8 PCMA/8000", ""])


class Camera(CameraServer):
    """What it hears and is asked, line by line."""

    def __init__(self, port=PORT, *more):
        super().__init__(port, "talk_camera.py", *more)
        self.lines = []
        threading.Thread(target=lambda: self.lines.extend((time.monotonic(), *line.split()) for line in self.process.stdout), daemon=True).start()

    def heard(self, name, hertz, since):
        return sum(line[1] == "heard" and line[2] == name and abs(float(line[3]) - hertz) <= 6 and float(line[4]) > 3000 and line[0] > since for line in self.lines)

    def asked(self, name):
        return sum(line[1:] == ("described", name, "back") for line in self.lines)


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def ask(m):
    return lambda *question, **more: answer_of(m.connect(), *question, **more)


def get(m, path):
    status, body = m.ask("GET", path, headers=bearer(ADMIN))
    same(status, 200, path)
    return body


def audit(m, what):
    return [line for line in get(m, "/api/audit")["entries"] if line["what"] == what]


def refused(m, status, words, camera="talk", body=OFFER, headers=None, token=ADMIN):
    found, answer, _ = ask(m)("POST", f"/api/cameras/{camera}/talk", body, {**(SDP if headers is None else headers), **bearer(token)})
    if found != status or words not in answer.decode():
        raise AssertionError(f"{status} {words!r} expected, got {found} {answer}")


def known(m, camera):
    """What the program says of each camera, and that each was asked once, without one more when it connects again."""
    found = m.wait("what is known of back channels", lambda: (c := {c["name"]: (c["talk"], c["talk_reason"]) for c in get(m, "/api/cameras")})["talk"][0]
                   and c["talka"][0] and c["other"][1] and c["mute"][1] and c, 60)
    same(found, {"talk": (True, None), "talka": (True, None), "other": (False, "its back channel takes L16, and none of G.711"), "mute": (False, "the camera has no back channel"),
                 "off": (False, "the configuration says talk: false"), "drawn": (False, "only a camera by RTSP can have a back channel"), "gone": (False, None)}, "what is said of cameras")
    same({name: camera.asked(name) for name in NAMES}, {"talk": 1, "talka": 1, "other": 1, "mute": 0}, "questions for a back channel; mute refuses before it counts")
    print("known good")


def bad_offers(m, camera):
    asked = camera.asked("talk")
    refused(m, 415, "application/sdp", headers={"Content-Type": "application/json"}, body="{}")
    refused(m, 415, "application/sdp", headers={})
    refused(m, 400, "v=0", body="")
    refused(m, 400, "no line of SDP", body='{"sdp": 1}')
    refused(m, 400, "ice-ufrag", body=OFFER.replace("a=ice-ufrag:abcd\r\n", ""))
    refused(m, 400, "48 KiB", body=OFFER + "a=x\r\n" * 12000)
    refused(m, 413, "64 KiB", body=OFFER + "a=x\r\n" * 60000)
    refused(m, 400, "sends no speech", body=OFFER.replace("sendonly", "recvonly"))
    refused(m, 406, "the offer has nothing", body=OFFER.replace("m=audio", "m=video"))
    refused(m, 406, "the camera takes G.711 (PCMU or PCMA), and the offer has OPUS", body=OFFER.replace("111 0 8", "111"))
    refused(m, 404, "no camera", camera="nobody")
    refused(m, 409, "the camera has no back channel", camera="mute")
    refused(m, 409, "none of G.711", camera="other")
    refused(m, 409, "talk: false", camera="off")
    refused(m, 409, "by RTSP", camera="drawn")
    refused(m, 409, "has not said yet", camera="gone")
    refused(m, 403, "operator", token=VIEW)
    same(ask(m)("GET", "/api/cameras/talk/talk", None, bearer(ADMIN))[0], 405, "a question where offers go")
    same(ask(m)("DELETE", "/api/cameras/talk/talk/none", None, bearer(ADMIN))[0], 404, "the end of nobody")
    same(ask(m)("PATCH", "/api/cameras/talk/talk/none", "a=candidate:x", {"Content-Type": "application/trickle-ice-sdpfrag", **bearer(ADMIN)})[0], 404, "candidates of nobody")
    same((camera.asked("talk"), audit(m, "talk-begin")), (asked, []), "what bad offers do")
    print("bad offers good")


def many(m, _camera):
    """Of 30 offers at once one is taken, and is given up, since nobody comes."""
    found = []
    threads = [threading.Thread(target=lambda: found.append(ask(m)("POST", "/api/cameras/talka/talk", OFFER, {**SDP, **bearer(ADMIN)}))) for _ in range(30)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    same(sorted(status for status, _, _ in found), [201] + [409] * 29, "answers")
    if not all("admin speaks to camera talka now" in body.decode() for status, body, _ in found if status == 409):
        raise AssertionError(found)
    same(get(m, "/api/cameras/talka")["spoken_to"], True, "somebody speaks")
    m.wait("who never comes is given up", lambda: not get(m, "/api/cameras/talka")["spoken_to"], 60)
    same(audit(m, "talk-end")[0]["details"]["why"], "no connection was made", "why it ended")
    print("many good")


async def until(what, condition, seconds=40):
    end = time.monotonic() + seconds
    while not await asyncio.to_thread(condition):
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {seconds} s")
        await asyncio.sleep(0.1)


async def speaks(m, camera, name, hertz, codecs=None, headers=None):
    """A speaker whom the camera hears. GstRtspServer 1.22 at times never starts what takes the packets that come to it (its appsrc fills up): then once more."""
    tries = 5
    for left in reversed(range(tries)):
        s = talk_client.Speaker(ask(m), name, hertz, codecs, headers or bearer(ADMIN))
        begun = time.monotonic()
        status, answer = await s.begin()
        same(status, 201, answer)
        try:
            await until(f"{name} hears {hertz} Hz", lambda begun=begun: camera.heard(name, hertz, begun) >= 3, 40 if left == 0 else 8)
            s.tries = tries - left
            return s
        except AssertionError:
            if left == 0:
                raise
        print("the test's camera does not start; once more", flush=True)
        same(await s.end(), 200, "the end")


async def ended(m, name, why, seconds=40):
    await until("the talk ends", lambda: not get(m, f"/api/cameras/{name}")["spoken_to"], seconds)
    last = (await asyncio.to_thread(audit, m, "talk-end"))[0]["details"]
    if last["camera"] != name or why not in last["why"]:
        raise AssertionError(f"{why!r} expected: {last}")


async def heard(m, camera):
    """Each form of G.711 from the browser, to each that cameras take. The picture is recorded without a gap meanwhile."""
    before = get(m, "/api/cameras/talk")
    for name, hertz, codecs, spoken in (("talk", 440, None, "PCMU"), ("talk", 620, ["PCMA"], "PCMA"), ("talka", 440, ["PCMU"], "PCMU"), ("talka", 700, None, "PCMA")):
        s = await speaks(m, camera, name, hertz, codecs)
        same([c for c in ("opus", "PCMU", "PCMA") if f" {c}/" in s.answer], [spoken], "what was answered")
        same(await s.end(), 200, "the end")
        await ended(m, name, "the speaker ended it")
    begins = await asyncio.to_thread(audit, m, "talk-begin")
    same((begins[0]["who"], begins[0]["details"]), ("admin", {"camera": "talka"}), "the audit log")
    after = get(m, "/api/cameras/talk")
    same((after["reconnects"], after["state"]), (before["reconnects"], "online"), "the connection to the camera")
    end = time.time()
    await until("the recording of that time", lambda: get(m, f"/api/cameras/talk/timeline?from={end - 60}&to={end + 60}")["recorded"][-1]["end"] > end)
    line = get(m, f"/api/cameras/talk/timeline?from={STARTED}&to={end}")
    same(len(line["recorded"]), 1, f"parts of the recording: {line['recorded']}")
    print("heard good")


async def lossy(m, camera):
    """Of each ten packets one is lost on its way from the browser. (GStreamer 1.22 would end the program there: WebConnection.)"""
    s = await speaks(m, camera, "talk", 440)
    s.lose(10)
    since = time.monotonic()
    await until("it hears something", lambda: sum(line[1] == "heard" and line[2] == "talk" and float(line[4]) > 3000 and line[0] > since + 2 for line in camera.lines) >= 8)
    same(await s.end(), 200, "the end")
    await ended(m, "talk", "the speaker ended it")
    print("lossy good")


async def one_at_a_time(m, camera):
    same(m.ask("POST", "/api/users", {"name": "olaf", "role": "operator", "password": PASSWORD, "cameras": None}, bearer(ADMIN))[0], 200, "an operator")
    same(m.ask("POST", "/api/users", {"name": "vera", "role": "viewer", "password": PASSWORD, "cameras": None}, bearer(ADMIN))[0], 200, "a viewer")

    def sign_in(name):
        same(m.ask("POST", "/api/login", {"user": name, "password": PASSWORD})[0], 200, f"{name} signs in")
        return {"Cookie": m.headers["Set-Cookie"].split(";")[0]}

    olaf = sign_in("olaf")
    s = await speaks(m, camera, "talk", 440, headers=olaf)
    await asyncio.to_thread(refused, m, 409, "olaf speaks to camera talk now")
    status, answer, _ = await asyncio.to_thread(ask(m), "POST", "/api/cameras/talk/talk", OFFER, {**SDP, **sign_in("vera")})
    same((status, "operator" in answer.decode()), (403, True), "a viewer")
    other = await speaks(m, camera, "talka", 500)  # another camera at the same time
    same(await other.end(), 200, "the other's end")
    # The role is taken away.
    same(m.ask("PATCH", "/api/users/olaf", {"role": "viewer"}, bearer(ADMIN))[0], 200, "olaf becomes a viewer")
    await ended(m, "talk", "the right to speak", 20)
    await s.end(say=False)
    # The session ends.
    same(m.ask("PATCH", "/api/users/olaf", {"role": "operator"}, bearer(ADMIN))[0], 200, "olaf becomes an operator again")
    olaf = sign_in("olaf")
    s = await speaks(m, camera, "talk", 440, headers=olaf)
    same(m.ask("POST", "/api/logout", {}, olaf)[0], 200, "olaf signs out")
    await ended(m, "talk", "the right to speak", 20)
    await s.end(say=False)
    # Nobody may any more.
    s = await speaks(m, camera, "talk", 440)
    configure(", talk: false")
    same(m.ask("POST", "/api/reload", {}, bearer(ADMIN))[0], 200, "reload")
    await ended(m, "talk", "the camera is no longer the same", 20)
    await s.end(say=False)
    same((c := get(m, "/api/cameras/talk"))["talk"], False, "talk: false")
    same(c["reconnects"], 0, "the camera's connection goes on")
    configure()
    same(m.ask("POST", "/api/reload", {}, bearer(ADMIN))[0], 200, "reload")
    await until("it is asked again", lambda: get(m, "/api/cameras/talk")["talk"])
    print("one at a time good")


async def vanishes(m, camera):
    """The browser, without a word; then the camera."""
    begun = time.monotonic()
    child = subprocess.Popen([sys.executable, str(pathlib.Path(__file__).with_name("talk_client.py")), str(m.port), "talk", ADMIN, "440"], stdout=subprocess.PIPE, text=True)
    try:
        await until("the child speaks", lambda: camera.heard("talk", 440, begun) >= 3)
    finally:
        child.kill()
        child.wait()
    await ended(m, "talk", "nothing was heard of the browser", 40)
    s = await speaks(m, camera, "talk", 440)  # the place is free
    camera.kill()
    await ended(m, "talk", "the camera's back channel ended", 60)
    await s.end(say=False)
    await until("the camera is away", lambda: get(m, "/api/cameras/talk")["state"] != "online", 60)
    await asyncio.to_thread(refused, m, 503, "the camera does not open its back channel")
    again = Camera()
    try:
        await until("the camera is back", lambda: get(m, "/api/cameras/talk")["state"] == "online", 90)
        s = await speaks(m, again, "talk", 440)
        same(await s.end(), 200, "the end")
        same((again.asked("talk"), again.asked("talka")), (s.tries, 0), "questions for a back channel, of which each try to talk is one")
    finally:
        again.kill()
    print("vanishes good")


def announce_known(m, _camera):
    """An address is asked for OPTIONS; what does not answer may be asked again."""
    found = m.wait("what is known of addresses", lambda: (c := {c["name"]: (c["talk"], c["talk_reason"]) for c in get(m, "/api/cameras") if c["name"] in ADDRESSES})
                   and all(can or why for can, why in c.values()) and c, 90)
    same({name for name, (can, _) in found.items() if can}, {"horn", "wrong", "nowhere", "plays", "login", "redirect"}, "addresses that know ANNOUNCE")
    same({name: why for name, (_, why) in found.items() if why}, {
        "unable": "the address of talk takes no speech: it does not know ANNOUNCE and RECORD", "silent": "the address of talk could not be asked: it does not answer in time",
        "refused": "the address of talk could not be asked: there is no connection"}, "why not")
    for name, why in (("wrong", "ANNOUNCE with 401 (Unauthorized); check user and password"), ("nowhere", "ANNOUNCE with 404"), ("plays", "ANNOUNCE with 405"), ("login", "ANNOUNCE with 404"),
                      ("redirect", "ANNOUNCE with 302")):
        refused(m, 503, why, camera=name)
        same(get(m, f"/api/cameras/{name}")["spoken_to"], False, "nobody speaks")
    same((ODD["login"].right, ELSEWHERE.asked), (1, 0), "the right password by basic, and requests to where it was sent on")
    same(audit(m, "talk-begin"), [], "what refused addresses do")
    words = json.dumps([get(m, "/api/config"), get(m, "/api/cameras"), m.log])
    same([secret for secret in ("sesame", "guess99") if secret in words], [], "passwords that are shown")
    print("announce known good")


async def announce_heard(m, camera):
    """Again and again, and in the other form; longer than the session lasts by itself. What begins while somebody speaks waits for that one."""
    for hertz, codecs in ((440, None), (620, ["PCMA"]), (700, ["PCMU"])):
        s = await speaks(m, camera, "horn", hertz, codecs)
        await asyncio.to_thread(refused, m, 409, "admin speaks to camera horn now", camera="horn")
        same(await s.end(), 200, "the end")
        await ended(m, "horn", "the speaker ended it")
    s, begun = await speaks(m, camera, "horn", 440), time.monotonic()
    await until("the session is kept", lambda: sum(line[1] == "kept" and line[0] > begun for line in camera.lines) >= 2 and camera.heard("horn", 440, begun + 30) >= 3, 120)
    same(await s.end(), 200, "the end")
    print("announce heard good")


async def announce_vanishes(m, camera):
    s = await speaks(m, camera, "horn", 440)
    camera.kill()
    await ended(m, "horn", "the address of talk takes no more speech", 60)
    await s.end(say=False)
    await asyncio.to_thread(refused, m, 503, "there is no connection", camera="horn")
    again = Camera(HORN, "announce")
    try:
        s = await speaks(m, again, "horn", 500)
        ADDRESSES["horn"] = ADDRESSES["unable"]
        configure()
        same(m.ask("POST", "/api/reload", {}, bearer(ADMIN))[0], 200, "reload")
        await ended(m, "horn", "the camera is no longer the same", 20)
        await s.end(say=False)
        await until("the other address is asked", lambda: (get(m, "/api/cameras/horn")["talk_reason"] or "").endswith("it does not know ANNOUNCE and RECORD"))
        same(get(m, "/api/cameras/horn")["reconnects"], 0, "the camera's connection goes on")
    finally:
        again.kill()
    print("announce vanishes good")


def announce_checked(_m, _camera):
    """Wrong addresses are refused with their place, and passwords are not shown."""
    wrong = folder / "wrong.yaml"
    for address, words in (("rtspu://a:secret99@h/x", "rtsp:// or rtsps://"), ("http://h/x", "rtsp:// or rtsps://"), ("rtsp://", "no address"), ("rtsp:///path", "no address"),
                           ("rtsp://a:secret99@h:99999/x", "no address"), ("rtsp://h:port/x", "no address"), ("rtsp://a b/x", "no address"), ("rtsp://h/\\u202e", "no address"),
                           ("maybe", "neither true nor false")):
        wrong.write_text(f'cameras: {{a: {{source: scenetestsrc, talk: "{address}"}}}}\n'.replace("\\\\", "\\"))
        done = subprocess.run([program, "--check", "--config", str(wrong)], capture_output=True, text=True, check=False, timeout=120)
        text = done.stdout + done.stderr
        if done.returncode == 0 or words not in text or "wrong.yaml:1" not in text or "secret99" in text or "\u202e" in text:
            raise AssertionError(f"{address}: {done.returncode} {text}")
    print("announce checked good")


async def too_long(m, camera):
    s = await speaks(m, camera, "talk", 440)
    await ended(m, "talk", "nobody speaks longer than 5 minutes", 360)
    print("it ended after", (await asyncio.to_thread(audit, m, "talk-end"))[0]["details"]["seconds"], "s")
    await s.end(say=False)


checks = [known, bad_offers, many, heard, lossy, one_at_a_time, vanishes]
if LONG:
    checks = [known, too_long]
if ANNOUNCE:
    checks = [announce_checked, announce_known, announce_heard, announce_vanishes]
if sys.argv[3:4] == ["only"]:
    checks = [c for c in checks if c.__name__ in sys.argv[4:] or c is known]
camera_server = Camera()
spoken_to = Camera(HORN, "announce") if ANNOUNCE else camera_server
try:
    with Monitor(program, folder / "data", "--config", str(config)) as monitor:
        monitor.wait("cameras", lambda: all(c["state"] == "online" for c in get(monitor, "/api/cameras") if c["name"] in NAMES), 60)
        STARTED = time.time()
        if not get(monitor, "/api/stats")["webrtc"]["available"]:
            skip(get(monitor, "/api/stats")["webrtc"]["reason"])
        if talk_client.MISSING:
            print(f"SKIPPED: {talk_client.MISSING}")
        for check in checks:
            if not asyncio.iscoroutinefunction(check):
                check(monitor, spoken_to)
            elif not talk_client.MISSING:
                asyncio.run(check(monitor, spoken_to))
        wrong = [line for line in monitor.log if "CRITICAL" in line or "is no std::exception" in line]
        same(wrong, [], "the log")
        monitor.stop()
finally:
    camera_server.kill()
    spoken_to.kill()
print("all good" if not talk_client.MISSING else "SKIPPED in part: nobody speaks")
