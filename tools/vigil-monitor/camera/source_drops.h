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
  // A packet of RTP that the jitter buffer left out. A frame's packets have one time.
  void packet(const GstStructure *s) {
    guint64 time = GST_CLOCK_TIME_NONE;
    gst_structure_get_uint64(s, "timestamp", &time);
    if (time != packet_time_ || !GST_CLOCK_TIME_IS_VALID(time)) of_packets_++;
    packet_time_ = time;
  }
  std::uint64_t total() const {
    std::uint64_t sum = of_packets_;
    for (const auto &[element, c] : by_element_) sum += c.before + c.now;
    return sum;
  }

 private:
  struct Count {
    std::uint64_t before = 0, now = 0;
  };
  std::map<const GstObject *, Count> by_element_;
  guint64 packet_time_ = GST_CLOCK_TIME_NONE;
  std::uint64_t of_packets_ = 0;
};

} // namespace vigil::monitor
