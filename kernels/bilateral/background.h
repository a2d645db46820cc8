// SPDX-License-Identifier: LGPL-2.1-or-later
// A guide picture for the bilateral filter, from the frames before: their mean where nothing moves, and the
// frame as it is where something does (the stage denoise of kernels/filter/filter.h, each plane by itself).
// Weights then come from a picture with less noise than the one that is filtered.
#pragma once

#include "kernels/bilateral/bilateral.h"
#include "kernels/filter/temporal.h"

#include <vector>

namespace vigil::bilateral {

struct GuideParams {
  float weight = 0.9f;  // of the frames before, 0..0.98
  float motion = 0.03f; // of full scale, 0.002..1: differences above this are motion, not noise
};

class ClBackground {
 public:
  // `device` must outlive it. Throws Error::device where its kernel cannot be built.
  ClBackground(ClDevice &device, const Config &);
  // The guide for this picture, in device memory, valid until the next call: to be used on the same queue.
  ConstImage update(const ConstImage &, const GuideParams &, Queue &);
  void forget(); // the next picture does not follow the one before

 private:
  struct PlaneMean {
    PixelFormat format; // what a plane is taken for
    int width, height;
    filter::ClTemporal mean;
    DeviceBuffer memory;
    std::ptrdiff_t stride;
  };
  Config config_;
  std::vector<PlaneMean> planes_;
};

} // namespace vigil::bilateral
