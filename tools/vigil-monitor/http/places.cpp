// SPDX-License-Identifier: LGPL-2.1-or-later
#include "places.h"

#include "common/guarded.h"

#include <algorithm>
#include <sys/socket.h>

namespace vigil::monitor {

Places::Places(std::chrono::milliseconds patience, std::chrono::milliseconds patience_with_strangers)
    : patience_(patience), patience_with_strangers_(std::min(patience, patience_with_strangers)),
      thread_([this] { guard("places of connections", [this] { run(); }); }) {}

Places::~Places() {
  {
    const std::lock_guard guard(lock_);
    ended_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Places::came(const void *connection, int socket, std::string network, bool loopback) {
  const std::lock_guard guard(lock_);
  make_room(network, loopback);
  Connection c{};
  c.socket = socket;
  c.network = std::move(network);
  c.loopback = loopback;
  c.number = next_++;
  c.until = Clock::now() + patience_with_strangers_;
  all_[connection] = std::move(c);
}

void Places::has_request(const void *connection) {
  const std::lock_guard guard(lock_);
  if (const auto c = all_.find(connection); c != all_.end()) c->second.busy = true;
}

void Places::is_answered(const void *connection, bool trusted, const std::string &session) {
  const std::lock_guard guard(lock_);
  const auto c = all_.find(connection);
  if (c == all_.end()) return;
  c->second.trusted = trusted;
  c->second.session = session;
  c->second.busy = trusted;
  c->second.until = Clock::now() + patience_; // of a stranger, to take the answer
}

void Places::expect_next(const void *connection) {
  const std::lock_guard guard(lock_);
  const auto c = all_.find(connection);
  if (c == all_.end()) return;
  c->second.busy = false;
  c->second.session.clear();
  c->second.until = Clock::now() + (c->second.trusted ? patience_ : patience_with_strangers_);
}

void Places::end_answers(const std::string &session) {
  const std::lock_guard guard(lock_);
  for (auto &[name, c] : all_)
    if (!session.empty() && c.session == session) end(c);
}

void Places::gone(const void *connection) {
  const std::lock_guard guard(lock_);
  all_.erase(connection);
}

void Places::end(Connection &c) {
  shutdown(c.socket, SHUT_RDWR); // the server sees the end of the connection, and closes it
  c.leaving = true;
}

// With the lock.
void Places::make_room(const std::string &network, bool loopback) {
  std::map<std::string, std::size_t> of; // strangers by network
  std::size_t strangers = 0;
  for (const auto &[name, c] : all_)
    if (!c.trusted && !c.leaving && c.loopback == loopback) {
      of[c.network]++;
      strangers++;
    }
  const std::string *from = nullptr; // who gives a place
  if (loopback ? strangers >= most_of_loopback : of[network] >= most_of_one)
    from = &network;
  else if (!loopback && strangers >= most)
    from = &std::max_element(of.begin(), of.end(), [](const auto &a, const auto &b) {
              return a.second < b.second;
            })->first;
  if (!from) return;
  Connection *oldest = nullptr;
  for (auto &[name, c] : all_)
    if (!c.trusted && !c.leaving && !c.busy && c.loopback == loopback && (loopback || c.network == *from) &&
        (!oldest || c.number < oldest->number))
      oldest = &c;
  if (oldest) end(*oldest);
}

void Places::run() {
  std::unique_lock guard(lock_);
  while (!wake_.wait_for(guard, patience_ / 8, [this] { return ended_; })) {
    const auto now = Clock::now();
    for (auto &[name, c] : all_)
      if (!c.busy && !c.leaving && now >= c.until) end(c);
  }
}

} // namespace vigil::monitor
