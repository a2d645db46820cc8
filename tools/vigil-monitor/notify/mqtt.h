// SPDX-License-Identifier: LGPL-2.1-or-later
// A client of an MQTT broker on a thread of its own. Events go out with QoS 1 from an outbox in the database:
// a broker that is away loses nothing. States are retained and sent again at each connection.
#pragma once

#include "../config/config.h"
#include "../ending_thread.h"
#include "../store/event_store.h"
#include "orders.h"
#include "outbox_letters.h"
#include "retained_states.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace vigil::monitor {

class BrokerConnection;

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
  void wake() { letters_.wake(); }                   // there is a letter in the outbox
  bool connected() const { return connected_; }

 private:
  void run();
  bool session(); // one connection; true when it worked for a while
  void connection_works();
  void published(int message);
  void received(const char *topic, const std::string &payload);
  void send_states(BrokerConnection &);
  void give_orders(double now);

  const MqttConfig config_;
  const std::string available_; // the topic
  const Log log_;
  const Receive receive_;
  std::atomic<bool> connected_ = false, ended_ = false;
  std::mutex lock_;
  std::condition_variable wake_;
  RetainedStates states_; // any thread's
  OutboxLetters letters_;
  // The client's thread alone:
  std::map<int, std::string> state_topics_; // under way: message to topic
  Orders orders_;
  std::string last_error_;
  EndingThread thread_; // last: it uses all above
};

} // namespace vigil::monitor
