// SPDX-License-Identifier: LGPL-2.1-or-later
// Zones, lines, totals, ids and trails as an overlay composition. Each thing is a small picture of its own
// (BGRA in memory), so that what does not change is drawn once, and what changes costs its own size and not
// the frame's.
#pragma once

#include "gst/metadata/track_meta.h"
#include "kernels/rules/rule_engine.h"

#include <gst/video/video.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace vigil::gst::boxrules {

struct Colour {
  std::uint8_t red, green, blue, alpha;
};

struct RectangleUnref {
  void operator()(GstVideoOverlayRectangle *r) const { gst_video_overlay_rectangle_unref(r); }
};
using Rectangle = std::unique_ptr<GstVideoOverlayRectangle, RectangleUnref>;
struct CompositionUnref {
  void operator()(GstVideoOverlayComposition *c) const { gst_video_overlay_composition_unref(c); }
};

class Drawing {
 public:
  // Makes the picture of a frame: what the rules are, what they counted, who is where and was.
  void step(const rules::RuleEngine &, const std::vector<TrackOnFrame> &, double seconds, double width,
            double height);
  // Puts it on the frame as metadata, next to what is drawn there already: elements that draw compositions
  // look at one of a frame.
  void attach(GstBuffer *) const;
  // Draws it into the frame's memory; false when that fails. Throws Error::bad_data when the frame is not
  // what the caps say.
  bool blend(GstBuffer *, const GstVideoInfo &) const;
  void rules_changed() { rules_drawn_ = false; }
  void forget();

 private:
  struct Trail {
    std::uint64_t id = 0;
    double last = 0; // seconds
    std::vector<rules::Point> points;
  };
  struct Label {
    std::string text;
    Rectangle picture;
  };

  void draw_rules(const rules::Rules &);
  void draw_counts(const rules::RuleEngine &);
  void label(std::size_t i, const std::string &text, rules::Point at, Colour);
  void follow(const TrackOnFrame &, double seconds);
  Rectangle path(const std::vector<rules::Point> &, bool closed, int thick, Colour) const;
  Rectangle words(std::string_view, rules::Point at, Colour) const;
  void add(Rectangle);
  void add(const Label &);

  double width_ = 0, height_ = 0;
  int scale_ = 1; // dots of letters and lines are so many pixels thick
  bool rules_drawn_ = false;
  std::vector<Rectangle> fixed_;
  std::vector<Label> labels_; // of zones, then of lines
  std::vector<Trail> trails_;
  std::unique_ptr<GstVideoOverlayComposition, CompositionUnref> composition_;
};

} // namespace vigil::gst::boxrules
