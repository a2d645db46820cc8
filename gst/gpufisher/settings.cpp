// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/gpufisher/settings.h"

namespace vigil::gst::gpufisher {
namespace {

Properties<Settings> make_properties() {
  Properties<Settings> p;
  p.string(
      "model-location", "Model location",
      "File that vigil-train made: codebook and classifiers. Set while playing, the new model takes over "
      "with the next frame; when it cannot be read, a warning is posted and the old one stays",
      &Settings::model_location, Change::playing);
  p.table(&Settings::tuning, tuning_table, Change::live);
  p.choice("backend", "Backend", "Where the work is done", backend_type(), &Settings::backend, Change::ready);
  p.table(&Settings::device, device_options_table, Change::ready);
  p.table(&Settings::flow, async_depth_table, Change::playing);
  return p;
}

} // namespace

const Properties<Settings> &properties() {
  static const Properties<Settings> p = make_properties();
  return p;
}

guint model_location_id() {
  return 1;
}

} // namespace vigil::gst::gpufisher
