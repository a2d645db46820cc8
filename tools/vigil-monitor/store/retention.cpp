// SPDX-License-Identifier: LGPL-2.1-or-later
#include "retention.h"

#include "../config/text.h"
#include "../counted.h"
#include "common/error.h"
#include "event.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace vigil::monitor {
namespace {

constexpr double day = 86400;

} // namespace

double longer_days(double a, double b) {
  return a == 0 || b == 0 ? 0 : std::max(a, b);
}

std::vector<Departure> plan_retention(const std::vector<Kept> &kept, const DiskState &disk) {
  std::int64_t total = disk.clip_bytes, excess = disk.excess();
  std::int64_t free = disk.free;
  std::vector<Departure> out;
  const auto go = [&](const Kept &k, const char *reason, std::string why) {
    total -= k.bytes;
    if (disk.max_size > 0) excess -= k.bytes;
    free += k.bytes;
    out.push_back({k.id, k.camera, k.bytes, reason, std::move(why)});
  };
  std::vector<const Kept *> left;
  for (const Kept &k : kept) {
    if (k.protect) continue;
    if (disk.clock_trusted && k.days > 0 && disk.now - k.start > k.days * day)
      go(k, "age", "older than " + counted(k.days, "day"));
    else
      left.push_back(&k);
  }
  for (const Kept *k : left) {
    if (k->bytes == 0) continue; // its going would free nothing
    if (excess > 0)
      go(*k, "max_size",
         text("clips and recordings took ", size_text(static_cast<std::uint64_t>(total)), " of ",
              size_text(static_cast<std::uint64_t>(disk.max_size)),
              total > disk.max_size
                  ? ""
                  : ", and " + size_text(static_cast<std::uint64_t>(disk.growth)) + " come each minute"));
    else if (free < disk.min_free)
      go(*k, "min_free",
         text("the disk had ", size_text(static_cast<std::uint64_t>(free < 0 ? 0 : free)),
              " free, less than ", size_text(static_cast<std::uint64_t>(disk.min_free))));
    else
      break;
  }
  return out;
}

Carried carry_out(std::vector<Kept> kept, DiskState disk,
                  const std::function<bool(const Departure &)> &remove) {
  Carried out;
  std::unordered_map<std::string, Kept *> by_id;
  for (Kept &k : kept) by_id[k.id] = &k;
  for (bool again = true; std::exchange(again, false);)
    for (Departure &d : plan_retention(kept, disk)) {
      by_id.at(d.id)->protect = true; // it was looked at
      try {
        if (!remove(d)) {
          again = true;
          continue;
        }
      } catch (const std::exception &e) {
        if (out.stuck.empty()) out.why = e.what();
        out.stuck.push_back(d.id);
        again = true;
        continue;
      }
      disk.clip_bytes -= d.bytes;
      disk.free += d.bytes;
      out.gone.push_back(std::move(d));
    }
  return out;
}

nlohmann::json audit_line(const Departed &deleted, double now) {
  struct Sum {
    std::int64_t events = 0, segments = 0, bytes = 0;
  };
  std::map<std::pair<std::string, std::string>, Sum> sums; // by camera and reason
  const auto add = [&](const std::vector<Departure> &of, std::int64_t Sum::*count) {
    for (const Departure &d : of) {
      Sum &sum = sums[{d.camera, d.reason}];
      (sum.*count)++;
      sum.bytes += d.bytes;
    }
  };
  add(deleted.events, &Sum::events);
  add(deleted.segments, &Sum::segments);
  nlohmann::json list = nlohmann::json::array();
  for (const auto &[of, sum] : sums)
    list.push_back({{"camera", of.first},
                    {"reason", of.second},
                    {"events", sum.events},
                    {"segments", sum.segments},
                    {"bytes", sum.bytes}});
  return {{"time", now}, {"who", "retention"},  {"role", "none"},
          {"from", ""},  {"what", "retention"}, {"details", {{"deleted", std::move(list)}}}};
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
                utc_day(first->start + first->days * day), " (", counted(first->days, "day"), ")");
  return std::nullopt;
}

} // namespace vigil::monitor
