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
          "Milliseconds between a picture and the nearest frame of the guide up to which it is used; further "
          "off the picture's own weights are. -1: however far off it is",
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
