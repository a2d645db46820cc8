// SPDX-License-Identifier: LGPL-2.1-or-later
// Everything that can be set at a cljointbilateral.
#pragma once

#include "gst/clbilateral/filter_properties.h"
#include "gst/transform/opencl_selector.h"
#include "gst/transform/opencl_tuning.h"

#include <string>

namespace vigil::gst::cljointbilateral {

struct Pairing {
  int tolerance = 100; // milliseconds; -1: any
};
inline constexpr auto pairing_table = std::tuple{
    param("guide-tolerance", "Guide tolerance",
          "Greatest distance in time between a picture and its frame of the guide, in milliseconds. Beyond "
          "it the picture's own weights are used. -1: any distance",
          &Pairing::tolerance, -1, 3600000),
};

struct Settings {
  bilateral::Params params;
  Pairing pairing;
  tuning::Mode tune = tuning::Mode::automatic;
  std::string device;
};

inline const Properties<Settings> &properties() {
  static const Properties<Settings> made = [] {
    Properties<Settings> p;
    clbilateral::add_filter(p, &Settings::params);
    p.table(&Settings::pairing, pairing_table, Change::playing);
    add_tune(p, &Settings::tune);
    add_cl_device(p, &Settings::device);
    return p;
  }();
  return made;
}

} // namespace vigil::gst::cljointbilateral
