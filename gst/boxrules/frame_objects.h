// SPDX-License-Identifier: LGPL-2.1-or-later
// The tracks and ghosts on a frame as the rules take them. Used again for each frame, with its memory kept.
#pragma once

#include "gst/metadata/track_meta.h"
#include "kernels/rules/rule_engine.h"

#include <span>
#include <string_view>
#include <vector>

namespace vigil::gst::boxrules {

class FrameObjects {
 public:
  void find(GstBuffer *buffer) {
    tracks_.clear();
    subjects_.clear();
    tracks_on(buffer, tracks_);
    for (const TrackOnFrame &t : tracks_) subjects_.push_back({t.object, name(t.type), t.label});
    ghosts_found_.clear();
    ghosts_.clear();
    ghosts_on(buffer, ghosts_found_);
    for (const GhostOnFrame &g : ghosts_found_) ghosts_.push_back({g.box, name(g.type)});
  }
  const std::vector<TrackOnFrame> &tracks() const { return tracks_; }
  std::span<const rules::Subject> subjects() const { return subjects_; } // one for each track
  std::span<const rules::Ghost> ghosts() const { return ghosts_; }

 private:
  static std::string_view name(GQuark type) {
    const gchar *s = g_quark_to_string(type);
    return s ? s : "";
  }
  std::vector<TrackOnFrame> tracks_;
  std::vector<rules::Subject> subjects_;
  std::vector<GhostOnFrame> ghosts_found_;
  std::vector<rules::Ghost> ghosts_;
};

} // namespace vigil::gst::boxrules
