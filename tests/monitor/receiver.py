# SPDX-License-Identifier: LGPL-2.1-or-later
"""A server that takes what vigil-monitor posts: webhooks, messages to ntfy."""
import http.server
import threading
import time
import typing


class Message(typing.NamedTuple):
    path: str
    headers: dict
    body: bytes
    time: float  # monotonic
    status: int  # of the answer


class Receiver:
    """Answers with the statuses that it is given, then 200; .got has all that came. `context`: by TLS."""

    def __init__(self, statuses=(), context=None):
        own = self
        self.statuses, self.got = list(statuses), []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = own.statuses.pop(0) if own.statuses else 200
                own.got.append(Message(self.path, dict(self.headers), body, time.monotonic(), status))
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if context:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def taken(self):
        return [m for m in list(self.got) if m.status == 200]
