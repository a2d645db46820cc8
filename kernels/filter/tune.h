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
// Chains of the same structure share a result: numbers do not matter. Each shape must give the reference's
// bytes.
Tuned tune(ClDevice &, const Chain &, PixelFormat, tuning::Mode, const tuning::Limits & = {});

} // namespace vigil::filter
