// SPDX-License-Identifier: LGPL-2.1-or-later
// Puts the drawing on frames: into their memory where that can be written, otherwise as an overlay
// composition where the next element takes one.
#pragma once

#include "gst/boxrules/drawing.h"
#include "gst/transform/any_frames.h"

#include <atomic>

namespace vigil::gst::boxrules {

class Painter {
 public:
  void restart();
  // After StreamPosition::set_caps() with the same caps.
  void set_caps(const GstCaps *, const StreamPosition &);
  void downstream_changed() { ask_ = true; } // any thread
  void rules_changed() { drawing_.rules_changed(); }
  void forget() { drawing_.forget(); } // drops the trails of earlier tracks
  // Posts a warning, once for these caps, when the frame cannot be drawn on.
  void draw(GstBaseTransform *, GstBuffer *, const rules::RuleEngine &, const std::vector<TrackOnFrame> &,
            const StreamPosition &);

 private:
  void ask_downstream(GstBaseTransform *);

  Drawing drawing_;
  bool drawable_ = false; // frames are raw video in system memory
  bool downstream_composes_ = false, warned_ = false;
  std::atomic<bool> ask_ = true; // the next element is asked again
};

} // namespace vigil::gst::boxrules
