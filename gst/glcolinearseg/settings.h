// SPDX-License-Identifier: LGPL-2.1-or-later
// Everything that can be set at a glcolinearseg. The defaults are the initialisers here and in the kernel's
// Params.
#pragma once

#include "gst/metadata/blob_mode.h"
#include "gst/metadata/motion.h"
#include "gst/metadata/reports.h"
#include "gst/properties.h"
#include "gst/transform/gl_selector.h"
#include "gst/transform/pipeline_depth.h"
#include "kernels/colinearseg/colinearseg.h"
#include "kernels/colinearseg/segmenter.h"

#include <string>

namespace vigil::gst::glcolinearseg {

enum class Output { mask, overlay, cutout, background, passthrough };
enum class Preset { camera, lab };
enum class Exposure { automatic, off };

struct Tuning {
  bool report = true;
};
inline constexpr auto tuning_table = std::tuple{
    param("report", "Report",
          "Whether blobs are found and reported, as metadata, in messages and as boxes. They are read back "
          "from the GPU, and the element waits for them. false: nothing is read back, frames only go "
          "through",
          &Tuning::report),
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
  MotionSettings motion;
  Reports reports;
  Learning learning;
  AsyncDepth flow{.async_depth = 0};
  Output output = Output::mask;
  Preset preset = Preset::camera;
  BlobMode blobs = BlobMode::exact; // deprecated, without effect
  Exposure exposure = Exposure::off;
  colinearseg::Path path = colinearseg::Path::automatic;
  GlChoice backend = GlChoice::automatic;
  CudaChoice cuda;
  std::string background_location;
};

// All of them but stats, which no one can set. Made once, in class_init.
const Properties<Settings> &properties();

} // namespace vigil::gst::glcolinearseg
