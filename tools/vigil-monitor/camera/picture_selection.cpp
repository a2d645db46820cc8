// SPDX-License-Identifier: LGPL-2.1-or-later
#include "picture_selection.h"

#include "disposable.h"
#include "frame_clock.h"
#include "gst/video/gst_ptr.h"

#include <cmath>
#include <utility>

namespace vigil::monitor {
namespace {

double stream_seconds(GstPad *pad, GstBuffer *buffer) {
  const GstClockTime t = running_time(pad, buffer);
  return GST_CLOCK_TIME_IS_VALID(t) ? static_cast<double>(t) / GST_SECOND : std::nan("");
}

} // namespace

PictureSelection::PictureSelection(const CameraConfig &config, std::shared_ptr<TilePlan> plan)
    : config_(config), plan_(std::move(plan)), gate_(config.analysed ? config.analysed_fps() : detect_all) {}

bool PictureSelection::is_due(GstPad *pad, GstBuffer *picture) {
  return gate_.passes(stream_seconds(pad, picture));
}

bool PictureSelection::decide(GstPad *pad, GstBuffer *picture) {
  return analysed_ = !encodes_ || is_due(pad, picture);
}

bool PictureSelection::is_needless(GstPad *pad, GstBuffer *frame) {
  const bool key = !GST_BUFFER_FLAG_IS_SET(frame, GST_BUFFER_FLAG_DELTA_UNIT);
  if (!config_.analysed) // pictures for viewers: JPEG, or key frames
    return !encodes_ && (!key || (!plan_->wants(View::plain) && !plan_->wants(View::uncovered)));
  if (encodes_) return false;
  if (config_.analyses_keys_alone() && !key) return true;
  if (key) decoded_.forget();
  // Frames come in the order of decoding, and the gate knows only of those that were shown already.
  const double time = stream_seconds(pad, frame);
  const auto nothing_needs_it = [&] {
    const gst::CapsPtr caps(gst_pad_get_current_caps(pad));
    return nothing_refers_to(frame, caps.get());
  };
  const bool may_stay_out = gate_.will_drop(time) || decoded_.any_within(gate_.early(), time);
  if (may_stay_out && nothing_needs_it()) return true;
  decoded_.add(time);
  return false;
}

} // namespace vigil::monitor
