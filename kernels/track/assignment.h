// SPDX-License-Identifier: LGPL-2.1-or-later
// The assignment problem: which row goes with which column, so that the sum of costs is least.
//
//   over all one-to-one pairings P of rows with columns: first the most pairs that are allowed, then the
//   least sum over P of cost(row, column)
//
// Source: R. Jonker and A. Volgenant, "A shortest augmenting path algorithm for dense and sparse linear
// assignment problems", Computing 38 (1987). Time O(rows^2 columns), rows being the fewer, for each part of
// the problem that no allowed pair joins to the rest. A pair whose cost is not finite is forbidden. Costs
// must be below 1e4 in magnitude where pairs are forbidden. The result depends on the costs alone, and ties
// go to the lower column.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace vigil::track {

// Keeps its memory from call to call: no allocation once it has seen the largest problem.
class Assignment {
 public:
  // `cost` holds rows * columns values, row by row. The result has for each row its column, or -1, and stays
  // until the next call.
  std::span<const int> solve(std::span<const double> cost, std::size_t rows, std::size_t columns);

 private:
  void find_parts(std::span<const double> cost, std::size_t rows, std::size_t columns);
  void solve_part(std::span<const double> cost, std::size_t columns);

  std::vector<std::size_t> part_; // of each row, then of each column, as the least member of that part
  std::vector<std::size_t> order_, part_rows_, part_columns_;
  std::vector<double> square_, row_price_, column_price_, shortest_;
  std::vector<int> row_of_, way_, result_;
  std::vector<char> used_;
};

} // namespace vigil::track
