// SPDX-License-Identifier: LGPL-2.1-or-later
// Background images.
#pragma once

#include "gst/glcolinearseg/worker.h"

#include <gst/gst.h>

namespace vigil::gst::glcolinearseg {

// The picture of a sample of any raw video format, in any memory that can be mapped. Throws Error::bad_data when it is
// none.
Picture picture_of(GstSample *);

} // namespace vigil::gst::glcolinearseg
