// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/clbilateral/settings.h"

namespace vigil::gst::clbilateral {
namespace {

using bilateral::Algorithm;
using bilateral::Params;
using bilateral::Weighting;

GType weighting_type() {
  static const GEnumValue values[] = {
      {int(Weighting::intensity), "One weight a pixel, from its intensity", "intensity"},
      {int(Weighting::channels), "Red, green and blue each have their own weight", "channels"},
      {},
  };
  static const GType type = enum_type("GstClBilateralWeighting", values);
  return type;
}

GType algorithm_type() {
  static const GEnumValue values[] = {
      {int(Algorithm::automatic), "The grid where it is faster, else exact", "auto"},
      {int(Algorithm::exact), "Every pixel of the window", "exact"},
      {int(Algorithm::grid), "Bilateral grid: an approximation whose cost does not grow with the radius",
       "grid"},
      {},
  };
  static const GType type = enum_type("GstClBilateralAlgorithm", values);
  return type;
}

GType guide_type() {
  static const GEnumValue values[] = {
      {int(Guide::none), "The picture itself", "none"},
      {int(Guide::background),
       "The mean of the frames before where nothing moves, else the picture itself (OpenCL)", "background"},
      {},
  };
  static const GType type = enum_type("GstClBilateralGuide", values);
  return type;
}

constexpr auto guide_table = std::tuple{
    param("guide-weight", "Guide weight", "guide=background: how much of it stays from frame to frame",
          &GuideSettings::weight, 0.f, 0.98f),
    param("guide-motion", "Guide motion",
          "guide=background: differences above this part of full scale are motion, not noise",
          &GuideSettings::motion, 0.002f, 1.f),
};

Properties<Settings> make_properties() {
  Properties<Settings> p;
  p.table(&Settings::params, bilateral::params_table, Change::live);
  p.choice("weighting", "Weighting",
           "What the range weight compares; formats with one channel know no difference", weighting_type(),
           &Settings::params, &Params::weighting, Change::live);
  p.choice("algorithm", "Algorithm", "How it is computed", algorithm_type(), &Settings::params,
           &Params::algorithm, Change::live);
  p.choice("guide", "Guide", "The picture that range weights come from", guide_type(), &Settings::guide,
           Change::ready);
  p.table(&Settings::guiding, guide_table, Change::live);
  p.choice("backend", "Backend", "Where it is computed", cl_choice_type(), &Settings::backend, Change::ready);
  add_tune(p, &Settings::tune);
  add_cl_device(p, &Settings::device);
  p.table(&Settings::cuda, cuda_choice_table, Change::ready);
  p.table(&Settings::flow, async_depth_table, Change::playing);
  return p;
}

} // namespace

const Properties<Settings> &properties() {
  static const Properties<Settings> p = make_properties();
  return p;
}

} // namespace vigil::gst::clbilateral
