// SPDX-License-Identifier: LGPL-2.1-or-later
// POSTs each event as JSON to an address, in order, from an outbox in the database; tries again until the
// server takes it.
#pragma once

#include "../ending_thread.h"
#include "../store/event_store.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>

namespace vigil::monitor {

class Webhook {
 public:
  Webhook(std::string url, EventStore &, std::function<void(const std::string &)> log);
  ~Webhook();
  Webhook(const Webhook &) = delete;
  Webhook &operator=(const Webhook &) = delete;
  void wake();
  // False when it has not ended within the time, because the database hangs: it goes on then, and this object
  // must not be destroyed.
  bool end(std::chrono::milliseconds patience);

 private:
  void run();
  // Empty when the server took it, or refused it for good (a status of 400 to 499 but 408 and 429); else what
  // went wrong.
  std::string post(const std::string &body);

  const std::string url_;
  EventStore &store_;
  const std::function<void(const std::string &)> log_;
  std::atomic<bool> ended_ = false;
  std::mutex lock_;
  std::condition_variable wake_;
  bool more_ = true;
  EndingThread thread_; // last: it uses all above
};

} // namespace vigil::monitor
