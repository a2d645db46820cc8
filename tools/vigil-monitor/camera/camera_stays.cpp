// SPDX-License-Identifier: LGPL-2.1-or-later
// Loitering: a stay in a zone that is longer than its loiter_seconds makes an event, which lasts until that
// object has left. Its score is the length of the stay, and its clip shows its beginning alone: a car that
// stands for a day would fill the disk. Who stays for too long while the clip of another stay is written
// belongs to that one's event; its score is the longest stay then.
#include "camera.h"

#include <algorithm>
#include <gst/gst.h>

namespace vigil::monitor {

bool Camera::stay_message(const GstStructure *s, double time) {
  const bool leaves = gst_structure_has_name(s, "zone-leave");
  if (!leaves && !gst_structure_has_name(s, "loitering")) return false;
  const char *zone = gst_structure_get_string(s, "zone");
  guint64 track = 0;
  double seconds = 0;
  // The track's number may change during the stay; that of its beginning is what the stay is known by.
  if (!zone || !gst_structure_get_uint64(s, "entered-id", &track) ||
      !gst_structure_get_double(s, "seconds", &seconds))
    return true;
  if (!leaves) {
    if (config_.motion) stay_begins({zone, track}, time, seconds);
  } else if (const auto stay = stays_.find({zone, track}); stay != stays_.end()) {
    if (const auto r = running_.find(stay->second); r != running_.end())
      r->second.event.score = std::max(r->second.event.score, seconds);
    stay_ends(stay, time);
  }
  return true;
}

void Camera::stay_begins(const Stay &stay, double time, double seconds) {
  if (const auto old = stays_.find(stay); old != stays_.end()) stay_ends(old, time);
  const std::string label = "loitering";
  std::string key = label + "/" + std::to_string(stay.second) + "/" + stay.first;
  for (const auto &[other, r] : running_)
    if (r.event.label == label && r.active && time - r.event.start_time < config_.record.post_capture)
      key = other;
  begin_event(label, time, seconds, {stay.first}, key);
  clip_beginning(running_.at(key));
  stays_[stay] = key;
}

std::map<Camera::Stay, std::string>::iterator Camera::stay_ends(std::map<Stay, std::string>::iterator stay,
                                                                double time) {
  const std::string key = stay->second;
  const auto next = stays_.erase(stay);
  if (std::none_of(stays_.begin(), stays_.end(), [&](const auto &s) { return s.second == key; }))
    end_cause(key, time);
  return next;
}

} // namespace vigil::monitor
