// SPDX-License-Identifier: LGPL-2.1-or-later
// Elements that work in OpenGL: their device, and slots that make RGBA textures of its context of the frames.
//   textures        used as they are
//   system memory   in: uploaded as glupload does; out: the pool's frames are OpenGL memory, which is
//                   downloaded when the next element maps it
//   CUDA memory     copied into a texture, and what comes out from another one: on the GPU where OpenGL is on
//                   the same one, else through the host
// Frames of other formats than RGBA become RGBA as glcolorconvert makes it.
//
// Builds without OpenGL have the same functions, which know of no device.
#pragma once

#include "gst/memory/frame_mapping.h"
#include "gst/memory/gl_context.h"

#include <memory>

namespace vigil::gst {

// The device of the context that the element works in, which is found or made. Asks neighbours. Throws
// Error::no_device, and says what to do.
std::shared_ptr<Device> open_gl_device(GlContext &);
// The device of the frame's context, in which the element works from now on. Throws Error::no_device when its
// OpenGL is too old, bad_data when the frame is in no texture.
std::shared_ptr<Device> follow_gl_device(GlContext &, GstBuffer *);
// Whether the driver draws on a processor.
bool is_software(const Device &);
// Whether the element has to follow the frame: the device's context cannot share its textures.
bool is_in_other_gl(GstBuffer *, const Device &);
// Whether the element works in the context of this device. No longer, when it was given another display
// meanwhile.
bool works_in(const GlContext &, const Device &);

// For frames of this kind on that device. The slot's texture() is the picture; it has no address. `cuda`: the
// device of frames in CUDA memory.
std::unique_ptr<FrameMapping> make_gl_mapping(Device &gl, const FrameKind &, Device *cuda);

} // namespace vigil::gst
