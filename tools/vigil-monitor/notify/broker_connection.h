// SPDX-License-Identifier: LGPL-2.1-or-later
// One connection to an MQTT broker. For the client's thread: it connects and works in turns, and waits for
// nothing.
#pragma once

#include "../config/config.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

struct mosquitto;

namespace vigil::monitor {

class BrokerConnection {
 public:
  // While turn() runs. They only note what libmosquitto says: it holds a lock meanwhile.
  struct Calls {
    std::function<void()> connected;
    std::function<void(int message)> published; // the broker has it
    std::function<void(const char *topic, std::string payload)> received;
  };
  // `available`: the topic on which the broker says that this client is gone. Throws Error::io,
  // Error::bad_setting and Error::no_memory.
  BrokerConnection(const MqttConfig &, std::string available, int most_under_way, Calls);

  bool begin(); // false when it fails at once
  bool turn();  // false when the connection is over
  bool connected() const { return connected_; }
  // What went wrong last; empty: nothing.
  std::string error() const;

  // The number of the message; none when it cannot be sent now.
  std::optional<int> publish(const std::string &topic, const std::string &payload, bool retain);
  void say_goodbye();

 private:
  struct Callbacks;
  void set_up_tls();

  const MqttConfig &config_;
  const std::string available_;
  const Calls calls_;
  const std::unique_ptr<mosquitto, void (*)(mosquitto *)> client_;
  bool connected_ = false;
  std::string refused_; // why the broker does not take the client
  int code_ = 0;        // of the last turn
  int goodbye_ = 0;     // the message
};

} // namespace vigil::monitor
