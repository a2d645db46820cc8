# SPDX-License-Identifier: LGPL-2.1-or-later
"""A push service of a test: it takes messages by TLS, and a subscription decrypts them as RFC 8291 says."""
import base64
import hashlib
import hmac
import http.server
import json
import ssl
import subprocess
import sys
import threading
import time
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from vigiltest import same, skip  # pylint: disable=wrong-import-position

try:
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
except ImportError:
    skip("python3-cryptography is not installed: nothing can decrypt the messages")


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def mac(key, *words):
    return hmac.new(key, b"".join(words), hashlib.sha256).digest()


def point_of(key):
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


class Subscription:
    """A browser's: its keys, and what it makes of a message."""

    def __init__(self, address):
        self.address = address
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.auth = hashlib.sha256(address.encode()).digest()[:16]

    def body(self, **settings):
        return {"subscription": {"endpoint": self.address, "expirationTime": None, "keys": {"p256dh": b64(point_of(self.key.public_key())), "auth": b64(self.auth)}},
                "settings": {"min_interval": 0, **settings}}

    def read(self, body):
        """RFC 8291, 3.4, and RFC 8188."""
        salt, size, length = body[:16], int.from_bytes(body[16:20], "big"), body[20]
        sender, sealed = body[21:21 + length], body[21 + length:]
        same((len(body) <= 4096, len(sealed) <= size), (True, True), "one record")
        secret = self.key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender))
        key = mac(mac(self.auth, secret), b"WebPush: info\0", point_of(self.key.public_key()), sender, b"\1")
        root = mac(salt, key)
        plain = AESGCM(mac(root, b"Content-Encoding: aes128gcm\0\1")[:16]).decrypt(mac(root, b"Content-Encoding: nonce\0\1")[:12], sealed, None)
        same(plain[-1], 2, "the end of the last record")
        return json.loads(plain[:-1])


class Service:
    """A push service by TLS; .got: (path, headers, body, time, status). Answers with `statuses`, pairs of status and headers, then 201."""

    def __init__(self, context, statuses=()):
        own = self
        self.statuses, self.got = list(statuses), []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status, more = own.statuses.pop(0) if own.statuses else (201, {})
                own.got.append((self.path, dict(self.headers), body, time.monotonic(), status))
                self.send_response(status)
                for name, value in {"Content-Length": "0", **more}.items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.origin = f"https://localhost:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def subscription(self, name="a"):
        return Subscription(f"{self.origin}/send/{name}")

    def of(self, subscription, status=201):
        return [g for g in list(self.got) if g[0] == urllib.parse.urlsplit(subscription.address).path and g[4] == status]


def tls(folder):
    """Of localhost; the certificate is FOLDER/tls.pem."""
    key, file = folder / "tls.key", folder / "tls.pem"
    if not file.exists():
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                        "-keyout", key, "-out", file], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file, key)
    return context
