// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/mog/cuda/mog.cuh"

namespace vigil::mog::cuda {

const Engine mog_compact{0,
                         sizeof(CompactMog::Code),
                         apply_mog<CompactMog>,
                         draw_background<CompactMog>,
                         save_state<CompactMog>,
                         load_state<CompactMog>};

} // namespace vigil::mog::cuda
