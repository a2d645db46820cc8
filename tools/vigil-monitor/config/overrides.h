// SPDX-License-Identifier: LGPL-2.1-or-later
// What was changed on the page. It wins over the configuration, and can be shown, exported and taken back:
//   {"cameras": {"door": {"zones": {"steps": {"coordinates": "..."}, "old": null}, "lines": {}, "masks": {},
//                         "unmasked": {"flag": {"coordinates": "..."}},
//                         "elements": {"cudamog": {"median": "9"}}, "enabled": true, "recordings": true,
//                         "motion": true, "device_events": true, "title": "Front door",
//                         "privacy_fill": "pixelate", "privacy_silhouettes": true}},
//    "added": {"yard": {"source": "rtsp://...", "record_source": "rtsp://...", "onvif": "http://..."}}}
// null takes away what the configuration has. `added` has cameras that the configuration does not have.
#pragma once

#include "config.h"

#include <nlohmann/json.hpp>

namespace vigil::monitor {

nlohmann::json to_json(const Zone &);
nlohmann::json to_json(const Line &);
nlohmann::json to_json(const Mask &);

// Throw Error::bad_setting when the object is none.
Zone zone_from(const nlohmann::json &);
Line line_from(const nlohmann::json &);
Mask mask_from(const nlohmann::json &);

class Overrides {
 public:
  Overrides() = default;
  // Throws Error::bad_data, naming the place, when the text is not one that save() made or a person could
  // have.
  explicit Overrides(const std::string &text);

  const nlohmann::json &all() const { return all_; }
  // kind: zones, lines, masks, unmasked, privacy; null takes away.
  void set_shape(const std::string &camera, const std::string &kind, const std::string &name,
                 const nlohmann::json &);
  void set_property(const std::string &camera, const std::string &element, const std::string &property,
                    const std::string &value);
  void forget_property(const std::string &camera, const std::string &element, const std::string &property);
  void set_switch(const std::string &camera, const std::string &name, bool);
  // key: fill (a text) or silhouettes (true or false).
  void set_privacy(const std::string &camera, const std::string &key, const nlohmann::json &);
  void set_title(const std::string &camera, const std::string &title); // empty: it is called by its name
  void forget(const std::string &camera);

  // Cameras of the page. `record_source`: another stream, which is recorded; empty: `source` is. `onvif`: the
  // address of its ONVIF device; empty: none.
  void add_camera(const std::string &name, const std::string &source, const std::string &record_source,
                  const std::string &onvif = "");
  void remove_camera(const std::string &name); // with what was changed of it
  bool has_added(const std::string &name) const;
  std::vector<CameraConfig> added(const RecordConfig &) const; // before changes of the page
  // The same as YAML of a configuration with all that was changed. Variables of the environment have the
  // passwords.
  std::string added_yaml() const;

  CameraConfig applied(CameraConfig) const;
  std::map<std::string, Setting> properties(const std::string &camera, const std::string &element) const;
  std::vector<std::string> names(const std::string &camera) const; // "zones.steps", "elements.cudamog.median"

 private:
  nlohmann::json all_ = {{"cameras", nlohmann::json::object()}};
};

} // namespace vigil::monitor
