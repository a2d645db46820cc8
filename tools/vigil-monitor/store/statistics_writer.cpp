// SPDX-License-Identifier: LGPL-2.1-or-later
#include "statistics_writer.h"

#include <cmath>
#include <utility>

namespace vigil::monitor {

void StatisticsWriter::crossing(const std::string &camera, const std::string &line, double time, bool in) {
  const bool taken = queue_.add_needed([this, camera, line, time, in] {
    const auto quarter = static_cast<std::int64_t>(std::floor(time / EventStore::quarter));
    Crossings &c = crossings_[{camera, line, quarter}];
    (in ? c.in : c.out)++;
    save_crossings();
  });
  if (!taken) queue_.lost("crossings of lines");
}

void StatisticsWriter::heat(const std::string &camera, double time, std::vector<float> cells) {
  const bool taken = queue_.add_needed(
      [this, camera, time, cells = std::move(cells)] { storage_.events().add_heat(camera, time, cells); });
  if (!taken) queue_.lost("heat");
}

void StatisticsWriter::save_crossings() {
  if (crossings_.empty()) return;
  try {
    storage_.events().add_crossings(crossings_);
    crossings_.clear();
    crossings_outage_.worked(Utc::monotonic_seconds());
  } catch (const Error &error) {
    if (crossings_outage_.failed(Utc::monotonic_seconds()))
      log_line(vigil::text(error.what(), "; crossings of lines are counted in memory until it works again"));
  }
}

void StatisticsWriter::save_motion() {
  try {
    storage_.motion().store();
    motion_outage_.worked(Utc::monotonic_seconds());
  } catch (const Error &error) {
    if (motion_outage_.failed(Utc::monotonic_seconds()))
      log_line(vigil::text(error.what(), "; the history of motion waits in memory until it works again"));
  }
}

} // namespace vigil::monitor
