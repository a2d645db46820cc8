// SPDX-License-Identifier: LGPL-2.1-or-later
// The monitor as its cameras use it: camera/camera_services.h says which method is for which thread.
#pragma once

#include "camera/camera_services.h"
#include "detector/detectors.h"
#include "log.h"
#include "monitor.h"

namespace vigil::monitor {

class Monitor::Services final : public CameraServices {
 public:
  explicit Services(Monitor &monitor) : detectors(log_line), monitor_(monitor) {}

  const Utc &utc() const override { return monitor_.utc_; }
  std::string file(const std::string &below) const override;
  void log(const std::string &line) override;

  void announce(const std::string &camera, const nlohmann::json &) override;
  void event(const char *type, const Event &) override;
  void thumbnail(const Event &, Bytes jpeg) override;
  void vector(const Event &, std::vector<float>) override;
  void crossing(const std::string &camera, const std::string &line, double time, bool in) override;
  void teach(GstElement *tracklabel, bool may_look) override;
  void heat(const std::string &camera, double time, std::vector<float> cells) override;
  void motion(const std::string &camera, const MovedSeconds &) override;

  void on_main(std::function<void()>) override;
  void in_background(std::function<void()>) override;
  void picture(const std::string &camera, View, bool motion, double time, Bytes jpeg) override;
  bool offers_findings() const override { return !monitor_.cameras_.config().rtsp.address.empty(); }
  tools::SharedContexts &contexts() override { return contexts_; }
  std::shared_ptr<ClipThreads> clips() override { return monitor_.media_.clips(); }
  std::shared_ptr<RecordingDisk> recordings() override { return monitor_.media_.recordings(); }
  std::shared_ptr<Detector> detector(const DetectorConfig &) override;

  // An event has its vector, which gpufisher made with this model. On the writer thread.
  std::function<void(const Event &, const std::vector<float> &, const std::string &model_file)> on_vector;
  // A camera begins with this element. On the main thread.
  std::function<void(GstElement *tracklabel, bool may_look)> on_tracklabel;
  Detectors detectors; // for the main thread

 private:
  void save_thumbnail(const Event &, const std::string &jpeg); // on the writer thread
  Monitor &monitor_;
  tools::SharedContexts contexts_;
  Outage thumbnails_; // the writer thread's
};

} // namespace vigil::monitor
