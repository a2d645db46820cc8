// SPDX-License-Identifier: LGPL-2.1-or-later
// A neural network in a file (ONNX), run by the module of engine_module.h on one thread. Of one thread.
#pragma once

#include "common/error.h"
#include "common/file.h"
#include "engine_module.h"
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

inline Network::Network(const std::string &file) : file_(file), engine_(make_engine()) {
  static constexpr std::size_t largest = std::size_t{1} << 30;
  const auto bytes = read_plain_file(file, "the detector's model", 0, [](auto) { return largest; });
  if (bytes.empty()) fail(Error::Kind::bad_data, file, ": the detector's model is empty");
  const auto reason = engine_->load({reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size()});
  if (!reason.empty()) fail(Error::Kind::bad_data, file, reason);
}

inline NetworkOutput Network::run(const NetworkPicture &picture) {
  NetworkOutput out;
  const auto reason = engine_->run(picture, out);
  if (!reason.empty()) fail(Error::Kind::bad_data, file_, reason);
  return out;
}

} // namespace vigil::monitor
