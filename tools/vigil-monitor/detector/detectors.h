// SPDX-License-Identifier: LGPL-2.1-or-later
// The detectors of all cameras: those with the same settings share one. For the main thread.
#pragma once

#include "detector.h"

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace vigil::monitor {

class Detectors {
 public:
  explicit Detectors(std::function<void(const std::string &)> log) : log_(std::move(log)) {}

  // The one with these settings.
  std::shared_ptr<Detector> with(const DetectorConfig &config) {
    for (const auto &d : all_)
      if (d->config() == config) return d;
    return all_.emplace_back(std::make_shared<Detector>(config, log_));
  }
  // Those that no camera uses any more. The end of one waits for its inference, so not on the main thread.
  std::vector<std::shared_ptr<Detector>> take_unused() {
    std::vector<std::shared_ptr<Detector>> out;
    for (auto &d : all_)
      if (d.use_count() == 1) out.push_back(std::move(d));
    std::erase(all_, nullptr);
    return out;
  }
  nlohmann::json describe() const {
    auto out = nlohmann::json::array();
    for (const auto &d : all_) out.push_back(d->describe());
    return out;
  }

 private:
  const std::function<void(const std::string &)> log_;
  std::vector<std::shared_ptr<Detector>> all_;
};

} // namespace vigil::monitor
