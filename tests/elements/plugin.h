// SPDX-License-Identifier: LGPL-2.1-or-later
// The elements of Vigil's plugin, as GStreamer's registry knows them.
#pragma once

#include "tests/elements/fixture.h"

#include <vector>

namespace vigil::test {

// All of them; the caller unrefs each.
inline std::vector<GstElementFactory *> factories() {
  std::vector<GstElementFactory *> all;
  GList *list = gst_registry_get_feature_list_by_plugin(gst_registry_get(), "vigil");
  for (GList *l = list; l; l = l->next)
    if (GST_IS_ELEMENT_FACTORY(l->data)) all.push_back(GST_ELEMENT_FACTORY(gst_object_ref(l->data)));
  gst_plugin_feature_list_free(list);
  return all;
}

} // namespace vigil::test
