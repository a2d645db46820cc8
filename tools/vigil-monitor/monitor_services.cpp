// SPDX-License-Identifier: LGPL-2.1-or-later
#include "monitor_services.h"

#include "common/guarded.h"

#include <cmath>
#include <utility>

namespace vigil::monitor {

std::string Monitor::Services::file(const std::string &below) const {
  return monitor_.storage_->file(below);
}

void Monitor::Services::log(const std::string &line) {
  log_line(line);
}

void Monitor::Services::announce(const std::string &camera, const nlohmann::json &news) {
  nlohmann::json out = news;
  if (news["kind"] == "camera") {
    if (!monitor_.cameras_.count(camera)) return;
    out["camera"] = monitor_.describe(camera);
  }
  monitor_.hub_.text(camera, utc().now(), out);
  for (const auto &listener : monitor_.on_announce) guard("news of a camera", [&] { listener(camera, out); });
}

void Monitor::Services::event(const char *type, const Event &e) {
  monitor_.save(type, e);
}

void Monitor::Services::thumbnail(const Event &e, Bytes jpeg) {
  if (!monitor_.writer_.add([&m = monitor_, e, jpeg = std::move(jpeg)] { m.save_thumbnail(e, *jpeg); }))
    monitor_.lost("pictures of events");
}

void Monitor::Services::vector(const Event &e, std::vector<float> v) {
  const auto camera = monitor_.camera(e.camera);
  const std::string model = camera ? setting_of(camera->config(), "gpufisher", "model-location") : "";
  if (!monitor_.writer_.add([&m = monitor_, e, v = std::move(v), model] {
        m.storage_->events().put_vector(e.id, v);
        if (m.on_vector) m.on_vector(e, v, model);
      }))
    monitor_.lost("vectors of events");
}

void Monitor::Services::teach(GstElement *tracklabel) {
  if (monitor_.on_tracklabel) monitor_.on_tracklabel(tracklabel);
}

std::shared_ptr<Detector> Monitor::Services::detector(const DetectorConfig &config) {
  return monitor_.detectors_.with(config);
}

void Monitor::Services::crossing(const std::string &camera, const std::string &line, double time, bool in) {
  const bool taken = monitor_.writer_.add_needed([&m = monitor_, camera, line, time, in] {
    const auto quarter = static_cast<std::int64_t>(std::floor(time / EventStore::quarter));
    Crossings &c = m.crossings_[{camera, line, quarter}];
    (in ? c.in : c.out)++;
    m.save_crossings();
  });
  if (!taken) monitor_.lost("crossings of lines");
}

void Monitor::Services::heat(const std::string &camera, double time, std::vector<float> cells) {
  const bool taken = monitor_.writer_.add_needed([&m = monitor_, camera, time, cells = std::move(cells)] {
    m.storage_->events().add_heat(camera, time, cells);
  });
  if (!taken) monitor_.lost("heat");
}

void Monitor::Services::motion(const std::string &camera, const MovedSeconds &moved) {
  monitor_.storage_->motion().add(camera, moved); // in memory: save_motion() stores it
}

void Monitor::Services::on_main(std::function<void()> f) {
  Monitor::on_main(std::move(f));
}

void Monitor::Services::in_background(std::function<void()> f) {
  monitor_.reaper_.add(std::move(f));
}

void Monitor::Services::picture(const std::string &camera, View v, bool motion, double time, Bytes jpeg) {
  monitor_.hub_.picture(camera, v, motion, time, std::move(jpeg));
}

} // namespace vigil::monitor
