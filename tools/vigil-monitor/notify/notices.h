// SPDX-License-Identifier: LGPL-2.1-or-later
// The messages of one rule of `notify`: gathers what happens within some seconds, waits for the rule's
// shortest interval, sends one message of all, and tries again until the server takes it. On a thread of its
// own, from an outbox in the database.
#pragma once

#include "../ending_thread.h"
#include "../store/event_store.h"
#include "notice.h"
#include "senders.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

namespace vigil::monitor {

class Notices {
 public:
  static constexpr const char *prefix = "notify "; // of all boxes
  // `picture`: the JPEG of an event, empty where there is none.
  Notices(NotifyConfig, EventStore &, CameraTitles titles, std::function<std::string(const Event &)> picture,
          std::function<void(const std::string &)> log);
  ~Notices();
  Notices(const Notices &) = delete;
  Notices &operator=(const Notices &) = delete;

  const std::string &box() const { return box_; }
  const NotifyConfig &rule() const { return rule_; }
  // What goes into the outbox because of these news; nothing: they are not the rule's.
  std::optional<Posting> posting(const std::optional<Event> &before, const Event &now) const;
  void wake();
  Delivery test() const; // waits for the server
  // As Webhook::end().
  bool end(std::chrono::milliseconds patience);

 private:
  void run();
  bool pause(double seconds); // false: the program ends
  Delivery send(const std::vector<Letter> &);

  const NotifyConfig rule_;
  const std::string box_;
  EventStore &store_;
  const CameraTitles titles_;
  const std::function<std::string(const Event &)> picture_;
  const std::function<void(const std::string &)> log_;
  std::atomic<bool> ended_ = false;
  std::mutex lock_;
  std::condition_variable wake_;
  bool more_ = true;
  EndingThread thread_; // last: it uses all above
};

} // namespace vigil::monitor
