// SPDX-License-Identifier: LGPL-2.1-or-later
// A client of an MQTT broker on a thread of its own. Events go out with QoS 1 from an outbox in the database:
// a broker that is away loses nothing. States are retained and sent again at each connection.
#pragma once

#include "../config/config.h"
#include "../store/event_store.h"
#include "topics.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

struct mosquitto;

namespace vigil::monitor {

class Mqtt {
 public:
  using Log = std::function<void(const std::string &)>;
  using Receive = std::function<void(const Command &)>; // on the client's thread
  Mqtt(MqttConfig, EventStore &, Log, Receive);
  ~Mqtt();
  Mqtt(const Mqtt &) = delete;
  Mqtt &operator=(const Mqtt &) = delete;

  void set_state(const Topic &); // sent when it changed; from any thread
  void wake() { more_ = true; }  // there is a letter in the outbox
  bool connected() const { return connected_; }

 private:
  struct Callbacks;
  void run();
  bool session(); // one connection; true when it worked for a while
  void send_states();
  void send_letters();

  const MqttConfig config_;
  EventStore &store_;
  const Log log_;
  const Receive receive_;
  mosquitto *client_ = nullptr;
  std::atomic<bool> connected_ = false, ended_ = false, more_ = true;
  std::mutex lock_;
  std::condition_variable wake_;
  std::map<std::string, std::string> states_; // by topic
  std::set<std::string> changed_;
  std::map<int, std::int64_t> under_way_; // message to letter; the client's thread alone
  std::set<std::int64_t> sent_;
  std::string last_error_;
  std::thread thread_;
};

} // namespace vigil::monitor
