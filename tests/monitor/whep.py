# SPDX-License-Identifier: LGPL-2.1-or-later
"""The live picture by WebRTC: two kinds of viewers, bad offers, viewers that vanish, rights that end.

whep.py PROGRAM FOLDER [timing | load VIEWERS | only CASE ...]. Needs GstRtspServer for the system's python3; aiortc is the viewer, without it a part is skipped
and said so. `timing`: the figures of docs/measurements/log, which a busy machine does not reach. `load`: so many viewers of eight cameras."""
import asyncio
import contextlib
import http.client
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import threading
import time

import rtsp_camera
import whep_client
from program import Monitor, begin, same
from rtsp_camera import CameraServer
from vigiltest import answer_of, free_port, skip_for

program, folder = begin("monitor-whep")
TIMING = sys.argv[3:] == ["timing"]
VIEWERS = int(sys.argv[4]) if sys.argv[3:4] == ["load"] else 0
skip_for(rtsp_camera.MISSING)
PORT = free_port()
SDP = {"Content-Type": "application/sdp"}
ADMIN, VIEW = "admin-token-of-the-test", "view-token-of-the-test"
(folder / "token").write_text(f"admin {ADMIN}\nview {VIEW} watcher\n")
(folder / "token").chmod(0o600)
SOUNDS = ["opus", "pcma", "pcmu"]
config = folder / "monitor.yaml"
config.write_text(f"""
http: {{local: admin, token_file: {folder}/token}}
record: {{enabled: false}}
cameras:
""" + "".join(f'  {name}: {{source: "rtsp://127.0.0.1:{PORT}/{name}"}}\n' for name in [*SOUNDS, "aac", "reordered", "h265"]) + f"""
  two: {{source: {{record: "rtsp://127.0.0.1:{PORT}/opus", detect: "rtsp://127.0.0.1:{PORT}/small"}}, record: {{enabled: true}}}}
  gone: {{source: "rtsp://127.0.0.1:{free_port()}/gone"}}
""" + "".join(f'  load{i}: {{source: "rtsp://127.0.0.1:{PORT}/opus", enabled: {str(VIEWERS > 0).lower()}, detect: {{fps: 1}}}}\n' for i in range(8)))
# An offer as a browser writes it, of nobody.
OFFER = "\r\n".join([
    "v=0", "o=- 1 2 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE 0", "m=video 9 UDP/TLS/RTP/SAVPF 96", "c=IN IP4 0.0.0.0", "a=mid:0", "a=recvonly", "a=rtcp-mux",
    "a=ice-ufrag:abcd", "a=ice-pwd:abcdefghijklmnopqrstuv", "a=setup:actpass", "a=fingerprint:sha-256 " + ":".join(["AB"] * 32), "a=rtpmap:96 H264/90000",
    "a=fmtp:96 packetization-mode=1;profile-level-id=42e01f", "a=candidate:1 1 udp 2130706431 192.0.2.1 40000 typ host", ""])


def asker(m):
    return lambda *question, **more: answer_of(m.connect(), *question, **more)


def refused(m, status, words, body=OFFER, headers=None, camera="opus"):
    found, answer = m.ask("POST", f"/api/cameras/{camera}/whep", body, SDP if headers is None else headers)
    if found != status or words not in str(answer):
        raise AssertionError(f"{status} {words!r} expected, got {found} {answer}")


def webrtc(m):
    return m.get("/api/stats")["webrtc"]


def bad_offers(m):
    refused(m, 415, "application/sdp", headers={"Content-Type": "application/json"}, body="{}")
    refused(m, 415, "application/sdp", headers={})
    refused(m, 400, "v=0", body="")
    refused(m, 400, "no line of SDP", body='{"sdp": 1}')
    refused(m, 400, "ice-ufrag", body=OFFER.replace("a=ice-ufrag:abcd\r\n", ""))
    refused(m, 400, "48 KiB", body=OFFER + "a=x\r\n" * 12000)
    refused(m, 413, "64 KiB", body=OFFER + "a=x\r\n" * 60000)
    refused(m, 406, "the camera sends H264, and the offer has VP8", body=OFFER.replace("H264", "VP8"))
    refused(m, 400, "asks for nothing", body=OFFER.replace("recvonly", "sendonly"))
    refused(m, 404, "no camera", camera="nobody")
    refused(m, 503, "no stream to show", camera="gone")
    same(m.ask("PATCH", "/api/cameras/opus/whep/none", "a=candidate:x", {"Content-Type": "application/trickle-ice-sdpfrag"})[0], 404, "candidates of nobody")
    same(m.ask("DELETE", "/api/cameras/opus/whep/none")[0], 404, "the end of nobody")
    same(m.ask("GET", "/api/cameras/opus/whep")[0], 405, "a question where offers go")
    m.wait("B-frames are seen", lambda: m.ask("POST", "/api/cameras/reordered/whep", OFFER, SDP)[0] == 406, 20)
    print("bad offers good")


def switched_off(_):
    """The answer and /api/stats give the same reason."""
    off = folder / "off.yaml"
    off.write_text(f"http: {{local: admin, token_file: {folder}/token, webrtc: {{enabled: false}}}}\ncameras:\n"
                   f'  street: {{source: scenetestsrc, record: {{enabled: false}}}}\n')
    with Monitor(program, folder / "off", "--config", str(off)) as m:
        m.wait("the camera", lambda: m.get("/api/cameras/street")["state"] == "online", 60)
        why = "the configuration says http: {webrtc: {enabled: false}}"
        same((webrtc(m)["available"], webrtc(m)["reason"]), (False, why), "/api/stats")
        same(m.ask("POST", "/api/cameras/street/whep", OFFER, SDP), (501, {"error": f"there is no WebRTC here: {why}"}), "an offer")
        m.stop()
    print("switched off good")


def sends_nothing(m):
    """Nobody answers at the candidate of the offer, and nothing is sent there."""
    target = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    target.bind(("127.0.0.1", 0))
    target.setblocking(False)
    offer = OFFER.replace("192.0.2.1 40000", f"127.0.0.1 {target.getsockname()[1]}")
    begun = time.monotonic()
    status, answer = m.ask("POST", "/api/cameras/opus/whep", offer, SDP)
    same(status, 201, answer)
    text = answer.decode()
    candidates = re.findall(r"a=candidate:\S+ 1 UDP \d+ (\S+) \d+ typ (\S+)", text)
    if not candidates or {kind for _, kind in candidates} != {"host"} or "tcp" in text.lower().replace("rtcp", ""):
        raise AssertionError(text)
    place = m.headers["Location"]
    same(m.ask("PATCH", f"/api/cameras/opus/{place}", f"a=candidate:1 1 udp 1 127.0.0.1 {target.getsockname()[1]} typ host\r\n", {"Content-Type": "application/trickle-ice-sdpfrag"})[0], 204, "more candidates")
    same(m.ask("DELETE", f"/api/cameras/pcma/{place}")[0], 404, "by another camera's path")
    same(webrtc(m)["viewers"], 1, "viewers")
    m.wait("who never comes is given up", lambda: webrtc(m)["viewers"] == 0, 60)
    if time.monotonic() - begun < 10:
        raise AssertionError("given up before the time that is said")
    if not any("did not begin" in line for line in m.log):
        raise AssertionError(m.log)
    try:
        raise AssertionError(f"something was sent to the address in the offer: {target.recv(100)!r}")
    except BlockingIOError:
        target.close()
    print("who never comes is given up after", round(time.monotonic() - begun), "s")


def many(m):
    """200 offers at once: a few views, and words for all others; then all end, and leave nothing."""
    found, before = [], m.get("/api/stats")

    def one():
        try:
            status, answer = m.ask("POST", "/api/cameras/opus/whep", OFFER, SDP)
            found.append((status, b"" if status == 201 else str(answer).encode()))
        except (OSError, ValueError) as error:  # more connections than the server has
            found.append((0, str(error).encode()))

    threads = [threading.Thread(target=one) for _ in range(200)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    counts = {status: sum(s == status for s, _ in found) for status in sorted({s for s, _ in found})}
    print("200 offers at once:", counts)
    if set(counts) - {0, 201, 429, 503} or not 1 <= counts.get(201, 0) <= 32 or counts.get(429, 0) + counts.get(503, 0) < 20:
        raise AssertionError((counts, [f for f in found if f[0] not in (201, 429, 503)][:3]))
    m.wait("all of them are given up", lambda: webrtc(m)["viewers"] == 0, 90)
    left = lambda: {k: m.get("/api/stats")[k] - before[k] for k in ("threads", "descriptors")}  # noqa: E731
    m.wait("their threads and sockets are gone", lambda: max(left().values()) < 8, 60)
    print("left of them:", left())
    same(m.ask("GET", "/healthz")[0], 200, "the program goes on")


def plays(m):
    asyncio.run(_plays(m, asker(m)))


async def _plays(m, ask):
    for camera, codec, form in (("opus", "opus", None), ("pcma", "PCMA", "s16"), ("pcmu", "PCMU", "s16")):
        v = whep_client.Viewer(ask, camera)
        status, answer = await v.begin()
        same(status, 201, answer)
        same([(kind, c and c.upper()) for kind, _, _, c in whep_client.media_of(answer)], [("video", "H264"), ("audio", codec.upper())], "what was answered")
        await v.until("pictures and sound", lambda v=v: v.pictures and v.pictures[-1][1] > v.answered + 2 and any(loud for _, _, loud in v.sounds), 60)
        same(v.size, (640, 360), "the size")
        if form is None:
            late = sorted(v.late()[len(v.late()) // 2:])
            print(f"{camera}: first picture {1000 * (v.pictures[0][0] - v.clicked):.0f} ms after the offer, {1000 * late[len(late) // 2]:.0f} ms late then")
        await v.end()
        await asyncio.to_thread(m.wait, "the view ends", lambda: webrtc(m)["viewers"] == 0)
    for camera in ("aac", "two"):
        v = whep_client.Viewer(ask, camera, stream="detect" if camera == "two" else "record")
        status, answer = await v.begin()
        same(status, 201, answer)
        same([(kind, port > 0) for kind, port, _, _ in whep_client.media_of(answer)], [("video", True), ("audio", False)], "sound that is not to be had is refused")
        await v.until("pictures", lambda: len(v.pictures) > 5)
        same(v.size, (320, 180) if camera == "two" else (640, 360), f"the size of {camera}")
        await v.end()
    await _catches_up(ask)
    v = whep_client.Viewer(ask, "two")
    await v.begin()
    await v.until("the large stream", lambda: v.pictures and v.sounds)
    same(v.size, (640, 360), "the size of the stream that is recorded")
    await v.end()
    print("plays good")


async def _catches_up(ask):
    """What comes first is old, and is sent at once: its times are close together, so that what follows is not shown late. Later times are the camera's."""
    for _ in range(20):
        v = whep_client.Viewer(ask, "opus", sound=False)
        same((await v.begin())[0], 201, "an answer")
        await v.until("a picture of now", lambda v=v: v.pictures and v.pictures[-1][1] > v.answered, 90)
        old = [(drawn, shown) for _, drawn, shown, _ in v.pictures if drawn < v.answered - 0.5]
        if old and old[-1][0] - old[0][0] > 0.6:
            break
        await v.end()
    else:
        raise AssertionError("no view began with old pictures")
    await v.until("pictures of now", lambda: v.pictures[-1][1] > v.answered + 4, 90)
    await v.end()
    if old[-1][1] - old[0][1] > 0.3:
        raise AssertionError(f"old pictures that are not sent at once (drawn, shown): {old}")
    lags = [drawn - shown for _, drawn, shown, _ in v.pictures if drawn > v.answered + 1]
    middle = statistics.median(lags)
    away = statistics.median(abs(lag - middle) for lag in lags)
    print(f"old pictures of {old[-1][0] - old[0][0]:.2f} s have times of {old[-1][1] - old[0][1]:.3f} s; later times are {1000 * away:.1f} ms off")
    if len(lags) < 10 or away > 0.1:
        raise AssertionError(f"{len(lags)} pictures whose times are not the camera's: {lags}")


def h265(m):
    """H.265 is sent untouched to who can play it, by WebRTC and as MP4."""
    if subprocess.run(["gst-inspect-1.0", "--exists", "x265enc"], check=False, timeout=60).returncode:
        print("SKIPPED in part: no x265enc")
        return
    m.wait("the camera with H.265", lambda: m.get("/api/cameras/h265")["state"] == "online", 90)
    refused(m, 406, "the camera sends H265, and the offer has H264", camera="h265")
    with contextlib.closing(m.connect()) as c:
        c.request("GET", "/api/cameras/h265/live.mp4")
        answer = c.getresponse()
        beginning = answer.read(4000)
    same((answer.status, b"hvc1" in beginning, b"avc1" in beginning, "hvc1" in (answer.getheader("Content-Type") or "")), (200, True, False, True), f"the MP4 file: {answer.getheaders()}")
    asyncio.run(_h265(m))
    print("h265 good")


async def _h265(m):
    v, units = whep_client.Counter(h265_for(asker(m)), "h265"), []
    v.take = lambda payload: units.extend(h265_units(payload))
    status, answer = await v.begin()
    same(status, 201, answer)
    key, sets = range(16, 22), {32, 33, 34}  # kinds of key pictures, and of what they need
    await v.until("two key pictures", lambda: sum(a in key and b not in key for a, b in zip(units, units[1:])) > 2, 60)
    same(v.missing, 0, "packets that are missing")
    first = next(i for i, kind in enumerate(units) if kind in sets)  # the first packets may have come before the count began
    for i in range(first + 1, len(units)):
        if units[i] in key and units[i - 1] not in key and not sets <= set(units[max(0, i - 5):i]):
            raise AssertionError(f"a key picture without its parameter sets: units of the kinds {units[max(0, i - 8):i + 1]}")
    print("units of the kinds", sorted(set(units)))
    await v.end()


def h265_for(ask):
    """aiortc knows H.264 alone, and is made to believe that the H.265 it counts is that."""
    def asked(method, path, body=None, headers=None):
        if method == "POST":
            body = re.sub(r"a=fmtp:\d+ [^\r\n]*profile-level-id[^\r\n]*\r\n", "", body).replace("H264/90000", "H265/90000")
        status, answer, headers = ask(method, path, body, headers)
        if method == "POST" and status == 201:
            same(b"H265/90000" in answer, True, answer)
            answer = re.sub(rb"(a=rtpmap:(\d+) )H265/90000\r\n", rb"\1H264/90000\r\na=fmtp:\2 packetization-mode=1;profile-level-id=42e01f\r\n", answer)
        return status, answer, headers
    return asked


def h265_units(payload):
    """The kinds of NAL units in a packet (RFC 7798)."""
    kind = payload[0] >> 1 & 63
    if kind == 49:
        return [payload[2] & 63]
    if kind != 48:
        return [kind]
    kinds, at = [], 2
    while at + 2 < len(payload):
        kinds.append(payload[at + 2] >> 1 & 63)
        at += 2 + int.from_bytes(payload[at:at + 2], "big")
    return kinds


def shares(m):
    asyncio.run(_shares(m, asker(m)))


async def _shares(m, ask):
    """Several viewers, one of whom stops to read: the others lose nothing, and the camera is asked once."""
    viewers = [whep_client.Viewer(ask, "opus") for _ in range(3)]
    for v in viewers:
        same((await v.begin())[0], 201, "an answer")
    for v in viewers:
        await v.until("pictures", lambda v=v: len(v.pictures) > 25)
    await viewers[0].end(say=False)  # without a word to the server
    seen = [len(v.pictures) for v in viewers[1:]]
    await asyncio.to_thread(m.wait, "who vanished is given up", lambda: webrtc(m)["viewers"] == 2, 90)
    for v, n in zip(viewers[1:], seen):
        await v.until("the others go on", lambda v=v, n=n: len(v.pictures) > n + 50)
        await v.end()
    same(m.get("/api/cameras/opus")["reconnects"], 0, "further connections to the camera")
    print("shares good")


def rights(m):
    asyncio.run(_rights(m, asker(m)))


async def _rights(m, ask):
    bearer = lambda token: {"Authorization": f"Bearer {token}"}  # noqa: E731
    v = whep_client.Viewer(ask, "opus", headers=bearer(VIEW))
    same((await v.begin())[0], 201, "a token to view")
    await v.until("pictures", lambda: v.pictures)
    (folder / "token").write_text(f"admin {ADMIN}\n")
    same((await asyncio.to_thread(ask, "POST", "/api/reload", "{}", {"Content-Type": "application/json", **bearer(ADMIN)}))[0], 200, "reload")
    await asyncio.to_thread(m.wait, "the view ends with its token", lambda: webrtc(m)["viewers"] == 0, 20)
    await v.end(say=False)
    print("rights good")


async def camera_goes(m, ask, camera):
    v = whep_client.Viewer(ask, "pcma")
    await v.begin()
    await v.until("pictures", lambda: v.pictures)
    camera.kill()
    await asyncio.to_thread(m.wait, "the view ends with the camera's stream", lambda: webrtc(m)["viewers"] == 0, 60)
    await v.end(say=False)
    print("a camera that goes good")


async def figures(ask):
    """Median and 99 % of the pictures' age; sound against picture; the first picture."""
    firsts = []
    for _ in range(20):
        v = whep_client.Viewer(ask, "opus")
        await v.begin()
        await v.until("a picture", lambda v=v: v.pictures)
        firsts.append(1000 * (v.pictures[0][0] - v.clicked))
        await v.end()
        await asyncio.sleep(0.37)
    v = whep_client.Viewer(ask, "opus")
    await v.begin()
    await v.until("two seconds", lambda: v.pictures and time.time() - v.pictures[0][0] > 2)
    start = time.time()
    await v.until("half a minute", lambda: time.time() - start > 30, 60)
    late = sorted(1000 * (arrived - drawn) for arrived, drawn, _, _ in v.pictures if arrived > start)
    pick = lambda values, share: sorted(values)[min(len(values) - 1, int(share * len(values)))]  # noqa: E731
    out = {"pictures": len(late), "late_median_ms": round(pick(late, 0.5)), "late_99_ms": round(pick(late, 0.99)),
           "first_median_ms": round(pick(firsts, 0.5)), "first_most_ms": round(max(firsts))}
    await v.end()
    print(json.dumps(out))
    wrong = {k: out[k] for k, most in {"late_median_ms": 150, "late_99_ms": 300, "first_most_ms": 500}.items() if out[k] > most}
    if wrong:
        raise AssertionError(f"too much: {wrong}")


async def load(m):
    """What many viewers cost the program. They decrypt, and do not decode."""
    def ask_from(address):
        def ask(method, path, body=None, headers=None):
            c = http.client.HTTPConnection("127.0.0.1", m.port, timeout=30, source_address=(address, 0))
            return answer_of(c, method, path, body, {"Authorization": f"Bearer {ADMIN}", **(headers or {})})
        return ask
    m.wait("eight cameras", lambda: sum(c["state"] == "online" for c in m.get("/api/cameras") if c["name"].startswith("load")) == 8, 60)
    before = m.get("/api/stats")
    await asyncio.sleep(15)
    idle = m.get("/api/stats")
    viewers = []
    for i in range(VIEWERS):
        status = 0
        while status in (0, 503):
            await asyncio.sleep(1 if status else 0)
            v = whep_client.Counter(ask_from(f"127.0.0.{2 + i // 32}"), f"load{i % 8}")  # one address has 32 views at most
            status, answer = await v.begin()
        same(status, 201, answer)
        viewers.append(v)
    await asyncio.sleep(5)
    first, seen, missing, now = m.get("/api/stats"), [v.seen for v in viewers], sum(v.missing for v in viewers), time.monotonic()
    own = time.process_time()
    await asyncio.sleep(30)
    last, passed = m.get("/api/stats"), time.monotonic() - now
    share = lambda a, b: round((b["cpu_seconds"] - a["cpu_seconds"]) / (b["time"] - a["time"]), 3)  # noqa: E731
    fps = sorted((v.seen - before) / passed for v, before in zip(viewers, seen))
    print(json.dumps({"viewers": VIEWERS, "connected": last["webrtc"]["connected"], "processors_without": share(before, idle), "processors_with": share(first, last),
                      "processors_of_the_viewers": round((time.process_time() - own) / passed, 3), "memory_mb_without": round(idle["memory_bytes"] / 1e6),
                      "memory_mb_with": round(last["memory_bytes"] / 1e6), "threads_without": idle["threads"], "threads": last["threads"], "fps_least": round(fps[0], 1), "fps_median": round(fps[len(fps) // 2], 1),
                      "packets_missing": sum(v.missing for v in viewers) - missing, "load": round(os.getloadavg()[0], 1)}))
    for v in viewers:
        await v.end(say=False)


checks = [bad_offers, switched_off, plays, h265, sends_nothing, shares, many, rights]
if sys.argv[3:4] == ["only"]:
    checks = [c for c in checks if c.__name__ in sys.argv[4:]]
with_a_viewer = [plays, h265, shares, rights]
camera = CameraServer(PORT, "live_camera.py")
try:
    with Monitor(program, folder / "data", "--config", str(config)) as m:
        live = [*SOUNDS, "aac", "reordered", "two"]
        m.wait("cameras", lambda: all(c["state"] == "online" for c in m.get("/api/cameras") if c["name"] in live), 60)
        if not webrtc(m)["available"]:
            print("SKIPPED:", webrtc(m)["reason"])
            refused(m, 501, "no WebRTC")
            sys.exit(77)
        ask = asker(m)
        if TIMING or VIEWERS:
            skip_for(whep_client.MISSING)
            asyncio.run(load(m) if VIEWERS else figures(ask))
        else:
            if whep_client.MISSING:
                print(f"SKIPPED: {whep_client.MISSING}")
            for check in checks:
                if not (whep_client.MISSING and check in with_a_viewer):
                    check(m)
            if not whep_client.MISSING:
                asyncio.run(camera_goes(m, ask, camera))
        m.stop()
finally:
    camera.kill()
print("all good" if TIMING or not whep_client.MISSING else "SKIPPED in part: no viewer")
