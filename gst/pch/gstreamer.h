// SPDX-License-Identifier: LGPL-2.1-or-later
// The same for files that work with GStreamer, see common/pch/standard.h.
#include "common/pch/standard.h"

#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>
#include <gst/video/video.h>
