// SPDX-License-Identifier: LGPL-2.1-or-later
// The property blobs, which is deprecated: pipelines of before may set it.
#pragma once

#include "gst/metadata/mask_blobs.h"
#include "gst/properties.h"

#include <glib-object.h>

namespace vigil::gst {

inline constexpr const char *blob_mode_blurb =
    "Deprecated, without effect: a blob is connected foreground pixels. The value cells is accepted from "
    "saved pipelines and gives the same as exact";

inline GType blob_mode_type() {
  static const GEnumValue values[] = {
      {int(BlobMode::exact), "Connected foreground pixels", "exact"},
      {int(BlobMode::cells), "Deprecated, the same as exact", "cells"},
      {},
  };
  static const GType type = enum_type("VigilBlobMode", values);
  return type;
}

// Whether a property was set to the value that is deprecated, and what the element's log says then.
inline bool is_blob_mode_cells(const GValue *value) {
  return G_VALUE_HOLDS(value, blob_mode_type()) && g_value_get_enum(value) == int(BlobMode::cells);
}
inline constexpr const char *blob_mode_warning =
    "blobs=cells is deprecated and gives the same as blobs=exact; remove it";

} // namespace vigil::gst
