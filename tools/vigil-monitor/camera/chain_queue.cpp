// SPDX-License-Identifier: LGPL-2.1-or-later
#include "chain_queue.h"

#include "pipeline_element.h"
#include "utc.h"

#include <utility>

namespace vigil::monitor {
namespace {

constexpr guint chain_waiting = 3; // frames, at most

} // namespace

ChainQueue::ChainQueue(GstElement *pipeline) : queue_(add_element(pipeline, "queue")) {
  g_object_set(queue_, "max-size-buffers", chain_waiting, "max-size-bytes", 0, "max-size-time", guint64{0},
               nullptr);
  gst_util_set_object_arg(G_OBJECT(queue_), "leaky", "downstream");
}

void ChainQueue::frame_of_decoder() {
  guint waiting = 0;
  g_object_get(queue_, "current-level-buffers", &waiting, nullptr);
  const double now = Utc::monotonic_seconds();
  if (waiting < chain_waiting)
    busy_since_ = 0;
  else if (busy_since_ == 0)
    busy_since_ = now;
  constexpr double patience = 3;
  const bool leak = busy_since_ > 0 && now - busy_since_ > patience;
  if (std::exchange(leaks_, leak) != leak)
    gst_util_set_object_arg(G_OBJECT(queue_), "leaky", leak ? "downstream" : "no");
}

} // namespace vigil::monitor
