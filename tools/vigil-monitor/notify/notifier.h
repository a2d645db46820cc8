// SPDX-License-Identifier: LGPL-2.1-or-later
// Tells MQTT and the webhook, where they are configured, what the monitor tells.
#pragma once

#include "../monitor.h"
#include "mqtt.h"
#include "webhook.h"

#include <deque>
#include <map>
#include <memory>

namespace vigil::monitor {

class Notifier {
 public:
  explicit Notifier(Monitor &); // before the cameras start
  nlohmann::json mqtt_state() const;

 private:
  std::vector<Posting> news(const char *type, const Event &) const;   // on the writer thread
  void event(const char *type, const Event &);                        // likewise, once it is stored
  void tell(const std::string &camera, const nlohmann::json &record); // on the main thread
  void order(const Command &);                                        // on MQTT's thread
  void announce(const nlohmann::json &camera);
  void withdraw(const std::string &camera);

  Monitor &monitor_;
  const MqttConfig mqtt_config_;
  // The writer thread's: events as they were told last, all that go on and the last that ended.
  std::map<std::string, Event> before_;
  std::deque<std::string> ended_;                       // the last ones
  std::map<std::string, std::vector<Topic>> announced_; // by camera; the main thread's
  std::unique_ptr<Mqtt> mqtt_;
  std::unique_ptr<Webhook> webhook_;
};

} // namespace vigil::monitor
