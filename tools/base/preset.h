// SPDX-License-Identifier: LGPL-2.1-or-later
// Presets (GstPreset) of elements by name, as "cudamog @preset=traffic" loads them.
#pragma once

#include <gst/gst.h>
#include <string>

namespace vigil::tools {

// Sets the properties that the element's preset of that name says. Throws Error::bad_setting, which names the
// presets that there are, when there is none of that name.
void load_preset(GstElement *, const std::string &name);

} // namespace vigil::tools
