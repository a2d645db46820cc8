// SPDX-License-Identifier: LGPL-2.1-or-later
// Caps: the features that name the memory of a frame, the parts of pad templates that carry them, and what
// elements do with caps when they say what goes with what (GstBaseTransformClass.transform_caps).
#pragma once

#include "vigil-config.h"

#include <gst/video/video.h>

namespace vigil::gst {

inline constexpr const char *cuda_memory_feature = "memory:CUDAMemory";
inline constexpr const char *gl_memory_feature = "memory:GLMemory";

// Whether the first structure of the caps means frames in CUDA memory or in OpenGL textures. Always false in
// a build without CUDA or without OpenGL.
bool is_cuda_caps(const GstCaps *);
bool is_gl_caps(const GstCaps *);

// For pad templates: frames in CUDA memory of these formats (in braces). Empty in builds without CUDA.
#ifdef VIGIL_HAVE_CUDA
#define VIGIL_CUDA_CAPS(formats) GST_VIDEO_CAPS_MAKE_WITH_FEATURES("memory:CUDAMemory", formats) ";"
#else
#define VIGIL_CUDA_CAPS(formats) ""
#endif

// For pad templates: frames in 2D textures of these formats (in braces). Empty in builds without OpenGL.
#ifdef VIGIL_HAVE_GL
#define VIGIL_GL_CAPS(formats)                                                                               \
  GST_VIDEO_CAPS_MAKE_WITH_FEATURES("memory:GLMemory", formats) ", texture-target = (string) 2D;"
#else
#define VIGIL_GL_CAPS(formats) ""
#endif

// A copy, without frames in CUDA memory where that is out of reach.
GstCaps *caps_in_reach(GstCaps *, bool without_cuda);
// Intersects `caps` (transfer full) with `filter`, in the order of the filter. A null filter returns `caps`
// unchanged.
GstCaps *filter_caps(GstCaps *caps, GstCaps *filter);

} // namespace vigil::gst
