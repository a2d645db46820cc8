// SPDX-License-Identifier: LGPL-2.1-or-later
// Everything that can be set at a glcolinearseg. The defaults are the initialisers here and in the kernel's Params.
#pragma once

#include "gst/base/properties.h"
#include "kernels/colinearseg/gl.h"

#include <string>

namespace vigil::gst::glcolinearseg {

enum class Output { mask, overlay, cutout, background, passthrough };
enum class Preset { camera, lab };

struct Tuning {
  bool report = true;
  int min_area = 100;
  float motion_threshold = 0.001f;
  int motion_hold = 1000;
  bool post_messages = true;
};
inline constexpr auto tuning_table = std::tuple{
    param("report", "Report",
          "Find blobs and report them, as metadata, in messages and as boxes; this reads a few kB of counts "
          "back from the "
          "GPU and waits for them. Without, nothing is read back and frames only go through",
          &Tuning::report),
    param("min-area", "Least area",
          "Foreground pixels that a blob must have to be reported (as metadata, in messages and as a box)",
          &Tuning::min_area, 1, 100000000),
    param("motion-threshold", "Motion threshold",
          "Motion begins when the reported blobs' share of the pixels reaches this, and ends when it stayed "
          "below half of "
          "this for motion-hold",
          &Tuning::motion_threshold, 0.f, 1.f),
    param("motion-hold", "Motion hold",
          "Milliseconds without motion, in the stream's time, after which motion-end is posted",
          &Tuning::motion_hold, 0, 3600000),
    param("post-messages", "Post messages",
          "Post the element messages motion-begin and motion-end on the bus", &Tuning::post_messages),
};

struct Learning {
  int background_frames = 25;
};
inline constexpr auto learning_table = std::tuple{
    param("background-frames", "Background frames",
          "Frames whose mean is the background; a change takes effect when the background is next learnt",
          &Learning::background_frames, 1, colinearseg::max_learn_frames),
};

struct Settings {
  colinearseg::Params params;
  Tuning tuning;
  Learning learning;
  Output output = Output::mask;
  Preset preset = Preset::camera;
  colinearseg::Path path = colinearseg::Path::automatic;
  std::string background_location;
};

// All of them but stats, which no one can set. Made once, in class_init.
const Properties<Settings> &properties();

} // namespace vigil::gst::glcolinearseg
