// SPDX-License-Identifier: LGPL-2.1-or-later
// Buffer pools and latency of elements that hold frames while a device works on them, in system memory, in CUDA memory
// (where they have a CudaContext; null: they know no CUDA memory) or in OpenGL memory (likewise).
#pragma once

#include "gst/memory/cuda_context.h"
#include "gst/memory/gl_context.h"

#include <gst/base/gstbasetransform.h>

namespace vigil::gst {

// Upstream learns, for the caps in the query, of a pool of the right memory (when it asked for one) with no fewer than
// `buffers`, and that GstVideoMeta is understood.
void propose_pool(CudaContext *, GstQuery *, guint buffers, GlContext * = nullptr);
// Leaves one pool in the query: downstream's when it is of our memory and has room for `held` further buffers, else one of
// our own. False when none can be had.
bool decide_pool(CudaContext *, GstQuery *, guint held, GlContext * = nullptr);

// Withdraws GstVideoCropMeta from an answer that is passed on upstream: a frame that is larger than its caps say, of which only a
// part is meant, is nothing that our elements can look at.
void withdraw_crops(GstQuery *);

// Adds the time that `frames` frames last to an answered LATENCY query.
void add_latency(GstBaseTransform *, GstQuery *, int frames);

} // namespace vigil::gst
