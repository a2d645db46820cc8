// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/stages/learning_rate.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vigil::gst::cudamog {
namespace {

constexpr double longest_frame = 1.; // seconds; a gap in the stream must not make one frame the background

} // namespace

double steady_rate(const mog::Params &params, const Tuning &tuning, double seconds) {
  const double own = mog::learning_rate(params, std::numeric_limits<std::uint64_t>::max());
  if (own <= 0) return 0;
  return tuning.learning_time > 0
             ? 1 - std::exp(-std::clamp(seconds, 0., longest_frame) / tuning.learning_time)
             : own;
}

double LearningRateControl::next_rate(const mog::Params &params, const Tuning &tuning,
                                      std::uint64_t frame_number, double seconds) {
  double rate = mog::learning_rate(params, frame_number);
  if (rate <= 0) return 0; // frozen
  if (tuning.learning_time > 0)
    rate = std::max(steady_rate(params, tuning, seconds), 1. / (2. * static_cast<double>(frame_number)));
  if (relearn_ > 0) {
    const int since = Feedback::relearn_frames - relearn_ + 1;
    relearn_--;
    rate = std::max(rate, 1. / since); // the first takes the place of all that was known
  }
  return std::min(rate, 1.);
}

void LearningRateStage::submit(FrameGroup &group, const Feedback &feedback, Queue &) {
  const Feedback::Requests &asked = feedback.requests;
  if (asked.stop_relearning || group.recalled) control_.stop_relearning();
  if ((asked.relearn && !group.recalled) || group.new_view) control_.relearn();
  const Settings &settings = group.settings();
  std::uint64_t learnt = model_.frames();
  for (FrameContext *f : group.frames) {
    f->learning.first = learnt == 0;
    f->learning.rate = control_.next_rate(settings.mog, settings.tuning, ++learnt, f->seconds);
    f->learning.relearning = control_.relearning();
  }
}

void LearningRateStage::start_over(Restart restart) {
  if (restart >= Restart::model) control_ = {};
}

} // namespace vigil::gst::cudamog
