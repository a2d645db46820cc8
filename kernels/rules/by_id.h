// SPDX-License-Identifier: LGPL-2.1-or-later
// Lists of things that have an id, in the order of these: tracks come with higher and higher ids, so a new
// one is nearly always the last.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace vigil::rules {

template <class List>
auto place_of(List &list, std::uint64_t id) {
  return std::lower_bound(list.begin(), list.end(), id,
                          [](const auto &a, std::uint64_t b) { return a.id < b; });
}
// Null: there is none.
template <class List>
auto find(List &list, std::uint64_t id) -> decltype(&*list.begin()) {
  const auto at = place_of(list, id);
  return at != list.end() && at->id == id ? &*at : nullptr;
}
// A new one where there is none.
template <class T>
T &obtain(std::vector<T> &list, std::uint64_t id) {
  const auto at = place_of(list, id);
  if (at != list.end() && at->id == id) return *at;
  T fresh;
  fresh.id = id;
  return *list.insert(at, fresh);
}
// Ids that change, in the order of the old ones; there is nothing under the new ones yet.
struct Rename {
  std::uint64_t id, to;
};
template <class T>
void rename(std::vector<T> &list, std::span<const Rename> renames) {
  for (T &t : list)
    if (const Rename *r = find(renames, t.id)) t.id = r->to;
  std::sort(list.begin(), list.end(), [](const T &a, const T &b) { return a.id < b.id; });
}

} // namespace vigil::rules
