// SPDX-License-Identifier: LGPL-2.1-or-later
// The log category of what elements share: GST_DEBUG=vigiltransform:5. For source files only.
#pragma once

#include <gst/gst.h>

GST_DEBUG_CATEGORY_EXTERN(vigil_transform_debug);
#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT vigil_transform_debug
