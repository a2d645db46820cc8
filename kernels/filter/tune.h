// SPDX-License-Identifier: LGPL-2.1-or-later
// Which shape does a chain best on a device: the tuner's candidates for filter chains.
#pragma once

#include "common/tuning/tuner.h"
#include "kernels/filter/opencl.h"

namespace vigil::filter {

struct Tuned {
  Shape shape;
  tuning::Result result;
};
// Chains of the same structure share a result: numbers do not matter. Each shape must give the reference's bytes on a picture
// larger than a tile, and is timed on 1280x720 pixels, on processors 640x360.
Tuned tune(ClDevice &, const Chain &, PixelFormat, tuning::Mode, const tuning::Limits & = {});
// Where tune() keeps its result.
tuning::Key key_of(const ClDevice &, const Chain &, PixelFormat);

} // namespace vigil::filter
