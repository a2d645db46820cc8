// SPDX-License-Identifier: LGPL-2.1-or-later
// For elements that work in compute shaders of OpenGL: their device, and slots for frames in textures. A
// frame's textures, one a plane, are copied to the device's memory and from there on the GPU. Frames in
// system memory go through DeviceFrameMapping.
//
// Builds without OpenGL have the same functions, which know of no device.
#pragma once

#include "gst/memory/frame_mapping.h"
#include "gst/memory/gl_context.h"

#include <memory>

namespace vigil::gst {

// The device of the context that the element works in, which is found or made. Asks neighbours. Throws
// Error::no_device, and says what is missing.
std::shared_ptr<Device> open_gl_compute(GlContext &);
// The element works in the context of this frame from now on. Throws Error::bad_data when the frame is in no
// texture.
void follow_textures(GlContext &, GstBuffer *);
// For frames in textures, on a device of open_gl_compute().
std::unique_ptr<FrameMapping> make_texture_copies(Device &, const FrameKind &);

} // namespace vigil::gst
