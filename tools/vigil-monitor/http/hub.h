// SPDX-License-Identifier: LGPL-2.1-or-later
// All viewers of live streams. Publishing never waits for a viewer.
#pragma once

#include "../visible_cameras.h"
#include "frames.h"

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace vigil::monitor {

class Hub {
 public:
  // `on_demand` is called, without a lock of this object, when viewers came or went.
  explicit Hub(std::function<void()> on_demand) : on_demand_(std::move(on_demand)) {}
  struct ViewerDemand {
    std::set<std::string> cameras; // empty: all
    View view = View::plain;
    bool pictures = true;
    int height = 0;         // 0: the camera's own
    VisibleCameras visible; // of others the viewer hears nothing
  };
  struct Demand { // of one camera, by all viewers
    unsigned views = 0;
    int height = 0;
  };
  class Viewer {
   public:
    Viewer(Hub &hub, ViewerDemand w) : wish(std::move(w)), hub_(hub) {}
    ~Viewer() { hub_.leave(this); }
    const ViewerDemand wish;
    ViewerQueue queue;

   private:
    Hub &hub_;
  };

  // Null when too many watch. `hello` is the first record.
  std::unique_ptr<Viewer> join(ViewerDemand, const nlohmann::json &hello, double time);
  Demand demand(const std::string &camera) const;

  void picture(const std::string &camera, View, bool motion, double time, Bytes jpeg);
  void text(const std::string &camera, double time, const nlohmann::json &);
  void close(); // all viewers; nobody joins after
  std::size_t viewers() const;
  std::uint64_t dropped() const;

 private:
  void leave(Viewer *);
  static constexpr std::size_t most_viewers = 64;
  const std::function<void()> on_demand_;
  mutable std::mutex lock_;
  std::set<Viewer *> viewers_;
  std::uint64_t dropped_ = 0;
  bool closed_ = false;
};

} // namespace vigil::monitor
