// SPDX-License-Identifier: LGPL-2.1-or-later
// Vectors of things that have an id, in the order of these: tracks come with higher and higher ids, so a new
// one is nearly always the last.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace vigil::rules {

template <class T>
auto place_of(std::vector<T> &v, std::uint64_t id) {
  return std::lower_bound(v.begin(), v.end(), id, [](const T &a, std::uint64_t b) { return a.id < b; });
}
// Null: there is none.
template <class T>
T *find(std::vector<T> &v, std::uint64_t id) {
  const auto at = place_of(v, id);
  return at != v.end() && at->id == id ? &*at : nullptr;
}
// A new one where there is none.
template <class T>
T &obtain(std::vector<T> &v, std::uint64_t id) {
  const auto at = place_of(v, id);
  if (at != v.end() && at->id == id) return *at;
  T fresh;
  fresh.id = id;
  return *v.insert(at, fresh);
}
// Ids that change, in the order of the old ones; there is nothing under the new ones yet.
struct Rename {
  std::uint64_t id, to;
};
template <class T>
void rename(std::vector<T> &v, std::vector<Rename> &renames) {
  for (T &t : v)
    if (const Rename *r = find(renames, t.id)) t.id = r->to;
  std::sort(v.begin(), v.end(), [](const T &a, const T &b) { return a.id < b.id; });
}

} // namespace vigil::rules
