// SPDX-License-Identifier: LGPL-2.1-or-later
// Presets (GstPreset) of the element that is shown.
#pragma once

#include "demo.h"
#include "gst/video/gst_ptr.h"
#include "tools/base/preset.h"
#include "tools/vigil-eval/description.h"

namespace vigil::demo {

// The description as a bin with one sink and one source pad; each element of the kind that is shown has the
// preset of the options, if there is one. Throws Error::bad_setting, which names the presets that there are.
gst::ObjectPtr<GstElement> make_bin(const char *description, const Options &);

inline gst::ObjectPtr<GstElement> make_bin(const char *description, const Options &o) {
  auto bin = eval::make_bin(description);
  if (o.preset.empty()) return bin;
  std::unique_ptr<GstIterator, gst::Releaser<gst_iterator_free>> all(
      gst_bin_iterate_all_by_element_factory_name(GST_BIN(bin.get()), o.element.name));
  GValue item = G_VALUE_INIT;
  while (gst_iterator_next(all.get(), &item) == GST_ITERATOR_OK) {
    const gst::ObjectPtr<GstElement> element(GST_ELEMENT(g_value_dup_object(&item)));
    g_value_reset(&item);
    tools::load_preset(element.get(), o.preset);
  }
  g_value_unset(&item);
  return bin;
}

} // namespace vigil::demo
