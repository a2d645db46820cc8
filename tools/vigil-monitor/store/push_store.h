// SPDX-License-Identifier: LGPL-2.1-or-later
// Browsers and phones that get messages by web push, in the database of events, over a connection of its own.
// All methods may be called from any thread, and throw as those of an EventStore do.
#pragma once

#include "sqlite.h"

#include <mutex>
#include <string>
#include <vector>

namespace vigil::monitor {

struct StoredDevice {
  std::string id;                       // for lists; it opens nothing
  std::string owner, credential;        // as Access knows them
  std::string name, agent;              // of user or token, and the browser's own words, for lists
  std::string site;                     // the address at which the page was open
  std::string endpoint, p256dh, secret; // of the subscription
  std::string settings;                 // JSON
  double created = 0, sent = 0;         // seconds since 1970; sent 0: never
  std::string problem;                  // why the last message did not arrive; empty: it did
};

void make_push_table(Sqlite &); // where it is not there

class PushStore {
 public:
  explicit PushStore(const std::string &path); // that of an EventStore, which has made the table

  std::vector<StoredDevice> devices() const; // by their age
  void put(const StoredDevice &);            // takes the place of one with its id or its endpoint
  bool remove(const std::string &id);
  void set_result(const std::string &id, double sent, const std::string &problem);

 private:
  mutable std::mutex lock_;
  Sqlite db_;
};

} // namespace vigil::monitor
