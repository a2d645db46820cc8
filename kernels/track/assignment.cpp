// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/track/assignment.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace vigil::track {
namespace {

// A forbidden pair costs more than all allowed ones together can save, so that as many as possible are
// allowed.
constexpr double forbidden = 1e7;

} // namespace

std::span<const int> Assignment::solve(std::span<const double> cost, std::size_t rows, std::size_t columns) {
  result_.assign(rows, -1);
  if (rows == 0 || columns == 0) return result_;
  // The fewer side is augmented, so the problem is turned when there are more rows.
  const bool turned = rows > columns;
  const std::size_t n = std::min(rows, columns), m = std::max(rows, columns);
  square_.resize(n * m);
  for (std::size_t i = 0; i < n; i++)
    for (std::size_t j = 0; j < m; j++) {
      const double c = turned ? cost[j * columns + i] : cost[i * columns + j];
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
      result_[j] = static_cast<int>(i);
    else
      result_[i] = static_cast<int>(j);
  }
  return result_;
}

} // namespace vigil::track
