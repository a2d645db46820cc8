// SPDX-License-Identifier: LGPL-2.1-or-later
#include "server.h"

#include "certificate.h"
#include "common/error.h"
#include "common/guarded.h"
#include "places.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <microhttpd.h>
#include <netdb.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace vigil::monitor {

struct Server::Impl {
  Impl(Handler h, const ServerSettings &s)
      : handler(std::move(h)), places(s.request_within, s.stranger_within), tls(s.tls), framed(s.framed) {}
  Handler handler;
  Places places;
  const bool tls, framed;
  bool loopback = false; // it listens there alone
  MHD_Daemon *daemon = nullptr;
};

namespace {

struct Connection {
  Request request;
  bool too_large = false, seen = false;
};

struct Stream {
  std::function<std::shared_ptr<const std::string>()> next;
  std::shared_ptr<const std::string> now;
  std::size_t sent = 0;
};

std::string lower(std::string s) {
  std::transform(s.begin(), s.end(), s.begin(),
                 [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
  return s;
}

struct Headers {
  std::map<std::string, std::string> &to;
  std::string twice; // one that may be there only once
};

MHD_Result add_header(void *user, MHD_ValueKind, const char *key, const char *value) {
  auto &headers = *static_cast<Headers *>(user);
  const std::string name = lower(key);
  constexpr std::string_view once[] = {"host", "origin", "authorization", "content-length",
                                       "transfer-encoding"};
  const bool there = !headers.to.insert_or_assign(name, value ? value : "").second;
  if (there && std::find(std::begin(once), std::end(once), name) != std::end(once)) headers.twice = name;
  return MHD_YES;
}
MHD_Result add_query(void *to, MHD_ValueKind, const char *key, const char *value) {
  (*static_cast<std::map<std::string, std::string> *>(to))[key] = value ? value : "";
  return MHD_YES;
}

using Peer = ClientAddress;

Peer peer_of(const sockaddr *a) {
  Peer p;
  char text[INET6_ADDRSTRLEN] = {};
  const auto v4 = [&](const void *bytes) {
    inet_ntop(AF_INET, bytes, text, sizeof text);
    p.address = p.network = text;
    p.this_machine = p.address == "127.0.0.1";
  };
  if (a->sa_family == AF_INET) {
    v4(&reinterpret_cast<const sockaddr_in *>(a)->sin_addr);
  } else if (a->sa_family == AF_INET6) {
    in6_addr v6 = reinterpret_cast<const sockaddr_in6 *>(a)->sin6_addr;
    if (IN6_IS_ADDR_V4MAPPED(&v6)) {
      v4(v6.s6_addr + 12);
      return p;
    }
    inet_ntop(AF_INET6, &v6, text, sizeof text);
    p.address = text;
    p.this_machine = IN6_IS_ADDR_LOOPBACK(&v6);
    std::memset(v6.s6_addr + 8, 0, 8); // one subscriber has all of a /64
    inet_ntop(AF_INET6, &v6, text, sizeof text);
    p.network = text + std::string("/64");
  }
  return p;
}

bool is_loopback(const sockaddr *a) {
  if (a->sa_family == AF_INET)
    return ntohl(reinterpret_cast<const sockaddr_in *>(a)->sin_addr.s_addr) >> 24 == 127;
  return a->sa_family == AF_INET6 &&
         IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6 *>(a)->sin6_addr);
}

using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo *)>;
Addresses resolved(const std::string &address, int port, int &error) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_flags = AI_NUMERICSERV | AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  error = getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found);
  return {error ? nullptr : found, freeaddrinfo};
}

Peer peer_of(MHD_Connection *c) {
  return peer_of(MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr);
}

ssize_t read_stream(void *user, std::uint64_t, char *to, std::size_t most) {
  auto &s = *static_cast<Stream *>(user);
  if (!s.now || s.sent == s.now->size()) {
    do {
      s.now = s.next();
      if (!s.now) return MHD_CONTENT_READER_END_OF_STREAM;
    } while (s.now->empty());
    s.sent = 0;
  }
  const std::size_t n = std::min(most, s.now->size() - s.sent);
  std::memcpy(to, s.now->data() + s.sent, n);
  s.sent += n;
  return static_cast<ssize_t>(n);
}
void free_stream(void *user) {
  delete static_cast<Stream *>(user);
}

MHD_Response *make_response(Response &r) {
  if (r.stream) {
    constexpr std::size_t block = 64 << 10;
    return MHD_create_response_from_callback(r.length ? r.length : MHD_SIZE_UNKNOWN, block,
                                             guarded<read_stream, MHD_CONTENT_READER_END_WITH_ERROR>,
                                             new Stream{std::move(r.stream), nullptr, 0},
                                             guarded<free_stream>);
  }
  if (!r.file.empty()) {
    const int fd = open(r.file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
      r = error_response(404, "the file is gone");
      return make_response(r);
    }
    MHD_Response *out = MHD_create_response_from_fd_at_offset64(r.length, fd, r.from);
    if (!out) close(fd);
    return out;
  }
  return MHD_create_response_from_buffer(r.body.size(), r.body.data(), MHD_RESPMEM_MUST_COPY);
}

MHD_Result send(MHD_Connection *c, Response &&r, const Server::Impl &impl) {
  MHD_Response *m = make_response(r);
  if (!m) return MHD_NO;
  MHD_add_response_header(m, "Content-Type", r.type.c_str());
  MHD_add_response_header(m, "X-Content-Type-Options", "nosniff");
  MHD_add_response_header(m, "Referrer-Policy", "no-referrer");
  MHD_add_response_header(m, "X-Frame-Options", impl.framed ? "SAMEORIGIN" : "DENY");
  MHD_add_response_header(m, "Cross-Origin-Resource-Policy", "same-origin");
  MHD_add_response_header(m, "Cross-Origin-Opener-Policy", "same-origin");
  if (impl.tls) MHD_add_response_header(m, "Strict-Transport-Security", "max-age=31536000");
  constexpr std::string_view policy =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' "
      "blob:; connect-src 'self';"
      " manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors ";
  MHD_add_response_header(m, "Content-Security-Policy",
                          (std::string(policy) + (impl.framed ? "'self'" : "'none'")).c_str());
  if (!r.headers.count("Cache-Control")) MHD_add_response_header(m, "Cache-Control", "no-store");
  for (const auto &[k, v] : r.headers) MHD_add_response_header(m, k.c_str(), v.c_str());
  const MHD_Result result = MHD_queue_response(c, static_cast<unsigned>(r.status), m);
  MHD_destroy_response(m);
  return result;
}

MHD_Result answer(void *user, MHD_Connection *c, const char *url, const char *method, const char *,
                  const char *data, std::size_t *size, void **state) {
  auto &impl = *static_cast<Server::Impl *>(user);
  auto *connection = static_cast<Connection *>(*state);
  if (!connection->seen) { // headers are there, the body is to come
    connection->seen = true;
    Request &r = connection->request;
    r.method = method;
    r.path = url;
    Headers headers{r.headers, ""};
    MHD_get_connection_values(c, MHD_HEADER_KIND, guarded<add_header>, &headers);
    MHD_get_connection_values(c, MHD_GET_ARGUMENT_KIND, guarded<add_query>, &r.query);
    const Peer peer = peer_of(c);
    r.client = peer.address;
    r.network = peer.network;
    r.loopback = impl.loopback && peer.this_machine;
    if (headers.twice.empty() && r.headers.count("content-length") && r.headers.count("transfer-encoding"))
      headers.twice = "content-length and transfer-encoding";
    if (!headers.twice.empty()) {
      Response wrong = error_response(400, "the request has the header " + headers.twice + " twice");
      wrong.headers["Connection"] = "close";
      return send(c, std::move(wrong), impl);
    }
    return MHD_YES;
  }
  if (*size) {
    std::string &body = connection->request.body;
    connection->too_large = connection->too_large || body.size() + *size > Server::largest_body;
    if (!connection->too_large) body.append(data, *size);
    *size = 0;
    return MHD_YES;
  }
  impl.places.has_request(c);
  Response response;
  try {
    response = connection->too_large ? error_response(413, "the body is larger than 64 KiB")
                                     : impl.handler(connection->request);
  } catch (const std::exception &e) {
    response = error_response(503, e.what());
  }
  impl.places.is_answered(c, response.trusted, response.session);
  if (!response.is_current()) response = error_response(401, "your rights have changed meanwhile; ask again");
  return send(c, std::move(response), impl);
}

void *begin(void *, const char *, MHD_Connection *) {
  return new Connection;
}
int socket_of(MHD_Connection *c) {
  return MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}
void done(void *user, MHD_Connection *c, void **state, MHD_RequestTerminationCode) {
  delete static_cast<Connection *>(*state);
  *state = nullptr;
  static_cast<Server::Impl *>(user)->places.expect_next(c);
}
void comes_or_goes(void *user, MHD_Connection *c, void **, MHD_ConnectionNotificationCode what) {
  Places &places = static_cast<Server::Impl *>(user)->places;
  if (what == MHD_CONNECTION_NOTIFY_STARTED) {
    const Peer peer = peer_of(c);
    places.came(c, socket_of(c), peer.network, peer.this_machine);
  } else {
    places.gone(c);
  }
}
void no_log(void *, const char *, va_list) {} // what clients do wrong is not worth a line each

} // namespace

Response error_response(int status, const std::string &what) {
  Response r;
  r.status = status;
  r.body = nlohmann::json{{"error", what}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return r;
}

ClientAddress client_address(const std::string &numbers) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  if (inet_pton(AF_INET, numbers.c_str(), &v4.sin_addr) == 1)
    return peer_of(reinterpret_cast<const sockaddr *>(&v4));
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  if (inet_pton(AF_INET6, numbers.c_str(), &v6.sin6_addr) == 1)
    return peer_of(reinterpret_cast<const sockaddr *>(&v6));
  return {};
}

bool is_loopback(const std::string &address) {
  int error = 0;
  const Addresses found = resolved(address, 0, error);
  for (const addrinfo *a = found.get(); a; a = a->ai_next)
    if (!is_loopback(a->ai_addr)) return false;
  return found != nullptr;
}

namespace {

// The other two thirds are for cameras, clips and the database, which strangers must not stop.
unsigned third_of_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == RLIM_INFINITY) return UINT_MAX;
  return static_cast<unsigned>(std::clamp<rlim_t>(limit.rlim_cur / 3, 8, INT_MAX));
}

} // namespace

Server::Server(const ServerSettings &s, Handler handler)
    : impl_(std::make_unique<Impl>(std::move(handler), s)) {
  int error = 0;
  const Addresses found = resolved(s.address, s.port, error);
  if (error) fail(Error::Kind::io, "cannot listen on ", s.address, ": ", gai_strerror(error));
  // Of a name with addresses of both families that of IPv4: "localhost" is 127.0.0.1, whichever comes first.
  const addrinfo *at = found.get();
  while (at->ai_family != AF_INET && at->ai_next) at = at->ai_next;
  if (at->ai_family != AF_INET) at = found.get();
  impl_->loopback = is_loopback(at->ai_addr);
  unsigned flags =
      MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL | MHD_USE_ITC;
  if (at->ai_family == AF_INET6) flags |= MHD_USE_DUAL_STACK; // [::] takes IPv4, too
  std::vector<MHD_OptionItem> tls;
  if (s.tls) {
    flags |= MHD_USE_TLS;
    tls.push_back({MHD_OPTION_HTTPS_CERT_CALLBACK, 0, certificate_question()});
    tls.push_back({MHD_OPTION_HTTPS_PRIORITIES, 0, const_cast<char *>(Certificate::priorities())});
  }
  tls.push_back({MHD_OPTION_END, 0, nullptr});
  // Strangers cannot have all (places.h), and one address leaves room for others.
  constexpr unsigned usual_connections = 256, most_of_one_address = 128, idle_seconds = 20;
  static_assert(Places::most + Places::most_of_loopback < usual_connections);
  const unsigned most_connections = std::min(usual_connections, third_of_descriptors());
  constexpr std::size_t memory = 64 << 10, stack = 512 << 10;
  constexpr int strict = 1;
  impl_->daemon = MHD_start_daemon(
      flags, 0, nullptr, nullptr, guarded<answer>, impl_.get(), MHD_OPTION_SOCK_ADDR, at->ai_addr,
      MHD_OPTION_EXTERNAL_LOGGER, no_log, nullptr, MHD_OPTION_NOTIFY_COMPLETED, guarded<done>, impl_.get(),
      MHD_OPTION_NOTIFY_CONNECTION, guarded<comes_or_goes>, impl_.get(), MHD_OPTION_PER_IP_CONNECTION_LIMIT,
      most_of_one_address, MHD_OPTION_URI_LOG_CALLBACK, guarded<begin>, nullptr, MHD_OPTION_CONNECTION_LIMIT,
      most_connections, MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      memory, MHD_OPTION_THREAD_STACK_SIZE, stack, MHD_OPTION_STRICT_FOR_CLIENT, strict, MHD_OPTION_ARRAY,
      tls.data(), MHD_OPTION_END);
  if (!impl_->daemon)
    fail(Error::Kind::io, "cannot listen on ", s.address, ":", s.port, ": ", std::strerror(errno));
}

Server::~Server() {
  MHD_stop_daemon(impl_->daemon);
}

void Server::end_answers(const std::string &session) {
  impl_->places.end_answers(session);
}

int Server::port() const {
  const auto *info = MHD_get_daemon_info(impl_->daemon, MHD_DAEMON_INFO_BIND_PORT);
  return info ? info->port : 0;
}

} // namespace vigil::monitor
