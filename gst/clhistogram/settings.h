// SPDX-License-Identifier: LGPL-2.1-or-later
// Everything that can be set at a clhistogram. The defaults are the initialisers here.
#pragma once

#include "gst/transform/opencl_selector.h"
#include "gst/transform/pipeline_depth.h"

namespace vigil::gst::clhistogram {

struct Tuning {
  int every = 1;
  bool overlay = false;
  bool post_messages = false;
};
inline constexpr auto tuning_table = std::tuple{
    param("every", "Every",
          "Frames from one counted frame to the next, the first one is counted; the others pass by",
          &Tuning::every, 1, 100000),
    param("overlay", "Overlay",
          "Whether the curves of the frame that was counted last are drawn into each frame, at its lower "
          "left; otherwise frames go on untouched",
          &Tuning::overlay),
    param("post-messages", "Post messages",
          "Whether a message histogram is posted for each counted frame: mean, median, contrast, clipped "
          "shares, advice on exposure",
          &Tuning::post_messages),
};

enum class BinCount { few = 64, all = 256 };

struct Settings {
  Tuning tuning;
  BinCount bins = BinCount::all;
  std::string device;
  CudaChoice cuda;
  AsyncDepth flow;
};

inline const Properties<Settings> &properties() {
  static const Properties<Settings> made = [] {
    static const GEnumValue counts[] = {{int(BinCount::few), "64 bins of four levels", "64"},
                                        {int(BinCount::all), "A bin a level", "256"},
                                        {}};
    Properties<Settings> p;
    p.choice("bins", "Bins", "Bins of the histograms in metadata and overlay; counts are exact with both",
             enum_type("GstClHistogramBins", counts), &Settings::bins, Change::live);
    p.table(&Settings::tuning, tuning_table, Change::live);
    add_cl_device(p, &Settings::device);
    p.table(&Settings::cuda, cuda_choice_table, Change::ready);
    p.table(&Settings::flow, async_depth_table, Change::playing);
    return p;
  }();
  return made;
}

} // namespace vigil::gst::clhistogram
