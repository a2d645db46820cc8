// SPDX-License-Identifier: LGPL-2.1-or-later
// The border between vigil-monitor and the module that has the library of networks. The module is opened
// where a detector is configured, so all others need no such library (engine_module.h). Nothing that is
// called across the border throws.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vigil::monitor {

// To be raised with each change of this file. Both sides compare it before anything else is called.
inline constexpr int network_engine_version = 1;

struct NetworkOutput {
  std::vector<int> shape;
  std::vector<float> values;
};

// 8-bit RGB. The network gets it as 1x3xHxW, 0..1, in RGB or BGR.
struct NetworkPicture {
  std::span<const std::uint8_t> rgb;
  int width = 0, height = 0;
  bool bgr = false;
};

// One network, run on the caller's thread alone.
class NetworkEngine {
 public:
  NetworkEngine() = default;
  virtual ~NetworkEngine() = default;
  NetworkEngine(const NetworkEngine &) = delete;
  NetworkEngine &operator=(const NetworkEngine &) = delete;

  // Both return the reason of a failure, which goes on after the name of the file; empty: it worked.
  virtual std::string load(std::span<const std::uint8_t> onnx) noexcept = 0;
  virtual std::string run(const NetworkPicture &, NetworkOutput &) noexcept = 0;
};

} // namespace vigil::monitor

// What the module exports: the version of this file with which it was built, and a new engine, null when
// there is no memory for it.
extern "C" {
using NetworkEngineVersion = int();
using MakeNetworkEngine = vigil::monitor::NetworkEngine *();
inline constexpr const char *network_engine_version_symbol = "vigil_network_engine_version";
inline constexpr const char *make_network_engine_symbol = "vigil_make_network_engine";
}
