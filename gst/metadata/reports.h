// SPDX-License-Identifier: LGPL-2.1-or-later
// The property attach-mask, of elements that find a mask.
#pragma once

#include "common/params.h"

#include <tuple>

namespace vigil::gst {

// What is reported of each frame in addition to its boxes.
struct Reports {
  bool attach_mask = false;
  bool operator==(const Reports &) const = default;
};
inline constexpr auto reports_table = std::tuple{
    param("attach-mask", "Attach mask",
          "Whether each frame carries its mask as metadata (GstAnalyticsSegmentationMtd, before GStreamer "
          "1.26 GstCustomMeta vigil-mask), with every output. A GPU's mask is copied to the host for that",
          &Reports::attach_mask),
};

} // namespace vigil::gst
