// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/error.h"
#include "kernels/mog/mog.h"
namespace vigil::mog {
std::unique_ptr<Model> make_cuda(Device &, const Config &) {
  fail(Error::Kind::no_device, "not built yet");
}
} // namespace vigil::mog
