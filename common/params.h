// SPDX-License-Identifier: LGPL-2.1-or-later
// A table of an algorithm's parameters, written once: it makes the element's properties, the ranges that the
// tests draw random values from, and the table in the documentation.
#pragma once

#include <random>
#include <tuple>
#include <type_traits>
#include <utility>

namespace vigil {

// One parameter of the struct S. The default is the member's own initialiser, so it stands in one place.
template <class S, class T>
struct Param {
  using Value = T;
  const char *name;  // as a GObject property: lower-case words with dashes
  const char *nick;  // a short title
  const char *blurb; // what it does, its unit, what special values mean
  T S::*field;
  T min, max;
};
template <class S, class T>
constexpr Param<S, T> param(const char *name, const char *nick, const char *blurb, T S::*field,
                            std::type_identity_t<T> min, std::type_identity_t<T> max) {
  return {name, nick, blurb, field, min, max};
}
template <class S>
constexpr Param<S, bool> param(const char *name, const char *nick, const char *blurb, bool S::*field) {
  return {name, nick, blurb, field, false, true};
}

// Calls fn(index, entry) for each entry of a table.
template <class Table, class Fn>
constexpr void for_each_param(const Table &table, Fn &&fn) {
  std::apply(
      [&](const auto &...entry) {
        int i = 0;
        (fn(i++, entry), ...);
      },
      table);
}
template <class Table>
inline constexpr int param_count = std::tuple_size_v<std::remove_cvref_t<Table>>;

// A struct whose members are drawn evenly from their declared ranges.
template <class S, class Table, class Rng>
S random_params(const Table &table, Rng &rng) {
  S s;
  for_each_param(table, [&](int, const auto &p) {
    using T = typename std::remove_cvref_t<decltype(p)>::Value;
    if constexpr (std::is_same_v<T, bool>)
      s.*p.field = std::bernoulli_distribution(0.5)(rng);
    else if constexpr (std::is_integral_v<T>)
      s.*p.field = std::uniform_int_distribution<T>(p.min, p.max)(rng);
    else
      s.*p.field = std::uniform_real_distribution<T>(p.min, p.max)(rng);
  });
  return s;
}

} // namespace vigil
