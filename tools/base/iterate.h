// SPDX-License-Identifier: LGPL-2.1-or-later
// All pads or elements of an iterator.
#pragma once

#include "gst/video/gst_ptr.h"

#include <vector>

namespace vigil::tools {

// Owns the iterator. When its bin or element changes meanwhile, which other threads may do, it begins again.
// A caller that takes this for the end misses some.
template <class T>
std::vector<gst::ObjectPtr<T>> all_of(GstIterator *iterator) {
  std::vector<gst::ObjectPtr<T>> all;
  GValue item = G_VALUE_INIT;
  for (bool more = true; more;) switch (gst_iterator_next(iterator, &item)) {
    case GST_ITERATOR_OK:
      all.emplace_back(static_cast<T *>(g_value_dup_object(&item)));
      g_value_reset(&item);
      break;
    case GST_ITERATOR_RESYNC:
      all.clear();
      gst_iterator_resync(iterator);
      break;
    default:
      more = false;
    }
  g_value_unset(&item);
  gst_iterator_free(iterator);
  return all;
}

} // namespace vigil::tools
