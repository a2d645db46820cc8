// SPDX-License-Identifier: LGPL-2.1-or-later
// Presets (GstPreset) of the element that is shown.
#pragma once

#include "demo.h"
#include "tools/base/gst_ptr.h"

namespace vigil::demo {

// The description as a bin with one sink and one source pad; each element of the kind that is shown has the
// preset of the options, if there is one. Throws Error::bad_setting, which names the presets that there are.
tools::ObjectPtr<GstElement> make_bin(const char *description, const Options &);

} // namespace vigil::demo
