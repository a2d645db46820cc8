// SPDX-License-Identifier: LGPL-2.1-or-later
// Everything that can be set at a clfilter.
#pragma once

#include "gst/transform/opencl_selector.h"
#include "gst/transform/opencl_tuning.h"
#include "gst/transform/pipeline_depth.h"

#include <string>

namespace vigil::gst::clfilter {

// What is done with a kernel of the user's that its trial refuses.
enum class BadKernel { skip, error };
inline GType bad_kernel_type() {
  static const GEnumValue values[] = {
      {int(BadKernel::skip), "A warning, and the chain works without that stage", "skip"},
      {int(BadKernel::error), "An error, which ends the stream", "error"},
      {}};
  static const GType type = enum_type("VigilClBadKernel", values);
  return type;
}

struct Settings {
  std::string chain;
  BadKernel bad_kernel = BadKernel::skip;
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
    p.choice("bad-kernel", "Bad kernel",
             "Reaction to a kernel of the stage user that cannot be used: it does not compile, never ends, "
             "writes outside of the picture, or changes from run to run",
             bad_kernel_type(), &Settings::bad_kernel, Change::playing);
    add_tune(p, &Settings::tune);
    add_cl_device(p, &Settings::device);
    p.table(&Settings::cuda, cuda_choice_table, Change::ready);
    p.table(&Settings::flow, async_depth_table, Change::playing);
    return p;
  }();
  return made;
}

} // namespace vigil::gst::clfilter
