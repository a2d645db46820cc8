// SPDX-License-Identifier: LGPL-2.1-or-later
// Everything that can be set at a clfilter.
#pragma once

#include "gst/transform/async_depth.h"
#include "gst/transform/opencl_place.h"
#include "gst/transform/opencl_tuning.h"

#include <string>

namespace vigil::gst::clfilter {

struct Settings {
  std::string chain;
  tuning::Mode tune = tuning::Mode::automatic;
  std::string device;
  CudaChoice cuda;
  AsyncDepth flow;
};

inline const Properties<Settings> &properties() {
  static const Properties<Settings> made = [] {
    Properties<Settings> p;
    p.string("chain", "Chain",
             "Stages and their parameters, e.g. gaussian sigma=2 ! grayscale ! sharpen amount=0.5; none: "
             "frames pass by. New "
             "numbers take effect with the next frame, new stages when their kernel is built",
             &Settings::chain, Change::live);
    add_tune(p, &Settings::tune);
    add_cl_device(p, &Settings::device);
    p.table(&Settings::cuda, cuda_choice_table, Change::ready);
    p.table(&Settings::flow, async_depth_table, Change::playing);
    return p;
  }();
  return made;
}

} // namespace vigil::gst::clfilter
