// SPDX-License-Identifier: LGPL-2.1-or-later
// The log category of the element: GST_DEBUG=clbilateral:5. For source files only.
#pragma once

#include <gst/gst.h>

GST_DEBUG_CATEGORY_EXTERN(cl_bilateral_debug);
#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT cl_bilateral_debug
