// SPDX-License-Identifier: LGPL-2.1-or-later
// Sends one message to a device's push service, with the key by which services know this server.
#pragma once

#include "push_devices.h"
#include "push_message.h"

#include "../config/notify.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <string>

namespace vigil::monitor {

class PushSender {
 public:
  static constexpr int oldest_message = 4 * 3600; // seconds; a service keeps none longer
  struct Answer {
    std::string wrong; // empty: taken
    enum class Kind { taken, gone, refused, later } kind = Kind::taken;
    double retry_after = 0;
  };

  // `key_file` is made at the first use. Once `ended` is true, a request that goes on is given up.
  PushSender(PushConfig config, std::string key_file, const std::atomic<bool> &ended)
      : config_(std::move(config)), key_file_(std::move(key_file)), ended_(ended) {}

  std::string public_key(); // for browsers, as base64url; throws as vapid_key() does
  Answer send(const PushDevice &, const std::string &message); // waits for the service

 private:
  const P256Key &key();
  const PushConfig config_;
  const std::string key_file_;
  const std::atomic<bool> &ended_;
  std::mutex key_lock_;
  std::optional<P256Key> key_;
};

} // namespace vigil::monitor
