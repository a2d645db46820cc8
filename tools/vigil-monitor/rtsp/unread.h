// SPDX-License-Identifier: LGPL-2.1-or-later
// For how long the other end of a TCP connection has taken nothing of what waits for it.
#pragma once

#include <cstdint>

namespace vigil::monitor {

class Unread {
 public:
  // Asked again and again. 0: nothing waits, or some of it was taken since the last question.
  double seconds(int socket, double now);

 private:
  std::uint64_t taken_ = 0; // bytes, ever
  double since_ = -1;       // nothing was taken; -1: nothing waits
};

} // namespace vigil::monitor
