// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/learning.h"

#include <algorithm>
#include <cmath>

namespace vigil::gst::cudamog {
namespace {

constexpr int relearn_frames = 30;
constexpr double longest_frame = 1.; // seconds; a gap in the stream must not make one frame the background

} // namespace

double Learning::next_rate(const mog::Params &params, const Tuning &tuning, std::uint64_t frame_number,
                           double seconds) {
  double rate = mog::learning_rate(params, frame_number);
  if (rate <= 0) return 0; // frozen
  if (tuning.learning_time > 0) {
    const double steady = 1 - std::exp(-std::clamp(seconds, 0., longest_frame) / tuning.learning_time);
    rate = std::max(steady, 1. / (2. * static_cast<double>(frame_number)));
  }
  if (relearn_ > 0) {
    const int since = relearn_frames - relearn_ + 1;
    relearn_--;
    rate = std::max(rate, 1. / since); // the first takes the place of all that was known
  }
  return std::min(rate, 1.);
}

void Learning::relearn() {
  relearn_ = suspend_ = relearn_frames;
}

Learning::Light Learning::observe(double changed_fraction, const Tuning &tuning) {
  if (tuning.light_jump <= 0) {
    relearn_ = suspend_ = 0;
    armed_ = true;
    return Light::steady;
  }
  if (changed_fraction < tuning.light_jump / 2) armed_ = true;
  if (suspend_ > 0) {
    suspend_--;
    return Light::relearning;
  }
  if (!armed_ || changed_fraction < tuning.light_jump) return Light::steady;
  armed_ = false;
  relearn();
  return Light::jumped;
}

} // namespace vigil::gst::cudamog
