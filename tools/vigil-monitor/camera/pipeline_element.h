// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "tools/base/pipeline.h"

namespace vigil::monitor {

// A new element of the pipeline, which owns it. Throws as tools::make_element().
inline GstElement *add_element(GstElement *pipeline, const char *factory, const char *name = nullptr) {
  GstElement *e = tools::make_element(factory, name);
  gst_bin_add(GST_BIN(pipeline), e);
  return e;
}

} // namespace vigil::monitor
