// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/metadata/blob_mode.h"

#include "gst/properties.h"

namespace vigil::gst {

GType blob_mode_type() {
  static const GEnumValue values[] = {
      {int(BlobMode::exact), "Connected foreground pixels", "exact"},
      {int(BlobMode::cells), "Neighbouring cells of a coarse grid", "cells"},
      {},
  };
  static const GType type = enum_type("VigilBlobMode", values);
  return type;
}

} // namespace vigil::gst
