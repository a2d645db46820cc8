// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/clbilateral/settings.h"

namespace vigil::gst::clbilateral {
namespace {

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
    param("guide-weight", "Guide weight",
          "guide=background: share of the mean that stays from frame to frame. Higher: less noise",
          &GuideSettings::weight, 0.f, 0.98f),
    param("guide-motion", "Guide motion",
          "guide=background: part of full scale above which a difference is motion, not noise",
          &GuideSettings::motion, 0.002f, 1.f),
};

Properties<Settings> make_properties() {
  Properties<Settings> p;
  add_filter(p, &Settings::params);
  p.choice("guide", "Guide", "The picture that range weights come from", guide_type(), &Settings::guide,
           Change::ready);
  p.table(&Settings::guiding, guide_table, Change::live);
  p.choice("backend", "Backend", "API that does the work", cl_choice_type(), &Settings::backend,
           Change::ready);
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
