// SPDX-License-Identifier: LGPL-2.1-or-later
// Room around a picture that shows what is at its edge, so that it can be seen through a shift
// (common/shifted.h). The same bytes in every backend.
#pragma once

#include "common/device.h"
#include "common/plane.h"

namespace vigil::registration {

// Writes `pixels` pixels around the picture, whose memory has as much room there. 8 bits a sample. The device
// is the picture's; throws Error::no_device for CUDA in a build without.
void fill_border(Device &, const Image &, int pixels, Queue &);
// The same by its backends on a GPU.
void fill_border_cuda(Device &, const Image &, int pixels, Queue &);
void fill_border_gl(Device &, const Image &, int pixels, Queue &);

} // namespace vigil::registration
