// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether a camera is there, since when, and why not. Knows no GStreamer. For the main thread.
#pragma once

#include "outage_log.h"

#include <optional>
#include <string>

namespace vigil::monitor {

class CameraState {
 public:
  enum class Kind { starting, online, offline, disabled, ended };
  CameraState(std::string camera, CameraNews &);

  void go(Kind, std::optional<std::string> why = std::nullopt); // viewers hear of it when it is a change
  void forget();                                                // the next go() is a change
  void tick() { outage_.tick(news_.utc().now()); }              // once a second
  void clock_set(double change);
  void stopped() { outage_.end(news_.utc().now()); }

  bool is(Kind k) const { return kind_ == k; }
  bool online() const { return kind_ == Kind::online; }
  const char *name() const;
  const std::optional<std::string> &reason() const { return reason_; }
  double since() const { return since_; }

 private:
  const std::string camera_;
  CameraNews &news_;
  OutageLog outage_;
  Kind kind_ = Kind::starting;
  std::optional<std::string> reason_;
  double since_ = 0; // UTC; 0: there was no go() yet
};

} // namespace vigil::monitor
