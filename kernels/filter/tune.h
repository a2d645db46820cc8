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

struct TunedUser {
  ClRange2 group;
  tuning::Result result;
};
// The work-group for a kernel of the user's, whose source is loaded and which has passed its trial for frames
// of this size (user.h): the tuner runs it on pictures of sizes that the trial had, and of none else. What
// each gives must be what the usual work-group gives.
TunedUser tune_user(ClDevice &, const Stage &, PixelFormat, int width, int height, tuning::Mode,
                    const tuning::Limits & = {});

} // namespace vigil::filter
