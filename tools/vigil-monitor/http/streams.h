// SPDX-License-Identifier: LGPL-2.1-or-later
// How many live streams somebody has open.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace vigil::monitor {

class Streams {
 public:
  static constexpr std::size_t most_of_one = 8;
  // A place that lasts as long as what is returned; null when `who` has `most` already.
  std::shared_ptr<void> take(const std::string &who, std::size_t most);

 private:
  struct Open {
    std::mutex lock;
    std::map<std::string, std::size_t> of;
  };
  std::shared_ptr<Open> open_ = std::make_shared<Open>(); // a stream may outlive this object
};

} // namespace vigil::monitor
