// SPDX-License-Identifier: LGPL-2.1-or-later
// The property blobs.
#pragma once

#include "gst/metadata/mask_blobs.h"
#include "gst/properties.h"

#include <glib-object.h>

namespace vigil::gst {

GType blob_mode_type();
inline constexpr const char *blob_mode_blurb = "What a blob is: connected foreground pixels, or neighbouring "
                                               "cells of a coarse grid that hold some (objects "
                                               "within 8 to 64 pixels of each other are then one)";

inline GType blob_mode_type() {
  static const GEnumValue values[] = {
      {int(BlobMode::exact), "Connected foreground pixels", "exact"},
      {int(BlobMode::cells), "Neighbouring cells of a coarse grid", "cells"},
      {},
  };
  static const GType type = enum_type("VigilBlobMode", values);
  return type;
}

} // namespace vigil::gst
