# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cameras and files by HTTP for tests: HttpCamera(folder) serves the folder's files with ranges, and below /pictures/ the JPEG pictures
that were given, one after the other as multipart/x-mixed-replace. /elsewhere sends on to another server."""
import http.server
import re
import threading
import time


def resized(jpeg, width, height):
    """The same picture, but its header says another size: a few bytes that ask for gigabytes."""
    at = 2
    while jpeg[at + 1] not in (0xC0, 0xC1, 0xC2):
        at += 2 + int.from_bytes(jpeg[at + 2:at + 4], "big")
    return jpeg[:at + 5] + height.to_bytes(2, "big") + width.to_bytes(2, "big") + jpeg[at + 9:]


class HttpCamera:
    def __init__(self, folder, pictures=None, elsewhere=""):
        """`pictures`: by name, (list of JPEG pictures, how many a second)."""
        camera = self
        self.asked = []  # paths

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                camera.asked.append(self.path)
                name = self.path.rsplit("/", 1)[1]
                try:
                    if self.path.startswith("/pictures/"):
                        self.pictures(*pictures[name])
                    elif self.path == "/elsewhere":
                        self.send_response(302)
                        self.send_header("Location", elsewhere)
                        self.send_header("Content-Length", "0")
                        self.end_headers()
                    else:
                        self.file(folder / name)
                except OSError:
                    pass

            do_HEAD = do_GET

            def pictures(self, jpegs, rate):
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace;boundary=frame")
                self.send_header("Connection", "close")
                self.end_headers()
                begun, sent = time.monotonic(), 0
                while True:
                    jpeg = jpegs[sent % len(jpegs)]
                    self.wfile.write(b"\r\n--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(jpeg) + jpeg)
                    sent += 1
                    time.sleep(max(0, begun + sent / rate - time.monotonic()))

            def file(self, path):
                data = path.read_bytes() if path.exists() else b""
                asked = re.match(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
                first, last = (int(asked[1]), int(asked[2] or len(data) - 1)) if asked else (0, len(data) - 1)
                self.send_response(404 if not data else 206 if asked else 200)
                if asked:
                    self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
                self.send_header("Accept-Ranges", "bytes")
                self.send_header("Content-Type", "application/vnd.apple.mpegurl" if path.suffix == ".m3u8" else "application/octet-stream")
                self.send_header("Content-Length", str(last + 1 - first))
                self.end_headers()
                if self.command == "GET":
                    self.wfile.write(data[first:last + 1])

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        self.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def address(self, path):
        return f"http://127.0.0.1:{self.port}/{path}"
