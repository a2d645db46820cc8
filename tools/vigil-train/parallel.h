// SPDX-License-Identifier: LGPL-2.1-or-later
// Sums over many rows, the same bits whatever the number of threads: the rows are cut into parts that their
// number alone decides, and the parts' results are added in order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <oneapi/tbb/parallel_for.h>
#include <vector>

namespace vigil::train {

inline constexpr std::size_t part_count = 32;

// Calls work(partial result, first, last) for each part, then add(result, partial result) in order of the
// parts.
template <class Result, class Work, class Add>
Result sum_parts(std::size_t rows, const Result &zero, Work work, Add add) {
  const std::size_t parts = std::min(part_count, std::max<std::size_t>(1, rows / 256));
  std::vector<Result> partial(parts, zero);
  oneapi::tbb::parallel_for(std::size_t{0}, parts, [&](std::size_t p) {
    work(partial[p], rows * p / parts, rows * (p + 1) / parts);
  });
  for (std::size_t p = 1; p < parts; p++) add(partial[0], partial[p]);
  return std::move(partial[0]);
}

} // namespace vigil::train
