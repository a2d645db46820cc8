# SPDX-License-Identifier: LGPL-2.1-or-later
"""Messages of vigil-monitor by web push: received by push services of this test, which decrypt as RFC 8291 says and check the signature of RFC 8292.

push.py PROGRAM FOLDER [NAME OF A CHECK]..."""
import datetime
import json
import socket
import stat
import sys
import threading
import time
import zoneinfo

from program import Monitor, begin
from push_service import Service, Subscription, b64, tls, unb64

from vigiltest import same, true  # pylint: disable=wrong-import-order

from cryptography.hazmat.primitives import hashes  # pylint: disable=wrong-import-order
from cryptography.hazmat.primitives.asymmetric import ec, utils  # pylint: disable=wrong-import-order

program, folder = begin("monitor-push")
SCENE = "scenetestsrc is-live=true quiet=0.5 density=2 ! video/x-raw,format=I420,width=160,height=90,framerate=5/1"
OPEN, HIDDEN = "gate", "secretyard"
ADMIN, VIEW, PASSWORD = "admin-token-0123456789", "view-token-0123456789", "correct horse battery"
CAMERAS = "\n".join(["record: {pre_capture: 1, post_capture: 1, max_clip: 2}", "cameras:",
                     *(f'  {name}: {{source: "{SCENE}", cudamog: {{motion-hold: 300}}}}' for name in (OPEN, HIDDEN))])


def started(name, push="", cameras=CAMERAS):
    tls(folder)
    own = folder / name
    own.mkdir(exist_ok=True)
    (own / "token").touch(0o600)
    (own / "token").write_text(f"admin {ADMIN}\nview {VIEW} kiosk\n")
    file = own / "monitor.yaml"
    file.write_text(f"http: {{token_file: {own}/token}}\npush: {{{push or f'private_addresses: true, ca_file: {folder}/tls.pem'}}}\n{cameras}")
    m = Monitor(program, own / "data", "--config", str(file))
    m.wait("an answer", lambda: m.ask("GET", "/healthz")[0] == 200)
    return m


def token(word):
    return {"Authorization": f"Bearer {word}"}


def sign_in(m, name):
    status, body = m.ask("POST", "/api/login", {"user": name, "password": PASSWORD})
    same(status, 200, f"{name} signs in: {body}")
    return {"Cookie": m.headers["Set-Cookie"].split(";")[0]}


def add(m, subscription, by, expected=200, **settings):
    status, body = m.ask("POST", "/api/push/devices", subscription.body(**settings), by)
    same(status, expected, f"a device is added: {body}")
    return body


def devices(m, by=None):
    status, body = m.ask("GET", "/api/push", headers=by or token(ADMIN))
    same(status, 200, "the list")
    return body["devices"]


def check_signature(headers, key, origin):
    """The token of RFC 8292: who sends, to which service, until when."""
    kind, fields = headers["Authorization"].split(" ", 1)
    same(kind, "vapid", "the scheme")
    found = dict(part.strip().split("=", 1) for part in fields.split(","))
    same(found["k"], key, "the key that browsers were given")
    head, claims, signature = found["t"].split(".")
    same(json.loads(unb64(head))["alg"], "ES256", "the algorithm")
    raw = unb64(signature)
    der = utils.encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), unb64(key)).verify(der, f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
    claims = json.loads(unb64(claims))
    same(claims["aud"], origin, "for which service")
    true(claims["sub"].startswith("https://127.0.0.1"), f"from whom: {claims['sub']}")
    true(time.time() < claims["exp"] < time.time() + 86400, f"until when: {claims['exp']}")


def messages():
    """What is sent, and how: encrypted, signed, one message for a burst, with a picture that the receiver may fetch; the key stays through a restart."""
    service = Service(tls(folder))
    a = service.subscription()
    with started("messages") as m:
        key = m.ask("GET", "/api/push", headers=token(VIEW))[1]["key"]
        file = folder / "messages/data/vapid.key"
        same(stat.S_IMODE(file.stat().st_mode), 0o600, "the key is for its owner alone")
        device = add(m, a, token(VIEW), min_interval=10, language="de")
        true(device["own"] and "endpoint" not in device and "keys" not in device, f"what is shown of it: {device}")
        m.wait("two messages", lambda: len(service.got) >= 2, 150)
        read = [a.read(g[2]) for g in service.got]
        for path, headers, *_ in service.got:
            same((path, headers["Content-Encoding"]), ("/send/a", "aes128gcm"), "to whom, and how")
            true(int(headers["TTL"]) > 0 and "Urgency" in headers, f"headers: {headers}")
            check_signature(headers, key, service.origin)
        same([(r["kind"], r["language"]) for r in read[:2]], [("events", "de")] * 2, "what is said")
        true(read[1]["count"] > 1, f"a burst is one message: {read}")
        true(service.got[1][3] - service.got[0][3] > 9, "the shortest interval")
        newest = read[1]["events"][0]
        same(m.ask("GET", f"/api/events/{newest['id']}/thumbnail.jpg", headers=token(VIEW), raw=True)[1][:2], b"\xff\xd8", "the picture")
        same(m.ask("GET", f"/api/events/{newest['id']}/thumbnail.jpg", raw=True)[0], 401, "the picture without signing in")
        ids = [e["id"] for r in read for e in r["events"]]
        same(len(ids), len(set(ids)), "no event twice")
        same(m.ask("POST", f"/api/push/devices/{device['id']}/test", {}, token(VIEW))[1], {"error": None}, "a test")
        same(a.read(service.got[-1][2])["kind"], "test", "the test's message")
        true("moment ago" in m.ask("POST", f"/api/push/devices/{device['id']}/test", {}, token(VIEW))[1]["error"], "a second test at once")
        said = "".join(m.log) + m.ask("GET", "/api/config", headers=token(ADMIN), raw=True)[1].decode() + m.ask("GET", "/api/push", headers=token(ADMIN), raw=True)[1].decode()
        true("/send/a" not in said, "nobody is shown the endpoint")
        m.stop()
    with started("messages") as m:
        same(m.ask("GET", "/api/push", headers=token(VIEW))[1]["key"], key, "the key after a restart")
        same([d["id"] for d in devices(m)], [device["id"]], "the device after a restart")
        before = len(service.got)
        m.wait("messages go on", lambda: len(service.got) > before, 90)
        same(m.ask("DELETE", f"/api/push/devices/{device['id']}", headers=token(VIEW))[0], 200, "ended")
        same(devices(m), [], "the list")
        m.stop()
    print(f"{len(service.got)} messages")


def whose():
    """Cameras that the owner may see and has chosen; quiet hours and days by the device's clock; owners that lose their rights."""
    service = Service(tls(folder))
    subscriptions = {name: service.subscription(name) for name in ("vera", "wide", "quiet", "loud", "day", "label", "gone", "kiosk", "changed")}
    zone = "Asia/Tokyo"
    now = datetime.datetime.now(zoneinfo.ZoneInfo(zone))

    def clock(hours):
        return (now + datetime.timedelta(hours=hours)).strftime("%H:00")

    with started("whose") as m:
        for name, cameras in ("vera", [OPEN]), ("wide", None), ("gone", None), ("changed", None):
            m.ask("POST", "/api/users", {"name": name, "role": "viewer", "password": PASSWORD, "cameras": cameras}, token(ADMIN))
        by = {name: sign_in(m, name) for name in ("vera", "wide", "gone", "changed")}
        add(m, subscriptions["vera"], by["vera"])
        add(m, subscriptions["vera"], by["vera"], 404, cameras=[HIDDEN])
        one = add(m, subscriptions["wide"], by["wide"], cameras=[HIDDEN])
        more = {"quiet": {"quiet_hours": f"{clock(-2)}-{clock(3)}"}, "loud": {"quiet_hours": f"{clock(3)}-{clock(-2)}"}, "day": {"days": [(now.isoweekday() + 2) % 7 + 1]},
                "label": {"labels": ["loitering"]}}
        for name, settings in more.items():
            add(m, subscriptions[name], token(ADMIN), time_zone=zone, **settings)
        for name in ("gone", "changed"):
            add(m, subscriptions[name], by[name])
        add(m, subscriptions["kiosk"], token(VIEW))
        same(({d["id"] for d in devices(m, by["wide"])}, len(devices(m))), ({one["id"]}, 9), "each sees the own devices, an administrator all")
        for method, path in ("PATCH", ""), ("DELETE", ""), ("POST", "/test"):
            same(m.ask(method, f"/api/push/devices/{one['id']}{path}", {} if method != "DELETE" else None, by["vera"])[0], 404, f"somebody else's device: {method}")
        m.wait("messages", lambda: all(service.of(subscriptions[n]) for n in ("vera", "wide", "loud", "gone", "kiosk", "changed")), 120)
        same({n: len(service.of(subscriptions[n])) for n in ("quiet", "day", "label")}, {"quiet": 0, "day": 0, "label": 0}, "who gets none")
        for name, camera in ("vera", OPEN), ("wide", HIDDEN):
            seen = {e["camera"] for g in service.of(subscriptions[name]) for e in subscriptions[name].read(g[2])["events"]}
            same(seen, {camera}, f"cameras of {name}")
        same(m.ask("PATCH", f"/api/push/devices/{one['id']}", {"cameras": [OPEN], "min_interval": 1}, by["wide"])[1]["cameras"], [OPEN], "another choice")
        same(m.ask("PATCH", f"/api/push/devices/{one['id']}", {"nothing": 1}, by["wide"])[0], 400, "no such setting")
        # Rights that are lost.
        m.ask("DELETE", "/api/users/gone", headers=token(ADMIN))
        same(m.ask("POST", "/api/password", {"old": PASSWORD, "new": "another good password"}, by["changed"])[0], 200, "a new password")
        m.ask("PATCH", "/api/users/vera", {"cameras": [HIDDEN]}, token(ADMIN))
        same(len(devices(m)), 7, "the devices of who is gone, and of another password, are ended")
        (folder / "whose/token").write_text(f"admin {ADMIN}\n")
        same(m.ask("POST", "/api/reload", {}, token(ADMIN))[0], 200, "reload")
        m.wait("the device of a token that is none any more", lambda: len(devices(m)) == 6, 90)
        time.sleep(2)  # what was on its way
        before = {n: len(service.of(subscriptions[n])) for n in subscriptions}
        m.wait("messages go on", lambda: len(service.of(subscriptions["loud"])) > before["loud"] + 1, 90)
        same({n: len(service.of(subscriptions[n])) - before[n] for n in ("gone", "changed", "kiosk")}, {"gone": 0, "changed": 0, "kiosk": 0}, "who may no more")
        later = m.wait("vera's messages go on", lambda: service.of(subscriptions["vera"])[before["vera"]:], 90)
        same({e["camera"] for g in later for e in subscriptions["vera"].read(g[2])["events"]}, {HIDDEN}, "cameras of vera, later")
        m.stop()


def services():
    """Services that are away, busy, refuse, or do not know the subscription; one hangs; none holds up the others, and nothing that waits is lost by kill -9."""
    hung = socket.create_server(("127.0.0.1", 0))
    failing, busy = Service(tls(folder), [(503, {}), (500, {})]), Service(tls(folder), [(429, {"Retry-After": "9"})])
    gone, missing, refusing, good = Service(tls(folder), [(410, {})]), Service(tls(folder), [(404, {})]), Service(tls(folder), [(403, {})] * 1000), Service(tls(folder))
    with started("services") as m:
        named = {"failing": failing, "busy": busy, "gone": gone, "missing": missing, "refusing": refusing, "good": good}
        subscribed = {name: service.subscription() for name, service in named.items()}
        ids = {name: add(m, subscription, token(ADMIN))["id"] for name, subscription in subscribed.items()}
        add(m, Subscription(f"https://localhost:{hung.getsockname()[1]}/x"), token(ADMIN))
        m.wait("the good service gets two", lambda: len(good.got) >= 2, 150)
        m.wait("the failing one takes one at the third try", lambda: [g[4] for g in failing.got[:3]] == [503, 500, 201], 120)
        m.wait("the busy one takes one", lambda: [g[4] for g in busy.got[:2]] == [429, 201], 120)
        true(busy.got[1][3] - busy.got[0][3] >= 9, "not before it wants to be asked again")
        m.wait("subscriptions that are gone are ended", lambda: not {ids["gone"], ids["missing"]} & {d["id"] for d in devices(m)}, 60)
        same((len(gone.got), len(missing.got)), (1, 1), "tries at what is gone")
        m.wait("why a device gets none", lambda: next(d for d in devices(m) if d["id"] == ids["refusing"])["problem"] == "status 403", 60)
        ids = [e["id"] for g in list(refusing.got) for e in subscribed["refusing"].read(g[2])["events"]]
        same(len(ids), len(set(ids)), "no event twice to who refuses it")
        good.statuses = [(503, {})] * 1000
        before = len(good.got)
        m.wait("a message that waits", lambda: len(good.got) > before, 120)
        m.kill()
        good.statuses = []
        before = len(good.of(good.subscription()))
    with started("services", cameras='cameras:\n  idle: {source: "scenetestsrc quiet=1"}') as m:  # nothing new happens
        m.wait("the message of before", lambda: len(good.of(good.subscription())) > before, 90)
        begun = time.monotonic()
        m.stop()
        true(time.monotonic() - begun < 30, "the end is not held up by a service that hangs")


def strangers():
    """Nothing but public addresses by https is ever asked; what is no subscription is refused; limits; and push can be forbidden."""
    context = tls(folder)
    listener = socket.create_server(("127.0.0.1", 0))
    port, connections = listener.getsockname()[1], []

    def accept():
        while True:
            connections.append(listener.accept())
    threading.Thread(target=accept, daemon=True).start()
    good = Service(context).subscription()
    with started("strangers", push=f"ca_file: {folder}/tls.pem", cameras='cameras:\n  idle: {source: "scenetestsrc quiet=1"}') as m:
        for host in ("localhost", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "0"):
            status, body = m.ask("POST", "/api/push/devices", Subscription(f"https://{host}:{port}/x").body(), token(VIEW))
            if status == 400:
                continue
            error = m.ask("POST", f"/api/push/devices/{body['id']}/test", {}, token(VIEW))[1]["error"]
            true("not public" in error or "connect" in error or "resolve" in error, f"{host}: {error}")
            same(m.ask("DELETE", f"/api/push/devices/{body['id']}", headers=token(VIEW))[0], 200, "ended")
        same(connections, [], "connections to this machine")
        for address in ("http://push.example/x", "https://user:pw@push.example/x", "file:///etc/passwd", "gopher://push.example/x", "https://", "x" * 5000, "https://push.example/\n"):
            same(m.ask("POST", "/api/push/devices", Subscription(address).body(), token(VIEW))[0], 400, address[:60])
        body = good.body()
        for change in ({"p256dh": "AAAA"}, {"p256dh": b64(b"\4" * 65)}, {"auth": "AAAA"}, {"auth": "%%"}, {"p256dh": 5}):
            wrong = {**body, "subscription": {**body["subscription"], "keys": {**body["subscription"]["keys"], **change}}}
            same(m.ask("POST", "/api/push/devices", wrong, token(VIEW))[0], 400, f"{change}")
        for wrong in ({}, {"subscription": 5}, {"subscription": {}}, {**body, "more": 1}, {**body, "settings": 5}, {**body, "settings": {"days": [9]}}):
            same(m.ask("POST", "/api/push/devices", wrong, token(VIEW))[0], 400, f"{str(wrong)[:60]}")
        same(m.ask("POST", "/api/push/devices", body)[0], 401, "without signing in")
        for i in range(20):
            add(m, Subscription(f"https://push.example/{i}"), token(VIEW))
        status, answer = m.ask("POST", "/api/push/devices", Subscription("https://push.example/more").body(), token(VIEW))
        true(status == 400 and "20 devices" in answer["error"], f"one more than may be: {status} {answer}")
        add(m, Subscription("https://push.example/7"), token(VIEW))  # the same browser again
        same(len(devices(m)), 20, "the same browser is the same device")
        m.stop()
    (folder / "strangers/data/vapid.key").chmod(0o644)
    with started("strangers", cameras='cameras:\n  idle: {source: "scenetestsrc quiet=1"}') as m:
        status, answer = m.ask("GET", "/api/push", headers=token(VIEW))
        true(status >= 400 and "chmod 600" in answer["error"], f"a key that others can read: {status} {answer}")
        m.stop()
    with started("strangers", push="enabled: false") as m:
        same(m.ask("GET", "/api/push", headers=token(VIEW))[1], {"enabled": False, "key": None, "devices": []}, "forbidden")
        same(m.ask("POST", "/api/push/devices", body, token(VIEW))[0], 409, "forbidden")
        m.stop()


checks = [messages, whose, services, strangers]
for check in checks:
    if not sys.argv[3:] or check.__name__ in sys.argv[3:]:
        begin = time.monotonic()
        check()
        print(f"{check.__name__}: good, {time.monotonic() - begin:.0f} s", flush=True)
