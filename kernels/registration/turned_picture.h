// SPDX-License-Identifier: LGPL-2.1-or-later
// A picture as a frame shows it that is turned against it, pixel by pixel (common/turned.h); beyond its edges
// is what is at them. The same bytes in every backend.
#pragma once

#include "common/device.h"
#include "common/turned.h"

namespace vigil::registration {

// Where *by, in the device's memory, is turned, writes `out`, which is of the picture's size and format; else
// it does nothing. 8 bits a sample; not for OpenGL, where nothing is turned. Throws Error::no_device for CUDA
// in a build without.
void draw_turned(Device &, const ConstImage &picture, const Shift *by, const Image &out, Queue &);
// The same by its backend on a GPU.
void draw_turned_cuda(Device &, const ConstImage &picture, const Shift *by, const Image &out, Queue &);

} // namespace vigil::registration
