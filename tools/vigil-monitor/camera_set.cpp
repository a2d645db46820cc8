// SPDX-License-Identifier: LGPL-2.1-or-later
#include "camera_set.h"

#include "camera/properties.h"
#include "camera/source.h"
#include "common/error.h"
#include "common/guarded.h"
#include "config/secrets.h"
#include "config/text.h"
#include "counted.h"
#include "gst/video/gst_ptr.h"
#include "printable.h"

#include <algorithm>
#include <glib.h>
#include <utility>

namespace vigil::monitor {
namespace {

nlohmann::json detect_words(const CameraConfig &c) {
  nlohmann::json detect{{"height", c.detect_height}, {"fps", c.detect_fps}};
  if (c.detect_height == detect_half) detect["height"] = "half";
  if (c.detect_height == detect_full) detect["height"] = "full";
  if (c.detect_fps == detect_all) detect["fps"] = "all";
  if (c.detect_fps == detect_keys) detect["fps"] = "keys";
  return detect;
}

} // namespace

CameraSet::CameraSet(Config config, std::string file, Storage &storage, DiskQueue &queue,
                     Announcer &announcer, std::shared_ptr<CameraServices> services)
    : config_(std::move(config)), file_(std::move(file)), storage_(storage), queue_(queue),
      announcer_(announcer), services_(std::move(services)), overrides_writer_(storage, queue),
      overrides_(overrides_writer_.load()) {
  join_added(config_);
}

void CameraSet::start() {
  for (const std::string &name : config_.order) {
    cameras_[name] = std::make_shared<Camera>(overrides_.applied(config_.cameras.at(name)), services_);
    guard(name, [&] { cameras_[name]->start(); });
  }
  keep_titles();
}

void CameraSet::stop() {
  for (auto &[name, camera] : cameras_) guard(name, [&] { camera->stop("the program stops"); });
}

void CameraSet::clear() {
  cameras_.clear();
  leaving_.clear();
}

void CameraSet::tick() {
  for (const auto &[name, camera] : cameras_) guard(name, [&] { camera->tick(); });
  std::erase_if(leaving_, [](const auto &camera) { return !camera->awaits_clips(); });
}

void CameraSet::clock_set(double change) {
  for (const auto &[name, camera] : cameras_) guard(name, [&] { camera->clock_set(change); });
}

void CameraSet::demand() {
  for (const auto &[name, camera] : cameras_) camera->demand(announcer_.hub().demand(name));
}

std::shared_ptr<Camera> CameraSet::find(const std::string &name) const {
  const auto c = cameras_.find(name);
  return c == cameras_.end() ? nullptr : c->second;
}

std::vector<std::shared_ptr<Camera>> CameraSet::all() const {
  std::vector<std::shared_ptr<Camera>> out;
  for (const std::string &name : config_.order)
    if (const auto c = find(name)) out.push_back(c);
  return out;
}

nlohmann::json CameraSet::describe(const std::string &name) const {
  const auto c = find(name);
  return c ? c->describe(overrides_.names(name)) : nlohmann::json();
}

void CameraSet::apply(const std::string &name) {
  const auto c = find(name);
  if (!c) return;
  CameraConfig next = overrides_.applied(config_.cameras.at(name));
  const bool titled = next.title != c->config().title;
  c->change(std::move(next));
  if (titled) keep_titles();
  guard("cameras", [&] { on_configured(); });
}

void CameraSet::keep_titles() {
  std::map<std::string, std::string> titles;
  for (const auto &[name, camera] : cameras_)
    if (!camera->config().title.empty()) titles[name] = camera->config().title;
  const std::lock_guard guard(titles_lock_);
  titles_ = std::move(titles);
}

std::string CameraSet::title_of(const std::string &camera) const {
  const std::lock_guard guard(titles_lock_);
  const auto found = titles_.find(camera);
  return found == titles_.end() ? camera : found->second;
}

void CameraSet::set_title(const std::string &camera, const std::string &title) {
  if (!title.empty() && !is_title(title))
    fail(Error::Kind::bad_setting, "'", printable(title, most_said),
         "' is no title: 1 to 64 characters, without control characters or marks of direction, and without a "
         "space at an end");
  // Titles that look the same are the same.
  const auto folded = [](const std::string &words) {
    const gst::TextPtr whole(g_utf8_normalize(words.c_str(), -1, G_NORMALIZE_ALL_COMPOSE));
    const gst::TextPtr out(g_utf8_casefold(whole ? whole.get() : words.c_str(), -1));
    return std::string(out.get());
  };
  for (const auto &[name, other] : cameras_)
    if (name != camera && !title.empty() &&
        (folded(name) == folded(title) || folded(other->config().shown_name()) == folded(title)))
      fail(Error::Kind::bad_setting, "camera ", name, " is called '", other->config().shown_name(),
           "'; choose another title");
  overrides_.set_title(camera, title);
  apply(camera);
}

void CameraSet::join_added(Config &config) const {
  for (CameraConfig &c : overrides_.added(config.record)) {
    c.detector = config.detector;
    const std::string name = c.name;
    try {
      check_source(c);
      if (const auto there = config.cameras.find(name); there != config.cameras.end())
        fail(Error::Kind::bad_setting, there->second.place, " has one of this name, too");
      config.cameras[name] = std::move(c);
      config.order.push_back(name);
    } catch (const Error &e) {
      log_line("camera " + name + " of the page is not used: " + e.what());
    }
  }
}

std::vector<std::string> CameraSet::reload() {
  if (file_.empty()) return {};
  // First all that can fail, without a change:
  Config next = read_config(file_);
  keep_shard(next, config_.shard);
  for (const auto &[name, c] : next.cameras) {
    check_source(c);
    check_settings(c.elements);
  }
  // These take effect at the next start of the program.
  next.storage.path = config_.storage.path;
  next.storage.cold.path = config_.storage.cold.path;
  next.http = config_.http;
  next.rtsp = config_.rtsp;
  next.mqtt = config_.mqtt;
  next.webhook = config_.webhook;
  next.notify = config_.notify;
  next.labels = config_.labels;
  join_added(next);
  for (const std::string &warning : next.warnings)
    if (std::find(config_.warnings.begin(), config_.warnings.end(), warning) == config_.warnings.end())
      log_line(warning);
  const auto changed = use(std::move(next));
  log_line(vigil::text("configuration read again; ", counted(changed.size(), "camera"), " changed"));
  return changed;
}

void CameraSet::add(const std::string &name, const std::string &source, const std::string &record_source,
                    const std::string &onvif) {
  constexpr std::size_t most = 256;
  if (!is_name(name))
    fail(Error::Kind::bad_setting, "'", name.substr(0, 80),
         "' is no name; allowed are 1 to 32 of A-Z a-z 0-9 _ -");
  if (config_.cameras.count(name) || overrides_.has_added(name))
    fail(Error::Kind::bad_setting, "there is a camera ", name, " already");
  if (overrides_.added(config_.record).size() >= most)
    fail(Error::Kind::bad_setting, "the page has added ", most, " cameras; write more in the configuration");
  Overrides with = overrides_;
  with.forget(name); // of an earlier camera of this name
  with.add_camera(name, source, record_source, onvif);
  Config next = config_;
  for (CameraConfig &c : with.added(config_.record))
    if (c.name == name) {
      c.detector = config_.detector;
      check_source(c);
      next.cameras[name] = std::move(c);
      next.order.push_back(name);
    }
  std::swap(overrides_, with);
  try {
    use(std::move(next));
  } catch (...) {
    std::swap(overrides_, with);
    throw;
  }
}

void CameraSet::remove(const std::string &name) {
  const auto there = config_.cameras.find(name);
  if (there == config_.cameras.end()) fail(Error::Kind::bad_setting, "there is no camera ", name);
  if (!there->second.added)
    fail(Error::Kind::bad_setting, "camera ", name, " is in the configuration (",
         there->second.place.empty() ? file_ : there->second.place, "): take it out there, or switch it off");
  Config next = config_;
  next.cameras.erase(name);
  std::erase(next.order, name);
  use(std::move(next));
  overrides_.remove_camera(name);
}

std::vector<std::string> CameraSet::use(Config next) {
  std::vector<std::string> changed;
  std::map<std::string, std::shared_ptr<Camera>> kept, gone = cameras_, added;
  std::map<std::string, CameraConfig> changes;
  for (const std::string &name : next.order) {
    const CameraConfig &c = next.cameras.at(name);
    const auto before = config_.cameras.find(name);
    const auto there = gone.find(name);
    if (there == gone.end()) {
      added[name] = std::make_shared<Camera>(overrides_.applied(c), services_);
    } else {
      kept.insert(gone.extract(there));
      if (before != config_.cameras.end() && before->second == c) continue;
      changes[name] = overrides_.applied(c);
    }
    changed.push_back(name);
  }
  for (const auto &[name, camera] : gone) changed.push_back(name);
  leaving_.reserve(leaving_.size() + gone.size());
  kept.insert(added.begin(), added.end());
  // From here on nothing throws: what fails at one camera is said, and the others go on.
  std::swap(config_, next);
  for (const auto &[name, camera] : gone) {
    guard(name, [&] { camera->stop("the camera was taken out of the configuration"); });
    leaving_.push_back(camera);
    queue_.add_needed([folder = storage_.file(OnvifLink::folder(name))] { ViewModels::remove_all(folder); });
    guard(name, [&] { announcer_.to_all(name, {{"kind", "removed"}, {"name", name}}); });
  }
  cameras_ = std::move(kept);
  for (auto &[name, config] : changes) guard(name, [&] { cameras_[name]->change(std::move(config)); });
  for (const auto &[name, camera] : added) guard(name, [&] { camera->start(); });
  guard("cameras", [&] { keep_titles(); });
  guard("cameras", [&] { demand(); });
  if (!gone.empty() || !added.empty()) guard("cameras", [&] { on_change(); });
  guard("cameras", [&] { on_configured(); });
  return changed;
}

nlohmann::json CameraSet::configuration() const {
  nlohmann::json cameras = nlohmann::json::object();
  for (const auto &[name, camera] : cameras_) {
    const CameraConfig &c = camera->config();
    nlohmann::json j = camera->describe(overrides_.names(name)), elements = nlohmann::json::object();
    for (const auto &[e, properties] : c.elements)
      for (const auto &[p, s] : properties) elements[e][p] = s.value;
    cameras[name] = {{"title", c.shown_name()},
                     {"source", shown_source(c.source)},
                     {"record_source", c.record_source.empty()
                                           ? nlohmann::json()
                                           : nlohmann::json(shown_source(c.record_source))},
                     {"onvif", c.onvif.empty() ? nlohmann::json() : nlohmann::json(shown_source(c.onvif))},
                     {"device_events", c.onvif_events},
                     {"enabled", c.enabled},
                     {"motion", c.motion},
                     {"loop", c.loop},
                     {"talk", c.talk_address.empty() ? nlohmann::json(c.talk)
                                                     : nlohmann::json(shown_source(c.talk_address))},
                     {"live", {{"height", c.live_height}, {"fps", c.live_fps}, {"sound", c.takes_sound()}}},
                     {"detect", detect_words(c)},
                     {"record",
                      {{"enabled", c.record.enabled},
                       {"pre_capture", c.record.pre_capture},
                       {"post_capture", c.record.post_capture},
                       {"max_clip", c.record.max_clip},
                       {"retain", {{"days", c.record.retain_days}}}}},
                     {"zones", j["zones"]},
                     {"lines", j["lines"]},
                     {"masks", j["masks"]},
                     {"privacy",
                      {{"polygons", j["privacy"]},
                       {"silhouettes", c.privacy.silhouettes},
                       {"fill", name_of(c.privacy.fill)}}},
                     {"elements", elements}};
  }
  nlohmann::json out = {{"file", file_},
                        {"http",
                         {{"listen", config_.http.address + ":" + std::to_string(config_.http.port)},
                          {"tls", !config_.http.certificate.empty()},
                          {"tokens", !config_.http.token_file.empty()}}},
                        {"storage",
                         {{"path", config_.storage.path},
                          {"max_size", config_.storage.max_size},
                          {"min_free", config_.storage.min_free}}},
                        {"cameras", cameras}};
  if (!config_.mqtt.host.empty())
    out["mqtt"] = {{"host", config_.mqtt.host},
                   {"port", config_.mqtt.port},
                   {"topic_prefix", config_.mqtt.topic_prefix},
                   {"node", config_.mqtt.node},
                   {"discovery", config_.mqtt.discovery},
                   {"tls", config_.mqtt.tls},
                   {"commands", config_.mqtt.takes_commands()}};
  for (const NotifyConfig &n : config_.notify)
    out["notify"].push_back({{n.kind == NotifyConfig::Kind::ntfy ? "ntfy" : "email", shown_server(n.url)},
                             {"cameras", n.cameras},
                             {"labels", n.labels},
                             {"zones", n.zones},
                             {"min_interval", n.min_interval}});
  if (!config_.webhook.url.empty()) out["webhook"] = {{"url", shown_server(config_.webhook.url)}};
  return out;
}

} // namespace vigil::monitor
