// SPDX-License-Identifier: LGPL-2.1-or-later
// A client of an MQTT broker on a thread of its own. Events go out with QoS 1 from an outbox in the database:
// a broker that is away loses nothing. States are retained and sent again at each connection.
#pragma once

#include "../config/config.h"
#include "../ending_thread.h"
#include "../store/event_store.h"
#include "../store/outage.h"
#include "orders.h"
#include "retained_states.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>

struct mosquitto;

namespace vigil::monitor {

class Mqtt {
 public:
  using Log = std::function<void(const std::string &)>;
  using Receive = std::function<void(const Command &)>; // on the client's thread, which must not be held up
  Mqtt(MqttConfig, EventStore &, Log, Receive);
  ~Mqtt();
  Mqtt(const Mqtt &) = delete;
  Mqtt &operator=(const Mqtt &) = delete;

  // Says good-bye to the broker. False when the client has not ended within the time, because the broker's
  // name is still looked up or the database hangs: it goes on then, and this object must not be destroyed.
  bool end(std::chrono::milliseconds patience);

  void set_state(const Topic &t) { states_.set(t); } // sent when it changed; from any thread
  void wake() { more_ = true; }                      // there is a letter in the outbox
  bool connected() const { return connected_; }

 private:
  struct Callbacks;
  void run();
  bool session(); // one connection; true when it worked for a while
  void set_up_tls();
  void say_goodbye();
  void send_states();
  void send_letters();
  void exchange_letters(); // with the database
  void give_orders(double now);

  const MqttConfig config_;
  const std::string available_; // the topic
  EventStore &store_;
  const Log log_;
  const Receive receive_;
  std::atomic<bool> connected_ = false, ended_ = false, more_ = true;
  std::mutex lock_;
  std::condition_variable wake_;
  RetainedStates states_;
  // The client's thread alone:
  mosquitto *client_ = nullptr;
  std::map<int, std::int64_t> letters_;     // under way: message to letter
  std::map<int, std::string> state_topics_; // likewise
  std::set<std::int64_t> delivered_;        // letters that the broker has and the database does not know of
  Outage database_;
  double database_again_ = 0; // not asked before this time
  Orders orders_;
  int goodbye_ = 0; // the message
  std::string last_error_;
  EndingThread thread_; // last: it uses all above
};

} // namespace vigil::monitor
