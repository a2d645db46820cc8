// SPDX-License-Identifier: LGPL-2.1-or-later
// Messages by web push: knows the devices, gathers what happens for each of them, and sends it to the push
// services on a thread of its own, from the outbox in the database.
#pragma once

#include "../ending_thread.h"
#include "../store/event_store.h"
#include "../store/push_store.h"
#include "../visible_cameras.h"
#include "notice.h"
#include "push_message.h"
#include "push_settings.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace vigil::monitor {

struct PushDevice {
  StoredDevice stored;
  PushSettings settings;
};

class Push {
 public:
  static constexpr const char *prefix = "push "; // of all boxes
  static constexpr std::size_t most_of_one = 20, most = 512;
  // What the owner of a device may see; nothing: no longer anything.
  using Rights =
      std::function<std::optional<VisibleCameras>(const std::string &owner, const std::string &credential)>;
  using Log = std::function<void(const std::string &)>;

  // `key_file` is made at the first use.
  Push(PushConfig, PushStore &, EventStore &, std::string key_file, Rights, CameraTitles, Log);
  ~Push();
  Push(const Push &) = delete;
  Push &operator=(const Push &) = delete;

  bool enabled() const { return config_.enabled; }
  std::string public_key(); // for browsers, as base64url; throws as vapid_key() does
  using Device = std::shared_ptr<const PushDevice>;
  std::vector<Device> devices() const; // the oldest first
  Device find(const std::string &id) const;

  // Stored when they return. One of the same endpoint is replaced. Throws Error::bad_data on a subscription
  // that is none, Error::bad_setting when there are too many.
  Device add(StoredDevice, const PushSettings &);
  Device change(const std::string &id, const PushSettings &); // null: it is gone
  bool remove(const std::string &id);
  void remove_void(); // those whose owners have no rights any more: after a change of users

  // What goes into the outbox because of these news, and once that is stored: on the writer thread.
  std::vector<Posting> postings(const std::optional<Event> &before, const Event &now);
  void wake();
  // A message for a test, at once; waits for the service. Empty: it has taken it.
  std::string test(const Device &);
  // As Webhook::end().
  bool end(std::chrono::milliseconds patience);

 private:
  struct Answer {
    std::string wrong; // empty: taken
    enum class Kind { taken, gone, refused, later } kind = Kind::taken;
    double retry_after = 0;
  };
  struct Service { // a push service, by its origin
    double wait = 0, next = 0;
  };
  void run();
  double deliver(const Device &);
  double postpone(const Device &, const std::vector<Letter> &, const Answer &);
  void forget(const Device &, const std::string &why);
  void note_result(const Device &, bool taken, const std::string &problem);
  Answer send(const PushDevice &, const std::string &message);
  std::vector<Event> due_events(const PushDevice &, const VisibleCameras &,
                                const std::vector<Letter> &) const;
  const P256Key &key();

  const PushConfig config_;
  PushStore &store_;
  EventStore &outbox_;
  const std::string key_file_;
  const Rights rights_;
  const CameraTitles titles_;
  const Log log_;
  std::mutex key_lock_;
  std::optional<P256Key> key_;
  std::atomic<bool> ended_ = false;
  mutable std::mutex lock_; // of all below until the thread's
  std::condition_variable wake_;
  std::vector<Device> devices_;
  std::set<std::string> noted_;   // devices that get letters with what is being stored
  std::set<std::string> pending_; // devices that may have letters
  std::map<std::string, double> tested_;
  // The thread's.
  std::map<std::string, Service> services_;
  std::map<std::string, double> noticed_,
      last_; // by device: the first letter was seen, the last message sent
  std::map<std::string, int> tries_;
  EndingThread thread_; // last: it uses all above
};

} // namespace vigil::monitor
