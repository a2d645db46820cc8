// SPDX-License-Identifier: LGPL-2.1-or-later
// Tells MQTT and the webhook, where they are configured, what the monitor tells.
#pragma once

#include "../monitor.h"
#include "mqtt.h"
#include "webhook.h"

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

  Monitor &monitor_;
  const MqttConfig mqtt_config_;
  std::map<std::string, Event> before_; // the writer thread's: events that go on, as they were told last
  std::map<std::string, std::vector<Topic>> announced_; // by camera; the main thread's
  std::unique_ptr<Mqtt> mqtt_;
  std::unique_ptr<Webhook> webhook_;
};

} // namespace vigil::monitor
