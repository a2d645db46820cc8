// SPDX-License-Identifier: LGPL-2.1-or-later
// Messages by web push: gathers the events for each device, and sends them to the push services on a thread
// of its own, from the outbox in the database.
//
// Locks: this class calls PushDevices and the outbox without its own lock.
#pragma once

#include "../ending_thread.h"
#include "../store/event_store.h"
#include "../visible_cameras.h"
#include "notice.h"
#include "push_devices.h"
#include "push_schedule.h"
#include "push_sender.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace vigil::monitor {

class Push {
 public:
  static constexpr const char *prefix = "push "; // of all boxes
  // What the owner of a device may see; nothing: no longer anything.
  using Rights =
      std::function<std::optional<VisibleCameras>(const std::string &owner, const std::string &credential)>;
  using Log = std::function<void(const std::string &)>;

  // `key_file` is made at the first use.
  Push(PushConfig, PushStore &, EventStore &, std::string key_file, Rights, CameraTitles, Log);
  ~Push();
  Push(const Push &) = delete;
  Push &operator=(const Push &) = delete;

  bool enabled() const { return enabled_; }
  std::string public_key() { return sender_.public_key(); }
  using Device = PushDevices::Device;
  PushDevices &devices() { return devices_; }
  bool remove(const std::string &id); // a device and its letters
  void remove_void();                 // those whose owners have no rights any more: after a change of users

  // What goes into the outbox because of these news, and once that is stored: on the writer thread.
  std::vector<Posting> postings(const std::optional<Event> &before, const Event &now);
  void wake();
  // A message for a test, at once; waits for the service. Empty: it has taken it.
  std::string test(const Device &);
  // As Webhook::end().
  bool end(std::chrono::milliseconds patience);

 private:
  void run();
  double deliver(const Device &);
  double postpone(const Device &, const std::vector<Letter> &, const PushSender::Answer &);
  void forget(const Device &, const std::string &why);
  std::vector<Event> due_events(const PushDevice &, const VisibleCameras &,
                                const std::vector<Letter> &) const;

  const bool enabled_;
  EventStore &outbox_;
  const Rights rights_;
  const CameraTitles titles_;
  const Log log_;
  PushDevices devices_;
  std::atomic<bool> ended_ = false;
  PushSender sender_;
  std::mutex lock_; // of the next three
  std::condition_variable wake_;
  std::set<std::string> noted_;   // devices that get letters with what is being stored
  std::set<std::string> pending_; // devices that may have letters
  PushSchedule schedule_;         // the thread's
  EndingThread thread_;           // last: it uses all above
};

} // namespace vigil::monitor
