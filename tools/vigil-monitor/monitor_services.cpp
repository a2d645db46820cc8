// SPDX-License-Identifier: LGPL-2.1-or-later
#include "monitor_services.h"

#include "camera/properties.h"

#include <utility>

namespace vigil::monitor {

std::string Monitor::Services::file(const std::string &below) const {
  return monitor_.storage_.file(below);
}

void Monitor::Services::log(const std::string &line) {
  log_line(line);
}

void Monitor::Services::announce(const std::string &camera, const nlohmann::json &news) {
  nlohmann::json out = news;
  if (news["kind"] == "camera") {
    if (!monitor_.cameras_.find(camera)) return;
    out["camera"] = monitor_.cameras_.describe(camera);
  }
  monitor_.announcer_.to_all(camera, out);
}

void Monitor::Services::event(const char *type, const Event &e) {
  monitor_.events_.save(type, e);
}

void Monitor::Services::thumbnail(const Event &e, Bytes jpeg) {
  if (!monitor_.queue_.add([this, e, jpeg = std::move(jpeg)] { save_thumbnail(e, *jpeg); }))
    monitor_.queue_.lost("pictures of events");
}

void Monitor::Services::save_thumbnail(const Event &e, const std::string &jpeg) {
  try {
    monitor_.storage_.write_file(thumb_path(e), jpeg);
    thumbnails_.worked(Utc::monotonic_seconds());
  } catch (const Error &error) {
    if (thumbnails_.failed(Utc::monotonic_seconds()))
      log_line(vigil::text(error.what(), "; events have no pictures until it works again"));
  }
}

void Monitor::Services::vector(const Event &e, std::vector<float> v) {
  const auto camera = monitor_.cameras_.find(e.camera);
  const std::string model = camera ? setting_of(camera->config(), "gpufisher", "model-location") : "";
  if (!monitor_.queue_.add([this, e, v = std::move(v), model] {
        monitor_.storage_.events().put_vector(e.id, v);
        if (on_vector) on_vector(e, v, model);
      }))
    monitor_.queue_.lost("vectors of events");
}

void Monitor::Services::teach(GstElement *tracklabel, bool may_look) {
  if (on_tracklabel) on_tracklabel(tracklabel, may_look);
}

std::shared_ptr<Detector> Monitor::Services::detector(const DetectorConfig &config) {
  return detectors.with(config);
}

void Monitor::Services::crossing(const std::string &camera, const std::string &line, double time, bool in) {
  monitor_.statistics_.crossing(camera, line, time, in);
}

void Monitor::Services::heat(const std::string &camera, double time, std::vector<float> cells) {
  monitor_.statistics_.heat(camera, time, std::move(cells));
}

void Monitor::Services::motion(const std::string &camera, const MovedSeconds &moved) {
  monitor_.statistics_.motion(camera, moved);
}

void Monitor::Services::on_main(std::function<void()> f) {
  MainLoop::post(std::move(f));
}

void Monitor::Services::in_background(std::function<void()> f) {
  monitor_.reaper_.add(std::move(f));
}

void Monitor::Services::picture(const std::string &camera, View v, bool motion, double time, Bytes jpeg) {
  monitor_.announcer_.hub().picture(camera, v, motion, time, std::move(jpeg));
}

} // namespace vigil::monitor
