// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/mog/cuda/mog.cuh"

namespace vigil::mog::cuda {

const Engine mog_double{0,
                        3 * sizeof(double),
                        apply_mog<RealMog<double>>,
                        draw_background<RealMog<double>>,
                        save_state<RealMog<double>>,
                        load_state<RealMog<double>>};

} // namespace vigil::mog::cuda
