// SPDX-License-Identifier: LGPL-2.1-or-later
// An HTTP server by libmicrohttpd: a thread for each connection, of which there are few, with limits on
// sizes, times and numbers. Requests that two programs could understand in two ways are refused. Knows
// nothing of cameras.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct MHD_Daemon;

namespace vigil::monitor {

struct Request {
  std::string method, path;                          // the path percent-decoded, without the query
  std::map<std::string, std::string> query, headers; // headers by lower-case name
  std::string body;
  std::string client;    // its address
  std::string network;   // the address, or the first half of one of IPv6: what one person may have all of
  bool loopback = false; // from this machine: 127.0.0.1 or ::1, and the server listens on loopback alone
  std::string header(const std::string &lower_name) const {
    const auto h = headers.find(lower_name);
    return h == headers.end() ? "" : h->second;
  }
};

struct Response {
  int status = 200;
  std::string type = "application/json", body;
  std::map<std::string, std::string> headers;
  std::string file; // sent instead of the body: its bytes from `from`, `length` of them
  std::uint64_t from = 0, length = 0;
  // Sent instead of the body: called again and again, gives the next bytes; null ends it. `length` of them,
  // if that is not 0; else as many as come.
  std::function<std::shared_ptr<const std::string>()> stream;
  std::string session; // of the visitor, for Server::end_answers(); empty: it has none
  // Asked once the answer can be ended: false where the session has lost its right meanwhile, so that nothing
  // is sent.
  std::function<bool()> is_current = [] { return true; };
  bool trusted = false; // the answer is for somebody who may look, whose connection may stay (places.h)
};

struct ServerSettings {
  std::string address;
  int port = 0;
  bool tls = false;    // with the certificate of use_certificate()
  bool framed = false; // pages of the same address may show this one inside them
  // A request arrives whole within this time of the connection's begin, or of the answer before; else the
  // connection ends.
  std::chrono::milliseconds request_within{30000};
  std::chrono::milliseconds stranger_within{10000}; // the same of who has shown no token on this connection
};

// An address in numbers as a Request has it.
struct ClientAddress {
  std::string address, network;
  bool this_machine = false; // 127.0.0.1 or ::1
};
ClientAddress client_address(const std::string &numbers); // all empty: these are none

// Whether whatever listens on this address or name is reached from this machine alone.
bool is_loopback(const std::string &address);

class Server {
 public:
  using Handler = std::function<Response(const Request &)>; // on any thread
  // Throws Error::io when the address cannot be listened on.
  Server(const ServerSettings &, Handler);
  ~Server();
  Server(const Server &) = delete;
  Server &operator=(const Server &) = delete;
  // Closes the connections on which answers are on their way to this session. On any thread.
  void end_answers(const std::string &session);
  int port() const; // the one that was chosen, for port 0

  static constexpr std::size_t largest_body = 64 << 10;
  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

Response error_response(int status, const std::string &what);

} // namespace vigil::monitor
