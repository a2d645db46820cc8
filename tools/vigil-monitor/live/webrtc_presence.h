// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether this program serves WebRTC: where it does not, everybody gets the same reason.
#pragma once

#include "web_connection.h"

#include <string>

namespace vigil::monitor {

class WebRtcPresence {
 public:
  explicit WebRtcPresence(const WebRtcConfig &config)
      : missing_(config.enabled ? WebConnection::missing()
                                : "the configuration says http: {webrtc: {enabled: false}}") {}
  // Why there is no WebRTC here; empty: there is.
  const std::string &missing() const { return missing_; }
  // Throws WebRefused 501 where there is none.
  void need() const {
    if (!missing_.empty()) throw WebRefused{501, "there is no WebRTC here: " + missing_};
  }

 private:
  const std::string missing_;
};

} // namespace vigil::monitor
