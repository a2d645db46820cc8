// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/clbilateral/filter_properties.h"

namespace vigil::gst::clbilateral {

using bilateral::Algorithm;
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

} // namespace vigil::gst::clbilateral
