// SPDX-License-Identifier: LGPL-2.1-or-later
// vigil-monitor's HTTP server, given any bytes by a connection of its own each time. What answers looks at
// every part of a request that the API reads: path, query, headers, cookies, ranges, JSON bodies and what
// stands in them.
#include "tests/fuzz/fuzz.h"

#include "common/error.h"
#include "tools/vigil-monitor/camera/utc.h"
#include "tools/vigil-monitor/config/overrides.h"
#include "tools/vigil-monitor/http/access.h"
#include "tools/vigil-monitor/http/auth.h"
#include "tools/vigil-monitor/http/http_util.h"
#include "tools/vigil-monitor/http/server.h"
#include "tools/vigil-monitor/http/sessions.h"
#include "tools/vigil-monitor/http/users.h"
#include "tools/vigil-monitor/store/event_store.h"
#include "tools/vigil-monitor/store/user_store.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace vigil::fuzz {
namespace {

using namespace vigil::monitor;

Response shape_of(const nlohmann::json &body, const std::string &path) {
  if (path.starts_with("/zones")) return json_response(to_json(zone_from(body)));
  if (path.starts_with("/lines")) return json_response(to_json(line_from(body)));
  if (path.starts_with("/masks")) return json_response(to_json(mask_from(body)));
  return json_response(body);
}

// Who asks, with a database of its own, in which there are no users.
struct Doors {
  Doors() : folder(temporary()), tables(folder + "/events.db"), store(folder + "/events.db") {}
  ~Doors() { std::filesystem::remove_all(folder); }
  static std::string temporary() {
    std::string path = (std::filesystem::temp_directory_path() / "fuzz-request-XXXXXX").string();
    if (!mkdtemp(path.data())) {
      std::perror("mkdtemp");
      std::abort();
    }
    return path;
  }
  const std::string folder;
  EventStore tables;
  UserStore store;
  Tokens tokens{""};
  Users users{store};
  Sessions sessions{store, tokens, [](const std::string &) {}, Utc::system_seconds()};
  Access access{tokens, users, sessions, Role::view, 0, false};
};

Response answer(const Request &r) {
  static Doors doors;
  try {
    if (const std::string wrong = wrong_site(r, {"cam.example"}); !wrong.empty()) refuse(403, wrong);
    doors.access.visitor(r);
    integer_of(r, "limit", 1, 500, 50);
    number_of(r, "after");
    if (!parse_range(r.header("range"), 1000)) refuse(416, "beyond the end");
    return r.method == "PUT" ? shape_of(json_body(r), r.path) : json_response({{"path", r.path}});
  } catch (const HttpError &e) {
    return error_response(e.status, e.what);
  } catch (const Error &e) {
    return error_response(400, e.what());
  }
}

// libFuzzer's timer interrupts what waits; the connection is made all the same.
bool connects(int fd, const sockaddr_in &to) {
  if (!connect(fd, reinterpret_cast<const sockaddr *>(&to), sizeof to)) return true;
  if (errno != EINTR) return false;
  pollfd made{fd, POLLOUT, 0};
  while (poll(&made, 1, -1) < 0 && errno == EINTR) {
  }
  int error = 0;
  socklen_t size = sizeof error;
  return !getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) && error == 0;
}

int connected(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval patience{10, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  // Closing resets the connection, so that thousands of them do not wait for their ports' release.
  const linger at_once{1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  if (fd < 0 || !connects(fd, to)) {
    std::perror("connect");
    std::abort();
  }
  return fd;
}

std::string put(const char *path, const char *body) {
  return std::string("PUT ") + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
         std::to_string(std::char_traits<char>::length(body)) + "\r\n\r\n" + body;
}

} // namespace

std::vector<Bytes> seeds() {
  std::vector<Bytes> out;
  for (const std::string &text :
       {std::string("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        std::string("GET /api/events?limit=5&after=1.5&camera=a%20b HTTP/1.1\r\nHost: [::1]:1\r\nRange: "
                    "bytes=0-99\r\n\r\n"),
        std::string("GET /a%2f..%20b HTTP/1.0\r\nHost: cam.example\r\nCookie: a=b; vigil_session_0=x\r\n"
                    "Authorization: Bearer y\r\n\r\n"),
        // libmicrohttpd 1.0 refuses the second by itself, 0.9 hands it on.
        std::string(
            "GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET /a%00b HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        std::string("POST /x HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\nTransfer-Encoding: "
                    "chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
        put("/zones/a", "{\"coordinates\": \"0,0,1,0,1,1\", \"loiter_seconds\": 3}"),
        put("/lines/a", "{\"coordinates\": \"0,0,1,1\", \"direction\": \"both\"}"),
        put("/masks/a", "{\"coordinates\": \"0,0,1,0,1,1\"}"),
        put("/x", "{\"a\": [1, null, true, \"\\u00e4\"]}")})
    out.emplace_back(text.begin(), text.end());
  return out;
}

// True when it is answered with success. What the server may never do: 500 and above, or something that is no
// answer at all. Two of these are libmicrohttpd's own and right: 505 for a version of HTTP that it does not
// know, and 501 for such a transfer encoding, from its version 1.0 on.
bool read(std::span<const std::uint8_t> bytes) {
  static const Server server(
      [] {
        ServerSettings s;
        s.address = "127.0.0.1";
        return s;
      }(),
      answer);
  const int fd = connected(server.port());
  ssize_t sent = 0;
  for (std::size_t at = 0; at < bytes.size() && sent >= 0; at += static_cast<std::size_t>(sent))
    sent = send(fd, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
  shutdown(fd, SHUT_WR);
  std::string got;
  char data[4096];
  for (ssize_t n = 1; n > 0 && got.size() < 1 << 20;) {
    n = recv(fd, data, sizeof data, 0);
    if (n > 0) got.append(data, static_cast<std::size_t>(n));
  }
  close(fd);
  const bool strange = !got.empty() && (!got.starts_with("HTTP/1.") || got.size() < 12);
  if (strange ||
      (got.size() >= 12 && got[9] == '5' && got.compare(9, 3, "505") && got.compare(9, 3, "501"))) {
    std::fprintf(stderr, "answered: %s\n", got.c_str());
    std::abort();
  }
  return got.size() >= 12 && got[9] == '2';
}

} // namespace vigil::fuzz
