// SPDX-License-Identifier: LGPL-2.1-or-later
// The values of the property backend of elements that work in CUDA, in compute shaders of OpenGL and on the
// CPU. Knows no GStreamer.
#pragma once

namespace vigil::gst {

enum class ComputeChoice { automatic, cuda, cpu, gl };

} // namespace vigil::gst
