// SPDX-License-Identifier: LGPL-2.1-or-later
// News of cameras and events on their way to viewers, and those of cameras also to MQTT and the labels.
#pragma once

#include "camera/utc.h"
#include "common/guarded.h"
#include "http/hub.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace vigil::monitor {

class Announcer {
 public:
  using Listener = std::function<void(const std::string &camera, const nlohmann::json &)>;
  // `on_demand`: as of Hub.
  Announcer(const Utc &utc, std::function<void()> on_demand) : utc_(utc), hub_(std::move(on_demand)) {}

  // On any thread: to viewers who may see the camera; empty: to all.
  void to_viewers(const std::string &camera, const nlohmann::json &news) {
    hub_.text(camera, utc_.now(), news);
  }
  // On the main thread: also to all listeners.
  void to_all(const std::string &camera, const nlohmann::json &news) {
    to_viewers(camera, news);
    for (const auto &listener : listeners) guard("news of a camera", [&] { listener(camera, news); });
  }
  void close() { // viewers hear that the program ends; nobody joins after
    to_viewers("", {{"kind", "bye"}});
    hub_.close();
  }
  Hub &hub() { return hub_; }

  std::vector<Listener> listeners; // on the main thread

 private:
  const Utc &utc_;
  Hub hub_;
};

} // namespace vigil::monitor
