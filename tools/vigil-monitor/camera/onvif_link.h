// SPDX-License-Identifier: LGPL-2.1-or-later
// A camera's ONVIF device: it turns the camera, and says what the camera finds by itself. While the camera
// turns nothing that cudamog finds is an event; the models of presets are kept and recalled. For the main
// thread.
#pragma once

#include "../config/config.h"
#include "../onvif/ptz_head.h"
#include "../onvif/pull_point.h"
#include "camera_services.h"
#include "device_events.h"
#include "event_causes.h"
#include "event_tracker.h"
#include "turning.h"
#include "view_models.h"

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace vigil::monitor {

class CameraPipeline;

class OnvifLink : public std::enable_shared_from_this<OnvifLink> {
 public:
  // The configuration is the camera's, which may change. `pipeline`: null when it is not connected.
  OnvifLink(const CameraConfig &, std::shared_ptr<CameraServices>, EventTracker &, EventCauses &,
            std::function<CameraPipeline *()> pipeline);
  ~OnvifLink();

  void follow();                  // the configuration as it is now
  void stop();                    // asks the device nothing any more
  void tick(bool online);         // once a second
  void connection_begins() const; // the pipeline is a new one
  void connection_ends() { events_of_device_.connection_ends(); }
  void moved_by_others() { turning_.moved(); }

  // Null: the camera has no ONVIF device, or is switched off.
  std::shared_ptr<PtzHead> ptz() const { return ptz_; }
  ViewModels models() const;
  static std::string folder(const std::string &camera) { return "models/" + camera + "-views"; }
  // The camera is about to turn; `preset`: to this one's view. The result, for a thread that may wait before
  // it lets the camera turn, keeps the model of the view that it leaves; empty: there is none to keep.
  std::function<void()> turns(const std::string &preset);
  void refused(); // it did not
  void is_at(const std::string &preset) { turning_.is_at(preset); }
  void left(const std::string &preset) { turning_.left(preset); }
  const std::string &at() const { return turning_.at(); }

  nlohmann::json describe_ptz() const;    // null: it does not turn
  nlohmann::json describe_events() const; // null: it has no ONVIF device

 private:
  template <class F>
  auto on_main(F f); // a function for any thread, which calls f(OnvifLink &, arguments) on the main one
  void learn() const;

  const CameraConfig &config_;
  const std::shared_ptr<CameraServices> services_;
  EventCauses &causes_;
  const std::function<CameraPipeline *()> pipeline_;
  Turning turning_;
  DeviceEvents events_of_device_;
  std::string address_; // that ptz_ and pull_ have
  std::shared_ptr<PtzHead> ptz_;
  std::shared_ptr<PullPoint> pull_;
  std::string away_ = "it has not answered yet"; // why nothing comes by pull_; empty: it is subscribed
};

} // namespace vigil::monitor
