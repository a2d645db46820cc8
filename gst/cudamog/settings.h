// SPDX-License-Identifier: LGPL-2.1-or-later
// Everything that can be set at a cudamog. The defaults are the initialisers here and in the kernels' Params.
// Knows no GStreamer; properties.h makes properties of it.
#pragma once

#include "gst/metadata/mask_blobs.h"
#include "gst/metadata/motion_settings.h"
#include "gst/metadata/reports.h"
#include "gst/transform/compute_choice.h"
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
          "Seconds that the model remembers, whatever the frame rate: a frame that lasts t takes the share "
          "1 - exp(-t / learning-time), more while the model is young; 0: off, history and learning-rate say "
          "how fast it learns (a learning-rate of 0 freezes the model in any case)",
          &Tuning::learning_time, 0.f, 86400.f),
    param("foreground-rate", "Foreground rate",
          "Factor on the learning rate where a moving blob was last reported, so that what stands still is "
          "absorbed later: 0.1 makes that ten times as slow, 0 never absorbs it; 1: off. Works in blocks of "
          "8 to "
          "64 pixels, with the blobs of the last frame that was finished",
          &Tuning::foreground_rate, 0.f, 1.f),
    param("absorb-after", "Absorb after",
          "Seconds after which a thing whose outline does not move in the least becomes background: a chair "
          "that was "
          "moved, a parked car; people who wait stir, and stay. 0: never. Works where foreground-rate is "
          "below 1",
          &Tuning::absorb_after, 0.f, 86400.f),
    param("light-jump", "Light jump",
          "Fraction of changed pixels that is taken for a light that was switched: one light-jump message is "
          "posted, the model takes up what it knows of this light from before, or relearns within 30 frames, "
          "and until then no blobs or motion are reported; 0: off",
          &Tuning::light_jump, 0.f, 1.f),
    param("watch-camera", "Watch camera",
          "Post camera-covered, camera-blurred and camera-moved when the camera is covered, goes out of "
          "focus or is turned, and when that is over; learn a new view at once. Set it to false for cameras "
          "that pan",
          &Tuning::watch_camera),
    param("small-objects", "Small objects",
          "Keep moving objects of a few pixels that the median would remove, where such specks are rare: far "
          "people and vehicles, thermal cameras. Places where specks come again and again, as of leaves, are "
          "left to the median. Works with median from 5 on",
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
          "Gaussians that a pixel can have, K. Fewer are faster, more learn what sways or flickers; a change "
          "starts a new model",
          &Shape::components, 1, mog::max_components),
    param(
        "color", "Colour",
        "zivkovic: model all three channels of coloured frames (R G B or Y U V), not the luma alone; method "
        "mog always works on luma; a change starts a new model",
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
          "Frames that are processed together, which is faster on a GPU; the masks are the same, group-size "
          "- 1 "
          "frames later (reported as latency)",
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
          "Seconds after which the model is written to model-location again while it plays, so that a power "
          "cut loses no more; 0: only at the end of the stream and at the stop",
          &Keeping::save_interval, 0, 86400),
};

// What is measured besides the results.
struct Diagnostics {
  bool stage_times = false;
  bool operator==(const Diagnostics &) const = default;
};
inline constexpr auto diagnostics_table = std::tuple{
    param(
        "stage-times", "Stage times",
        "Measure the time of each stage of the work and add it to stats, as the field stages; it costs some "
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

// Whether the model learns at another rate where foreground is (foreground-rate): blobs are then judged by
// their outlines.
inline bool adapts_rate(const Settings &s) {
  return s.tuning.foreground_rate < 1;
}

} // namespace vigil::gst::cudamog
