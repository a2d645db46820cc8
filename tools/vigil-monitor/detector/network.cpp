// SPDX-License-Identifier: LGPL-2.1-or-later
#include "network.h"

#include "common/error.h"
#include "common/file.h"
#include "engine_module.h"

namespace vigil::monitor {

Network::Network(const std::string &file) : file_(file), engine_(make_engine()) {
  constexpr std::size_t largest = std::size_t{1} << 30;
  const auto bytes = read_plain_file(file, "the detector's model", 0, [](auto) { return largest; });
  if (bytes.empty()) fail(Error::Kind::bad_data, file, ": the detector's model is empty");
  const auto reason = engine_->load({reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size()});
  if (!reason.empty()) fail(Error::Kind::bad_data, file, reason);
}

NetworkOutput Network::run(const NetworkPicture &picture) {
  NetworkOutput out;
  const auto reason = engine_->run(picture, out);
  if (!reason.empty()) fail(Error::Kind::bad_data, file_, reason);
  return out;
}

} // namespace vigil::monitor
