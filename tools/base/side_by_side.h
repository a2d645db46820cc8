// SPDX-License-Identifier: LGPL-2.1-or-later
// The same work on several threads.
#pragma once

#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace vigil::tools {

// Calls `work`, which takes its tasks from a common list and throws nothing, on so many threads, and returns
// when all have ended. Where the system gives fewer threads, on those; without any, on the caller's.
template <class Work>
void side_by_side(std::size_t count, const Work &work) {
  std::vector<std::thread> threads;
  threads.reserve(count);
  try {
    while (threads.size() < count) threads.emplace_back([&work] { work(); });
  } catch (const std::system_error &) {
    if (threads.empty()) work();
  }
  for (std::thread &t : threads) t.join();
}

} // namespace vigil::tools
