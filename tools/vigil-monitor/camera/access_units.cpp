// SPDX-License-Identifier: LGPL-2.1-or-later
#include "access_units.h"

#include "tools/base/mapped.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

namespace vigil::monitor {
namespace {

GstClockTime decoding_time(GstClockTime pts, GstClockTime dts) {
  return GST_CLOCK_TIME_IS_VALID(dts) ? dts : pts;
}

} // namespace

void AccessUnits::begin(const GstCaps *caps) {
  *this = {};
  const GstStructure *s = gst_caps_get_structure(caps, 0);
  const char *format = gst_structure_get_string(s, "stream-format");
  const std::string_view name = gst_structure_get_name(s), framing = format ? format : "";
  if (name == "video/x-h264" && framing == "avc") codec_ = Codec::h264;
  if (name == "video/x-h265" && (framing == "hvc1" || framing == "hev1")) codec_ = Codec::h265;
}

// Damaged bytes count as a picture: what to make of them is the decoder's business.
bool AccessUnits::has_picture(GstBuffer *buffer) const {
  constexpr std::size_t length_bytes = 4;
  if (codec_ == Codec::other) return true;
  const tools::MappedBuffer map(buffer);
  if (!map) return true;
  bool found = map.size() <= length_bytes;
  for (std::size_t at = 0; !found && at + length_bytes < map.size();) {
    const std::uint8_t *p = map.data() + at;
    const std::size_t length =
        std::size_t{p[0]} << 24 | std::size_t{p[1]} << 16 | std::size_t{p[2]} << 8 | p[3];
    const int type = codec_ == Codec::h264 ? p[length_bytes] & 31 : p[length_bytes] >> 1 & 63;
    found = codec_ == Codec::h264 ? type >= 1 && type <= 5 : type < 32;
    if (length == 0 || length > map.size() - at - length_bytes) found = true;
    at += length_bytes + length;
  }
  return found;
}

gst::BufferPtr AccessUnits::take(GstBuffer *buffer, double time) {
  gst::BufferPtr whole(gst_buffer_ref(buffer));
  constexpr gsize most_waiting = 1 << 20;
  if (!has_picture(buffer) && (!waiting_ || gst_buffer_get_size(waiting_.get()) < most_waiting)) {
    waiting_.reset(waiting_ ? gst_buffer_append(waiting_.release(), whole.release()) : whole.release());
    return nullptr;
  }
  if (waiting_) { // it has the time, if one has
    const bool key = !GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT) ||
                     !GST_BUFFER_FLAG_IS_SET(waiting_.get(), GST_BUFFER_FLAG_DELTA_UNIT);
    const GstClockTime pts = GST_BUFFER_PTS(waiting_.get()), dts = GST_BUFFER_DTS(waiting_.get());
    gst::BufferPtr both(gst_buffer_append(waiting_.release(), gst_buffer_ref(buffer)));
    both.reset(gst_buffer_make_writable(both.release()));
    GST_BUFFER_PTS(both.get()) = GST_BUFFER_PTS_IS_VALID(buffer) ? GST_BUFFER_PTS(buffer) : pts;
    GST_BUFFER_DTS(both.get()) = GST_BUFFER_DTS_IS_VALID(buffer) ? GST_BUFFER_DTS(buffer) : dts;
    GST_BUFFER_DURATION(both.get()) = GST_BUFFER_DURATION(buffer);
    if (key)
      GST_BUFFER_FLAG_UNSET(both.get(), GST_BUFFER_FLAG_DELTA_UNIT);
    else
      GST_BUFFER_FLAG_SET(both.get(), GST_BUFFER_FLAG_DELTA_UNIT);
    whole = std::move(both);
  }
  if (!GST_BUFFER_PTS_IS_VALID(whole.get()) && !GST_BUFFER_DTS_IS_VALID(whole.get())) {
    whole.reset(gst_buffer_make_writable(whole.release()));
    set_time(whole.get(), time);
    untimed_++;
  } else {
    const GstClockTime last = decoding_time(pts_, dts_),
                       now = decoding_time(GST_BUFFER_PTS(whole.get()), GST_BUFFER_DTS(whole.get()));
    if (GST_CLOCK_TIME_IS_VALID(last) && now > last && untimed_ == 0) step_ = now - last;
    untimed_ = 0;
  }
  pts_ = GST_BUFFER_PTS(whole.get());
  dts_ = GST_BUFFER_DTS(whole.get());
  time_ = time;
  return whole;
}

// So much later than the frame before as it came later. One such frame between others comes before the next
// one that has a time: half a step at the most.
void AccessUnits::set_time(GstBuffer *buffer, double time) {
  if (!GST_CLOCK_TIME_IS_VALID(decoding_time(pts_, dts_))) {
    GST_BUFFER_PTS(buffer) = GST_BUFFER_DTS(buffer) =
        static_cast<GstClockTime>(std::max(0.0, time) * GST_SECOND);
    return;
  }
  auto later = static_cast<GstClockTime>(std::max(0.0, time - time_) * GST_SECOND);
  if (untimed_ == 0 && step_ > 0) later = std::min(later, step_ / 2);
  later = std::max<GstClockTime>(later, GST_MSECOND);
  if (GST_CLOCK_TIME_IS_VALID(pts_)) GST_BUFFER_PTS(buffer) = pts_ + later;
  if (GST_CLOCK_TIME_IS_VALID(dts_)) GST_BUFFER_DTS(buffer) = dts_ + later;
}

} // namespace vigil::monitor
