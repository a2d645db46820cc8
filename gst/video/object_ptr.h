// SPDX-License-Identifier: LGPL-2.1-or-later
// A reference to a GstObject with an owner.
#pragma once

#include <gst/gst.h>
#include <memory>

namespace vigil::gst {

struct ObjectUnref {
  void operator()(gpointer o) const { gst_object_unref(o); }
};
template <class T>
using ObjectPtr = std::unique_ptr<T, ObjectUnref>;

// One more reference; null stays null.
template <class T>
ObjectPtr<T> share(T *object) {
  return ObjectPtr<T>(object ? static_cast<T *>(gst_object_ref(object)) : nullptr);
}

} // namespace vigil::gst
