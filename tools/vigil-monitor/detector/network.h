// SPDX-License-Identifier: LGPL-2.1-or-later
// A neural network in a file (ONNX), run by the module of engine_module.h on one thread. Of one thread.
#pragma once

#include "network_engine.h"

#include <memory>
#include <string>

namespace vigil::monitor {

class Network {
 public:
  // Throws Error::io, Error::bad_data, naming the file, when it is missing, damaged or has layers that the
  // library does not know; Error::no_device without the module.
  explicit Network(const std::string &file);

  // Throws Error::bad_data when the input has another size, or there is not one output.
  NetworkOutput run(const NetworkPicture &);

 private:
  const std::string file_;
  const std::unique_ptr<NetworkEngine> engine_;
};

} // namespace vigil::monitor
