// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "gst/cudamog/settings.h"
#include "gst/properties.h"

namespace vigil::gst::cudamog {

// The properties of all settings; only stats, which no one can set, is missing. Made once, in class_init.
const Properties<Settings> &properties();

} // namespace vigil::gst::cudamog
