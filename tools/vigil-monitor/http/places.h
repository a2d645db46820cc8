// SPDX-License-Identifier: LGPL-2.1-or-later
// Which connections may stay. A stranger is a connection whose last answer was not for somebody who may look
// (Response::trusted). Strangers have few places, and of those the oldest gives way to a new one, so that
// each new client is heard: a health probe, or a person with a token, whose connection is no stranger's from
// then on.
//
// Connections whose request does not arrive whole in time end, too. A limit on silence alone would not end
// a client that sends a byte now and then.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace vigil::monitor {

class Places {
 public:
  // At most so many strangers of one network, of all networks but loopback, and of loopback.
  static constexpr std::size_t most_of_one = 32, most = 96, most_of_loopback = 64;

  Places(std::chrono::milliseconds patience, std::chrono::milliseconds patience_with_strangers);
  ~Places();
  Places(const Places &) = delete;
  Places &operator=(const Places &) = delete;

  // `connection` only names it. The socket stays open until gone() has returned.
  void came(const void *connection, int socket, std::string network, bool loopback);
  void has_request(const void *connection); // it is being looked at: it may take as long as it likes
  // The answer of somebody trusted may as well. `session`: who gets it, see end_answers().
  void is_answered(const void *connection, bool trusted, const std::string &session = "");
  void end_answers(const std::string &session); // connections on which answers are on their way to it
  void expect_next(const void *connection);     // the answer is out
  void gone(const void *connection);

 private:
  using Clock = std::chrono::steady_clock;
  struct Connection {
    int socket;
    std::string network, session;
    bool loopback, trusted = false, busy = false, leaving = false;
    std::uint64_t number; // in the order in which they came
    Clock::time_point until;
  };
  void run();
  void make_room(const std::string &network, bool loopback);
  static void end(Connection &);

  const std::chrono::milliseconds patience_, patience_with_strangers_;
  std::mutex lock_;
  std::condition_variable wake_;
  bool ended_ = false;
  std::uint64_t next_ = 0;
  std::map<const void *, Connection> all_;
  std::thread thread_; // last: it uses all above
};

} // namespace vigil::monitor
