// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/track/assignment.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace vigil::track {
namespace {

// A forbidden pair costs more than all allowed ones together can save, so that as many as possible are
// allowed.
constexpr double forbidden = 1e7;

} // namespace

// Union-find; the least member stands for its part.
void Assignment::find_parts(std::span<const double> cost, std::size_t rows, std::size_t columns) {
  part_.resize(rows + columns);
  std::iota(part_.begin(), part_.end(), std::size_t{0});
  const auto root = [&](std::size_t i) {
    while (part_[i] != i) i = part_[i] = part_[part_[i]];
    return i;
  };
  for (std::size_t i = 0; i < rows; i++)
    for (std::size_t j = 0; j < columns; j++) {
      if (!std::isfinite(cost[i * columns + j])) continue;
      const std::size_t a = root(i), b = root(rows + j);
      part_[std::max(a, b)] = std::min(a, b);
    }
  for (std::size_t i = 0; i < rows + columns; i++) part_[i] = root(i);
}

std::span<const int> Assignment::solve(std::span<const double> cost, std::size_t rows, std::size_t columns) {
  result_.assign(rows, -1);
  if (rows == 0 || columns == 0) return result_;
  find_parts(cost, rows, columns);
  order_.resize(rows + columns);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::sort(order_.begin(), order_.end(),
            [&](std::size_t a, std::size_t b) { return part_[a] != part_[b] ? part_[a] < part_[b] : a < b; });
  for (std::size_t k = 0; k < order_.size();) {
    const std::size_t part = part_[order_[k]];
    part_rows_.clear();
    part_columns_.clear();
    for (; k < order_.size() && part_[order_[k]] == part; k++)
      if (order_[k] < rows)
        part_rows_.push_back(order_[k]);
      else
        part_columns_.push_back(order_[k] - rows);
    if (!part_rows_.empty() && !part_columns_.empty()) solve_part(cost, columns);
  }
  return result_;
}

void Assignment::solve_part(std::span<const double> cost, std::size_t columns) {
  // The fewer side is augmented, so the problem is turned when there are more rows.
  const bool turned = part_rows_.size() > part_columns_.size();
  const std::vector<std::size_t> &less = turned ? part_columns_ : part_rows_,
                                 &more = turned ? part_rows_ : part_columns_;
  const std::size_t n = less.size(), m = more.size();
  square_.resize(n * m);
  for (std::size_t i = 0; i < n; i++)
    for (std::size_t j = 0; j < m; j++) {
      const double c = turned ? cost[more[j] * columns + less[i]] : cost[less[i] * columns + more[j]];
      square_[i * m + j] = std::isfinite(c) ? c : forbidden;
    }
  row_price_.assign(n, 0);
  column_price_.assign(m + 1, 0);
  row_of_.assign(m + 1, -1); // of each column; column m is where each search starts
  for (std::size_t i = 0; i < n; i++) {
    row_of_[m] = static_cast<int>(i);
    std::size_t at = m;
    shortest_.assign(m, std::numeric_limits<double>::infinity());
    way_.assign(m, -1);
    used_.assign(m + 1, 0);
    while (row_of_[at] >= 0) { // Dijkstra over reduced costs, to a column without a row
      used_[at] = 1;
      const auto row = static_cast<std::size_t>(row_of_[at]);
      double least = std::numeric_limits<double>::infinity();
      std::size_t next = m;
      for (std::size_t j = 0; j < m; j++) {
        if (used_[j]) continue;
        const double reduced = square_[row * m + j] - row_price_[row] - column_price_[j];
        if (reduced < shortest_[j]) {
          shortest_[j] = reduced;
          way_[j] = static_cast<int>(at);
        }
        if (shortest_[j] < least) {
          least = shortest_[j];
          next = j;
        }
      }
      for (std::size_t j = 0; j <= m; j++)
        if (used_[j]) {
          row_price_[static_cast<std::size_t>(row_of_[j])] += least;
          column_price_[j] -= least;
        } else if (j < m)
          shortest_[j] -= least;
      at = next;
    }
    while (at != m) { // the path is turned round
      const auto before = static_cast<std::size_t>(way_[at]);
      row_of_[at] = row_of_[before];
      at = before;
    }
  }
  for (std::size_t j = 0; j < m; j++) {
    if (row_of_[j] < 0) continue;
    const auto i = static_cast<std::size_t>(row_of_[j]);
    if (square_[i * m + j] >= forbidden) continue;
    if (turned)
      result_[more[j]] = static_cast<int>(less[i]);
    else
      result_[less[i]] = static_cast<int>(more[j]);
  }
}

} // namespace vigil::track
