// SPDX-License-Identifier: LGPL-2.1-or-later
#include "retention.h"

#include "../config/text.h"
#include "common/error.h"
#include "event.h"

#include <algorithm>

namespace vigil::monitor {
namespace {

constexpr double day = 86400;

} // namespace

double longer_days(double a, double b) {
  return a == 0 || b == 0 ? 0 : std::max(a, b);
}

std::vector<Departure> plan_retention(const std::vector<Kept> &kept, const DiskState &disk) {
  std::int64_t total = disk.clip_bytes;
  std::int64_t free = disk.free;
  std::vector<Departure> out;
  const auto go = [&](const Kept &k, std::string why, bool by_age) {
    total -= k.bytes;
    free += k.bytes;
    out.push_back({k.id, std::move(why), by_age});
  };
  std::vector<const Kept *> left;
  for (const Kept &k : kept) {
    if (k.protect) continue;
    if (disk.clock_trusted && k.days > 0 && disk.now - k.start > k.days * day)
      go(k, text("older than ", k.days, " days"), true);
    else
      left.push_back(&k);
  }
  for (const Kept *k : left) {
    if (k->bytes == 0) continue; // its going would free nothing
    if (disk.max_size > 0 && total > disk.max_size)
      go(*k,
         text("clips and recordings took ", size_text(static_cast<std::uint64_t>(total)), " of ",
              size_text(static_cast<std::uint64_t>(disk.max_size))),
         false);
    else if (free < disk.min_free)
      go(*k,
         text("the disk had ", size_text(static_cast<std::uint64_t>(free < 0 ? 0 : free)),
              " free, less than ", size_text(static_cast<std::uint64_t>(disk.min_free))),
         false);
    else
      break;
  }
  return out;
}

std::optional<std::string> next_departure(const std::vector<Kept> &kept, const DiskState &disk,
                                          const char *what) {
  const Kept *first = nullptr, *oldest = nullptr;
  const std::int64_t total = disk.clip_bytes;
  for (const Kept &k : kept) {
    if (k.protect) continue;
    if (!oldest && k.bytes > 0) oldest = &k;
    if (k.days > 0 && (!first || k.start + k.days * day < first->start + first->days * day)) first = &k;
  }
  constexpr double nearly = 0.9;
  if (oldest && disk.max_size > 0 && static_cast<double>(total) > nearly * static_cast<double>(disk.max_size))
    return text("clips and recordings take ", size_text(static_cast<std::uint64_t>(total)), " of ",
                size_text(static_cast<std::uint64_t>(disk.max_size)), ": the oldest, of ", oldest->camera,
                " on ", utc_day(oldest->start), ", go next");
  if (first && !disk.clock_trusted)
    return text("the system's clock was set ahead and is not trusted yet: no ", what, " goes by age");
  if (first)
    return text(first->camera, "'s ", what, " of ", utc_day(first->start), " will be deleted on ",
                utc_day(first->start + first->days * day), " (", first->days, " days)");
  return std::nullopt;
}

} // namespace vigil::monitor
