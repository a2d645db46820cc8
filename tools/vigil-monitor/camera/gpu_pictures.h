// SPDX-License-Identifier: LGPL-2.1-or-later
// Where a camera's pictures are worked on.
#pragma once

namespace vigil::monitor {

// A machine without a GPU is no mistake, of which each element would warn for each camera.
bool has_cuda_driver();

// Whether frames stay on the GPU from the decoder to the tiles.
bool on_gpu();

} // namespace vigil::monitor
