// SPDX-License-Identifier: LGPL-2.1-or-later
// The element's category in GStreamer's log: GST_DEBUG=cudamog:5.
#pragma once

#include <gst/gst.h>

GST_DEBUG_CATEGORY_EXTERN(cuda_mog_debug);
#define GST_CAT_DEFAULT cuda_mog_debug
