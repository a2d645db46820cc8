// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cljointbilateral/guide_frames.h"

#include "common/error.h"
#include "gst/errors.h"
#include "gst/memory/frame_mapping.h"
#include "gst/video/formats.h"

#include <utility>

namespace vigil::gst::cljointbilateral {

bool is_gap(GstBuffer *b) {
  return GST_BUFFER_FLAG_IS_SET(b, GST_BUFFER_FLAG_GAP) && gst_buffer_get_size(b) == 0;
}

GstClockTime running_time(const GstAggregatorPad *pad, GstBuffer *b) {
  if (pad->segment.format != GST_FORMAT_TIME) return GST_CLOCK_TIME_NONE;
  return gst_segment_to_running_time(&pad->segment, GST_FORMAT_TIME, GST_BUFFER_PTS(b));
}

void GuideFrames::start() {
  refused_ = false;
  flushed_ = false;
}

void GuideFrames::stop() noexcept {
  before_.reset();
  converter_.reset();
  info_.reset();
}

void GuideFrames::set_caps(const GstCaps *caps) {
  const GstVideoInfo info = frame_kind(caps).info;
  if (info_ && gst_video_info_is_equal(&info, &*info_)) return;
  info_ = info;
  converter_.reset();
  before_.reset();
  // A picture may have to wait for the guide's next frame.
  gst_aggregator_set_latency(agg_, frame_duration(info), frame_duration(info));
}

// None for a frame without a time.
std::optional<GuideTime> GuideFrames::time_of(GstAggregatorPad *guide, GstBuffer *b) const {
  const GstClockTime running = running_time(guide, b);
  if (!GST_CLOCK_TIME_IS_VALID(running)) return {};
  const GstClockTime duration = GST_BUFFER_DURATION(b);
  return GuideTime{running, GST_CLOCK_TIME_IS_VALID(duration) ? duration
                            : info_                           ? frame_duration(*info_)
                                                              : 0};
}

// Frames before the picture come into before_.
Pair GuideFrames::choose(GstClockTime picture, bool timeout, int tolerance, BufferPtr &chosen) {
  if (flushed_.exchange(false)) before_.reset();
  const ObjectPtr<GstPad> pad(gst_element_get_static_pad(GST_ELEMENT(agg_), "guide"));
  if (!pad) {
    before_.reset();
    return Pair::none;
  }
  auto *guide = GST_AGGREGATOR_PAD(pad.get());
  Frame after;
  while (!after.buffer) {
    BufferPtr head(gst_aggregator_pad_peek_buffer(guide));
    if (!head) break;
    const auto time = time_of(guide, head.get());
    const bool timed = time && GST_CLOCK_TIME_IS_VALID(picture);
    if (timed && !is_gap(head.get()) && (time->running > picture || is_close(picture, *time))) {
      after = {std::move(head), *time};
      break;
    }
    gst_aggregator_pad_drop_buffer(guide);
    if (is_gap(head.get())) continue;
    // Where one of the two has no time, the next frame of the guide goes with the next picture.
    before_ = {std::move(head), timed ? *time : GuideTime{picture, 0}};
    if (!timed) break;
  }
  const bool more = !timeout && !gst_aggregator_pad_is_eos(guide);
  const Pair pair = pair_for(picture, before_ ? std::optional(before_->time) : std::nullopt,
                             after.buffer ? std::optional(after.time) : std::nullopt, more,
                             tolerance < 0 ? GST_CLOCK_TIME_NONE : GstClockTime(tolerance) * GST_MSECOND);
  if (pair == Pair::before) chosen.reset(gst_buffer_ref(before_->buffer.get()));
  if (pair == Pair::after) chosen = std::move(after.buffer);
  return pair;
}

void GuideFrames::refuse(const std::exception &why) {
  if (std::exchange(refused_, true)) return;
  post_warning(GST_ELEMENT(agg_), Error(Error::Kind::bad_data,
                                        text("a frame of the guide cannot be used, so that the picture's own "
                                             "weights are: ",
                                             why.what())));
}

GstBuffer *GuideFrames::convert(GstBuffer *guide, const GstVideoInfo &picture) {
  if (!guide) return nullptr;
  try {
    if (!info_) fail(Error::Kind::bad_data, "it came before its caps");
    if (!converter_) converter_ = std::make_unique<GuideConverter>(*info_, picture);
    return converter_->convert(guide);
  } catch (const Error &e) {
    refuse(e);
    return nullptr;
  }
}

} // namespace vigil::gst::cljointbilateral
