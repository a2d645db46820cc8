// SPDX-License-Identifier: LGPL-2.1-or-later
// Tells MQTT, the webhook and people, where they are configured, what the monitor tells, and the devices that
// people have registered.
#pragma once

#include "../http/audit.h"
#include "../monitor.h"
#include "mqtt.h"
#include "notices.h"
#include "push.h"
#include "webhook.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <memory>

namespace vigil::monitor {

class Notifier {
 public:
  // Before the cameras start. Orders by MQTT go into the audit log.
  Notifier(Monitor &, AuditLog &, Push &);
  nlohmann::json mqtt_state() const;
  // Sends a message for a test by each rule of `notify`, and waits: [{to, error: null or why not}].
  nlohmann::json test_notices() const;
  void take_no_orders() { no_orders_ = true; } // the program ends
  // False when one of its threads has not ended within the time: it goes on then, and this object must not be
  // destroyed.
  bool end(std::chrono::milliseconds patience);

 private:
  std::vector<Posting> news(const char *type, const Event &) const;       // on the writer thread
  void event(const char *type, const Event &);                            // likewise, once it is stored
  void announce(const std::string &camera, const nlohmann::json &record); // on the main thread
  void order(const Command &);                                            // on MQTT's thread
  void obey(const Command &);                                             // on the main thread
  void announce(const nlohmann::json &camera);
  void withdraw(const std::string &camera);

  Monitor &monitor_;
  AuditLog &audit_;
  Push &push_;
  const MqttConfig mqtt_config_;
  // The writer thread's: events as they were sent last, all that go on and the last that ended.
  std::map<std::string, Event> before_;
  std::deque<std::string> ended_;                       // the last ones
  std::map<std::string, std::vector<Topic>> announced_; // by camera; the main thread's
  std::atomic<bool> no_orders_ = false;
  std::unique_ptr<Mqtt> mqtt_;
  std::unique_ptr<Webhook> webhook_;
  std::vector<std::unique_ptr<Notices>> notices_;
};

} // namespace vigil::monitor
