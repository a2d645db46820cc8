// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames that elements in front of the chain dropped: sources that came too late, decoders. They tell it by
// QoS messages, each with its own total, or without one for each time that it happened.
#pragma once

#include <cstdint>
#include <gst/gst.h>
#include <map>

namespace vigil::monitor {

class SourceDrops {
 public:
  void heard(GstMessage *qos) {
    GstFormat unit = GST_FORMAT_UNDEFINED;
    guint64 processed = 0, dropped = 0;
    gst_message_parse_qos_stats(qos, &unit, &processed, &dropped);
    Count &c = by_element_[GST_MESSAGE_SRC(qos)];
    if (unit != GST_FORMAT_BUFFERS || dropped == G_MAXUINT64) {
      c.before++;
      return;
    }
    if (dropped < c.now) c.before += c.now; // it has started over and counts from nothing
    c.now = dropped;
  }
  std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const auto &[element, c] : by_element_) sum += c.before + c.now;
    return sum;
  }

 private:
  struct Count {
    std::uint64_t before = 0, now = 0;
  };
  std::map<const GstObject *, Count> by_element_;
};

} // namespace vigil::monitor
