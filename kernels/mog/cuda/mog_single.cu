// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/mog/cuda/mog.cuh"

namespace vigil::mog::cuda {

const Engine mog_single{0,
                        3 * sizeof(float),
                        apply_mog<RealMog<float>>,
                        draw_background<RealMog<float>>,
                        save_state<RealMog<float>>,
                        load_state<RealMog<float>>};

} // namespace vigil::mog::cuda
