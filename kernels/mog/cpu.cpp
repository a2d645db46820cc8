// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/mog/mog.h"
namespace vigil::mog {
std::unique_ptr<Model> make_cpu(Device &, const Config &config) {
  return make_reference(config);
}
} // namespace vigil::mog
