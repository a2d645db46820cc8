// SPDX-License-Identifier: LGPL-2.1-or-later
// What is wrong with the camera itself, as cudamog tells it: covered, out of focus, moved. Each is an event
// that lasts as long as the trouble, with a clip of its beginning: a lens that stays covered would fill the
// disk.
#include "camera.h"

#include <algorithm>
#include <cstring>
#include <gst/gst.h>

namespace vigil::monitor {

bool Camera::trouble_message(const GstStructure *s, double time) {
  const std::string name = gst_structure_get_name(s);
  constexpr const char *known[] = {"camera-covered", "camera-blurred", "camera-moved"};
  if (std::none_of(std::begin(known), std::end(known), [&](const char *k) { return name == k; }))
    return false;
  const char *state = gst_structure_get_string(s, "state");
  if (!state) return true;
  const std::string what = name.substr(std::strlen("camera-"));
  if (std::strcmp(state, "begin") != 0) {
    trouble_.erase(what);
    if (what == "moved") shift_.reset();
    end_cause(name, time);
    announce_state();
    return true;
  }
  guint64 now = 0, since = 0;
  if (gst_structure_get_uint64(s, "running-time", &now) && gst_structure_get_uint64(s, "since", &since) &&
      GST_CLOCK_TIME_IS_VALID(now) && since <= now)
    time -= static_cast<double>(now - since) / GST_SECOND;
  // How much of what there was is seen no more.
  double left = 0;
  gst_structure_get_double(s, name == "camera-blurred" ? "sharpness" : "agreement", &left);
  trouble_.try_emplace(what, time);
  Point shift;
  if (gst_structure_get_double(s, "shift-x", &shift.x) && gst_structure_get_double(s, "shift-y", &shift.y))
    shift_ = shift;
  begin_event(name, time, std::clamp(1 - left, 0.0, 1.0), {});
  if (const auto r = running_.find(name); r != running_.end() && !r->second.of_trouble) {
    r->second.of_trouble = true;
    clip_beginning(r->second);
  }
  announce_state();
  return true;
}

nlohmann::json Camera::trouble() const {
  nlohmann::json out = nlohmann::json::object();
  for (const auto &[what, since] : trouble_) out[what] = since;
  return out;
}

} // namespace vigil::monitor
