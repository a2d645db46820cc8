# SPDX-License-Identifier: LGPL-2.1-or-later
"""A proxy before vigil-monitor's page, for tests to change what it passes on."""
import http.client
import http.server


class Proxy(http.server.BaseHTTPRequestHandler):
    behind = ""  # host:port, see PageCase.start_proxy()

    def pass_on(self, path, headers):
        """Asks the server behind, and gives its answer to the browser."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        connection = http.client.HTTPConnection(self.behind, timeout=60)
        connection.request(self.command, path, body, headers)
        answer = connection.getresponse()
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "connection"):
                self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            while piece := answer.read1(65536):
                self.wfile.write(piece)
                self.wfile.flush()
        except (OSError, http.client.HTTPException):
            pass  # the browser has left, or the server has
        connection.close()

    def log_message(self, *_):
        pass
