// SPDX-License-Identifier: LGPL-2.1-or-later
// The log category of the element: GST_DEBUG=cudamog:5. For source files only.
#pragma once

#include <gst/gst.h>

GST_DEBUG_CATEGORY_EXTERN(cuda_mog_debug);
#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT cuda_mog_debug
