// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether people may speak to a camera. A camera by RTSP is asked once for its back channel, or the address
// of `talk` whether it knows ANNOUNCE, by a connection of its own. No answer: it is asked again later. For
// the main thread, where nothing else is said.
#pragma once

#include "../config/config.h"
#include "../live/loudspeaker.h"
#include "camera_services.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace vigil::monitor {

class TalkBack : public std::enable_shared_from_this<TalkBack> {
 public:
  // The configuration is the camera's, which may change.
  TalkBack(const CameraConfig &, std::shared_ptr<CameraServices>);

  void follow();          // the configuration as it is now
  void stop();            // asks nothing any more; nobody may speak
  void tick(bool online); // once a second

  bool possible() const { return found_ && found_->form; }
  std::string why_not() const; // empty: it is possible, or nothing is known yet
  bool spoken_to() const { return speakers_ > 0; }

  // On any thread: where to speak to the camera. Without an address nobody may, now.
  Loudspeaker::Target target() const;
  void speaks(bool begins); // somebody begins to, or ends; on any thread

 private:
  void ask();
  const CameraConfig &config_;
  const std::string name_;
  const std::shared_ptr<CameraServices> services_;
  std::optional<Loudspeaker::Look> found_;
  double asked_ = 0;              // by the monotonic clock; 0: not yet
  bool asking_ = false;           // now
  std::atomic<int> speakers_ = 0; // one may begin before the end of another one is known
  mutable std::mutex lock_;
  Loudspeaker::Target target_; // while it is wanted
};

} // namespace vigil::monitor
