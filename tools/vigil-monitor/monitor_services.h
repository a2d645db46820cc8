// SPDX-License-Identifier: LGPL-2.1-or-later
// The monitor as its cameras use it: camera/camera_services.h says which method is for which thread.
#pragma once

#include "camera/camera_services.h"
#include "monitor.h"

namespace vigil::monitor {

class Monitor::Services final : public CameraServices {
 public:
  explicit Services(Monitor &monitor) : monitor_(monitor) {}

  const Utc &utc() const override { return monitor_.utc_; }
  std::string file(const std::string &below) const override;
  void log(const std::string &line) override;

  void announce(const std::string &camera, const nlohmann::json &) override;
  void event(const char *type, const Event &) override;
  void thumbnail(const Event &, Bytes jpeg) override;
  void vector(const Event &, std::vector<float>) override;
  void crossing(const std::string &camera, const std::string &line, double time, bool in) override;
  void teach(GstElement *tracklabel) override;
  void heat(const std::string &camera, double time, std::vector<float> cells) override;
  void motion(const std::string &camera, const MovedSeconds &) override;

  void on_main(std::function<void()>) override;
  void in_background(std::function<void()>) override;
  void picture(const std::string &camera, View, bool motion, double time, Bytes jpeg) override;
  bool offers_findings() const override { return !monitor_.config_.rtsp.address.empty(); }
  tools::SharedContexts &contexts() override { return monitor_.contexts_; }
  std::shared_ptr<ClipThreads> clips() override { return monitor_.clips_; }
  std::shared_ptr<RecordingDisk> recordings() override { return monitor_.recordings_; }
  std::shared_ptr<Detector> detector(const DetectorConfig &) override;

 private:
  Monitor &monitor_;
};

} // namespace vigil::monitor
