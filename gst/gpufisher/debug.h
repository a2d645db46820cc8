// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

GST_DEBUG_CATEGORY_EXTERN(gpu_fisher_debug);
#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT gpu_fisher_debug
