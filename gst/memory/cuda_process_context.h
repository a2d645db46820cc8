// SPDX-License-Identifier: LGPL-2.1-or-later
// The CUDA context of the pipelines that neither the program nor a neighbour gives one: one for each device,
// for as long as anybody has it. Contexts take turns on the GPU, and each takes memory.
#pragma once

typedef struct _GstCudaContext GstCudaContext;

namespace vigil::gst {

// A reference of the caller's own; null where no context can be made on device `id`. Any thread.
GstCudaContext *process_cuda_context(int id);

} // namespace vigil::gst
