// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/mog/cuda/zivkovic.cuh"

namespace vigil::mog::cuda {

using Luma = RealZivkovic<double, 1>;
const Engine zivkovic_double_luma{sizeof(Luma::Weight),  sizeof(Luma::Code), apply_zivkovic<Luma>,
                                  draw_background<Luma>, save_state<Luma>,   load_state<Luma>};

using Colour = RealZivkovic<double, 3>;
const Engine zivkovic_double_colour{sizeof(Colour::Weight),  sizeof(Colour::Code), apply_zivkovic<Colour>,
                                    draw_background<Colour>, save_state<Colour>,   load_state<Colour>};

} // namespace vigil::mog::cuda
