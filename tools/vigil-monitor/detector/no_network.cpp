// SPDX-License-Identifier: LGPL-2.1-or-later
// In builds without OpenCV's dnn.
#include "common/error.h"
#include "network.h"

namespace vigil::monitor {

struct Network::Impl {};

bool have_networks() {
  return false;
}

Network::Network(const std::string &file) : file_(file) {
  fail(Error::Kind::no_device, file, ": ", no_networks);
}
Network::~Network() = default;

NetworkOutput Network::run(std::span<const std::uint8_t>, int, int, bool) {
  return {};
}

} // namespace vigil::monitor
