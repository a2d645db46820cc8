// SPDX-License-Identifier: LGPL-2.1-or-later
// Everything that can be set at a cudamog. The defaults are the initialisers here and in the kernels' Params.
// Knows no GStreamer; properties.h makes properties of it.
#pragma once

#include "gst/metadata/mask_blobs.h"
#include "gst/metadata/motion_settings.h"
#include "gst/metadata/reports.h"
#include "gst/transform/cuda_choice.h"
#include "gst/transform/pipeline_depth.h"
#include "kernels/cleanup/cleanup.h"
#include "kernels/mog/mog.h"

#include <string>
#include <tuple>

namespace vigil::gst::cudamog {

enum class ExposureMode { automatic, off };
enum class StabilizeMode { automatic, off };
// The first three are mog::Precision's. automatic: mog::precision_for() decides.
enum class PrecisionChoice { single, double_, compact, automatic };
enum class Output { mask, foreground, background, overlay, passthrough };

// What operators of cameras tune while it runs.
struct Tuning {
  float learning_time = 0.f;
  float foreground_rate = 0.02f;
  float absorb_after = 1.5f;
  float light_jump = 0.75f;
  bool watch_camera = true;
  bool small_objects = true;
  bool operator==(const Tuning &) const = default;
};
inline constexpr auto tuning_table = std::tuple{
    param("learning-time", "Learning time",
          "Memory of the model in seconds, at any frame rate: a frame of length t gets the share 1 - exp(-t"
          " / learning-time), more while the model is young. Lower: changes are learnt faster. 0: off, "
          "history and learning-rate decide. With learning-rate=0 the model stays frozen",
          &Tuning::learning_time, 0.f, 86400.f),
    param("foreground-rate", "Foreground rate",
          "Factor on the learning rate where a moving blob was last reported. Lower: an object that stops "
          "stays foreground longer (0.1: ten times as long; 0: permanently). 1: off. It works in blocks of "
          "8 to 64 pixels, by the blobs of the last finished frame",
          &Tuning::foreground_rate, 0.f, 1.f),
    param("absorb-after", "Absorb after",
          "Seconds after which an object whose outline does not move becomes background, such as a parked "
          "car or a chair. Higher: it stays foreground longer. 0: never. People who wait move a little, and"
          " stay foreground. Needs foreground-rate below 1",
          &Tuning::absorb_after, 0.f, 86400.f),
    param("light-jump", "Light jump",
          "Share of changed pixels, 0..1, that counts as a switched light. Lower: smaller changes count. 0:"
          " off. One message light-jump is posted. Then the model recalls the background of this light, or "
          "learns it within 30 frames; until then no blobs or motion are reported",
          &Tuning::light_jump, 0.f, 1.f),
    param("watch-camera", "Watch camera",
          "Whether camera-covered, camera-blurred and camera-moved are posted when each begins and ends, "
          "and a new view is learnt at once. false: for cameras that pan",
          &Tuning::watch_camera),
    param("small-objects", "Small objects",
          "Puts moving objects of a few pixels that the median removed back into the mask: distant people "
          "and vehicles, thermal cameras. In the mask alone: such specks have no box and are no motion, and "
          "boxes may end a few pixels inside of an object's outline. Where specks come again and again, as "
          "from leaves or rain, the median decides. false: the median decides everywhere. Works with median "
          "from 5 on",
          &Tuning::small_objects),
};

// What the model is made for; a change while playing starts a new model.
struct Shape {
  int components = 5;
  bool color = true;
  bool operator==(const Shape &) const = default;
};
inline constexpr auto shape_table = std::tuple{
    param("components", "Components",
          "Greatest number of Gaussians of a pixel, K. Lower: faster. Higher: learns what sways or "
          "flickers. A change starts a new model",
          &Shape::components, 1, mog::max_components),
    param("color", "Colour",
          "zivkovic: whether all three channels of coloured frames (R G B or Y U V) are modelled, or the "
          "luma alone. Method mog always works on luma. A change starts a new model",
          &Shape::color),
};

// How frames go through.
struct Flow {
  int group_size = 1;
  int async_depth = automatic_depth;
  bool operator==(const Flow &) const = default;
};
inline constexpr auto flow_table = std::tuple{
    param("group-size", "Group size",
          "Frames that are processed together. Higher: faster on a GPU, and results come group-size - 1 "
          "frames later (reported as latency). The masks are the same",
          &Flow::group_size, 1, 32),
    async_depth_param(&Flow::async_depth),
};

// How the model is kept on disk.
struct Keeping {
  int save_interval = 0;
  bool operator==(const Keeping &) const = default;
};
inline constexpr auto keeping_table = std::tuple{
    param("save-interval", "Save interval",
          "Seconds between two saves of the model to model-location while it plays. Lower: a power cut "
          "loses less. 0: saved only at the end of the stream and at the stop",
          &Keeping::save_interval, 0, 86400),
};

// What is measured besides the results.
struct Diagnostics {
  bool stage_times = false;
  bool operator==(const Diagnostics &) const = default;
};
inline constexpr auto diagnostics_table = std::tuple{
    param("stage-times", "Stage times",
          "Whether the time of each stage is measured, for the field stages of stats. Measuring costs some "
          "time itself",
          &Diagnostics::stage_times),
};

struct Settings {
  mog::Params mog;
  cleanup::Params cleanup;
  Tuning tuning;
  MotionSettings motion;
  Reports reports;
  Shape shape;
  Flow flow;
  Keeping keeping;
  Diagnostics diagnostics;
  DeviceOptions device;
  mog::Method method = mog::Method::zivkovic;
  PrecisionChoice precision = PrecisionChoice::automatic;
  Output output = Output::mask;
  BlobMode blobs = BlobMode::exact; // deprecated, without effect
  ExposureMode exposure = ExposureMode::automatic;
  StabilizeMode stabilize = StabilizeMode::automatic;
  ComputeChoice backend = ComputeChoice::automatic;
  std::string mask_location, model_location;
  bool operator==(const Settings &) const = default;
};

// Whether somebody sees the mask itself, rather than boxes and messages alone.
inline bool shows_mask(const Settings &s) {
  return s.reports.attach_mask || (s.output != Output::background && s.output != Output::passthrough);
}

// Whether the model learns at another rate where foreground is (foreground-rate): blobs are then judged by
// their outlines.
inline bool adapts_rate(const Settings &s) {
  return s.tuning.foreground_rate < 1;
}

} // namespace vigil::gst::cudamog
