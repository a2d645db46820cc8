// SPDX-License-Identifier: LGPL-2.1-or-later
// GRAY8 frames in CUDA memory. libgstcuda's allocator knows no grey formats (1.22 to at least 1.26: it aborts
// the program), so its pool is asked for RGBA frames of a quarter of the width, whose rows hold as many
// bytes, and the buffers are then described as what they are.
#pragma once

#include "gst/compat.h"

namespace vigil::gst {

// To be configured with GRAY8 caps; otherwise like gst_cuda_buffer_pool_new().
GstBufferPool *new_cuda_grey_pool(GstCudaContext *);

} // namespace vigil::gst
