// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cljointbilateral/pairing.h"

namespace vigil::gst::cljointbilateral {
namespace {

GstClockTime distance(GstClockTime a, GstClockTime b) {
  return a > b ? a - b : b - a;
}

} // namespace

bool is_close(GstClockTime picture, const GuideTime &guide) {
  return picture >= guide.running && picture - guide.running <= guide.duration / 2;
}

Pair pair_for(GstClockTime picture, const std::optional<GuideTime> &before,
              const std::optional<GuideTime> &after, bool more, GstClockTime tolerance) {
  if (more && !after && !(before && is_close(picture, *before))) return Pair::wait;
  const GstClockTime none = GST_CLOCK_TIME_NONE;
  const GstClockTime to_before = before ? distance(picture, before->running) : none;
  const GstClockTime to_after = after ? distance(picture, after->running) : none;
  const GstClockTime nearest = to_after < to_before ? to_after : to_before;
  if (nearest == none || (tolerance != none && nearest > tolerance)) return Pair::none;
  return to_after < to_before ? Pair::after : Pair::before;
}

} // namespace vigil::gst::cljointbilateral
