// SPDX-License-Identifier: LGPL-2.1-or-later
// The assignment against all permutations of small problems.
#include "kernels/track/assignment.h"
#include "tests/unit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace {

using vigil::test::expect;
using vigil::track::Assignment;

constexpr double never = std::numeric_limits<double>::infinity();

struct Value {
  int pairs = 0;
  double cost = 0;
  bool operator<(const Value &o) const { return pairs != o.pairs ? pairs > o.pairs : cost < o.cost; }
};

// The best of all ways to give each row a column or none: tries all orders of the columns, of which the first
// go to the rows.
Value best(const std::vector<double> &cost, std::size_t rows, std::size_t columns) {
  std::vector<std::size_t> order(std::max(rows, columns));
  std::iota(order.begin(), order.end(), std::size_t{0});
  Value least{-1, 0};
  do {
    Value v;
    for (std::size_t i = 0; i < rows; i++)
      if (order[i] < columns && std::isfinite(cost[i * columns + order[i]])) {
        v.pairs++;
        v.cost += cost[i * columns + order[i]];
      }
    if (least.pairs < 0 || v < least) least = v;
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

void random_problems() {
  std::mt19937_64 random(7);
  Assignment assignment;
  for (int n = 0; n < 3000; n++) {
    const std::size_t rows = random() % 6, columns = random() % 6;
    std::vector<double> cost(rows * columns);
    for (double &c : cost)
      c = random() % 3 == 0 ? never : double(random() % 1000) / 100 - 5 * double(random() % 2);
    const auto got = assignment.solve(cost, rows, columns);
    expect(got.size() == rows, "one answer for each row");
    Value v;
    std::vector<int> taken(columns);
    for (std::size_t i = 0; i < rows; i++) {
      if (got[i] < 0) continue;
      const auto j = std::size_t(got[i]);
      expect(j < columns && !taken[j]++, "no column is taken twice");
      expect(std::isfinite(cost[i * columns + j]), "no forbidden pair");
      v.pairs++;
      v.cost += cost[i * columns + j];
    }
    const Value want = best(cost, rows, columns);
    expect(v.pairs == want.pairs && std::abs(v.cost - want.cost) < 1e-9,
           "problem " + std::to_string(n) + ": " + std::to_string(v.pairs) + " pairs at " +
               std::to_string(v.cost) + ", not " + std::to_string(want.pairs) + " at " +
               std::to_string(want.cost));
  }
}

} // namespace

int main() {
  const std::vector<vigil::test::Case> cases = {
      {"random problems", random_problems},
  };
  return vigil::test::run_cases("track assignment", cases);
}
