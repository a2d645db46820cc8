// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/ghost/boundary_contrast.h"

#include <cmath>

namespace vigil::ghost {

bool is_light(const Cell &c, const BlobRim &rim, bool again) {
  if (rim.pixels < least_pixels || rim.inside == 0) return false;
  const double n = double(rim.pixels), within = double(rim.inside) / n, beyond = double(rim.outside) / n;
  const bool has_edges = double(rim.background) >= textured * textured * n;
  const double correlation = has_edges && rim.frame > 0
                                 ? double(rim.both) / std::sqrt(double(rim.frame) * double(rim.background))
                                 : 0;
  const bool much = within > weak && !(has_edges && correlation >= kept);
  const double asked = much ? (again ? goes_on : goes_on_strong) : again ? goes_on_again : goes_on;
  if (within > strong || beyond < asked * within) return false;
  if (has_edges) return correlation >= least_kept;
  const double frame = c.frame, background = c.background;
  return frame <= edges_change * background && background <= edges_change * frame;
}

} // namespace vigil::ghost
